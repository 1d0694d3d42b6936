internal import Glibc

/// What a name stands for.
enum HostLookup: Equatable, Sendable {
    case found([IPAddress])
    /// There is no such name, or it has no address.
    case unknownName
    /// Nobody could be asked now, or nobody answered.
    case failedForNow

    /// Asks the system's resolver, however long it takes: files, DNS and whatever else `nsswitch.conf` names.
    static func of(_ name: String) -> HostLookup {
        guard !name.isEmpty, !name.utf8.contains(0) else { return .unknownName }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        // One row an address, not one for each kind of socket.
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(name, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        switch result {
        case 0: break
        case EAI_AGAIN, EAI_SYSTEM, EAI_MEMORY: return .failedForNow
        default: return .unknownName
        }
        var addresses: [IPAddress] = []
        // The list is the resolver's until it is freed: above, when this returns.
        var next = list
        while let entry = next {
            if let address = IPAddress(entry.pointee) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        return addresses.isEmpty ? .unknownName : .found(addresses)
    }
}

extension IPAddress {
    fileprivate init?(_ entry: addrinfo) {
        // `ai_addr` points to as many bytes as `ai_addrlen` says, of the structure that the family names.
        let bytes = Array(UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen)))
        switch entry.ai_family {
        case AF_INET where bytes.count >= 8: self.init(bytes: bytes[4..<8])
        case AF_INET6 where bytes.count >= 28:
            self.init(bytes: bytes[8..<24], zone: bytes[24..<28].integer(UInt32.self, at: 0) ?? 0)
        default: return nil
        }
    }
}
