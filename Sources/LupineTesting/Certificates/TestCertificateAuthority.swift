/// An authority made for a test: a root, or an intermediate beneath one.
///
/// ```swift
/// let authority = try TestCertificateAuthority()
/// let server = try LoopbackServer(tls: authority.issue()) { … }
/// try authority.certificate.writePEM(to: directory.file("roots.pem"))     // what a client is to trust
/// ```
public final class TestCertificateAuthority: Sendable {
    /// The authority's own certificate.
    public let certificate: TestCertificate

    /// A root.
    ///
    /// - Throws: ``LoopbackError`` with `certificate-failed`.
    public init(
        commonName: String = "Lupine Test Root", validity: TestCertificate.Validity = .current
    ) throws(LoopbackError) {
        certificate = try .selfSigned(for: [], commonName: commonName, validity: validity, isAuthority: true)
    }

    private init(certificate: TestCertificate) { self.certificate = certificate }

    /// A certificate for a server, or a client.
    ///
    /// - Parameters:
    ///   - names: host names (`*.example.com` too) and IP addresses. The loopback names by default.
    ///   - commonName: the first of the names by default.
    ///   - isAuthority: whether it may sign others. `false` by default.
    /// - Throws: ``LoopbackError`` with `certificate-failed`.
    public func issue(
        for names: [String] = TestCertificate.loopbackNames, commonName: String? = nil,
        validity: TestCertificate.Validity = .current, isAuthority: Bool = false
    ) throws(LoopbackError) -> TestCertificate {
        try TestCertificate(
            commonName: commonName ?? names.first ?? "", names: names, validity: validity, isAuthority: isAuthority,
            issuer: certificate)
    }

    /// An authority beneath this one.
    ///
    /// - Throws: ``LoopbackError`` with `certificate-failed`.
    public func makeIntermediate(
        commonName: String = "Lupine Test Intermediate", validity: TestCertificate.Validity = .current
    ) throws(LoopbackError) -> TestCertificateAuthority {
        TestCertificateAuthority(
            certificate: try issue(for: [], commonName: commonName, validity: validity, isAuthority: true))
    }
}
