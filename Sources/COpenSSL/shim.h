// OpenSSL 3: what LupineTransport (extra roots) and LupineTesting (a TLS server, certificates) use.
#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// LupineTransport.

/// Where a connection keeps its flag.
static inline int lupine_ssl_flag_index(void) {
    static _Atomic int index = -1;
    int known = index;
    if (known >= 0) return known;
    // Of two threads that come here at once the first to store wins for both.
    int made = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, NULL, NULL, NULL, NULL);
    int none = -1;
    return __c11_atomic_compare_exchange_strong(&index, &none, made, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? made : none;
}

static inline void lupine_ssl_note_alert(const SSL *_Nonnull ssl, int where, int alert) {
    int *flag = (where & SSL_CB_READ) && (where & SSL_CB_ALERT) && (alert & 0xff) == SSL_AD_CLOSE_NOTIFY
        ? (int *)SSL_get_ex_data(ssl, lupine_ssl_flag_index()) : NULL;
    if (flag != NULL) *flag = 1;
}

/// Has `*flag` become 1 when the peer ends the connection in order. It must outlive the connection.
static inline int lupine_ssl_watch_notice(void *_Nonnull connection, int *_Nonnull flag) {
    SSL *ssl = (SSL *)connection;
    if (SSL_set_ex_data(ssl, lupine_ssl_flag_index(), flag) != 1) return 0;
    SSL_set_info_callback(ssl, lupine_ssl_note_alert);
    return 1;
}

/// Whether both sides agreed on HTTP/2 by ALPN.
static inline int lupine_ssl_agreed_on_http2(const void *_Nonnull connection) {
    const unsigned char *name = NULL;
    unsigned int length = 0;
    SSL_get0_alpn_selected((const SSL *)connection, &name, &length);
    return length == 2 && name[0] == 'h' && name[1] == '2';
}

// LupineTesting: keys, certificates and the TLS side of the loopback server. Macros and variadic functions only;
// what Swift imports by itself is called directly.

static inline EVP_PKEY *_Nullable lupine_p256_key(void) { return EVP_EC_gen("P-256"); }

/// Adds one extension in the syntax of x509v3_config(5). `issuer` is the certificate itself when it signs itself.
static inline int lupine_x509_add_extension(
    X509 *_Nonnull certificate, X509 *_Nonnull issuer, int nid, const char *_Nonnull value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL) return 0;
    int result = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return result;
}

static inline int lupine_x509_name_add(
    X509_NAME *_Nonnull name, const char *_Nonnull field, const char *_Nonnull value) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, (const unsigned char *)value, -1, -1, 0);
}

/// What a memory BIO holds; `*length` is its size. Valid until the BIO is written or freed.
static inline const char *_Nullable lupine_bio_bytes(BIO *_Nonnull bio, long *_Nonnull length) {
    char *bytes = NULL;
    *length = BIO_get_mem_data(bio, &bytes);
    return bytes;
}

static inline int lupine_ssl_ctx_add_chain_certificate(SSL_CTX *_Nonnull context, X509 *_Nonnull certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int lupine_ssl_ctx_set_versions(SSL_CTX *_Nonnull context, int minimum, int maximum) {
    return SSL_CTX_set_min_proto_version(context, minimum) && SSL_CTX_set_max_proto_version(context, maximum);
}

/// For non-blocking sockets driven by poll, where a peer may leave without close_notify.
static inline void lupine_ssl_ctx_prepare(SSL_CTX *_Nonnull context) {
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
}

static inline int lupine_ssl_set_server_name(SSL *_Nonnull ssl, const char *_Nonnull name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int lupine_ssl_accept_any_certificate(int verified, X509_STORE_CTX *_Nonnull store) {
    (void)verified;
    (void)store;
    return 1;
}

/// Asks the client for a certificate and accepts whichever comes; `required`: refuses a client without one.
static inline void lupine_ssl_ctx_ask_client_certificate(SSL_CTX *_Nonnull context, int required) {
    SSL_CTX_set_verify(
        context, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), lupine_ssl_accept_any_certificate);
}

static inline int lupine_ssl_select_http(
    SSL *_Nonnull ssl, const unsigned char *_Nullable *_Nonnull out, unsigned char *_Nonnull length,
    const unsigned char *_Nonnull offered, unsigned int offered_length, void *_Nullable context) {
    static const unsigned char known[] = {2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    (void)ssl;
    // The context is a flag: whether h2, at the front, is known too.
    unsigned int skipped = context ? 0 : 3;
    int found = SSL_select_next_proto(
        (unsigned char **)out, length, known + skipped, sizeof known - skipped, offered, offered_length);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// Chooses h2, when `http2` is set, or http/1.1 when the client offers it by ALPN, and nothing else.
static inline void lupine_ssl_ctx_offer_http(SSL_CTX *_Nonnull context, int http2) {
    SSL_CTX_set_alpn_select_cb(context, lupine_ssl_select_http, http2 ? (void *)1 : NULL);
}
