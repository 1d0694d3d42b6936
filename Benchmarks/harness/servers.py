"""The servers on loopback: nginx in a folder of its own, and the slow server."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TEMPLATE = pathlib.Path(__file__).resolve().parent.parent / "Servers" / "nginx.conf.template"


class Nginx:
    """URLs of `kind` (`plain`, `tls`, and `stock_plain`, `stock_tls` that end connections) and of `file`."""

    def __init__(self, ports, certificate):
        self.ports = ports
        self.certificate = certificate

    def url(self, kind, file):
        scheme = "https" if kind.endswith("tls") else "http"
        return f"{scheme}://127.0.0.1:{self.ports[kind]}/{file}"


@contextlib.contextmanager
def nginx():
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if not program:
        sys.exit("nginx is missing: `make setup` installs it (Debian's package is nginx-light)")
    with tempfile.TemporaryDirectory(prefix="lupine-bench-") as name:
        directory = pathlib.Path(name)
        directory.chmod(0o755)  # a worker of a root's nginx runs as another user
        files = directory / "files"
        files.mkdir()
        (files / "1k").write_bytes(os.urandom(1024))
        (files / "1m").write_bytes(os.urandom(1 << 20))
        make_certificate(directory)
        ports = dict(zip(("plain", "tls", "stock_plain", "stock_tls"), free_ports(4)))

        text = TEMPLATE.read_text().replace("@DIRECTORY@", name)
        for kind, port in ports.items():
            text = text.replace(f"@{kind.upper()}@", str(port))
        configuration = directory / "nginx.conf"
        configuration.write_text(text)

        server = subprocess.Popen([program, "-p", name, "-c", configuration, "-e", directory / "error.log"])
        try:
            for port in ports.values():
                wait_for(port, server)
            yield Nginx(ports, directory / "certificate.pem")
        finally:
            server.terminate()
            server.wait()


def slow_server(programs, delay_ms):
    """Answers each request so many milliseconds after it came; yields its URL."""
    return listening([programs / "slow-server", "--delay", str(delay_ms)])


def sink(programs):
    """Takes bodies and throws them away; yields its URL."""
    return listening([programs / "sink"])


@contextlib.contextmanager
def listening(command):
    """A program that says where it listens."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline().split()[1])
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()


@contextlib.contextmanager
def large_file():
    """1 GiB that takes no room on the disk; read from memory: each program sends a file that was read before."""
    with tempfile.TemporaryDirectory(prefix="lupine-bench-") as name:
        path = pathlib.Path(name, "large")
        with open(path, "wb") as file:
            file.truncate(1 << 30)
        # The first reader has its pages made for it, which costs several times the sending.
        with open(path, "rb") as file:
            while file.read(1 << 20):
                pass
        yield str(path)


def make_certificate(directory):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", directory / "key.pem", "-out", directory / "certificate.pem"],
        check=True, stderr=subprocess.DEVNULL)


def free_ports(count):
    """Held all at once, so that they differ."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


def wait_for(port, server):
    for _ in range(200):
        if server.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    sys.exit("nginx did not start")
