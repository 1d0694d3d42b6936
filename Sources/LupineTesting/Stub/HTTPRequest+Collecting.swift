internal import FoundationEssentials
internal import LupineCore

extension HTTPBody {
    /// Reads the whole body, as a transport that sends it would: a source that fails, or gives another number of bytes
    /// than it stated, is an error.
    func collected(
        host: String, progress: @Sendable (Int64) -> Void
    ) async throws(LupineError) -> [UInt8] {
        let reader: any BodyReader
        switch source {
        case .bytes(let data):
            if !data.isEmpty { progress(Int64(data.count)) }
            return Array(data)
        case .reader(let open):
            do { reader = try open() } catch { throw sourceFailure(error, host) }
        }
        defer { reader.close() }
        var bytes: [UInt8] = []
        do {
            while let piece = try await reader.read(upTo: 64 << 10) {
                try Task.checkCancellation()
                guard !piece.isEmpty else { continue }
                bytes += piece
                progress(Int64(bytes.count))
            }
        } catch {
            throw sourceFailure(error, host)
        }
        if let length, length != Int64(bytes.count) {
            throw LupineError(
                .uploadSourceFailed, "the body's source gave \(bytes.count) bytes where \(length) were stated",
                host: host)
        }
        return bytes
    }

    private func sourceFailure(_ error: any Error, _ host: String) -> LupineError {
        if let error = error as? LupineError { return error }
        return LupineError(.uploadSourceFailed, "the body's source failed: \(error)", host: host, underlying: error)
    }
}
