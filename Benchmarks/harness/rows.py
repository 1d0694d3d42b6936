"""What is measured, and what each row of the table promises."""

from dataclasses import dataclass, field


@dataclass
class Case:
    """One run of `lupine-bench`, or of curl, in each round of its group."""
    name: str
    command: list  # of `lupine-bench`; or its first word is `python`, a script of the harness's, or `curl`


@dataclass
class Row:
    """One line: a figure from the answers of a round, by case. `most` or `least` is the budget; none is for
    the reader's information."""
    title: str
    figure: object
    most: float = None
    least: float = None
    unit: str = "×"
    digits: int = 2
    shows: tuple = ()  # the cases whose own figures stand in the line
    shown: str = "cpu_us_per_request"  # which of their figures
    shown_unit: str = "µs"
    needs_lupine: bool = True


@dataclass
class Group:
    """Cases that alternate in a round, so that what disturbs one disturbs its neighbours too."""
    name: str
    rounds: int
    cases: list
    rows: list = field(default_factory=list)


def cpu(case):
    return lambda answers: answers[case]["cpu_us_per_request"]


def ratio(one, other, key="cpu_us_per_request"):
    return lambda answers: answers[one][key] / answers[other][key]


def small_group(name, title, url, options, concurrency, most_pool, most_loop):
    size = ["--requests", 30000 if concurrency > 1 else 10000, "--concurrency", concurrency, "--length", 1024]
    base = ["small", "--url", url, *options]
    return Group(name, 5, [
        Case("lupine", [*base, *size]),
        Case("c", [*base, *size, "--peer", "c"]),
        Case("loop", [*base, *size, "--executor", "loop"]),
    ], [
        Row(f"{title}: CPU to the C loop's", ratio("lupine", "c"), most=most_pool, shows=("lupine", "c")),
        Row(f"{title}, the loop as executor: CPU to the C loop's", ratio("loop", "c"), most=most_loop,
            shows=("loop", "c")),
        Row(f"{title}: the C loop's requests a second", lambda answers: answers["c"]["requests_per_s"], unit="",
            digits=0, shows=("c",), needs_lupine=False),
    ])


def with_urlsession(group, title, least=None):
    """Over plain HTTP only: it trusts no certificate but the system's."""
    command = list(group.cases[0].command)
    command[command.index("--requests") + 1] = 4000
    group.cases.append(Case("urlsession", [*command, "--peer", "urlsession"]))
    group.rows += [
        Row(f"{title}: URLSession's CPU to Lupine's", ratio("urlsession", "lupine"), least=least,
            shows=("urlsession", "lupine")),
        Row(f"{title}: URLSession's CPU to the C loop's", ratio("urlsession", "c"), shows=("urlsession", "c"),
            needs_lupine=False),
    ]
    return group


def waiting_group(url):
    def command(in_flight, peer):
        # The connections are open before the count begins, in both.
        return ["small", "--url", url, "--requests", 5 * in_flight, "--concurrency", in_flight,
                "--warmup", in_flight, "--length", 1024, "--peer", peer]

    def kilobytes_each(peer):
        return lambda answers: (
            (answers[f"{peer} 5000"]["max_rss_mb"] - answers[f"{peer} 500"]["max_rss_mb"]) * 1024 / 4500)

    cases = [Case(f"{peer} {count}", command(count, peer)) for count in (500, 5000) for peer in ("lupine", "c")]
    return Group("waiting", 3, cases, [
        Row("5,000 in flight to a slow server: CPU a request to 500's", ratio("lupine 5000", "lupine 500"), most=1.5,
            shows=("lupine 5000", "lupine 500")),
        Row("5,000 in flight to a slow server: memory each", kilobytes_each("lupine"), most=24, unit=" KB", digits=1),
        Row("the C loop's CPU a request, 5,000 to 500", ratio("c 5000", "c 500"), shows=("c 5000", "c 500"),
            needs_lupine=False),
        Row("the C loop's memory each", kilobytes_each("c"), unit=" KB", digits=1, needs_lupine=False),
    ])


def big_group(url):
    base = ["small", "--url", url, "--requests", 1000, "--concurrency", 8, "--warmup", 50, "--length", 1 << 20]
    return Group("big", 5, [
        Case("lupine", base),
        Case("c", [*base, "--peer", "c"]),
        # What Lupine does too: a body is its caller's to keep. New pages are most of its cost.
        Case("c fresh", [*base, "--peer", "c", "--fresh-bodies"]),
    ], [
        Row("1,000 × 1 MiB, 8 in flight: requests a second to the C loop's",
            ratio("lupine", "c", "requests_per_s"), least=0.9),
        Row("the same, to a C loop that gives each body memory of its own",
            ratio("lupine", "c fresh", "requests_per_s")),
        Row("1,000 × 1 MiB, 8 in flight: CPU to the C loop's", ratio("lupine", "c"), shows=("lupine", "c", "c fresh")),
    ])


def soak_group(name, title, url, options):
    def growth(key):
        return lambda answers: answers["lupine"][f"{key}_end"] - answers["lupine"][f"{key}_start"]

    command = ["soak", "--url", url, *options, "--requests", 20000, "--sessions", 200, "--length", 1024]
    return Group(name, 1, [Case("lupine", command)], [
        Row(f"20,000 requests + 200 sessions, {title}: memory more", growth("rss_mb"), most=4, unit=" MB", digits=1),
        Row(f"{title}: descriptors more", growth("fds"), most=0, unit="", digits=0),
        Row(f"{title}: threads more", growth("threads"), most=0, unit="", digits=0),
        Row(f"{title}, connections ended after 1,000 requests: failures",
            lambda answers: answers["lupine"]["failures"], most=0, unit="", digits=0),
    ])


def form_group(url, file):
    """A multipart form with a file of 1 GiB, each as a process: what is measured is from its start to its end."""
    return Group("form", 5, [
        Case("lupine", ["upload", "--url", url, "--file", file, "--http", "1.1"]),
        Case("curl", ["curl", "--silent", "--show-error", "--output", "/dev/null", "--form", f"file=@{file}", url]),
    ], [
        Row("a form with a file of 1 GiB: time to curl -F's", ratio("lupine", "curl", "process_s"), most=1.1,
            shows=("lupine", "curl"), shown="process_s", shown_unit="s"),
        Row("the same: most memory", lambda answers: answers["lupine"]["max_rss_mb"], most=40, unit=" MB", digits=1),
        Row("the same: CPU to curl -F's", ratio("lupine", "curl", "process_cpu_s"), shows=("lupine", "curl"),
            shown="process_cpu_s", shown_unit="s"),
    ])


def tasks_group(url):
    return Group("tasks", 3, [Case("lupine", ["tasks", "--url", url, "--requests", 300000])], [
        Row("a task made and cancelled, unsent", lambda answers: answers["lupine"]["cpu_us_per_task"], most=3,
            unit=" µs"),
    ])


def encoding_group():
    return Group("encoding", 3, [
        Case("lupine", ["encoding"]),
        Case("python", ["python", "urlencode.py"]),
    ], [
        Row("a query of 1,000 pairs: CPU to Python's urlencode(sorted(…))", ratio("lupine", "python", "query_us"), most=0.5,
            shows=("lupine", "python"), shown="query_us"),
        Row("a request of base URL, 5 parameters and 4 fields: CPU to URL(string:)",
            lambda answers: answers["lupine"]["request_us"] / answers["lupine"]["url_us"], most=10, shows=("lupine",),
            shown="request_us"),
    ])


def decoding_group():
    return Group("decoding", 3, [
        Case("lupine", ["decoding"]),
        Case("urlsession", ["decoding", "--peer", "urlsession"]),
    ], [
        Row("10 MB of JSON, Decodable: CPU to Foundation's decoder alone",
            lambda answers: answers["lupine"]["decodable_us"] / answers["lupine"]["decoder_us"], most=1.05,
            shows=("lupine",), shown="decodable_us"),
        Row("10 MB of JSON, JSONValue: CPU to JSONSerialization", ratio("lupine", "urlsession", "tree_us"), most=1.0,
            shows=("lupine", "urlsession"), shown="tree_us"),
    ])


def intercepted_group(url, options):
    """An adapter that adds a field, and a retrier that is never asked, beside neither."""
    size = ["--requests", 30000, "--concurrency", 64, "--length", 1024]
    base = ["small", "--url", url, *options, *size]
    return Group("intercepted", 9, [
        Case("lupine", base),
        Case("intercepted", [*base, "--intercepted"]),
        Case("loop", [*base, "--executor", "loop"]),
        Case("intercepted loop", [*base, "--executor", "loop", "--intercepted"]),
    ], [
        Row("an adapter and a retrier, 64 in flight, HTTP/1.1: CPU to without", ratio("intercepted", "lupine"),
            most=1.05, shows=("intercepted", "lupine")),
        Row("the same, the loop as executor", ratio("intercepted loop", "loop"), most=1.05,
            shows=("intercepted loop", "loop")),
    ])


def groups(server, slow_url, sink_url, large_file):
    tls = ["--http", "2", "--ca", server.certificate]
    plain, http1 = server.url("plain", "1k"), ["--http", "1.1"]
    many, one = "64 in flight, HTTP/1.1", "1 in flight, HTTP/1.1"
    return [
        with_urlsession(small_group("http1", many, plain, http1, 64, 2.2, 1.8), many, least=12),
        with_urlsession(small_group("http1-one", one, plain, http1, 1, 1.6, 1.6), one),
        small_group("http2", "64 in flight, HTTP/2 over TLS", server.url("tls", "1k"), tls, 64, 2.2, 1.8),
        small_group("http2-one", "1 in flight, HTTP/2 over TLS", server.url("tls", "1k"), tls, 1, 1.6, 1.6),
        intercepted_group(plain, http1),
        tasks_group(plain),
        encoding_group(),
        form_group(sink_url, large_file),
        decoding_group(),
        waiting_group(slow_url),
        big_group(server.url("plain", "1m")),
        soak_group("soak", "HTTP/1.1", server.url("stock_plain", "1k"), http1),
        soak_group("soak2", "HTTP/2", server.url("stock_tls", "1k"), tls),
    ]


NAMES = ("http1", "http1-one", "http2", "http2-one", "intercepted", "tasks", "encoding", "decoding", "form", "waiting", "big", "soak", "soak2")
