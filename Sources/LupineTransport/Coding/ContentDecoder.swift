internal import LupineCore

/// Removes a body's content codings (RFC 9110 section 8.4.1), in pieces.
///
/// libcurl could do it, but takes a body whose coding was cut short for a whole one; here the coding's own end must
/// have come (``finish()``).
final class ContentDecoder {
    /// The codings asked for, the best first: what `Accept-Encoding` says.
    static let acceptedCodings = "gzip, deflate, br, zstd"
    /// Codings may be stacked; more than this is an attack or a mistake.
    private static let maximumStages = 3

    private let stages: [any DecodingStage]

    /// - Parameter contentEncoding: the field values, in order.
    /// - Returns: `nil` when there is nothing to remove, or a coding is unknown: the body is then delivered as it came and
    ///   the head stays as it is.
    init?(contentEncoding values: [String]) {
        var stages: [any DecodingStage] = []
        for value in values {
            for name in value.split(separator: ",") {
                let name = String(String(name).trimmingOWS).asciiLowercased
                switch name {
                case "", "identity": continue
                case "gzip", "x-gzip": stages.append(ZlibStage(format: .gzip))
                case "deflate": stages.append(ZlibStage(format: .deflate))
                case "br": stages.append(BrotliStage())
                case "zstd": stages.append(ZstdStage())
                default: return nil
                }
            }
        }
        guard !stages.isEmpty, stages.count <= Self.maximumStages else { return nil }
        self.stages = stages.reversed()  // the last applied is the first removed
    }

    /// Takes coded bytes and gives decoded pieces to `sink`, which returns false to have no more for now.
    ///
    /// - Returns: false when `sink` stopped it: ``resume(into:)`` goes on from there, before any further ``decode(_:into:)``.
    func decode(_ input: UnsafeRawBufferPointer, into sink: Sink) throws(DecodingFault) -> Bool {
        try feed(input, to: 0, sink)
    }

    /// Gives what a stopped call left over.
    func resume(into sink: Sink) throws(DecodingFault) -> Bool {
        for index in stages.indices.reversed() {
            guard let rest = leftover.removeValue(forKey: index) else { continue }
            let isThrough = try rest.withUnsafeBufferPointer { bytes throws(DecodingFault) in
                try feed(UnsafeRawBufferPointer(bytes), to: index, sink)
            }
            guard isThrough else { return false }
        }
        return true
    }

    /// The body ended.
    /// - Throws: a fault when a coding had not ended.
    func finish() throws(DecodingFault) {
        for stage in stages { try stage.finish() }
    }

    typealias Sink = (UnsafeRawBufferPointer) throws(DecodingFault) -> Bool

    /// Input a stage had not taken when the sink stopped.
    private var leftover: [Int: [UInt8]] = [:]

    private func feed(
        _ input: UnsafeRawBufferPointer, to index: Int, _ sink: Sink
    ) throws(DecodingFault) -> Bool {
        guard index < stages.count else { return try sink(input) }
        var rest = input
        var hasMore = true
        // A stage may hold output back although its input is used up: it is asked until it has neither.
        while !rest.isEmpty || hasMore {
            let step = try stages[index].step(rest)
            rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
            hasMore = step.hasMore
            guard step.output.count > 0 else {
                if step.consumed == 0 { break }
                continue
            }
            guard try feed(step.output, to: index + 1, sink) else {
                // Kept even when empty: the stage may hold output of its own.
                leftover[index] = Array(rest)
                return false
            }
        }
        return true
    }
}

/// One coding. A step takes some input and gives some output, which stays valid until the next step.
protocol DecodingStage: AnyObject {
    func step(_ input: UnsafeRawBufferPointer) throws(DecodingFault) -> DecodingStep
    /// - Throws: ``DecodingFault/isCut`` when the coding's own end has not come.
    func finish() throws(DecodingFault)
}

struct DecodingStep {
    let consumed: Int
    let output: UnsafeRawBufferPointer
    /// The output's buffer was filled: there may be more without input.
    let hasMore: Bool
}

/// What is wrong with a coded body.
struct DecodingFault: Error {
    let code: LupineError.Code
    let reason: String

    static func garbage(_ coding: String) -> DecodingFault {
        DecodingFault(
            code: .contentDecodingFailed, reason: "the body is not what its Content-Encoding, \(coding), says")
    }
    static func isCut(_ coding: String) -> DecodingFault {
        DecodingFault(code: .incompleteBody, reason: "the body ends before its content coding, \(coding), does")
    }
}

/// The buffer that a stage writes into: allocated once, owned by the stage.
final class DecodingBuffer {
    let pointer = UnsafeMutablePointer<UInt8>.allocate(capacity: DecodingBuffer.capacity)
    static let capacity = 64 << 10

    deinit { pointer.deallocate() }

    func prefix(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: pointer, count: count) }
}
