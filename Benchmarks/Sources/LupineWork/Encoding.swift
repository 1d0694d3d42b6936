public import BenchSupport
internal import FoundationEssentials
internal import Lupine

/// What making requests costs, without sending any.
public func measureEncoding(_ options: Options) throws -> Int32 {
    var object = JSONObject()
    for number in 0..<1000 {
        // Not in their order, and with something to escape in each.
        object["name \(number * 7919 % 1000)"] = .string("value \(number): ä & more")
    }
    let pairs = JSONValue.object(object)
    let api = HTTPSessionManager(baseURL: "https://api.example.com/v1/")
    let parameters: Parameters = ["q": "swift linux", "page": 2, "tags": ["a", "b"], "all": true, "sort": "name"]
    let headers: HTTPHeaders = [
        "Accept": "application/json", "Authorization": "Bearer abc", "X-Request-ID": "0123456789",
        "If-None-Match": "\"x\"",
    ]

    var report = Report()
    report.add("query_us", try median(of: 20) { _ = try QueryEncoding().string(from: pairs) })
    report.add(
        "request_us",
        try median(of: 2000) {
            _ = try api.makeRequest(.get, "users/search", parameters: parameters, headers: headers)
        })
    report.add(
        "url_us",
        median(of: 2000) { _ = URL(string: "https://api.example.com/v1/users/search?q=swift%20linux&page=2") })
    report.write()
    return 0
}

/// CPU in µs of one call: the median of 51 rounds of so many.
private func median(of count: Int, _ work: () throws -> Void) rethrows -> Double {
    var rounds: [Double] = []
    for _ in 0..<51 {
        let before = Reading.now()
        for _ in 0..<count { try work() }
        rounds.append((Reading.now().cpuSeconds - before.cpuSeconds) * 1e6 / Double(count))
    }
    return rounds.sorted()[25]
}
