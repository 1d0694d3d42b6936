import FoundationEssentials
import LupineCore
import Testing

@Suite struct LupineErrorTests {
    private struct Cause: Error {}

    @Test func partsAndDescription() {
        let error = LupineError(.timedOut, "no byte for 60 s", host: "example.com", underlying: Cause())
        #expect(error.code == .timedOut)
        #expect(error.host == "example.com")
        #expect(error.underlying is Cause)
        #expect(error.description == "timed-out: no byte for 60 s")
        #expect(error.errorDescription == error.description)
        #expect(error.response == nil)
        #expect(error.data == nil)
        #expect(error.metrics == nil)
    }

    @Test func whatWasReceivedIsAddedAndKept() {
        let plain = LupineError(.unacceptableStatus, "answered 404", host: "h", underlying: Cause())
        let error = plain.with(response: HTTPResponse(status: 404), data: Data("x".utf8), metrics: nil)
        #expect(error.response?.status == 404)
        #expect(error.data == Data("x".utf8))
        #expect(error.host == "h")
        #expect(error.underlying is Cause)
        let measured = error.with(response: nil, data: nil, metrics: TransferMetrics())
        #expect(measured.response?.status == 404)
        #expect(measured.data == Data("x".utf8))
        #expect(measured.metrics != nil)
        #expect(plain.response == nil)
    }

    @Test func codesAreDistinctAndWrittenAlike() {
        let codes = LupineError.Code.all
        #expect(Set(codes).count == codes.count)
        for code in codes {
            #expect(code.rawValue.utf8.allSatisfy { $0.isASCIILowercase || $0 == UInt8(ascii: "-") })
        }
    }
}
