import Lupine
import Testing

/// How long a chain may be.
@Suite struct RedirectLimitTests {
    @Test func twentyByDefault() throws {
        #expect(try RedirectRun(to: "/x") { $0.followed = 19 }.step().next != nil)
        for followed in [20, 21, 1000] {
            let error = try RedirectRun(to: "/x") { $0.followed = followed }.refusal()
            #expect(error.code == .tooManyRedirects)
            #expect(error.message.contains("\(followed)"))
            #expect(error.host == "a.example")
            #expect(error.response?.headers["Location"] == "/x")
        }
    }

    @Test func one() throws {
        #expect(try RedirectRun(to: "/x") { $0.policy.maximumRedirects = 1 }.step().next != nil)
        let second = RedirectRun(to: "/x") {
            $0.policy.maximumRedirects = 1
            $0.followed = 1
        }
        #expect(try second.refusal().code == .tooManyRedirects)
    }

    /// Whatever the redirect holds: nobody asks.
    @Test(arguments: ["/x", "ftp://b.example/", "http://a.example/", "https://"])
    func noneMakesItTheAnswer(location: String) throws {
        for maximum in [0, -1] {
            #expect(try RedirectRun(to: location) { $0.policy.maximumRedirects = maximum }.step().isAnswer)
        }
    }

    /// What is no redirect is an answer after any number of them.
    @Test func theLastAnswer() throws {
        let run = RedirectRun(to: "/x") {
            $0.status = 200
            $0.followed = 20
        }
        #expect(try run.step().isAnswer)
    }
}
