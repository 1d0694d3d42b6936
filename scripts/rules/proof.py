"""Breaks each rule of text.py in the text of this tree and sees that it fails: a check that cannot fail is none."""

from rules import text

CORE = "Sources/LupineCore/Proof.swift"
TEST = "Tests/LupineTransportTests/Proof.swift"

# A rule, the file that breaks it, what is written there, and a word of the failure that must come.
BREAKS = [
    (text.layers, CORE, "internal import LupineTransport\n", "may not import LupineTransport"),
    (text.layers, CORE, "import Foundation\n", "may not import Foundation"),
    (text.layers, "Sources/Lupine/Proof.swift", "internal import FoundationNetworking\n", "may not import FoundationNetw"),
    (text.layers, "Sources/LupineCLI/Proof.swift", "import LupineFoundationBridge\n", "may not import LupineFoundationB"),
    (text.layers, "Sources/LupineTransport/Curl/Proof.swift", "public import CLibcurl\n", "never public"),
    (text.layers, "Sources/LupineTransport/Proof.swift", "@preconcurrency internal import CLibcurl\n", "only Sources"),
    (text.layers, "Sources/LupineTransport/Proof.swift", "internal import CCodings\n", "only Sources"),
    (text.layers, "Sources/Lupine/Proof.swift", "internal import CLibpsl\n", "only Sources"),
    (text.layers, "Sources/LupineNew/Proof.swift", "\n", "no row for LupineNew"),
    (text.file_length, CORE, "//\n" * 601, "601 lines"),
    (text.file_length_warnings, CORE, "//\n" * 401, "401 lines"),
    (text.unsafe_marks, CORE, "final class A: @unchecked Sendable {}\n", "without the rule"),
    (text.unsafe_marks, CORE, "// Why.\nnonisolated(unsafe) var a = 1\n", "are agreed"),
    (text.unsafe_marks, "Sources/LupineLock/Lock.swift", "\n", "lower UNSAFE_MARKS"),
    (text.traps, CORE, "let a = try! b()\n", "try!"),
    (text.traps, CORE, 'let a = b("//") as! C\n', "as!"),
    (text.traps, CORE, "fatalError()\n", "fatalError"),
    (text.sleeping_tests, TEST, "try await Task.sleep(for: .seconds(1))\n", "does not sleep"),
    (text.sleeping_tests, TEST, "    usleep(10)\n", "does not sleep"),
    (text.suite_names, TEST, '@Suite struct Nginx { let a = getenv("LUPINE_NGINX") }\n', "LivePeer"),
    (text.outside_network, TEST, 'get("https://www.wikipedia.org/")\n', "host outside"),
    (text.documentation, CORE, "public struct A {\n}\n", "public struct A"),
    (text.documentation, CORE, "/// A.\npublic protocol A {\n    func b()\n}\n", "public func b"),
    (text.snippets, "PROOF.md", "```swift\nlet notCompiled = 1\n```\n", "no file in Snippets"),
    (text.links, "PROOF.md", "[a](nowhere.md)\n", "leads nowhere"),
    (text.links, "PROOF.md", "[a](README.md#no-such-heading)\n", "no heading"),
    (text.machine_paths, "PROOF.md", "see /" + "home/me/lupine\n", "path of one machine"),
    (text.make_targets, "PROOF.md", "run `make coffee`\n", "no target coffee"),
]


def prove(root, names):
    """Failures: the rules that let their breakage pass."""
    for rule in text.RULES + text.WARNINGS:
        if not any(rule is broken for broken, *_ in BREAKS):
            yield f"scripts/rules/proof.py: nothing shows that {rule.__name__} can fail"
    for rule, name, content, expected in BREAKS:
        tree = text.Tree(root, names)
        tree.names = sorted({*tree.names, name})
        tree.texts[name] = content
        if not any(expected in failure for failure in rule(tree)):
            yield f"scripts/rules/proof.py: {rule.__name__} lets {name} pass ({expected!r} expected)"
