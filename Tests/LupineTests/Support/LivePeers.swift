import Glibc
import Lupine
import Testing

/// The servers that `scripts/peers` has started. A suite that talks to them has `LivePeer` in its name.
enum LivePeers {
    static let httpbin = environment("LUPINE_HTTPBIN")
    static let forms = environment("LUPINE_FORMS")
    static let nginx = environment("LUPINE_NGINX")
    static let nginxTLS = environment("LUPINE_NGINX_TLS")
    static let nginxCA = environment("LUPINE_NGINX_CA")
    static let nginxIdle = environment("LUPINE_NGINX_IDLE")
    static let nginxFew = environment("LUPINE_NGINX_FEW")
    static let nginxSocket = environment("LUPINE_NGINX_SOCKET")

    static let hint: Comment = "no live peers: `make live-peers` starts them"
}

/// Whether the long forms of tests run, as `make nightly` asks.
let isNightly = environment("LUPINE_NIGHTLY") != nil

func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
