internal import CLibcurl
internal import CLupineLinux
internal import Glibc

// What libcurl calls. Each thunk finds its object and calls one method: C's conventions end here.
//
// The contexts are unretained: an ``EasyHandle`` outlives its use in a multi handle (``MultiHandle`` holds it
// until it has taken it out), a ``MultiHandle`` its `CURLM`, and the loop both.

private func easy(_ context: UnsafeMutableRawPointer?) -> EasyHandle? {
    context.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
}

private func multi(_ context: UnsafeMutableRawPointer?) -> MultiHandle? {
    context.map { Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }
}

enum CurlThunks {
    /// `CURLOPT_HEADERFUNCTION`: one line of a head or of trailers.
    static let header: lupine_curl_write = { bytes, size, count, context in
        guard let transfer = easy(context)?.transfer else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer.received(headLine: line) ? line.count : 0
    }

    /// `CURLOPT_WRITEFUNCTION`: body bytes.
    static let write: lupine_curl_write = { bytes, size, count, context in
        guard let transfer = easy(context)?.transfer else { return 0 }
        let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
        switch transfer.received(body: body) {
        case .taken: return body.count
        case .paused: return Int(CURL_WRITEFUNC_PAUSE)
        case .refused: return body.isEmpty ? 1 : 0
        }
    }

    /// `CURLOPT_READFUNCTION`: the next bytes of the request body.
    static let read: lupine_curl_read = { buffer, size, count, context in
        guard let transfer = easy(context)?.transfer else { return Int(CURL_READFUNC_ABORT) }
        switch transfer.nextBody(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count)) {
        case .bytes(let count): return count
        case .end: return 0
        case .pause: return Int(CURL_READFUNC_PAUSE)
        case .fault: return Int(CURL_READFUNC_ABORT)
        }
    }

    /// `CURLOPT_SEEKFUNCTION`: libcurl wants the body again. Only its start is ever asked for.
    static let seek: lupine_curl_seek = { context, offset, origin in
        guard let transfer = easy(context)?.transfer, offset == 0, origin == SEEK_SET, transfer.rewindBody() else {
            return CURL_SEEKFUNC_FAIL
        }
        return CURL_SEEKFUNC_OK
    }

    /// `CURLOPT_PREREQFUNCTION`: the connection stands, the request is about to leave.
    static let request: lupine_curl_prereq = { context, _, _, _, _ in
        guard let transfer = easy(context)?.transfer, transfer.willSend() else { return CURL_PREREQFUNC_ABORT }
        return CURL_PREREQFUNC_OK
    }

    /// `CURLOPT_DEBUGFUNCTION`: remarks, lines of heads, and body bytes as they came.
    static let debug: lupine_curl_debug = { _, kind, bytes, count, context in
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        switch kind {
        case CURLINFO_TEXT: easy(context)?.noted(bytes)
        case CURLINFO_HEADER_IN: easy(context)?.willStore(bytes)
        case CURLINFO_DATA_IN: easy(context)?.transfer?.received(raw: bytes)
        default: break
        }
        return 0
    }

    /// `CURLOPT_OPENSOCKETFUNCTION`: close-on-exec from the start, and known to the poller.
    static let openSocket: lupine_curl_open_socket = { context, _, address in
        let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(address.pointee.family, type, address.pointee.protocol)
        if descriptor >= 0 { loop(context)?.poller.opened(descriptor) }
        return descriptor
    }

    /// `CURLOPT_CLOSESOCKETFUNCTION`.
    static let closeSocket: lupine_curl_close_socket = { context, descriptor in
        loop(context)?.poller.closing(descriptor)
        return close(descriptor)
    }

    private static func loop(_ context: UnsafeMutableRawPointer?) -> LoopCore? {
        context.map { Unmanaged<LoopCore>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whose handle it is.
    static func owner(of handle: OpaquePointer?) -> EasyHandle? {
        var user: UnsafeMutableRawPointer?
        guard let handle else { return nil }
        return lupine_curl_get_pointer(handle, CURLINFO_PRIVATE, &user) == CURLE_OK ? easy(user) : nil
    }

    /// `CURLMOPT_SOCKETFUNCTION`: what to wait for on a socket.
    static let socket: lupine_curl_socket = { handle, descriptor, what, context, _ in
        if what != CURL_POLL_REMOVE { owner(of: handle)?.descriptor = descriptor }
        multi(context)?.wants(what, on: descriptor)
        return 0
    }

    /// `CURLMOPT_TIMERFUNCTION`: when libcurl wants to be called; -1 for never.
    static let timer: lupine_curl_timer = { _, milliseconds, context in
        multi(context)?.wantsCall(inMilliseconds: milliseconds)
        return 0
    }
}
