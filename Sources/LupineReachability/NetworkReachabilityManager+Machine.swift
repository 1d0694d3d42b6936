internal import Dispatch
internal import LupineLock

// What a manager does with its machine: who is told, who is asked.
extension NetworkReachabilityManager {
    /// A new reader, who is told the present status. Where the kernel cannot be asked it is at its end.
    func addStream(_ stream: AsyncStream<NetworkReachabilityStatus>.Continuation) {
        let id = state.withLock { state -> UInt64? in
            let id = state.nextStream
            state.nextStream += 1
            state.streams[id] = stream
            state.machine.start()
            guard register(&state) else {
                state.streams[id] = nil
                return nil
            }
            // To the new one alone.
            if case .report(let status)? = state.machine.tellAgain().first {
                delivery.async { stream.yield(status) }
            }
            return id
        }
        guard let id else { return stream.finish() }
        stream.onTermination = { [weak self] _ in self?.removeStream(id) }
    }

    private func removeStream(_ id: UInt64) {
        state.withLock { state in
            state.streams[id] = nil
            if !state.isStarted, state.streams.isEmpty { unregister(&state) }
        }
    }

    // MARK: The machine's inputs and actions; all with the lock held

    func register(_ state: inout State) -> Bool {
        guard state.registration == nil else { return true }
        state.run += 1
        let added = environment.news.add { [weak self, run = state.run] snapshot in
            self?.input { $0.run == run ? $0.machine.networkChanged(snapshot) : [] }
        }
        guard let added else {
            state.machine.stop()
            return false
        }
        state.registration = added.id
        if let known = added.known {
            let actions = state.machine.networkChanged(known)
            perform(actions, &state)
        }
        return true
    }

    func unregister(_ state: inout State) {
        state.machine.stop()
        guard let registration = state.registration else { return }
        state.registration = nil
        state.run += 1
        environment.news.remove(registration)
    }

    private func input(_ input: @Sendable (inout State) -> [ReachabilityMachine.Action]) {
        state.withLock { state in
            let actions = input(&state)
            perform(actions, &state)
        }
    }

    func perform(_ actions: [ReachabilityMachine.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .report(let status):
                // Queues take it here, so that the order is that of the changes; nobody's code runs before the lock is free.
                if let queue = state.callback?.queue {
                    queue.async { [weak self, start = state.start] in self?.tell(status, start) }
                }
                let streams = Array(state.streams.values)
                if !streams.isEmpty { delivery.async { for stream in streams { stream.yield(status) } } }
            case .lookUp(let name):
                let resolve = environment.resolve
                let started = PlainThread.start("lupine-lookup") { [weak self] in
                    let result = resolve(name)
                    self?.input { $0.machine.lookedUp(result) }
                }
                if !started {
                    delivery.async { [weak self] in self?.input { $0.machine.lookedUp(.failedForNow) } }
                }
            case .retry(let number, let seconds):
                environment.after(seconds) { [weak self] in self?.input { $0.machine.retry(number) } }
            }
        }
    }

    private func tell(_ status: NetworkReachabilityStatus, _ start: UInt64) {
        let (callback, notifiers) = state.withLock { state in
            (state.start == start ? state.callback : nil, state.notifiers)
        }
        guard let callback else { return }
        callback.onUpdate(status)
        for notifier in notifiers { notifier(self, status) }
    }
}
