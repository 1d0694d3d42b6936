import Dispatch
import Foundation
import Lupine
import LupineCore
import LupineFoundationBridge
import LupineTesting
import Testing

/// A task's Foundation progress: who moves it, who holds it, what it does to the task.
@Suite(.timeLimit(.minutes(2)))
struct ProgressControlTests {
    private let session = URLSessionManager.direct()

    /// Answers with half a body, then waits.
    private func halfServer(_ rest: Gate) throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhell")
            try connection.stall(until: rest)
            try connection.send("o!!!")
        }
    }

    @Test(arguments: [false, true])
    func cancellingItCancelsTheTask(byParent: Bool) async throws {
        let server = try halfServer(Gate())
        let task = session.dataTask(with: try session.request(server.url()))
        let progress = task.downloadFoundationProgress, parent = Progress(totalUnitCount: 1)
        session.told { parent.addChild(progress, withPendingUnitCount: 1) }
        task.resume()
        for await case .received in task.events { break }
        (byParent ? parent : progress).cancel()
        let error = await #expect(throws: LupineError.self) { try await task.result() }
        #expect(error?.code == .cancelled)
        #expect(progress.isCancelled)
        #expect(session.told { progress.fractionCompleted } == 0.5)
        await session.invalidate()
    }

    @Test func pausingItSuspendsTheTask() async throws {
        let rest = Gate()
        let server = try halfServer(rest)
        let task = session.dataTask(with: try session.request(server.url()))
        let progress = task.downloadFoundationProgress
        var events = task.events.makeAsyncIterator()
        // Resuming what has not begun begins it, as in AFNetworking.
        progress.resume()
        while let event = await events.next() { if case .received = event { break } }
        progress.pause()
        while let event = await events.next() { if case .suspended = event { break } }
        #expect(task.state == .suspended)
        progress.resume()
        while let event = await events.next() { if case .resumed = event { break } }
        rest.open()
        #expect(try await task.result().text == "hello!!!")
        #expect(session.told { progress.fractionCompleted } == 1.0)
        await session.invalidate()
    }

    /// Foundation calls the handlers on several threads at once: what was asked for last is what holds.
    @Test func ofManyTurnsTheLastHolds() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")]))
        for _ in 0..<50 {
            let task = session.dataTask(with: try session.request(server.url()))
            let progress = task.downloadFoundationProgress
            for _ in 0..<20 {
                progress.pause()
                progress.resume()
            }
            // Waits for the end without beginning anything.
            for await case .completed(let error) in task.events { #expect(error == nil) }
        }
        await session.invalidate()
    }

    /// While that queue stands still the transfer ends, and the progress has not moved.
    @Test func itMovesOnTheCallbackQueueOnly() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.echo)
        let task = session.uploadTask(
            with: try session.request(server.url(), method: .post), from: Data(count: 1000), completion: nil)
        let download = task.downloadFoundationProgress, upload = task.uploadFoundationProgress
        session.configuration.callbackQueue.suspend()
        _ = try await task.result()
        #expect(download.totalUnitCount == -1 && download.completedUnitCount == 0)
        #expect(upload.completedUnitCount == 0 && !upload.isFinished)
        session.configuration.callbackQueue.resume()
        session.told { #expect(download.isFinished && upload.isFinished) }
        await session.invalidate()
    }

    @Test func itHasEndedWhenTheCompletionHandlerRuns() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")]))
        let fractions = Noted<Double>(), done = Gate()
        for _ in 0..<20 {
            let task = session.dataTask(with: try session.request(server.url())) { task, _ in
                fractions.note(task.downloadFoundationProgress.fractionCompleted)
                if fractions.values.count == 20 { done.open() }
            }
            _ = task.downloadFoundationProgress
            task.resume()
        }
        try await done.opened()
        #expect(fractions.values.allSatisfy { $0 == 1.0 })
        await session.invalidate()
    }

    @Test func aTreeOfTasks() async throws {
        let rest = Gate()
        let whole = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")])),
            half = try halfServer(rest)
        let tasks = try [whole, half].map { session.dataTask(with: try session.request($0.url())) }
        let parent = Progress(totalUnitCount: 10), grandparent = Progress(totalUnitCount: 4)
        session.told {
            grandparent.addChild(parent, withPendingUnitCount: 4)
            parent.addChild(tasks[0].downloadFoundationProgress, withPendingUnitCount: 2)
            parent.addChild(tasks[1].downloadFoundationProgress, withPendingUnitCount: 8)
        }
        _ = try await tasks[0].result()
        session.told { #expect(parent.completedUnitCount == 2 && parent.fractionCompleted == 0.2) }
        tasks[1].resume()
        for await case .received in tasks[1].events { break }
        session.told { #expect(abs(grandparent.fractionCompleted - 0.6) < 1e-9) }
        rest.open()
        _ = try await tasks[1].result()
        session.told {
            #expect(parent.completedUnitCount == 10)
            #expect(grandparent.fractionCompleted == 1.0 && grandparent.isFinished)
        }
        await session.invalidate()
    }

    @Test func alwaysTheSameObject() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")]))
        let task = session.dataTask(with: try session.request(server.url()))
        let first = task.downloadFoundationProgress
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { task.downloadFoundationProgress === first } }
            for await isSame in group { #expect(isSame) }
        }
        #expect(task.uploadFoundationProgress !== first)
        _ = try await task.result()
        #expect(task.downloadFoundationProgress === first)
        #expect(session.downloadProgress(for: task) === first)
        let other = URLSessionManager.direct()
        #expect(other.downloadProgress(for: task) == nil)
        #expect(other.uploadProgress(for: task) == nil)
        await session.invalidate()
    }

    @Test func nobodyHoldsTheOther() async throws {
        let server = try LoopbackServer(handler: LoopbackServer.routes(["/": .text("hello")]))
        weak var task: SessionTask?
        weak var upload: Progress?
        var download: Progress?
        do {
            let made = session.dataTask(with: try session.request(server.url()))
            (task, upload, download) = (made, made.uploadFoundationProgress, made.downloadFoundationProgress)
            // Kept by the task, when by nobody else.
            #expect(upload != nil)
        }
        // Not begun, and let go of.
        #expect(task == nil && upload == nil && session.tasks.isEmpty)
        #expect(download?.totalUnitCount == -1)
        download?.cancel()
        download = nil

        weak var begun: SessionTask?
        weak var progress: Progress?
        do {
            let made = session.dataTask(with: try session.request(server.url()))
            (begun, progress) = (made, made.downloadFoundationProgress)
            _ = try await made.result()
        }
        await session.invalidate()
        session.told {}
        #expect(begun == nil && progress == nil)
    }
}
