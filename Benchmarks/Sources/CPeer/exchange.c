#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool append(buffer *b, const char *bytes, size_t count) {
    if (b->length + count > b->capacity) {
        size_t capacity = b->capacity ? b->capacity : 1024;
        while (capacity < b->length + count) capacity *= 2;
        char *grown = realloc(b->bytes, capacity);
        if (!grown) return false;
        b->bytes = grown;
        b->capacity = capacity;
    }
    memcpy(b->bytes + b->length, bytes, count);
    b->length += count;
    return true;
}

static void start_head(exchange *e, const char *line, size_t count) {
    // A status line after another one: what came before was informational.
    e->head.length = 0;
    e->field_count = 0;
    e->content_length = -1;
    const char *space = memchr(line, ' ', count);
    e->status = space && space + 4 <= line + count ? atoi(space + 1) : 0;
}

static bool add_field(exchange *e, const char *line, size_t count) {
    const char *colon = memchr(line, ':', count);
    if (!colon) return true;
    size_t name_length = (size_t)(colon - line);
    const char *value = colon + 1, *end = line + count;
    while (value < end && (*value == ' ' || *value == '\t')) value++;
    while (end > value && (end[-1] == '\r' || end[-1] == '\n' || end[-1] == ' ' || end[-1] == '\t')) end--;

    if (e->field_count == e->field_capacity) {
        size_t capacity = e->field_capacity ? e->field_capacity * 2 : 16;
        field *grown = realloc(e->fields, capacity * sizeof *grown);
        if (!grown) return false;
        e->fields = grown;
        e->field_capacity = capacity;
    }
    size_t place = e->head.length;
    if (!append(&e->head, line, count)) return false;
    e->fields[e->field_count++] =
        (field){place, name_length, place + (size_t)(value - line), (size_t)(end - value)};
    if (name_length == 14 && !strncasecmp(line, "content-length", 14)) e->content_length = atol(value);
    return true;
}

static size_t on_head(char *bytes, size_t size, size_t count, void *context) {
    exchange *e = context;
    count *= size;
    if (count >= 5 && !memcmp(bytes, "HTTP/", 5)) {
        start_head(e, bytes, count);
        return count;
    }
    return add_field(e, bytes, count) ? count : 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
    exchange *e = context;
    count *= size;
    if (e->body.length == 0 && e->content_length > (long)e->body.capacity) {
        // The length is known: one allocation instead of a dozen.
        char *grown = realloc(e->body.bytes, (size_t)e->content_length);
        if (!grown) return 0;
        e->body.bytes = grown;
        e->body.capacity = (size_t)e->content_length;
    }
    return append(&e->body, bytes, count) ? count : 0;
}

bool exchange_open(exchange *e, const peer_work *work, struct curl_slist *request_fields) {
    memset(e, 0, sizeof *e);
    CURL *h = e->easy = curl_easy_init();
    if (!h) return false;
    // What does not change between requests is set once.
    curl_easy_setopt(h, CURLOPT_PRIVATE, e);
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(h, CURLOPT_HEADERFUNCTION, on_head);
    curl_easy_setopt(h, CURLOPT_HEADERDATA, e);
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(h, CURLOPT_WRITEDATA, e);
    curl_easy_setopt(h, CURLOPT_BUFFERSIZE, work->buffer_size);
    curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, 30000L);
    curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, 60000L);
    curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(h, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(h, CURLOPT_HTTPHEADER, request_fields);
    curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
    if (work->ca_file) curl_easy_setopt(h, CURLOPT_CAINFO, work->ca_file);
    if (work->http == 11) {
        curl_easy_setopt(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    } else {
        curl_easy_setopt(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
        curl_easy_setopt(h, CURLOPT_PIPEWAIT, 1L);
    }
    return true;
}

void exchange_prepare(exchange *e, const peer_work *work) {
    e->head.length = 0;
    e->body.length = 0;
    e->field_count = 0;
    e->status = 0;
    e->content_length = -1;
    // The URL is set each time, as by any client whose requests differ.
    curl_easy_setopt(e->easy, CURLOPT_URL, work->url);
}

bool exchange_check(exchange *e, CURLcode result, long *expected_length) {
    const char *why = NULL;
    if (result != CURLE_OK) why = curl_easy_strerror(result);
    else if (e->status != 200) why = "the status is not 200";
    else if (e->field_count == 0) why = "no field in the head";
    if (!why && *expected_length < 0) *expected_length = (long)e->body.length;
    if (!why && (long)e->body.length != *expected_length) why = "the body has another length";
    if (why) fprintf(stderr, "c-peer: %s (status %d, %zu bytes)\n", why, e->status, e->body.length);
    return !why;
}

void exchange_close(exchange *e) {
    curl_easy_cleanup(e->easy);
    free(e->head.bytes);
    free(e->body.bytes);
    free(e->fields);
}
