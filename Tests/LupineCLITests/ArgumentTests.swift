import LupineCore
import LupineSerialization
import Testing

@testable import LupineCLI

@Suite(.timeLimit(.minutes(1)))
struct ArgumentTests {
    private func request(_ words: String...) throws -> RequestArguments {
        guard case .request(let arguments) = try Invocation(words) else {
            throw UsageError("no request")
        }
        return arguments
    }

    @Test(arguments: [
        (["get", "http://h.test/"], "GET"), (["http://h.test/", "-i"], nil), (["head", "http://h.test/"], "HEAD"),
        (["options", "http://h.test/"], "OPTIONS"), (["request", "PROPFIND", "http://h.test/"], "PROPFIND"),
        (["-i", "delete", "-v", "http://h.test/"], "DELETE"), (["--timeout", "2", "put", "http://h.test/"], "PUT"),
        (["patch", "--", "http://h.test/"], "PATCH"), (["-ivo", "file", "post", "http://h.test/"], "POST"),
    ])
    func commandsAndOptionsInAnyOrder(words: [String], method: String?) {
        guard case .request(let arguments)? = try? Invocation(words) else {
            #expect(method == nil, "\(words)")
            return
        }
        #expect(arguments.method == method)
        #expect(arguments.url == "http://h.test/")
    }

    @Test func everyOptionIsRead() throws {
        let read = try request(
            "get", "http://h.test/", "-H", "A: 1", "-H", "B:", "-H", "C;", "-q", "a b=c&d", "--query=e=", "-f", "x=1",
            "--timeout", "0.25", "--connect-timeout=1.5", "--total-timeout", "9", "--http", "1.1", "--ca", "roots.pem",
            "--unix-socket", "/s", "-4", "--connect-to", "[::1]:80:127.0.0.1:8080", "--connect-to", "::h2:",
            "--proxy", "http://p.test:1", "--accept-status", "200-299,304", "--accept-type", "text/*", "-o", "f", "-i",
            "--report", "-v", "--show-secrets", "--decode", "json", "--user", "a:b:c", "--auth", "basic")
        #expect(
            read.headers == [
                .set(HTTPHeader(name: "A", value: "1")), .remove("B"), .set(HTTPHeader(name: "C", value: "")),
            ])
        #expect(read.query == ["a%20b=c%26d", "e="])
        #expect(read.form == ["x=1"])
        #expect(read.options.timeouts.idle == .milliseconds(250))
        #expect(read.options.timeouts.connect == .milliseconds(1500))
        #expect(read.options.timeouts.total == .seconds(9))
        #expect(read.options.maximumHTTPVersion == .http1_1)
        #expect(read.rootsFile == "roots.pem")
        #expect(read.options.route.unixSocket == "/s")
        #expect(read.options.route.addressFamily == .ipv4)
        #expect(
            read.options.route.connectTo == [
                ConnectTo(host: "[::1]", port: 80, toHost: "127.0.0.1", toPort: 8080), ConnectTo(toHost: "h2"),
            ])
        #expect(read.options.route.proxy == .url("http://p.test:1"))
        #expect(read.acceptableStatuses == StatusSet([200...299, 304...304]))
        #expect(read.acceptableTypes == ["text/*"])
        #expect(read.output == "f")
        #expect(read.includesHead && read.reports && read.isVerbose && read.showsSecrets)
        #expect(read.decoding == .json)
        #expect(read.credentials == .basic("a:b:c"))
    }

    @Test(arguments: [
        ("a=1", #"{"a":"1"}"#), ("a:=1", #"{"a":1}"#), ("a:=[1, {\"b\": null}]", #"{"a":[1,{"b":null}]}"#),
        ("a=", #"{"a":""}"#), ("a=b:=c", #"{"a":"b:=c"}"#),
        ("n:=12345678901234567890123", #"{"n":12345678901234567890123}"#),
    ])
    func jsonMembers(argument: String, body: String) throws {
        let read = try request("post", "http://h.test/", "-j", argument)
        #expect(read.json.map { JSONValue($0).serialized() } == body)
    }

    @Test func jsonMembersKeepTheirOrder() throws {
        let read = try request("post", "http://h.test/", "-j", "z=1", "-j", "a:=true", "-j", "z:=2")
        #expect(read.json.map { JSONValue($0).serialized() } == #"{"z":2,"a":true}"#)
    }

    @Test(arguments: [
        ("text", RequestArguments.Data.text("text")), ("", .text("")), ("@-", .standardInput), ("@f", .file("f")),
    ])
    func data(argument: String, data: RequestArguments.Data) throws {
        #expect(try request("post", "http://h.test/", "-d", argument).data == data)
    }

    @Test(arguments: [
        [], ["nothing"], ["get"], ["get", "http://a.test/", "http://b.test/"], ["request", "GET"],
        ["get", "http://h.test/", "--bogus"], ["get", "http://h.test/", "-Z"], ["get", "http://h.test/", "--head"],
        ["get", "http://h.test/", "--report=yes"], ["get", "http://h.test/", "--timeout"],
        ["get", "http://h.test/", "--timeout", "soon"], ["get", "http://h.test/", "--timeout", "0"],
        ["get", "http://h.test/", "--timeout", "nan"], ["get", "http://h.test/", "--timeout", "inf"],
        ["get", "http://h.test/", "--timeout", "1", "--timeout", "2"], ["get", "http://h.test/", "--http", "3"],
        ["get", "http://h.test/", "-H", "no colon"], ["get", "http://h.test/", "-H", "a b: c"],
        ["get", "http://h.test/", "-H", "Host:"], ["get", "http://h.test/", "-q", "novalue"],
        ["post", "http://h.test/", "-j", "a:={"], ["post", "http://h.test/", "-j", "a=1", "-d", "b"],
        ["post", "http://h.test/", "-f", "a=1", "-d", "b"], ["get", "http://h.test/", "--accept-status", "2xx"],
        ["get", "http://h.test/", "--connect-to", "a:b"], ["get", "http://h.test/", "--connect-to", "a:99999:b:1"],
        ["get", "http://h.test/", "-4", "-6"], ["get", "http://h.test/", "--proxy", "http://p.test", "--no-proxy"],
        ["get", "http://h.test/", "--user", "a", "--auth", "basic"], ["get", "http://h.test/", "--auth", "basic"],
        ["get", "http://h.test/", "--user", "a:b", "--auth", "kerberos"],
        ["get", "http://h.test/", "--content-type", "a/b"],
        ["get", "http://h.test/", "--bearer", "t", "-H", "authorization: x"], ["demo", "more"], ["demo", "-v"],
        ["help", "nothing"],
    ])
    func wrongUse(words: [String]) async throws {
        let run = try await lupine(words)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix("lupine: "))
        #expect(run.errors.hasSuffix("; see: lupine help\n"))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        ["download", "http://h.test/", "--durable"], ["upload", "http://h.test/", "f"],
        ["stream", "http://h.test/", "--lines"],
        ["image", "http://h.test/"],
        ["get", "http://h.test/", "--pin", "f"],
        ["get", "http://h.test/", "--har", "f"],
        ["get", "http://h.test/", "--cache", "d"],
        ["get", "http://h.test/", "--user", "a:b"], ["get", "http://h.test/", "--user", "a:b", "--auth", "digest"],
    ])
    func whatIsNotThereYetSaysSo(words: [String]) async throws {
        let run = try await lupine(words)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("lupine: unsupported: "))
    }

    /// A password on a command line that is not understood is not repeated.
    @Test(arguments: [
        ["get", "http://h.test/", "--bogus=hunter2"], ["get", "http://h.test/", "hunter2"],
        ["get", "http://h.test/", "--user", "hunter2", "--auth", "basic"], ["get", "http://h.test/", "--us=a:hunter2"],
    ])
    func messagesHoldNoArguments(words: [String]) async throws {
        let run = try await lupine(words)
        #expect(run.status == 2)
        #expect(!run.errors.contains("hunter2"))
    }

    @Test func helpNamesEveryOption() async throws {
        let run = try await lupine("help", "get")
        #expect(run.status == 0)
        let reachability = try await lupine("help", "reachability").text
        for option in CommandOption.allCases where option.isSupported && option != .help && option != .version {
            let text = option.isOfReachability ? reachability : run.text
            #expect(text.contains("--\(option.name)"), "\(option)")
        }
        #expect(run.text.split(separator: "\n").filter { $0.contains("Example: lupine ") }.count == Help.groups.count)
        #expect(run.text.split(separator: "\n").allSatisfy { $0.count <= 110 })
        for command in Invocation.commands { #expect(try await lupine("help", command).status == 0) }
        #expect(try await lupine("get", "--help").text == run.text)
        #expect(try await lupine("--help").text == lupine("help").text)
        #expect(try await lupine("--version").text.hasPrefix("lupine "))
    }
}
