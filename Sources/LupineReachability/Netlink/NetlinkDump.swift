internal import CLupineLinux
internal import Glibc

/// The kernel's answer to a question for all of a kind, put together from its datagrams.
struct NetlinkDump {
    enum Ending: Equatable {
        case whole
        /// It changed while it was read, so that it may lack something or have it twice.
        case interrupted
        /// An `errno`.
        case failed(Int32)
    }

    /// The question's number.
    let sequence: UInt32
    private(set) var messages: [NetlinkMessage] = []
    private var isInterrupted = false

    init(sequence: UInt32) { self.sequence = sequence }

    /// A datagram was lost.
    mutating func miss() { isInterrupted = true }

    /// - Returns: `nil` while more is to come.
    mutating func take(_ datagram: ArraySlice<UInt8>) -> Ending? {
        let (list, isWhole) = NetlinkMessage.parse(datagram)
        if !isWhole { isInterrupted = true }
        for message in list where message.sequence == sequence {
            if message.flags & UInt16(NLM_F_DUMP_INTR) != 0 { isInterrupted = true }
            switch Int32(message.type) {
            case NLMSG_DONE: return isInterrupted ? .interrupted : .whole
            case NLMSG_ERROR: return .failed(-(message.payload.integer(Int32.self, at: 0) ?? -EBADMSG))
            default: messages.append(message)
            }
        }
        return nil
    }
}
