public import LupineCore
public import LupineSerialization

extension DataResponse {
    /// The body as text, by its byte order mark, the charset its type states, or UTF-8. `nil`: it is no such text, or in a
    /// charset that this machine does not know; a ``StringResponseSerializer`` tells which.
    public var text: String? { data.text(of: response) }

    /// The value that a serializer makes of the answer, here and now.
    ///
    /// - Throws: the serializer's ``LupineError``, with this answer's head, body and metrics.
    public func serialized<Serializer: ResponseSerializer>(
        by serializer: Serializer
    ) throws(LupineError) -> Serializer.Value {
        do {
            return try serializer.serialize(data, response: response, request: request)
        } catch {
            throw error.with(response: response, data: data, metrics: metrics)
        }
    }

    /// The answer itself, if its status and type are acceptable.
    func checked(by serializer: HTTPResponseSerializer) throws(LupineError) -> DataResponse {
        _ = try serialized(by: serializer)
        return self
    }

    /// The same on Swift's global executor, so that a large body stalls no actor that waits for it, and no event loop.
    func value<Serializer: ResponseSerializer>(
        by serializer: Serializer, isolation: isolated (any Actor)? = #isolation
    ) async throws(LupineError) -> Serializer.Value {
        // Most tasks are there already.
        if isolation == nil, withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor }) == nil {
            return try serialized(by: serializer)
        }
        return try await result(by: serializer).get()
    }

    @concurrent private func result<Serializer: ResponseSerializer>(
        by serializer: Serializer
    ) async -> Result<Serializer.Value, LupineError> {
        // This far it is where the task prefers to be, which may be a loop.
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            Result { () throws(LupineError) in try serialized(by: serializer) }
        }
    }
}
