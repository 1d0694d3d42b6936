// One request and its answer on a handle that is kept for the next.
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

#include "CPeer.h"

typedef struct {
    char *bytes;
    size_t length, capacity;
} buffer;

typedef struct {
    size_t name, name_length, value, value_length;  // places in the head's bytes
} field;

typedef struct {
    CURL *easy;
    buffer head;
    buffer body;
    field *fields;
    size_t field_count, field_capacity;
    int status;
    long content_length;  // -1 when not said
} exchange;

bool exchange_open(exchange *e, const peer_work *work, struct curl_slist *request_fields);
void exchange_prepare(exchange *e, const peer_work *work);
// True when the answer is whole and has the length that is expected.
bool exchange_check(exchange *e, CURLcode result, long *expected_length);
void exchange_close(exchange *e);
