import COpenSSL
import FoundationEssentials
import Glibc
import LupineTesting
import Testing

struct TestCertificateTests {
    /// What OpenSSL prints of a certificate.
    private func printed(_ certificate: TestCertificate) throws -> String {
        let der = certificate.der
        return try der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            let x509 = try #require(d2i_X509(nil, &start, der.count))
            defer { X509_free(x509) }
            let bio = try #require(BIO_new(BIO_s_mem()))
            defer { BIO_free(bio) }
            #expect(X509_print(bio, x509) == 1)
            var length = 0
            let bytes = try #require(lupine_bio_bytes(bio, &length))
            return String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
        }
    }

    /// `0`, or the number of the first thing that is wrong with the chain.
    private func verdict(_ leaf: TestCertificate, root: TestCertificate) throws -> Int32 {
        func parsed(_ certificate: TestCertificate) throws -> OpaquePointer {
            let der = certificate.der
            return try der.withUnsafeBufferPointer { buffer in
                var start = buffer.baseAddress
                return try #require(d2i_X509(nil, &start, der.count))
            }
        }
        let store = X509_STORE_new()
        defer { X509_STORE_free(store) }
        let rootPointer = try parsed(root)
        defer { X509_free(rootPointer) }
        X509_STORE_add_cert(store, rootPointer)
        let chain = OPENSSL_sk_new_null()
        defer { OPENSSL_sk_free(chain) }
        let between = try leaf.intermediates.map(parsed)
        defer { between.forEach { X509_free($0) } }
        for pointer in between { OPENSSL_sk_push(chain, UnsafeRawPointer(pointer)) }
        let leafPointer = try parsed(leaf)
        defer { X509_free(leafPointer) }
        let context = X509_STORE_CTX_new()
        defer { X509_STORE_CTX_free(context) }
        #expect(X509_STORE_CTX_init(context, store, leafPointer, chain) == 1)
        return X509_verify_cert(context) == 1 ? 0 : X509_STORE_CTX_get_error(context)
    }

    @Test func namesAndAddressesAreAlternativeNames() throws {
        let text = try printed(.selfSigned(for: ["*.example.com", "a-b.test", "10.0.0.1", "fe80::1"]))
        #expect(text.contains("DNS:*.example.com, DNS:a-b.test, IP Address:10.0.0.1, IP Address:FE80:0:0:0:0:0:0:1"))
        #expect(text.contains("Subject: CN=*.example.com"))
        #expect(text.contains("Issuer: CN=*.example.com"))
        #expect(text.contains("CA:FALSE"))
        #expect(text.contains("prime256v1"))
        #expect(text.contains("Version: 3"))
    }

    @Test func authoritiesSaySo() throws {
        let authority = try TestCertificateAuthority(commonName: "Röot, Inc.")
        #expect(try printed(authority.certificate).contains("CA:TRUE"))
        #expect(try printed(authority.certificate).contains("Certificate Sign"))
        #expect(authority.certificate.commonName == "Röot, Inc.")
        #expect(try printed(authority.issue(isAuthority: true)).contains("CA:TRUE"))
    }

    @Test func chainsVerify() throws {
        let root = try TestCertificateAuthority()
        let intermediate = try root.makeIntermediate()
        #expect(try verdict(root.issue(), root: root.certificate) == 0)
        let leaf = try intermediate.issue()
        #expect(leaf.intermediates.map(\.commonName) == ["Lupine Test Intermediate"])
        #expect(try verdict(leaf, root: root.certificate) == 0)
        #expect(try verdict(leaf, root: TestCertificateAuthority().certificate) != 0)
        let selfSigned = try TestCertificate.selfSigned()
        #expect(selfSigned.issuer == nil)
        #expect(try verdict(selfSigned, root: selfSigned) == 0)
        #expect(try verdict(selfSigned, root: root.certificate) == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT)
    }

    @Test func timesAreAsTold() throws {
        let root = try TestCertificateAuthority()
        #expect(try verdict(root.issue(validity: .expired), root: root.certificate) == X509_V_ERR_CERT_HAS_EXPIRED)
        #expect(
            try verdict(root.issue(validity: .notYetValid), root: root.certificate) == X509_V_ERR_CERT_NOT_YET_VALID)
        let short = TestCertificate.Validity(notBefore: .seconds(-7200), notAfter: .seconds(-3600))
        #expect(try verdict(root.issue(validity: short), root: root.certificate) == X509_V_ERR_CERT_HAS_EXPIRED)
        let old = try TestCertificateAuthority(validity: .expired)
        #expect(try verdict(old.issue(), root: old.certificate) == X509_V_ERR_CERT_HAS_EXPIRED)
    }

    @Test func serialsAndKeysDiffer() throws {
        let root = try TestCertificateAuthority()
        let certificates = try (0..<20).map { _ in try root.issue() }
        #expect(Set(certificates.map(\.der)).count == 20)
        #expect(Set(certificates.map(\.publicKeyDER)).count == 20)
        let serials = try certificates.map { try printed($0).split(separator: "\n")[4] }
        #expect(Set(serials).count == 20)
    }

    @Test func theKeyBelongsToTheCertificate() throws {
        let certificate = try TestCertificate.selfSigned()
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        let text = certificate.pem + certificate.keyPEM
        BIO_write(bio, text, Int32(text.utf8.count))
        let x509 = try #require(PEM_read_bio_X509(bio, nil, nil, nil))
        defer { X509_free(x509) }
        let key = try #require(PEM_read_bio_PrivateKey(bio, nil, nil, nil))
        defer { EVP_PKEY_free(key) }
        #expect(X509_check_private_key(x509, key) == 1)
        // The pin's bytes are those within the certificate.
        let der = certificate.der, pin = certificate.publicKeyDER
        #expect(der.indices.contains { der[$0...].starts(with: pin) })
    }

    @Test(arguments: ["", "a,DNS:evil.test", "a b", "a\nb", "http://x"])
    func refusesWhatIsNoName(_ name: String) {
        let error = #expect(throws: LoopbackError.self) { try TestCertificate.selfSigned(for: [name], commonName: "x") }
        #expect(error?.code == .certificateFailed)
    }

    @Test func writesFiles() throws {
        let directory = try TemporaryDirectory()
        let leaf = try TestCertificateAuthority().makeIntermediate().issue()
        try leaf.writePEM(to: directory.file("leaf.pem"))
        try leaf.writePEM(to: directory.file("chain.pem"), includingChain: true)
        try leaf.writeKeyPEM(to: directory.file("key.pem"))
        try leaf.writeDER(to: directory.file("leaf.der"))
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(filePath: directory.file(name))), as: UTF8.self)
        }
        #expect(try text("leaf.pem") == leaf.pem)
        #expect(try text("leaf.pem").hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(try text("chain.pem") == leaf.chainPEM)
        #expect(leaf.chainPEM.split(separator: "-----BEGIN CERTIFICATE-----").count == 2)
        #expect(try text("key.pem").hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try Array(Data(contentsOf: URL(filePath: directory.file("leaf.der")))) == leaf.der)
        let error = #expect(throws: LoopbackError.self) { try leaf.writePEM(to: "/nowhere/leaf.pem") }
        #expect(error?.code == .fileFailed)
    }

    @Test func aTemporaryDirectoryGoesWithItsLastReference() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let path = try #require(directory?.path)
        let file = try #require(try directory?.write(Array("x".utf8), to: "file"))
        #expect(file == path + "/file")
        #expect(access(file, F_OK) == 0)
        directory = nil
        #expect(access(path, F_OK) != 0)
    }
}
