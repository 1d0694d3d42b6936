internal import LupineCore

extension Error {
    /// Why something could not be encoded or decoded, in one line: where and what, `tags[2].name: it is missing`.
    ///
    /// - Parameter levels: how many levels of the path are the caller's own, around the value.
    func codingReason(below levels: Int = 0) -> String {
        let reason =
            switch self {
            case let error as DecodingError: error.reason(below: levels)
            case let error as EncodingError: error.reason(below: levels)
            default: "\(self)"
            }
        return reason.onOneLine
    }
}

extension DecodingError {
    fileprivate func reason(below levels: Int) -> String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            "\(ValuePath(context.codingPath.dropFirst(levels))): \(context.debugDescription)"
        case .keyNotFound(let key, let context):
            "\(ValuePath((context.codingPath + [key]).dropFirst(levels))): it is missing"
        @unknown default: "\(self)"
        }
    }
}

extension EncodingError {
    fileprivate func reason(below levels: Int) -> String {
        guard case .invalidValue(_, let context) = self else { return "\(self)" }
        // The encoder of property lists says of the whole that it is none, and why beneath.
        if let cause = context.underlyingError as? EncodingError { return cause.reason(below: levels) }
        // All parts have been encoded: what `JSONEncoder` can still find wrong is their depth, but it does not say so.
        if context.debugDescription.hasPrefix("Unable to encode the given top-level value to JSON") {
            return "its parts lie deeper in each other than the 511 levels that JSONEncoder writes"
        }
        return "\(ValuePath(context.codingPath.dropFirst(levels))): \(context.debugDescription)"
    }
}
