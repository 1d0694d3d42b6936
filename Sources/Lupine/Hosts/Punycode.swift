/// The letters, digits and hyphens that stand for a label outside ASCII (RFC 3492).
enum Punycode {
    // RFC 3492 section 5.
    private static let base = 36
    private static let smallestThreshold = 1
    private static let largestThreshold = 26
    private static let skew = 38
    private static let damp = 700

    /// What follows `xn--`. `nil`: the label is too long to be a name's.
    static func encode(_ label: some StringProtocol) -> String? {
        let scalars = label.unicodeScalars.map { Int($0.value) }
        // A label has 63 bytes at most, and each scalar takes one of them or more.
        guard scalars.count <= 63 else { return nil }
        var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }

        var handled = basicCount
        var scalar = 128, delta = 0, bias = 72
        while handled < scalars.count {
            // The next larger one that occurs. Sixty-three scalars cannot make `delta` overflow.
            guard let next = scalars.lazy.filter({ $0 >= scalar }).min() else { return nil }
            delta += (next - scalar) * (handled + 1)
            scalar = next
            for other in scalars {
                if other < scalar { delta += 1 }
                if other == scalar {
                    append(delta, bias: bias, to: &output)
                    bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                    delta = 0
                    handled += 1
                }
            }
            delta += 1
            scalar += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// A number as digits of varying weight, the least first (section 3.3).
    private static func append(_ number: Int, bias: Int, to output: inout [UInt8]) {
        var rest = number, position = base
        while true {
            let threshold = min(max(position - bias, smallestThreshold), largestThreshold)
            guard rest >= threshold else { break }
            let digit = threshold + (rest - threshold) % (base - threshold)
            rest = (rest - threshold) / (base - threshold)
            output.append(letter(digit))
            position += base
        }
        output.append(letter(rest))
    }

    /// 0 to 25 are letters, 26 to 35 digits.
    private static func letter(_ digit: Int) -> UInt8 {
        UInt8(digit < 26 ? digit + Int(UInt8(ascii: "a")) : digit - 26 + Int(UInt8(ascii: "0")))
    }

    /// The bias for the next number (section 6.1).
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - smallestThreshold) * largestThreshold / 2 {
            delta /= base - smallestThreshold
            steps += base
        }
        return steps + (base - smallestThreshold + 1) * delta / (delta + skew)
    }
}
