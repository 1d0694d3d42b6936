internal import Dispatch
internal import Foundation
internal import Lupine
internal import LupineCore

/// Takes one direction of a task's progress to a Foundation `Progress`, on the session's callback queue.
///
/// The task keeps the feed, the feed the progress, and the progress's handlers know the task weakly: no cycle.
final class ProgressFeed: TaskListener {
    enum Direction { case upload, download }

    private struct State {
        var news = News()
        var isScheduled = false
    }

    /// What has come since the last delivery.
    private struct News {
        var completed: Int64?
        var total: Int64?
        var hasEndedWell = false
    }

    let direction: Direction
    /// Changed while it is made, then on `queue` alone.
    let progress: Progress
    private let queue: DispatchQueue
    private let state = Lock(State())

    /// - Parameter present: what has happened so far; the progress shows it from the start.
    init(_ direction: Direction, of task: SessionTask, on queue: DispatchQueue, present: [TaskEvent]) {
        self.direction = direction
        self.queue = queue
        progress = Progress(parent: nil)
        progress.totalUnitCount = -1
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = { [weak task] in task?.cancel() }
        // Foundation calls handlers on some thread later, of two perhaps the second first: both look at what holds, in turn.
        let turns = DispatchQueue(label: "lupine.progress-turns")
        let turn: @Sendable () -> Void = { [weak task, weak progress] in
            guard let task, let progress else { return }
            turns.async {
                if progress.isPaused { task.suspend() } else { task.resume() }
            }
        }
        progress.pausingHandler = turn
        progress.resumingHandler = turn

        var news = News()
        if direction == .upload { news.total = task.originalRequest.statedBodyLength }
        for event in present { note(event, in: &news) }
        show(news)
    }

    func add(_ events: [TaskEvent]) {
        let mustSchedule = state.withLock { state in
            var isNews = false
            for event in events where note(event, in: &state.news) { isNews = true }
            guard isNews, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
        if mustSchedule { queue.async { self.deliver() } }
    }

    @discardableResult
    private func note(_ event: TaskEvent, in news: inout News) -> Bool {
        switch (event, direction) {
        case (.sent(let progress), .upload), (.received(let progress), .download):
            news.completed = progress.completed
            news.total = progress.total
        case (.response(let response), .download): news.total = response.expectedBodyLength
        case (.completed(nil), _): news.hasEndedWell = true
        default: return false
        }
        return true
    }

    private func deliver() {
        let news = state.withLock { state in
            defer { state = State() }
            return state.news
        }
        show(news)
    }

    private func show(_ news: News) {
        // No total, no fraction: a total that was known once holds, so that the fraction does not fall back to nothing.
        var total = news.total.flatMap { $0 > 0 ? $0 : nil } ?? progress.totalUnitCount
        var completed = max(news.completed ?? 0, progress.completedUnitCount)
        if news.hasEndedWell {
            // What had no bytes is done nevertheless, and Foundation calls 0 of 0 undetermined.
            if total <= 0 { total = max(completed, 1) }
            completed = total
        } else if total > 0 {
            completed = min(completed, total)
            // Sent again, a body may be a larger one: the fraction waits until it has caught up.
            guard Double(completed) / Double(total) >= progress.fractionCompleted else { return }
        }
        if progress.totalUnitCount != total { progress.totalUnitCount = total }
        if progress.completedUnitCount != completed { progress.completedUnitCount = completed }
    }
}
