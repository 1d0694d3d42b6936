"""Building the benchmark programs and asking one of them for a figure."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import time

PACKAGE = pathlib.Path(__file__).resolve().parent.parent


def build(quiet=False):
    """A release build of everything; answers the folder of the programs."""
    # An incremental build does not see files that are new in a package depended on by path: let it plan anew.
    (PACKAGE / ".build" / "release.yaml").unlink(missing_ok=True)
    command = ["swift", "build", "-c", "release", "--package-path", str(PACKAGE)]
    built = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode != 0:
        sys.exit(built.stdout + "the benchmarks do not build")
    if not quiet:
        print("built", file=sys.stderr)
    return programs()


def programs():
    command = ["swift", "build", "-c", "release", "--package-path", str(PACKAGE), "--show-bin-path"]
    return pathlib.Path(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())


def raise_descriptor_limit():
    """For this process and all it starts."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Failed(Exception):
    pass


def ask(folder, command, limit_seconds=600):
    """Runs `lupine-bench`, curl, or a script of the harness's, and reads its one line; curl has none. To it comes what the
    process took as a whole. Failed requests are in the answer, not an exception."""
    if command[0] == "python":
        words = [sys.executable, str(PACKAGE / "harness" / command[1])]
    elif command[0] == "curl":
        words = command
    else:
        words = [str(folder / "lupine-bench"), *map(str, command), "--json"]
    before, start = os.times(), time.monotonic()
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=limit_seconds)
    after = os.times()
    whole = {
        "process_s": time.monotonic() - start,
        "process_cpu_s": after.children_user + after.children_system - before.children_user - before.children_system,
    }
    if command[0] == "curl" and done.returncode == 0:
        return whole
    try:
        return json.loads(done.stdout.strip().splitlines()[-1]) | whole
    except (IndexError, json.JSONDecodeError):
        raise Failed(f"{' '.join(words)} ended with {done.returncode}: {done.stderr[-2000:]}") from None
