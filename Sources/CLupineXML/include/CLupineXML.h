// libxml2's event parser, with nothing of a document type in effect: no entity but XML's own, no default of an attribute, no
// file, no network. Nothing of libxml2's own headers is visible here.
#pragma once

// What a document holds, in order. Texts are UTF-8 and live for the call; names, prefixes and namespaces to the end of the run,
// each distinct one at one address. `count` attributes of five pointers each: local name, prefix, namespace, and where the value
// begins and ends.
struct lupine_xml_events {
    void (*_Nonnull start_element)(
        void *_Nullable context, const unsigned char *_Nonnull name, const unsigned char *_Nullable prefix,
        const unsigned char *_Nullable space, int count, const unsigned char *_Nullable *_Nullable attributes);
    void (*_Nonnull end_element)(
        void *_Nullable context, const unsigned char *_Nonnull name, const unsigned char *_Nullable prefix,
        const unsigned char *_Nullable space);
    void (*_Nonnull text)(void *_Nullable context, const unsigned char *_Nonnull bytes, int count, int is_cdata);
    void (*_Nonnull comment)(void *_Nullable context, const unsigned char *_Nonnull text);
    void (*_Nonnull instruction)(
        void *_Nullable context, const unsigned char *_Nonnull target, const unsigned char *_Nullable data);
    // A declaration or a reference that is refused.
    void (*_Nonnull entity)(void *_Nullable context, const unsigned char *_Nullable name);
};

// Where a document stops being one.
struct lupine_xml_fault {
    // 0: none.
    int code;
    int line, column;
    // Whether a piece of the document is larger than libxml2 reads, not wrong.
    int is_limit;
    char message[256];
};

// One run: where its events go, and the parser while it reads.
struct lupine_xml_run {
    const struct lupine_xml_events *_Nonnull events;
    void *_Nullable context;
    void *_Nullable parser;
    struct lupine_xml_fault fault;
};

// Once, before threads share the library.
void lupine_xml_prepare(void);

// Ends the run from within an event.
void lupine_xml_stop(struct lupine_xml_run *_Nonnull run);

// Reads a document; `fault` of the run says how it ended. `is_utf8`: whatever its declaration says.
void lupine_xml_parse(struct lupine_xml_run *_Nonnull run, const char *_Nonnull bytes, int count, int is_utf8);
