import Dispatch
import Foundation
import FoundationNetworking
import Lupine
import LupineCore
import LupineFoundationBridge
import LupineTesting
import Testing

/// A task's Foundation progress: what it counts, where it ends. Tests that AFNetworking has are named after its.
@Suite(.timeLimit(.minutes(2)))
struct TaskProgressTests {
    private let session = URLSessionManager.direct()
    private let big = [UInt8](repeating: 7, count: 4 << 20)

    private func task(_ url: String, _ method: HTTPMethod = .get, _ body: HTTPBody = .empty) throws -> SessionTask {
        session.dataTask(with: try session.request(url, method: method, body: body))
    }

    @Test func dataTaskDoesReportDownloadProgress() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .bytes(big)]))
        let task = try self.task(server.url())
        let progress = task.downloadFoundationProgress
        #expect(progress.totalUnitCount == -1 && progress.isIndeterminate)
        #expect(progress.isCancellable && progress.isPausable)
        _ = try await task.result()
        session.told {
            #expect(progress.fractionCompleted == 1.0)
            #expect(progress.isFinished)
            #expect(progress.completedUnitCount == 4 << 20 && progress.totalUnitCount == 4 << 20)
        }
        await session.invalidate()
    }

    /// There is no key-value observing on Linux: looked at in the middle, and at the end.
    @Test func dataTaskDownloadProgressCanBeKVOd() async throws {
        let rest = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhell")
            try connection.wait(rest)
            try connection.send("o!!!")
        }
        let task = try self.task(server.url())
        let progress = session.downloadProgress(for: task)
        task.resume()
        for await case .received in task.events { break }
        session.told {
            #expect(progress?.totalUnitCount == 8)
            #expect(progress?.completedUnitCount == 4)
            #expect(progress?.fractionCompleted == 0.5)
        }
        rest.open()
        _ = try await task.result()
        session.told { #expect(progress?.fractionCompleted == 1.0) }
        await session.invalidate()
    }

    @Test func uploadTaskDoesReportProgress() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let task = session.uploadTask(
            with: try session.request(server.url(), method: .post), from: Data(count: 20_000), completion: nil)
        let progress = task.uploadFoundationProgress
        #expect(progress.totalUnitCount == 20_000)
        #expect(progress.fractionCompleted == 0)
        _ = try await task.result()
        session.told {
            #expect(progress.fractionCompleted == 1.0)
            #expect(progress.completedUnitCount == 20_000)
        }
        await session.invalidate()
    }

    /// Looked at each time the task tells of progress.
    @Test func uploadProgressCanBeKVOd() async throws {
        let server = try LoopbackServer(recordsTraffic: false, handler: LoopbackServer.serving { _ in .text("ok") })
        let fractions = Noted<Double>(), mine = Lock<SessionTask?>(nil)
        let task = session.uploadTask(
            with: try session.request(server.url(), method: .post), from: Data(big),
            progress: { _ in
                guard let task = mine.withLock({ $0 }) else { return }
                fractions.note(task.uploadFoundationProgress.fractionCompleted)
            }, completion: nil)
        let progress = session.uploadProgress(for: task)
        mine.withLock { $0 = task }
        _ = try await task.result()
        session.told { fractions.note(progress?.fractionCompleted ?? 0) }
        mine.withLock { $0 = nil }
        #expect(fractions.values == fractions.values.sorted())
        #expect(fractions.values.last == 1.0)
        await session.invalidate()
    }

    /// What nobody has stated, and what had no bytes at all: finished nevertheless, at exactly 1.
    @Test(arguments: [
        ("/chunked", HTTPMethod.get, Int64(4 << 20)), ("/empty", .get, 1), ("/204", .get, 1), ("/big", .head, 4 << 20),
    ])
    func aGoodEndIsOne(_ path: String, _ method: HTTPMethod, _ count: Int64) async throws {
        let big = big
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                switch request.path {
                case "/chunked": LoopbackResponse(body: big, chunkSize: 100_000)
                case "/204": .empty()
                case "/empty": .text("")
                default: .bytes(big)
                }
            })
        let task = try self.task(server.url(path), method)
        let parent = Progress(totalUnitCount: 2)
        session.told {
            parent.addChild(task.downloadFoundationProgress, withPendingUnitCount: 1)
            parent.addChild(task.uploadFoundationProgress, withPendingUnitCount: 1)
        }
        task.resume()
        _ = try await task.result()
        session.told {
            #expect(task.downloadFoundationProgress.fractionCompleted == 1.0)
            #expect(task.downloadFoundationProgress.completedUnitCount == count)
            #expect(task.uploadFoundationProgress.fractionCompleted == 1.0)
            #expect(parent.fractionCompleted == 1.0)
            #expect(parent.completedUnitCount == 2 && parent.isFinished)
        }
        await session.invalidate()
    }

    @Test func undeterminedUntilTheEnd() async throws {
        let rest = Gate()
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhell\r\n")
            try connection.wait(rest)
            try connection.send("1\r\no\r\n0\r\n\r\n")
        }
        let task = try task(server.url())
        let progress = task.downloadFoundationProgress
        task.resume()
        for await case .received in task.events { break }
        session.told {
            #expect(progress.totalUnitCount == -1 && progress.isIndeterminate)
            #expect(progress.completedUnitCount == 4)
            #expect(progress.fractionCompleted == 0)
        }
        rest.open()
        _ = try await task.result()
        session.told { #expect(progress.totalUnitCount == 5 && progress.fractionCompleted == 1.0) }
        await session.invalidate()
    }

    @Test func aStreamOfUnknownLengthEndsAtWhatWasSent() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let stream = InputStream(data: Data(count: 300_000))
        let task = try self.task(server.url(), .put, HTTPRequest(URLRequest(url: server, stream)).body)
        let progress = task.uploadFoundationProgress
        #expect(progress.totalUnitCount == -1)
        _ = try await task.result()
        session.told {
            #expect(progress.totalUnitCount == 300_000)
            #expect(progress.fractionCompleted == 1.0)
        }
        await session.invalidate()
    }

    /// Sent again elsewhere, with another body that is larger: what was said does not become less.
    @Test func aLargerBodyForARedirectDoesNotTakeAnythingBack() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.serving { request in
                request.path == "/" ? .redirect(to: "/there", status: 307) : .text("\(request.body.count)")
            })
        var handlers = TaskHandlers()
        handlers.newBody = { _ in .bytes(Data(count: 1_000_000)) }
        let fractions = Noted<Double>(), mine = Lock<SessionTask?>(nil)
        let task = session.uploadTask(
            withStreamedRequest: try session.request(
                server.url(), method: .post,
                body: .oneShotStream(
                    length: 100_000,
                    AsyncStream { continuation in
                        continuation.yield(Data(count: 100_000))
                        continuation.finish()
                    })),
            progress: { _ in
                guard let task = mine.withLock({ $0 }) else { return }
                fractions.note(task.uploadFoundationProgress.fractionCompleted)
            }, handlers: handlers, completion: nil)
        _ = task.uploadFoundationProgress
        mine.withLock { $0 = task }
        #expect(try await task.result().text == "1000000")
        session.told { fractions.note(task.uploadFoundationProgress.fractionCompleted) }
        mine.withLock { $0 = nil }
        #expect(fractions.values == fractions.values.sorted())
        #expect(fractions.values.last == 1.0)
        #expect(session.told { task.uploadFoundationProgress.completedUnitCount } == 1_000_000)
        await session.invalidate()
    }

    @Test func aBadEndIsNone() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhell")
        }
        let task = try self.task(server.url())
        let progress = task.downloadFoundationProgress
        await #expect(throws: LupineError.self) { try await task.result() }
        session.told {
            #expect(!progress.isFinished && !progress.isCancelled)
            #expect(progress.fractionCompleted == 0.5)
        }
        await session.invalidate()
    }

    /// Made only afterwards, it shows how the task ended.
    @Test func madeAfterTheEnd() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")]))
        let task = try self.task(server.url(), .post, .text("abc"))
        _ = try await task.result()
        #expect(task.downloadFoundationProgress.completedUnitCount == 5)
        #expect(task.downloadFoundationProgress.isFinished)
        #expect(task.uploadFoundationProgress.completedUnitCount == 3)
        #expect(task.uploadFoundationProgress.isFinished)
        await session.invalidate()
    }
}
