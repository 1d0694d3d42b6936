import LupineCore
import LupineSerialization
import Testing

@Suite struct JSONObjectTests {
    private func pairs(_ object: JSONObject?) -> [String] { (object ?? [:]).map { "\($0.name)=\($0.value)" } }

    @Test func orderIsKept() throws {
        let value = try JSONValue(parsing: #"{"z":1,"a":2,"m":3}"#)
        #expect(value.objectValue?.names == ["z", "a", "m"])
        #expect(value.serialized() == #"{"z":1,"a":2,"m":3}"#)
    }

    @Test func ofRepeatsTheLastCountsAtTheFirstPlace() throws {
        let value = try JSONValue(parsing: #"{"a":1,"b":2,"a":3,"c":4,"b":5}"#)
        #expect(pairs(value.objectValue) == ["a=3", "b=5", "c=4"])
        let literal: JSONValue = ["a": 1, "b": 2, "a": 3]
        #expect(pairs(literal.objectValue) == ["a=3", "b=2"])
    }

    /// Small and large objects are kept in different ways.
    @Test(arguments: [1, 11, 12, 13, 14, 100])
    func repeatsInObjectsOfAnySize(count: Int) throws {
        let members = (0..<count).map { "\"k\($0)\":\($0)" } + (0..<count).map { "\"k\($0)\":\($0 + 1000)" }
        let object = try #require(try JSONValue(parsing: "{\(members.joined(separator: ","))}").objectValue)
        #expect(object.count == count)
        #expect(pairs(object) == (0..<count).map { "k\($0)=\($0 + 1000)" })
        for index in 0..<count { #expect(object["k\(index)"]?.intValue == index + 1000) }
        #expect(object["k\(count)"] == nil)
    }

    @Test(arguments: [0, 11, 12, 13, 100])
    func changes(count: Int) {
        var object = JSONObject()
        for index in 0..<count { object["k\(index)"] = JSONValue(index) }
        object["new"] = true
        object["new"] = false
        #expect(object.count == count + 1)
        #expect(object.last == JSONObject.Member(name: "new", value: false))
        object["k0"] = nil
        object["missing"] = nil
        #expect(object.count == max(count, 1))
        #expect(object["k0"] == nil)
        for index in 1..<max(count, 1) { #expect(object["k\(index)"]?.intValue == index) }
        #expect(object["new"] == false)
    }

    @Test func orderIsOfNoAccountInComparisons() {
        let first: JSONValue = ["a": 1, "b": [2]]
        let second: JSONValue = ["b": [2], "a": 1]
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
        #expect(first != ["a": 1])
        #expect(first != ["a": 1, "b": [3]])
        #expect(first != ["a": 1, "c": [2]])
    }

    /// RFC 8259 section 8.3: names are compared code by code.
    @Test func spellingsOfOneCharacterAreTwoNames() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(value.objectValue?.count == 2)
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    /// Many repeats, and many names that differ, take time in proportion.
    @Test(.timeLimit(.minutes(1))) func largeObjects() throws {
        let same = "{" + Array(repeating: "\"a\":1", count: 200_000).joined(separator: ",") + "}"
        #expect(try JSONValue(parsing: same).objectValue?.count == 1)
        let distinct = "{" + (0..<200_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        #expect(try JSONValue(parsing: distinct).objectValue?.count == 200_000)
    }

    @Test func access() {
        let value: JSONValue = ["s": "x", "n": 1.5, "i": 3, "b": true, "z": nil, "a": [1, "two"], "o": ["k": "v"]]
        #expect(value["s"]?.stringValue == "x")
        #expect(value["n"]?.doubleValue == 1.5)
        #expect(value["n"]?.intValue == nil)
        #expect(value["i"]?.intValue == 3)
        #expect(value["i"]?.doubleValue == 3)
        #expect(value["b"]?.boolValue == true)
        #expect(value["z"]?.isNull == true)
        #expect(value["a"]?[1]?.stringValue == "two")
        #expect(value["a"]?[2] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["a"]?.arrayValue?.count == 2)
        #expect(value["o"]?["k"]?.stringValue == "v")
        #expect(value["o"]?[0] == nil)
        #expect(value["missing"] == nil)
        #expect(value["s"]?["k"] == nil)
        #expect(value["s"]?.intValue == nil)
        #expect(value["i"]?.stringValue == nil)
        #expect(value["i"]?.boolValue == nil)
    }

    @Test func fromVariables() throws {
        let title = "Hi", count: UInt8 = 3, ratio = 0.5
        let value: JSONValue = [
            "title": JSONValue(title), "count": JSONValue(count), "ratio": try JSONValue(ratio), "text": "\(title)!",
            "flag": JSONValue(true), "list": JSONValue([JSONValue(title)]),
        ]
        #expect(
            value.description
                == #"{"title":"Hi","count":3,"ratio":0.5,"text":"Hi!","flag":true,"list":["Hi"]}"#)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func whatJSONCannotWrite(number: Double) {
        #expect {
            try JSONValue(number)
        } throws: {
            ($0 as? LupineError)?.code == .requestSerializationFailed
        }
    }
}
