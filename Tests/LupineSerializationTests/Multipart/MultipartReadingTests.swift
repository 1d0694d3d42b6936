import FoundationEssentials
import LupineCore
import LupineSerialization
import LupineTesting
import Testing

/// A form read in pieces of every size: AFNetworking once lost the last delimiter where the body ended at a buffer's edge.
@Suite(.timeLimit(.minutes(1)))
struct MultipartReadingTests {
    private func form(_ folder: TemporaryDirectory) throws -> MultipartFormData {
        var form = MultipartFormData()
        try form.append(text: "value", name: "field")
        try form.append(file: folder.write(Array("a file's".utf8), to: "f"), name: "file")
        try form.append(stream: { ZeroReader(count: 20) }, length: 20, name: "stream", fileName: "s")
        try form.append(stream: { PiecesReader(["all at once"]) }, length: nil, name: "stream", fileName: "s")
        return form
    }

    @Test func everyReadSizeGivesTheSameBytes() async throws {
        let folder = try TemporaryDirectory()
        let form = try form(folder)
        let whole = try await bytes(of: form.body, count: 1 << 20)
        #expect(String(decoding: whole, as: UTF8.self).hasSuffix("\r\n--\(form.boundary)--\r\n"))
        for count in 1...(whole.count + 2) {
            let pieces = try await pieces(of: form.body, count: count)
            #expect(pieces.flatMap { $0 } == whole, "\(count)")
            #expect(pieces.allSatisfy { !$0.isEmpty && $0.count <= count }, "\(count)")
        }
    }

    /// The same with a last part in memory that is long enough to be sent from where it is, at each place around the end.
    @Test func everyEndOfALargePartInMemory() async throws {
        for surplus in 0..<40 {
            var form = try MultipartFormData(boundary: "B")
            try form.append(data: Data(repeating: 0x61, count: 70_000 + surplus), name: "d")
            let pieces = try await pieces(of: form.body, count: 70_000)
            let text = String(decoding: pieces.flatMap { $0 }, as: UTF8.self)
            #expect(text.hasSuffix("aaa\r\n--B--\r\n"))
            #expect(text.utf8.count == Int(form.contentLength ?? 0))
            #expect(try await bytes(of: form.body, count: 1).count == text.utf8.count || surplus > 0)
        }
    }

    /// A slice of data, whose indices do not begin at zero.
    @Test func slices() async throws {
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        var form = MultipartFormData()
        try form.append(data: data[1000..<2000], name: "a")
        try form.append(data: data[1000..<101_000], name: "b")
        let parts = try await form.received()
        #expect(parts.map(\.body) == [Array(data[1000..<2000]), Array(data[1000..<101_000])])
    }

    /// `throttleBandwidthWithPacketSize:delay:`: packets with a pause after each but the last, and no thread that waits.
    @Test func throttledIntoPackets() async throws {
        let folder = try TemporaryDirectory()
        let clock = ManualClock()
        var form = try form(folder)
        let whole = try await bytes(of: form.body)
        form.throttle(packetSize: 16, delay: .milliseconds(200), clock: clock)
        #expect(form.contentLength == nil)
        guard case .reader(let open) = form.body.source else { return #expect(Bool(false), "no reader") }
        let reader = try open("the form")
        defer { reader.close() }
        var read = try #require(try await reader.read(upTo: 1000))
        while read.count < whole.count {
            async let next = reader.read(upTo: 1000)
            try await clock.waitForSleepers(count: 1)
            clock.advance(by: .milliseconds(199))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .milliseconds(1))
            let piece = try #require(try await next)
            #expect((1...16).contains(piece.count))
            read += piece
        }
        #expect(Array(read) == whole)
        #expect(try await reader.read(upTo: 1000) == nil)
        #expect(clock.sleeperCount == 0)
    }

    @Test func aPauseEndsWithItsTask() async throws {
        let clock = ManualClock()
        var form = MultipartFormData()
        try form.append(text: "value", name: "field")
        form.throttle(packetSize: 0, delay: .seconds(1), clock: clock)
        let body = form.body
        let reading = Task { try await pieces(of: body, count: 1000) }
        try await clock.waitForSleepers(count: 1)
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func theThrottlesDefaultsAreAFNetworkingsSuggestions() {
        #expect(MultipartFormData.suggestedPacketSize == 16_384)
        #expect(MultipartFormData.suggestedDelay == .milliseconds(200))
    }
}
