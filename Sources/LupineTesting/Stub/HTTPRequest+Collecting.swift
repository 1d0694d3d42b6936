internal import FoundationEssentials
internal import LupineCore

extension HTTPRequest {
    /// Reads the whole body, as a transport that sends it would: a source that fails, or gives another number of bytes
    /// than was stated, is an error.
    func collectedBody(progress: @Sendable (Int64) -> Void) async throws(LupineError) -> [UInt8] {
        switch body.source {
        case .bytes(let data):
            if !data.isEmpty { progress(Int64(data.count)) }
            return Array(data)
        case .reader(let open):
            let name = "the request body"
            do {
                let reader = try MeasuredReader(length: statedBodyLength, name: name, open: open)
                defer { reader.close() }
                var bytes: [UInt8] = []
                while let piece = try await reader.read(upTo: 64 << 10) {
                    bytes += piece
                    progress(Int64(bytes.count))
                }
                return bytes
            } catch {
                throw LupineError.uploadSource(name, failedWith: error).at(url.host)
            }
        }
    }
}
