// libcurl, with typed wrappers: curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic and
// cannot be called from Swift.
#pragma once
// CURL, CURLM and CURLSH as types of their own instead of void.
#define CURL_STRICTER
#include <curl/curl.h>
#include <stddef.h>

#if LIBCURL_VERSION_NUM < 0x075800
#error "Lupine needs libcurl 7.88 or newer (Debian 12, Ubuntu 24.04)."
#endif

// curl's own macros check types by name and get in the way of wrappers.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

static inline CURLcode lupine_curl_set_long(CURL *_Nonnull h, CURLoption o, long v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode lupine_curl_set_offset(CURL *_Nonnull h, CURLoption o, curl_off_t v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode lupine_curl_set_string(CURL *_Nonnull h, CURLoption o, const char *_Nullable v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode lupine_curl_set_pointer(CURL *_Nonnull h, CURLoption o, const void *_Nullable v) { return curl_easy_setopt(h, o, v); }
static inline CURLcode lupine_curl_set_list(CURL *_Nonnull h, CURLoption o, struct curl_slist *_Nullable v) { return curl_easy_setopt(h, o, v); }

static inline curl_version_info_data *_Nullable lupine_curl_version(void) { return curl_version_info(CURLVERSION_NOW); }

// CURLOPT_HEADERFUNCTION and CURLOPT_WRITEFUNCTION.
typedef size_t (*lupine_curl_write)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
static inline CURLcode lupine_curl_set_write(CURL *_Nonnull h, CURLoption o, lupine_curl_write _Nullable f) { return curl_easy_setopt(h, o, f); }

// CURLOPT_READFUNCTION.
typedef size_t (*lupine_curl_read)(char *_Nullable buffer, size_t size, size_t count, void *_Nullable context);
static inline CURLcode lupine_curl_set_read(CURL *_Nonnull h, lupine_curl_read _Nullable f) { return curl_easy_setopt(h, CURLOPT_READFUNCTION, f); }

// CURLOPT_SEEKFUNCTION.
typedef int (*lupine_curl_seek)(void *_Nullable context, curl_off_t offset, int origin);
static inline CURLcode lupine_curl_set_seek(CURL *_Nonnull h, lupine_curl_seek _Nullable f) { return curl_easy_setopt(h, CURLOPT_SEEKFUNCTION, f); }

// CURLOPT_PREREQFUNCTION.
typedef int (*lupine_curl_prereq)(void *_Nullable context, char *_Nullable remote, char *_Nullable local, int remote_port, int local_port);
static inline CURLcode lupine_curl_set_prereq(CURL *_Nonnull h, lupine_curl_prereq _Nullable f) { return curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, f); }

// CURLOPT_DEBUGFUNCTION.
typedef int (*lupine_curl_debug)(CURL *_Nonnull h, curl_infotype kind, char *_Nullable bytes, size_t count, void *_Nullable context);
static inline CURLcode lupine_curl_set_debug(CURL *_Nonnull h, lupine_curl_debug _Nullable f) { return curl_easy_setopt(h, CURLOPT_DEBUGFUNCTION, f); }

// CURLOPT_OPENSOCKETFUNCTION and CURLOPT_CLOSESOCKETFUNCTION.
typedef curl_socket_t (*lupine_curl_open_socket)(void *_Nullable context, curlsocktype purpose, struct curl_sockaddr *_Nonnull address);
static inline CURLcode lupine_curl_set_open_socket(CURL *_Nonnull h, lupine_curl_open_socket _Nullable f) { return curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, f); }
typedef int (*lupine_curl_close_socket)(void *_Nullable context, curl_socket_t socket);
static inline CURLcode lupine_curl_set_close_socket(CURL *_Nonnull h, lupine_curl_close_socket _Nullable f) { return curl_easy_setopt(h, CURLOPT_CLOSESOCKETFUNCTION, f); }

// CURLOPT_SSL_CTX_FUNCTION.
typedef CURLcode (*lupine_curl_ssl_context)(CURL *_Nonnull h, void *_Nonnull ssl_ctx, void *_Nullable context);
static inline CURLcode lupine_curl_set_ssl_context(CURL *_Nonnull h, lupine_curl_ssl_context _Nullable f) { return curl_easy_setopt(h, CURLOPT_SSL_CTX_FUNCTION, f); }

static inline CURLcode lupine_curl_get_long(CURL *_Nonnull h, CURLINFO i, long *_Nonnull v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode lupine_curl_get_offset(CURL *_Nonnull h, CURLINFO i, curl_off_t *_Nonnull v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode lupine_curl_get_string(CURL *_Nonnull h, CURLINFO i, char *_Nullable *_Nonnull v) { return curl_easy_getinfo(h, i, v); }
static inline CURLcode lupine_curl_get_pointer(CURL *_Nonnull h, CURLINFO i, void *_Nullable *_Nonnull v) { return curl_easy_getinfo(h, i, v); }

static inline CURLMcode lupine_curl_multi_set_long(CURLM *_Nonnull m, CURLMoption o, long v) { return curl_multi_setopt(m, o, v); }
static inline CURLMcode lupine_curl_multi_set_pointer(CURLM *_Nonnull m, CURLMoption o, void *_Nullable v) { return curl_multi_setopt(m, o, v); }

// CURLMOPT_SOCKETFUNCTION and CURLMOPT_TIMERFUNCTION.
typedef int (*lupine_curl_socket)(CURL *_Nonnull h, curl_socket_t socket, int what, void *_Nullable context, void *_Nullable per_socket);
static inline CURLMcode lupine_curl_multi_set_socket(CURLM *_Nonnull m, lupine_curl_socket _Nullable f) { return curl_multi_setopt(m, CURLMOPT_SOCKETFUNCTION, f); }
typedef int (*lupine_curl_timer)(CURLM *_Nonnull m, long timeout_ms, void *_Nullable context);
static inline CURLMcode lupine_curl_multi_set_timer(CURLM *_Nonnull m, lupine_curl_timer _Nullable f) { return curl_multi_setopt(m, CURLMOPT_TIMERFUNCTION, f); }

static inline CURLSHcode lupine_curl_share_set_data(CURLSH *_Nonnull s, curl_lock_data d) { return curl_share_setopt(s, CURLSHOPT_SHARE, d); }

// The result is a union's member.
static inline CURLcode lupine_curl_message_result(const CURLMsg *_Nonnull m) { return m->data.result; }
