extension CurlTransport {
    /// The `Accept-Encoding` of a request that has none of its own and lets content be decoded.
    package static var acceptedCodings: String { ContentDecoder.acceptedCodings }
}
