internal import CLupineLinux
internal import Glibc

/// The epoll instance and what is registered with it.
///
/// libcurl forgets a connection's socket after each answer and asks for it again at the next request. So changes are
/// only written down and applied before the next wait, and a socket nobody asks for stays registered for
/// reading until it stirs: a keep-alive request then costs no `epoll_ctl` at all. That is right only where the closing
/// of a descriptor is told (``close(_:)``); for others (`isManaged` false) every change is applied at once.
struct Poller {
    private struct Entry {
        /// Tells a descriptor's number from its next use: an event that was already read for a closed
        /// descriptor carries the old registration and is dropped.
        var registration: UInt32 = 0
        var wanted: UInt32 = 0
        var armed: UInt32 = 0
        var isManaged = false
        var isPending = false
        /// Nothing may come until somebody asks again; whom to ask whether that is still so.
        var quiet: (any DescriptorClient)?
        var client: (any DescriptorClient)?
    }

    private let epoll: Int32
    private var entries: [Entry] = []
    private var pending: [Int32] = []
    private var nextRegistration: UInt32 = 1
    private let buffer: UnsafeMutablePointer<epoll_event>
    private static let capacity: Int32 = 256

    init(epoll: Int32) {
        self.epoll = epoll
        buffer = .allocate(capacity: Int(Self.capacity))
    }

    func free() {
        buffer.deallocate()
        _ = CLupineLinux.close(epoll)
    }

    private mutating func grow(to descriptor: Int32) {
        while entries.count <= Int(descriptor) { entries.append(Entry()) }
    }

    /// A descriptor was opened whose closing will be told.
    mutating func opened(_ descriptor: Int32) {
        grow(to: descriptor)
        entries[Int(descriptor)] = Entry(isManaged: true)
    }

    /// Whatever comes over a socket until somebody asks for it again, its end or bytes that belong to no request, ends it:
    /// what is read from it next must be the answer to what was sent last.
    mutating func expectQuiet(on descriptor: Int32, for client: any DescriptorClient) {
        guard entries.indices.contains(Int(descriptor)), entries[Int(descriptor)].isManaged else { return }
        entries[Int(descriptor)].quiet = client
    }

    private static func end(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        // With bytes unread it would still seem alive. A peer that sends on and on is not followed: what leaves on such a
        // connection then fails.
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { scratch in
            var reads = 0
            while reads < 64, recv(descriptor, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT)) > 0 {
                reads += 1
            }
        }
    }

    /// The descriptor is about to be closed. Deregistered by hand: the kernel does so by itself only when no
    /// other process holds the open file, as a child between fork and exec does.
    mutating func closing(_ descriptor: Int32) {
        guard entries.indices.contains(Int(descriptor)) else { return }
        if entries[Int(descriptor)].armed != 0 {
            _ = lupine_epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0, 0)
        }
        entries[Int(descriptor)] = Entry()
    }

    /// States which events `client` waits for on a descriptor; 0 for none.
    mutating func want(_ events: UInt32, on descriptor: Int32, for client: any DescriptorClient) {
        grow(to: descriptor)
        let index = Int(descriptor)
        entries[index].wanted = events
        if events != 0 { entries[index].quiet = nil }
        entries[index].client = events == 0 ? nil : client
        if !entries[index].isManaged {
            apply(descriptor)
            if events == 0 { entries[index] = Entry() }
        } else if !entries[index].isPending {
            entries[index].isPending = true
            pending.append(descriptor)
        }
    }

    private mutating func apply(_ descriptor: Int32) {
        let index = Int(descriptor)
        let wanted = entries[index].wanted, armed = entries[index].armed
        guard wanted != armed else { return }
        if wanted == 0 {
            if entries[index].isManaged, armed == UInt32(LUPINE_EPOLLIN) { return }
            _ = lupine_epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0, 0)
        } else {
            if armed == 0 {
                nextRegistration &+= 1
                entries[index].registration = nextRegistration
            }
            let word = UInt64(entries[index].registration) << 32 | UInt64(UInt32(bitPattern: descriptor))
            let operation = armed == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            if lupine_epoll_ctl(epoll, operation, descriptor, wanted, word) != 0 {
                // The other operation is right when a descriptor came or went unseen.
                let other = errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
                _ = lupine_epoll_ctl(epoll, other, descriptor, wanted, word)
            }
        }
        entries[index].armed = wanted
    }

    /// Applies what was written down.
    mutating func flush() {
        for descriptor in pending where entries[Int(descriptor)].isPending {
            entries[Int(descriptor)].isPending = false
            apply(descriptor)
        }
        pending.drain()
    }

    /// Waits and returns how many events there are to ``take(_:)``.
    func wait(milliseconds: Int32) -> Int32 {
        let count = epoll_wait(epoll, buffer, Self.capacity, milliseconds)
        return max(count, 0)  // EINTR: the next round asks again
    }

    /// One event of the last wait, with whom it is for; `nil` when it is for a descriptor that is gone or that nobody
    /// asks for.
    mutating func take(_ index: Int32) -> (descriptor: Int32, events: UInt32, client: any DescriptorClient)? {
        let word = lupine_epoll_word(buffer, index)
        let events = lupine_epoll_events(buffer, index)
        let descriptor = Int32(bitPattern: UInt32(truncatingIfNeeded: word))
        guard entries.indices.contains(Int(descriptor)) else { return nil }
        let entry = entries[Int(descriptor)]
        guard entry.registration == UInt32(word >> 32), entry.armed != 0 else { return nil }
        guard entry.wanted != 0, let client = entry.client else {
            _ = lupine_epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0, 0)
            entries[Int(descriptor)].armed = 0
            if let client = entry.quiet, client.isUnused(descriptor) { Self.end(descriptor) }
            return nil
        }
        return (descriptor, events, client)
    }
}
