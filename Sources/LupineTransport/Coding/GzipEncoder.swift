internal import CCodings
internal import FoundationEssentials
package import LupineCore

/// Writes gzip (RFC 1952), by zlib.
final class GzipEncoder {
    // At one address from init to deinit: zlib keeps a pointer to its stream.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let isOpen: Bool

    private static let pieceSize = 32 << 10

    init() {
        stream.initialize(to: z_stream())
        isOpen = lupine_gzip_init(stream) == Z_OK
    }

    deinit {
        if isOpen { deflateEnd(stream) }
        stream.deallocate()
    }

    /// What the coding makes of more bytes, as far as it is settled; all of it where they are the last.
    ///
    /// - Throws: `upload-source-failed`, when zlib has no memory.
    func encode(_ bytes: Data, areLast: Bool) throws(LupineError) -> Data {
        guard isOpen else { throw LupineError(.uploadSourceFailed, "zlib has no memory to compress the body") }
        var output = Data()
        bytes.withUnsafeBytes { input in
            var offset = 0
            repeat {
                // zlib counts in 32 bits.
                let piece = UnsafeRawBufferPointer(rebasing: input[offset..<min(offset + (1 << 30), input.count)])
                offset += piece.count
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: piece.baseAddress?.assumingMemoryBound(to: UInt8.self))
                stream.pointee.avail_in = UInt32(piece.count)
                drain(areLast && offset == input.count ? Z_FINISH : Z_NO_FLUSH, into: &output)
            } while offset < input.count
        }
        return output
    }

    private func drain(_ flush: Int32, into output: inout Data) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pieceSize) { room in
            repeat {
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(Self.pieceSize)
                deflate(stream, flush)
                output.append(contentsOf: room.prefix(Self.pieceSize - Int(stream.pointee.avail_out)))
            } while stream.pointee.avail_out == 0
        }
    }
}

/// Compresses what another reader gives, piece by piece.
actor GzipBodyReader: BodyReader {
    private let base: MeasuredReader
    private let encoder = GzipEncoder()
    private var isAtEnd = false

    init(_ base: MeasuredReader) { self.base = base }

    func read(upTo count: Int) async throws -> Data? {
        while !isAtEnd {
            let piece = try await base.read(upTo: count)
            isAtEnd = piece == nil
            let coded = try encoder.encode(piece ?? Data(), areLast: isAtEnd)
            if !coded.isEmpty { return coded }
        }
        return nil
    }

    nonisolated func close() { base.close() }
}

extension HTTPBody {
    /// The body in gzip. Bytes in memory are compressed now; a source while it is sent, so that its length is not known before.
    ///
    /// - Parameter length: of the body as it is, which a source is held to; nothing else would tell whether that ended early.
    /// - Throws: `upload-source-failed`, when zlib has no memory; `invalid-request`, when the length is none.
    package func gzipped(length: Int64?) throws(LupineError) -> HTTPBody {
        if let fault = fault(as: "the request body") { throw fault }
        switch source {
        case .bytes(let data): return .bytes(try GzipEncoder().encode(data, areLast: true))
        case .reader(let open):
            return HTTPBody(
                source: .reader { name in
                    GzipBodyReader(try MeasuredReader(length: length, name: name, open: open))
                }, length: nil, ticket: ticket)
        }
    }
}
