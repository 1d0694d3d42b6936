import CLibcurl
import LupineCore
import Testing

@testable import LupineTransport

@Suite struct CurlErrorTableTests {
    /// Every result of the installed header is either mapped or known to belong to another protocol: a new
    /// libcurl with new results fails here, and somebody decides.
    @Test func theTableIsTotal() {
        for value in 1..<CURL_LAST.rawValue {
            let isMapped = CurlErrorTable.codes[value] != nil
            let isOther = CurlErrorTable.otherProtocols.contains(value)
            #expect(isMapped != isOther, "CURLcode \(value): \(String(cString: curl_easy_strerror(CURLcode(value))))")
        }
    }

    @Test func onlyKnownCodesAreUsed() {
        for (value, code) in CurlErrorTable.codes {
            #expect(LupineError.Code.all.contains(code), "CURLcode \(value)")
        }
    }

    @Test func successIsNoError() { #expect(CurlErrorTable.codes[CURLE_OK.rawValue] == nil) }

    @Test(arguments: [
        (CURLE_COULDNT_RESOLVE_HOST, LupineError.Code.couldNotResolve), (CURLE_COULDNT_CONNECT, .couldNotConnect),
        (CURLE_OPERATION_TIMEDOUT, .timedOut), (CURLE_PEER_FAILED_VERIFICATION, .trustRejected),
        (CURLE_SSL_CONNECT_ERROR, .tlsFailed), (CURLE_GOT_NOTHING, .connectionLost),
        (CURLE_PARTIAL_FILE, .incompleteBody), (CURLE_RECV_ERROR, .connectionLost), (CURLE_PROXY, .proxyFailed),
        (CURLE_COULDNT_RESOLVE_PROXY, .proxyFailed), (CURLE_WEIRD_SERVER_REPLY, .badResponse),
    ])
    func theCommonResults(result: CURLcode, code: LupineError.Code) {
        #expect(CurlErrorTable.code(result) == code)
    }

    @Test func whatBreaksAConnectionAfterTheHeadCutsTheBody() {
        for result in [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM] {
            #expect(CurlErrorTable.code(result, afterHead: false) == .connectionLost)
            #expect(CurlErrorTable.code(result, afterHead: true) == .incompleteBody)
        }
        #expect(CurlErrorTable.code(CURLE_OPERATION_TIMEDOUT, afterHead: true) == .timedOut)
    }
}
