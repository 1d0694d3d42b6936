import FoundationEssentials
import Glibc
import Lupine
import LupineCore
import LupineTesting

/// A large form of a file and a stream, and the process's peak of memory while it is sent, and while it is written to a file.
struct FormProbe {
    let size: Int64

    func run() async throws -> JSONValue {
        let server = try LoopbackServer(recordsTraffic: false) { connection in
            while let head = try connection.readHead() {
                var left = head.headers["Content-Length"].flatMap { Int64($0) } ?? 0, count: Int64 = 0
                while left > 0 {
                    let read = try connection.read(upTo: 256 << 10)
                    if read.isEmpty { return }
                    left -= Int64(read.count)
                    count += Int64(read.count)
                }
                try connection.send(.text("\(count)"))
            }
        }
        let folder = try TemporaryDirectory()
        let file = try folder.write([], to: "file")
        let half = size / 2
        truncate(file, off_t(half))
        var configuration = SessionConfiguration()
        configuration.options.route.proxy = .none
        let api = HTTPSessionManager(configuration: configuration)
        try await api.upload(server.url("/"), multipart: { try $0.append(text: "small", name: "a") })
        let before = Probe.peak()
        let answer = try await api.upload(
            server.url("/"),
            multipart: { form in
                try form.append(file: file, name: "file")
                try form.append(
                    stream: { RepeatingReader(count: half) }, length: half, name: "stream", fileName: "stream")
            })
        let sent = Probe.peak()
        var form = MultipartFormData()
        try form.append(file: file, name: "file")
        try await form.write(to: "\(folder.path)/written")
        let written = Probe.peak()
        await api.invalidate()
        return [
            "bytes": JSONValue(Int(answer.text ?? "") ?? 0), "sentKB": JSONValue(sent - before),
            "writtenKB": JSONValue(written - before), "peakKB": JSONValue(sent),
        ]
    }
}
