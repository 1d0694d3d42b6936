/// A JSON text as an API sends it, of about so many bytes: the same in each run and each program.
public func jsonDocument(bytes: Int) -> [UInt8] {
    var text: [UInt8] = Array("[".utf8)
    text.reserveCapacity(bytes + 1000)
    var state: UInt64 = 1
    func random(_ bound: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % bound
    }
    let words = ["lupine", "bluebonnet", "Straße", "naïve", "東京", "a \\\"quoted\\\" one", "line\\nbreak", "texensis"]
    var number = 0
    while text.count < bytes {
        if number > 0 { text += ",".utf8 }
        let tags = (0..<random(6)).map { _ in "\"\(words[Int(random(8))])\"" }.joined(separator: ",")
        let sentence = (0..<(4 + random(12))).map { _ in words[Int(random(8))] }.joined(separator: " ")
        text +=
            """
            {"id":\(number),"name":"\(words[Int(random(8))]) \(number)","isActive":\(random(2) == 0),\
            "score":\(random(1000)).\(10 + random(89)),"balance":-\(random(1_000_000_000)),"parent":null,\
            "tags":[\(tags)],"text":"\(sentence)","place":{"latitude":\(random(90)).\(100_000 + random(899_999)),\
            "longitude":-\(random(180)).\(100_000 + random(899_999)),"city":"\(words[Int(random(8))])"}}
            """.utf8
        number += 1
    }
    text += "]".utf8
    return text
}

/// CPU in µs of one call, the median of so many.
public func medianCPU(of rounds: Int, _ work: () throws -> Void) rethrows -> Double {
    var figures: [Double] = []
    for _ in 0..<rounds {
        let before = Reading.now()
        try work()
        figures.append((Reading.now().cpuSeconds - before.cpuSeconds) * 1e6)
    }
    return figures.sorted()[rounds / 2]
}
