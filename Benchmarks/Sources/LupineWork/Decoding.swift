public import BenchSupport
internal import FoundationEssentials
internal import Lupine

private struct Item: Decodable, Sendable {
    struct Place: Decodable, Sendable { let latitude: Double, longitude: Double, city: String }
    let id: Int, name: String, isActive: Bool, score: Double, balance: Int, parent: Int?
    let tags: [String], text: String, place: Place
}

/// What reading an answer of 10 MB costs, beside Foundation's decoder alone.
public func measureDecoding(_ options: Options) throws -> Int32 {
    let data = Data(jsonDocument(bytes: 10_000_000))
    let request = HTTPRequest(url: try HTTPURL("https://api.example.com/"))
    let response = HTTPResponse(status: 200, headers: ["Content-Type": "application/json"])
    let serializer = DecodableResponseSerializer([Item].self)
    var report = Report()
    var decodable: [Double] = [], alone: [Double] = []
    // In turns: what disturbs one disturbs the other too.
    for _ in 0..<9 {
        decodable.append(
            try medianCPU(of: 1) { _ = try serializer.serialize(data, response: response, request: request) })
        alone.append(try medianCPU(of: 1) { _ = try JSONDecoder().decode([Item].self, from: data) })
    }
    report.add("decodable_us", decodable.sorted()[4])
    report.add("decoder_us", alone.sorted()[4])
    report.add("tree_us", try medianCPU(of: 9) { _ = try JSONValue(parsing: data) })
    report.write()
    return 0
}
