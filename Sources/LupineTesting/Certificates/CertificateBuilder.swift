internal import COpenSSL
internal import Glibc
internal import LupineCore

/// Fills an `X509` before anyone else has it.
struct CertificateBuilder {
    let x509: X509Object
    /// The object itself when it signs itself.
    let issuer: X509Object

    private func check(_ succeeded: Bool, _ step: String) throws(LoopbackError) {
        guard succeeded else { throw .openSSL(.certificateFailed, step) }
    }

    /// Random and positive, 127 bits.
    func setSerial() throws(LoopbackError) {
        guard let number = BN_new() else { throw .openSSL(.certificateFailed, "BN_new") }
        defer { BN_free(number) }
        try check(
            X509_set_version(x509.pointer, 2) == 1 && BN_rand(number, 127, 0, 0) == 1
                && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(x509.pointer)) != nil, "serial number")
    }

    func set(_ validity: TestCertificate.Validity) throws(LoopbackError) {
        try set(X509_getm_notBefore(x509.pointer), validity.notBefore)
        try set(X509_getm_notAfter(x509.pointer), validity.notAfter)
    }

    private func set(_ time: UnsafeMutablePointer<ASN1_TIME>?, _ offset: Duration) throws(LoopbackError) {
        let seconds = Int(offset.components.seconds)
        try check(X509_time_adj_ex(time, Int32(clamping: seconds / 86_400), seconds % 86_400, nil) != nil, "validity")
    }

    func setNames(subject: String) throws(LoopbackError) {
        guard let name = X509_get_subject_name(x509.pointer) else { throw .openSSL(.certificateFailed, "subject") }
        if !subject.isEmpty { try check(lupine_x509_name_add(name, "CN", subject) == 1, "common name") }
        try check(X509_set_issuer_name(x509.pointer, X509_get_subject_name(issuer.pointer)) == 1, "issuer")
    }

    func set(publicKey key: PrivateKey) throws(LoopbackError) {
        try check(X509_set_pubkey(x509.pointer, key.pointer) == 1, "public key")
    }

    func addExtensions(names: [String], isAuthority: Bool) throws(LoopbackError) {
        try add(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "CA:FALSE")
        try add(
            NID_key_usage,
            isAuthority ? "critical,keyCertSign,cRLSign,digitalSignature" : "critical,digitalSignature")
        if !isAuthority { try add(NID_ext_key_usage, "serverAuth,clientAuth") }
        try add(NID_subject_key_identifier, "hash")
        // After the subject's: a certificate that signs itself refers to its own.
        try add(NID_authority_key_identifier, "keyid")
        guard !names.isEmpty else { return }
        var alternatives: [String] = []
        for name in names { alternatives.append(try alternative(name)) }
        try add(NID_subject_alt_name, alternatives.joined(separator: ","))
    }

    private func add(_ extensionID: Int32, _ value: String) throws(LoopbackError) {
        try check(
            lupine_x509_add_extension(x509.pointer, issuer.pointer, extensionID, value) == 1, "extension \(value)")
    }

    /// The name in the syntax of x509v3_config(5), in which a comma would begin another.
    private func alternative(_ name: String) throws(LoopbackError) -> String {
        var address = in6_addr()
        if inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1 { return "IP:\(name)" }
        let isName = name.utf8.allSatisfy {
            $0.isASCIIAlpha || $0.isASCIIDigit || "-._*".utf8.contains($0)
        }
        guard isName, !name.isEmpty else {
            throw LoopbackError(.certificateFailed, "\(name.quotedForMessage) is neither a host name nor an address")
        }
        return "DNS:\(name)"
    }

    func sign(with key: PrivateKey) throws(LoopbackError) {
        try check(X509_sign(x509.pointer, key.pointer, EVP_sha256()) > 0, "signature")
    }
}
