internal import FoundationEssentials
internal import LupineCore

/// A `Set-Cookie` field as it was read (RFC 6265bis section 5.6): more lenient than what servers are told to write.
struct SetCookieField {
    /// Empty when there is no `=`, or nothing before it.
    private(set) var name: ByteText
    private(set) var value: ByteText
    /// Of an attribute that comes several times the last one counts. Empty: stated as empty.
    private(set) var domain: String?
    /// Empty when it has to be derived from the URL although it was stated.
    private(set) var path: String?
    private(set) var maximumAge: Int64?
    private(set) var expires: Date?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite = Cookie.SameSite.unspecified

    /// The longest value of an attribute, in bytes. Longer ones are passed over.
    private static let longestAttribute = 1024

    /// `nil`: it holds control characters, or its name and value are too long; the field is then ignored as a whole.
    init?(_ field: ByteText) {
        guard field.text.isHTTPFieldValue else { return nil }
        var rest = field.text[...]
        let pair = rest.removePiece()
        // Without "=" all of it is the value.
        let (first, second) = pair.split(at: UInt8(ascii: "="))
        name = ByteText(second == nil ? "" : first, isLatin1: field.isLatin1)
        value = ByteText(second ?? first, isLatin1: field.isLatin1)
        guard name.count + value.count <= Cookie.longestPair else { return nil }
        while !rest.isEmpty {
            let (name, value) = rest.removePiece().split(at: UInt8(ascii: "="))
            take(name, value ?? "")
        }
    }

    private mutating func take(_ name: Substring, _ value: Substring) {
        // No attribute has a longer name: `max-age`, `samesite` and others fit in a string without an allocation.
        guard name.utf8.count <= 8, value.utf8.count <= Self.longestAttribute else { return }
        switch String(name).asciiLowercased {
        case "expires": expires = CookieDate.parse(value) ?? expires
        case "max-age": maximumAge = Self.seconds(value) ?? maximumAge
        case "domain":
            let hasDot = value.utf8.first == UInt8(ascii: ".")
            domain = String(hasDot ? Substring(value.utf8.dropFirst()) : value).asciiLowercased
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? String(value) : ""
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = Cookie.SameSite(attribute: value)
        default: break
        }
    }

    /// Digits, or a minus and digits; a number beyond `Int64` is the largest there is. `nil`: something else.
    private static func seconds(_ text: Substring) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = isNegative ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        if isNegative { return -1 }
        return digits.reduce(0) { sum, digit in
            let (product, overflow) = sum.multipliedReportingOverflow(by: 10)
            let (total, carry) = product.addingReportingOverflow(Int64(digit - 0x30))
            return overflow || carry ? .max : total
        }
    }
}

extension Cookie.SameSite {
    fileprivate init(attribute: Substring) {
        switch attribute.utf8.count <= 6 ? String(attribute).asciiLowercased : "" {
        case "none": self = .none
        case "lax": self = .lax
        case "strict": self = .strict
        default: self = .unspecified
        }
    }
}

extension Substring {
    /// Takes what stands before the next `;`, and that too.
    fileprivate mutating func removePiece() -> Substring {
        let end = utf8.firstIndex(of: UInt8(ascii: ";")) ?? endIndex
        let piece = self[..<end]
        self = end == endIndex ? self[end...] : self[utf8.index(after: end)...]
        return piece
    }

    /// What stands before and after the first such byte, without white space around it.
    fileprivate func split(at byte: UInt8) -> (Substring, Substring?) {
        guard let index = utf8.firstIndex(of: byte) else { return (trimmingOWS, nil) }
        return (self[..<index].trimmingOWS, self[utf8.index(after: index)...].trimmingOWS)
    }
}
