"""What can be told from the text of the files. Each rule is a generator of failures, one line each.

`RULES` lists them; scripts/rules/proof.py breaks every one in a copy and sees it fail.
"""

import pathlib
import re

# Marks of code the compiler does not check. Each carries the rule that makes it safe in a comment beside it; a new one
# is a decision, so it changes a number here.
UNSAFE_MARKS = 16

LONG_FILE, TOO_LONG_FILE = 400, 600

# Imports any module may have besides what ARCHITECTURE.md's table gives it.
SYSTEM_MODULES = {"FoundationEssentials", "Dispatch", "Glibc"}
# The one place in a module that may import a C library, where that is narrower than the module.
PLACES = {
    "CLibcurl": ("Sources/LupineTransport/Curl", "Sources/LupineTransport/Transfer/"),
    "CCodings": ("Sources/LupineTransport/Coding/",),
    "CLupineXML": ("Sources/LupineXML/",),
    "CLibpsl": ("Sources/Lupine/Hosts/PublicSuffixList.swift",),
}


class Tree:
    """The files under version control, or about to be: the text of each by its path."""

    def __init__(self, root, names):
        self.root = pathlib.Path(root)
        self.names = sorted(name for name in names if (self.root / name).is_file())
        self.texts = {}

    def text(self, name):
        if name not in self.texts:
            self.texts[name] = (self.root / name).read_text(encoding="utf-8", errors="replace")
        return self.texts[name]

    def lines(self, name):
        return self.text(name).splitlines()

    def matching(self, *prefixes, suffix):
        return [name for name in self.names if name.startswith(prefixes) and name.endswith(suffix)]

    @property
    def sources(self):
        return self.matching("Sources/", "Snippets/", suffix=".swift")

    @property
    def tests(self):
        return self.matching("Tests/", suffix=".swift")

    def code(self, name):
        """Its numbered lines with strings emptied and comments removed."""
        for number, line in enumerate(self.lines(name), 1):
            yield number, re.sub(r"//.*", "", re.sub(r'"(?:\\.|[^"\\])*"', '""', line))


IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\(.*?\))?\s+)*(?:(public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)"
)


def module_table(tree):
    """ARCHITECTURE.md's table of modules: what each may import, from its last column."""
    table = {}
    for line in tree.lines("ARCHITECTURE.md"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        modules = re.findall(r"`(\w+)`", cells[0])
        if len(cells) == 3 and modules:
            for module in modules:
                table[module] = set(re.findall(r"`(\w+)`", cells[2]))
    return table


def layers(tree):
    table = module_table(tree)
    modules = {name.split("/")[1] for name in tree.matching("Sources/", suffix=("/module.modulemap", ".swift"))}
    for module in sorted(modules - table.keys()):
        yield f"ARCHITECTURE.md: its module table has no row for {module}"
    for name in tree.matching("Sources/", suffix=".swift"):
        module = name.split("/")[1]
        allowed = table.get(module, set()) | SYSTEM_MODULES
        for number, line in tree.code(name):
            found = IMPORT.match(line)
            if not found:
                continue
            access, imported = found.groups()
            if imported not in allowed:
                yield f"{name}:{number}: {module} may not import {imported} (ARCHITECTURE.md, the module table)"
            elif not name.startswith(PLACES.get(imported, "")):
                yield f"{name}:{number}: only {' and '.join(PLACES[imported])}… import {imported}"
            elif re.match("C[A-Z]", imported) and access in ("public", "package"):
                yield f"{name}:{number}: a C module is imported as internal, never {access}"


def file_length(tree):
    for name in tree.sources + tree.tests:
        if len(tree.lines(name)) > TOO_LONG_FILE:
            yield f"{name}: {len(tree.lines(name))} lines; at most {TOO_LONG_FILE}"


def file_length_warnings(tree):
    for name in tree.sources + tree.tests:
        if LONG_FILE < len(tree.lines(name)) <= TOO_LONG_FILE:
            yield f"{name}: {len(tree.lines(name))} lines; {LONG_FILE} is long: which two things does it hold?"


def unsafe_marks(tree):
    count = 0
    for name in tree.matching("Sources/", suffix=".swift"):
        lines = tree.lines(name)
        for number, line in tree.code(name):
            marks = re.findall(r"@unchecked\s+Sendable|nonisolated\(unsafe\)", line)
            count += len(marks)
            near = lines[max(0, number - 4) : number + 3]
            if marks and not any("//" in text for text in near):
                yield f"{name}:{number}: {marks[0]} without the rule that makes it safe in a comment beside it"
    if count > UNSAFE_MARKS:
        yield f"Sources: {count} unsafe marks, {UNSAFE_MARKS} are agreed (UNSAFE_MARKS in scripts/rules/text.py)"
    if count < UNSAFE_MARKS:
        yield f"Sources: {count} unsafe marks are left: lower UNSAFE_MARKS in scripts/rules/text.py"


def traps(tree):
    """What ends the process. Forced unwrapping is the formatter's: NeverForceUnwrap."""
    for name in tree.sources:
        for number, line in tree.code(name):
            found = re.search(r"\btry!|\bas!|\bfatalError\b", line)
            if found:
                yield f"{name}:{number}: {found[0]} ends the program that uses Lupine: throw, or return"


def sleeping_tests(tree):
    sleep = re.compile(
        r"\b(?:Task|Thread)\.sleep\b|Clock\(\)\.sleep\b"  # Swift's and Foundation's
        r"|(?<![\w.])(?<!func )(?:u|nano)?sleep\(|(?:Glibc|Foundation)\.u?sleep\("  # C's
    )
    for name in tree.tests:
        for number, line in tree.code(name):
            if sleep.search(line):
                yield f"{name}:{number}: a test waits for what happens, or moves a ManualClock; it does not sleep"


def suite_names(tree):
    """`make live-peers` and `make conformance` choose suites by name."""
    for name in tree.tests:
        for word, variables in (("LivePeer", "LUPINE_(?:HTTPBIN|FORMS|NGINX)"), ("Conformance", "LUPINE_CASES")):
            found = re.search(variables, tree.text(name))
            if found and word not in tree.text(name):
                yield f"{name}: reads {found[0]}, but no suite here has {word} in its name: its make target misses it"


def outside_network(tree):
    """Hosts in tests are loopback ones, or names and addresses set aside for examples, which lead nowhere."""
    url = re.compile(r'"https?://([^\s/"\\:@?#\[\]]+)')
    harmless = re.compile(
        r"(?:.*\.)?(?:example(?:\.\w+)?|test|invalid|localhost)|127\..*|192\.0\.2\..*|198\.51\.100\..*|203\.0\.113\..*",
        re.IGNORECASE,
    )
    for name in tree.matching(
        "Tests/LupineTransportTests/", "Tests/LupineCLITests/", "Tests/LupineFoundationBridgeTests/", suffix=".swift"
    ):
        for number, line in enumerate(tree.lines(name), 1):
            for host in url.findall(line):
                if "." in host and re.search(r"\.[a-z]{2,}$", host) and not harmless.fullmatch(host):
                    yield f"{name}:{number}: {host} is a host outside; use loopback or *.example"


PUBLIC = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+(.*)")
MODIFIERS = (
    r"(?:(?:static|class|final|mutating|nonmutating|override|indirect|nonisolated|consuming|borrowing|convenience"
    r"|required|prefix|postfix|infix)\s+)*"
)
MUST_EXPLAIN = re.compile(MODIFIERS + r"(struct|class|enum|actor|protocol|typealias|func|macro)\s*([^\s(:<{]*)")
# Requirements of the standard library's protocols: what they do is known.
WITNESSES = {
    *("", "==", "hash", "encode", "makeAsyncIterator", "next", "makeIterator", "index", "Element", "Index", "Failure"),
    *("enqueue", "asUnownedTaskExecutor"),
}


def public_declarations(tree):
    """Each public declaration: file, line number, text from the keyword on, whether a public protocol requires it."""
    for name in tree.matching("Sources/", suffix=".swift"):
        protocol_indent = None
        for number, line in tree.code(name):
            indent = len(line) - len(line.lstrip())
            if protocol_indent is not None and line.strip() == "}" and indent == protocol_indent:
                protocol_indent = None
            public = PUBLIC.match(line)
            if public:
                if re.match(r"protocol\b", public[1]) and "}" not in line:
                    protocol_indent = indent
                yield name, number, public[1], False
            elif protocol_indent is not None and indent == protocol_indent + 4:
                yield name, number, line.strip(), True


def documentation(tree):
    """Public types and functions say what they do. A property, case or initializer may be left to its name, and a
    function that a protocol requires is explained there."""
    required = set(WITNESSES)
    for _, _, declaration, is_requirement in public_declarations(tree):
        found = MUST_EXPLAIN.match(declaration)
        if is_requirement and found:
            required.add(found[2])
    for name, number, declaration, is_requirement in public_declarations(tree):
        found = MUST_EXPLAIN.match(declaration)
        if not found or (found[2] in required and not is_requirement):
            continue
        lines = tree.lines(name)
        above = number - 2
        while above >= 0 and re.match(r"\s*(@|#if\b)", lines[above]):
            above -= 1
        if above < 0 or not lines[above].lstrip().startswith("///"):
            yield f"{name}:{number}: public {found[1]} {found[2]} has no documentation comment"


def visible(snippet):
    """A snippet as SwiftPM shows it: without what stands between `snippet.hide` and `snippet.show`."""
    shown, hidden = [], False
    for line in snippet.splitlines():
        if re.match(r"\s*//\s*snippet\.(hide|show)", line):
            hidden = "hide" in line
        elif not hidden:
            shown.append(line)
    return "\n".join(shown).strip()


def snippets(tree):
    """Swift shown in Markdown is compiled: each block is a file of Snippets/."""
    shown = {visible(tree.text(name)): name for name in tree.matching("Snippets/", suffix=".swift")}
    for name in tree.matching("", suffix=".md"):
        text = tree.text(name)
        for block in re.finditer(r"^```swift\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            if block[1].strip() not in shown:
                line = text.count("\n", 0, block.start()) + 1
                yield f"{name}:{line}: this Swift is the text of no file in Snippets/"


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", "")).replace(" ", "-")


def links(tree):
    known = set(tree.names) | {str(parent) for name in tree.names for parent in pathlib.PurePath(name).parents}
    for name in tree.matching("", suffix=".md"):
        for number, line in enumerate(tree.lines(name), 1):
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                file = str(pathlib.PurePath(name).parent / path) if path else name
                if file not in known:
                    yield f"{name}:{number}: {target} leads nowhere"
                elif anchor and file.endswith(".md"):
                    headings = {slug(text) for text in re.findall(r"^#+ (.*)$", tree.text(file), re.MULTILINE)}
                    if anchor not in headings:
                        yield f"{name}:{number}: {file} has no heading #{anchor}"


def machine_paths(tree):
    path = re.compile(r"(?<![\w.$}])/(?:work|root|tmp/wt|home/\w+)/")
    for name in tree.names:
        for number, line in enumerate(tree.lines(name), 1):
            if path.search(line):
                yield f"{name}:{number}: a path of one machine"


def make_targets(tree):
    """A `make` verb that a page names exists."""
    verbs = set(re.findall(r"^([a-z-]+):", tree.text("Makefile"), re.MULTILINE))
    for name in tree.matching("", suffix=".md"):
        for number, line in enumerate(tree.lines(name), 1):
            for verb in re.findall(r"(?:`|^\s*)make ([a-z][a-z-]*)", line):
                if verb not in verbs:
                    yield f"{name}:{number}: the Makefile has no target {verb}"


RULES = [
    *(layers, file_length, unsafe_marks, traps, sleeping_tests, suite_names, outside_network),
    *(documentation, snippets, links, machine_paths, make_targets),
]
WARNINGS = [file_length_warnings]
