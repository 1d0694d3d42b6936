internal import LupineCore
internal import LupineSerialization

/// What a whole answer has to stand to be one.
enum AnswerCheck: Sendable {
    /// By its head.
    case head(HTTPResponseSerializer)
    /// By what is made of it, which may take long.
    case value(@Sendable (DataResponse) throws(LupineError) -> Void)

    /// Whether it stands it, as far as can be seen at once.
    func passes(_ response: HTTPResponse, isEmpty: Bool) -> Bool {
        switch self {
        case .head(let serializer): serializer.accepts(response, isEmpty: isEmpty)
        case .value: false
        }
    }

    func check(_ answer: DataResponse) throws(LupineError) {
        switch self {
        case .head(let serializer): _ = try answer.checked(by: serializer)
        case .value(let make): try make(answer)
        }
    }
}

/// What a serializer makes of a task's answer while the task judges it.
final class MadeValue<Serializer: ResponseSerializer>: Sendable {
    private let serializer: Serializer
    private let made = Lock<Serializer.Value?>(nil)

    init(_ serializer: Serializer) { self.serializer = serializer }

    var check: AnswerCheck {
        .value { [self] answer throws(LupineError) in
            let value = try answer.serialized(by: serializer)
            made.withLock { $0 = value }
        }
    }

    /// What was made of it; what it is, where it was not judged.
    func value(of answer: DataResponse) throws(LupineError) -> Serializer.Value {
        if let value = made.withLock({ $0.take() }) { return value }
        return try answer.serialized(by: serializer)
    }
}
