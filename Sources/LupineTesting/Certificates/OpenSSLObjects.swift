internal import COpenSSL
internal import LupineCore

/// An `EVP_PKEY`: a key pair.
final class PrivateKey: @unchecked Sendable {
    // Safe to share: never changed after init, and OpenSSL signs with one key on any thread.
    let pointer: OpaquePointer

    /// A fresh P-256 key.
    init() throws(LoopbackError) {
        guard let pointer = lupine_p256_key() else { throw .openSSL(.certificateFailed, "no key") }
        self.pointer = pointer
    }

    deinit { EVP_PKEY_free(pointer) }

    /// PKCS #8, unencrypted.
    var pem: String {
        MemoryBIO.text { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// SubjectPublicKeyInfo (RFC 5280 section 4.1).
    var publicKeyDER: [UInt8] { derBytes { i2d_PUBKEY(pointer, $0) } }
}

/// An `X509`: a certificate.
final class X509Object: @unchecked Sendable {
    // Safe to share: only the code that makes it changes it, before anyone else has it; what OpenSSL caches in it is
    // behind a lock of its own.
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    init() throws(LoopbackError) {
        guard let pointer = X509_new() else { throw .openSSL(.certificateFailed, "X509_new") }
        self.pointer = pointer
    }

    deinit { X509_free(pointer) }

    var der: [UInt8] { derBytes { i2d_X509(pointer, $0) } }
    var pem: String { MemoryBIO.text { PEM_write_bio_X509($0, pointer) } }
}

/// A `BIO` that collects text.
private enum MemoryBIO {
    static func text(_ write: (OpaquePointer) -> Int32) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        var length = 0
        guard write(bio) == 1, let bytes = lupine_bio_bytes(bio, &length) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
    }
}

/// What an `i2d_…` function writes.
private func derBytes(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
    let length = Int(encode(nil))
    guard length > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
        // The function moves the pointer that it is given on; the buffer stays.
        var next = buffer.baseAddress
        initialized = max(0, min(length, Int(encode(&next))))
    }
}
