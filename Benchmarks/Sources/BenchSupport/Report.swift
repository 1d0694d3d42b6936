internal import Glibc
internal import Synchronization

/// One line of JSON, its members in the order they were added.
public struct Report: Sendable {
    private var members: [String] = []

    public init() {}

    public mutating func add(_ name: String, _ value: Int) {
        members.append("\"\(name)\":\(value)")
    }

    /// Kept to a hundredth.
    public mutating func add(_ name: String, _ value: Double) {
        members.append("\"\(name)\":\((value * 100).rounded() / 100)")
    }

    public func write() {
        print("{\(members.joined(separator: ","))}")
        fflush(nil)
    }
}

/// Says what is wrong where it does not mix with the report.
public func complain(_ message: String) {
    let line = "lupine-bench: \(message)\n"
    _ = line.withCString { write(2, $0, strlen($0)) }
}

private let failuresTold = Atomic(0)

/// Says why a request failed, the first few times.
func complain(ofFailure message: @autoclosure () -> String) {
    if failuresTold.wrappingAdd(1, ordering: .relaxed).newValue <= 5 { complain(message()) }
}
