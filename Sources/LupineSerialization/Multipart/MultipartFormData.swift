public import LupineCore

/// A form of parts, `multipart/form-data` (RFC 7578): what a browser sends to upload files.
///
/// ```swift
/// var form = MultipartFormData()
/// try form.append(text: "Hi", name: "title")
/// try form.append(file: "me.png", name: "avatar")
/// let request = try form.serialize(HTTPRequest(method: .post, url: url))
/// ```
///
/// Nothing is read before it is sent, and then in pieces: a form takes no more memory than what was given to it in memory,
/// however large its files are. A part whose source cannot be read, or not again, or not as it was when it was added, is
/// an error; a server never gets a form that differs from what was asked for.
///
/// A value: a copy is a form of its own, with the same boundary.
public struct MultipartFormData: Sendable {
    /// What separates the parts: `Boundary+` and 16 hexadecimal digits, random for each form, unless it is your own.
    public private(set) var boundary: String
    private(set) var parts: [MultipartPart] = []
    /// Heads and bodies of the parts, in bytes. `nil`: one of them has no known length.
    private var partsLength: Int64? = 0
    private(set) var throttle: MultipartThrottle?

    /// A form without parts, with a boundary made at random.
    public init() { boundary = Self.randomBoundary() }

    /// A form with a boundary of your own. That no part holds it is yours to see to.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`, as ``setBoundary(_:)``.
    public init(boundary: String) throws(LupineError) {
        self.init()
        try setBoundary(boundary)
    }

    /// Takes a boundary of your own.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: it is empty, longer than 70 characters, ends in a space, or
    ///   has characters that RFC 2046 section 5.1.1 does not allow.
    public mutating func setBoundary(_ boundary: String) throws(LupineError) {
        let bytes = boundary.utf8
        guard (1...70).contains(bytes.count), bytes.last != 0x20, bytes.allSatisfy(\.isBoundaryByte) else {
            throw LupineError(
                .requestSerializationFailed, "\(boundary.quotedForMessage) is no boundary (RFC 2046 section 5.1.1)")
        }
        self.boundary = boundary
    }

    private static func randomBoundary() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16, uppercase: true)
        return "Boundary+" + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The number of parts.
    public var count: Int { parts.count }
    public var isEmpty: Bool { parts.isEmpty }

    /// The value of the request's `Content-Type`.
    public var contentType: String {
        ContentType(type: "multipart", subtype: "form-data", parameters: [.init(name: "boundary", value: boundary)])
            .description
    }

    /// The length of the body in bytes, exactly; 0 for a form without parts. `nil`: a part's length is unknown.
    public var contentLength: Int64? {
        guard !isEmpty else { return 0 }
        // "--B\r\n" before the first, "\r\n--B\r\n" before each other, "\r\n--B--\r\n" at the end.
        let delimiters = Int64(parts.count + 1) * Int64(boundary.utf8.count + 6)
        return partsLength.map { $0 + delimiters }
    }

    /// Adds a part at the end.
    ///
    /// - Throws: ``LupineError`` with `request-serialization-failed`: more bytes than can be counted.
    mutating func append(_ part: MultipartPart) throws(LupineError) {
        var length = partsLength
        if let partLength = part.length, let sum = length {
            // Half of what an Int64 holds is left to the delimiters.
            guard partLength >= 0, partLength <= Int64.max / 2 - sum else {
                throw LupineError(
                    .requestSerializationFailed, "\(part.label) cannot have \(partLength) bytes in this form")
            }
            length = sum + partLength
        } else {
            length = nil
        }
        partsLength = length
        parts.append(part)
    }

    /// A suggestion of AFNetworking's for slow mobile networks, in bytes.
    public static let suggestedPacketSize = 16_384
    /// A suggestion of AFNetworking's for slow mobile networks.
    public static let suggestedDelay = Duration.milliseconds(200)

    /// Holds the sending down: the body is read in packets, with a pause between one and the next. No thread waits meanwhile.
    /// Not throttled by default.
    ///
    /// - Parameters:
    ///   - packetSize: in bytes; less than 1 counts as 1. 16,384 by default.
    ///   - delay: after each packet. 200 ms by default.
    ///   - clock: what measures the pause. The system's by default.
    public mutating func throttle(
        packetSize: Int = suggestedPacketSize, delay: Duration = suggestedDelay,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        throttle = MultipartThrottle(packetSize: max(1, packetSize), delay: delay, clock: clock)
    }
}

extension UInt8 {
    /// `bchars` of RFC 2046 section 5.1.1.
    fileprivate var isBoundaryByte: Bool { isASCIIAlpha || isASCIIDigit || "'()+_,-./:=? ".utf8.contains(self) }
}
