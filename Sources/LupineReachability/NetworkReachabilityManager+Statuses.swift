extension NetworkReachabilityManager {
    /// The present status as soon as it is known, then each change. Watching begins with the reading, and ends with it where nobody
    /// else watches; several may read, each for itself.
    ///
    /// Who reads slowly is not told all that was meanwhile, but what is now, and never the same twice in a row. The sequence ends
    /// with ``stopMonitoring()``, with the reader's task, and at once where the kernel cannot be asked.
    public var statuses: Statuses { Statuses(manager: self) }

    /// What ``statuses`` is.
    public struct Statuses: AsyncSequence, Sendable {
        public typealias Element = NetworkReachabilityStatus

        let manager: NetworkReachabilityManager

        public func makeAsyncIterator() -> Iterator {
            let (stream, continuation) = AsyncStream.makeStream(
                of: NetworkReachabilityStatus.self, bufferingPolicy: .bufferingNewest(1))
            manager.addStream(continuation)
            return Iterator(base: stream.makeAsyncIterator(), manager: manager)
        }

        /// Reads ``Statuses``, and holds its manager meanwhile.
        public struct Iterator: AsyncIteratorProtocol {
            var base: AsyncStream<NetworkReachabilityStatus>.Iterator
            let manager: NetworkReachabilityManager
            private var last: NetworkReachabilityStatus?

            init(base: AsyncStream<NetworkReachabilityStatus>.Iterator, manager: NetworkReachabilityManager) {
                self.base = base
                self.manager = manager
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> NetworkReachabilityStatus? {
                while let status = await base.next(isolation: actor) {
                    // It went there and back while nobody read.
                    guard status != last else { continue }
                    last = status
                    return status
                }
                return nil
            }
        }
    }
}
