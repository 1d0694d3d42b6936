import FoundationEssentials
import LupineCore
import LupineSerialization
import LupineTesting

/// A body's pieces, asked for `count` bytes at a time.
func pieces(of body: HTTPBody, count: Int) async throws -> [Data] {
    guard case .reader(let open) = body.source else {
        guard case .bytes(let data) = body.source else { return [] }
        return [data]
    }
    let reader = try open("the form")
    defer { reader.close() }
    var pieces: [Data] = []
    while let piece = try await reader.read(upTo: count) { pieces.append(piece) }
    return pieces
}

/// A body's bytes.
func bytes(of body: HTTPBody, count: Int = 1000) async throws -> [UInt8] {
    try await pieces(of: body, count: count).flatMap { $0 }
}

extension MultipartFormData {
    /// The body as text.
    func text() async throws -> String { String(decoding: try await bytes(of: body), as: UTF8.self) }

    /// What a reader of the form finds in it.
    func received() async throws -> [ReceivedPart] {
        try ReceivedPart.parse(try await bytes(of: body), boundary: boundary)
    }
}

/// The code of what is thrown. `nil`: nothing is.
func code(_ work: () async throws -> Void) async -> LupineError.Code? {
    do { try await work() } catch { return (error as? LupineError)?.code }
    return nil
}

/// A source of zeros in small pieces, whatever is asked for.
final class ZeroReader: BodyReader {
    private let left: Lock<Int>
    private let onClose: @Sendable () -> Void

    init(count: Int, onClose: @escaping @Sendable () -> Void = {}) {
        left = Lock(count)
        self.onClose = onClose
    }

    func read(upTo count: Int) async throws -> Data? {
        let count = left.withLock { left in
            let count = min(left, 7)
            left -= count
            return count
        }
        return count == 0 ? nil : Data(count: count)
    }

    func close() { onClose() }
}
