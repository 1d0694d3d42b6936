// libxml2's event parser, with nothing of a document type in effect: no entity but XML's own, no file, no network.
#pragma once
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <string.h>

// What a document holds, in order. Texts are UTF-8 and live for the call; `count` attributes of five pointers each: local name,
// prefix, namespace, and where the value begins and ends.
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

// One run: the parser and where its events go.
struct lupine_xml_run {
    xmlParserCtxtPtr _Nullable parser;
    const struct lupine_xml_events *_Nonnull events;
    void *_Nullable context;
};

#define LUPINE_XML_RUN ((struct lupine_xml_run *)run)

static inline void lupine_xml_start(
    void *run, const xmlChar *name, const xmlChar *prefix, const xmlChar *space, int namespaces, const xmlChar **declared,
    int count, int defaulted, const xmlChar **attributes) {
    (void)namespaces, (void)declared, (void)defaulted;
    LUPINE_XML_RUN->events->start_element(LUPINE_XML_RUN->context, name, prefix, space, count, attributes);
}

static inline void lupine_xml_end(void *run, const xmlChar *name, const xmlChar *prefix, const xmlChar *space) {
    LUPINE_XML_RUN->events->end_element(LUPINE_XML_RUN->context, name, prefix, space);
}

static inline void lupine_xml_text(void *run, const xmlChar *bytes, int count) {
    LUPINE_XML_RUN->events->text(LUPINE_XML_RUN->context, bytes, count, 0);
}

static inline void lupine_xml_cdata(void *run, const xmlChar *bytes, int count) {
    LUPINE_XML_RUN->events->text(LUPINE_XML_RUN->context, bytes, count, 1);
}

static inline void lupine_xml_comment(void *run, const xmlChar *text) {
    LUPINE_XML_RUN->events->comment(LUPINE_XML_RUN->context, text);
}

static inline void lupine_xml_instruction(void *run, const xmlChar *target, const xmlChar *data) {
    LUPINE_XML_RUN->events->instruction(LUPINE_XML_RUN->context, target, data);
}

static inline void lupine_xml_entity(
    void *run, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id, xmlChar *content) {
    (void)type, (void)public_id, (void)system_id, (void)content;
    LUPINE_XML_RUN->events->entity(LUPINE_XML_RUN->context, name);
}

static inline void lupine_xml_reference(void *run, const xmlChar *name) {
    LUPINE_XML_RUN->events->entity(LUPINE_XML_RUN->context, name);
}

static inline xmlEntityPtr lupine_xml_no_entity(void *run, const xmlChar *name) {
    (void)run;
    return xmlGetPredefinedEntity(name);
}

// Errors are read from the parser at the end; without this they would go to standard error.
static inline void lupine_xml_ignore(void *run, xmlErrorPtr error) { (void)run, (void)error; }

// Ends the run from within an event.
static inline void lupine_xml_stop(struct lupine_xml_run *_Nonnull run) {
    if (run->parser) xmlStopParser(run->parser);
}

// Where a document stops being one.
struct lupine_xml_fault {
    // 0: none.
    int code;
    int line, column;
    char message[256];
};

// Reads a document. `is_utf8`: whatever its declaration says.
static inline struct lupine_xml_fault lupine_xml_parse(
    struct lupine_xml_run *_Nonnull run, const char *_Nonnull bytes, int count, int is_utf8) {
    struct lupine_xml_fault fault;
    memset(&fault, 0, sizeof fault);
    xmlParserCtxtPtr parser = xmlCreateMemoryParserCtxt(bytes, count);
    if (!parser) {
        fault.code = XML_ERR_NO_MEMORY;
        return fault;
    }
    run->parser = parser;
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = lupine_xml_start;
    handler.endElementNs = lupine_xml_end;
    handler.characters = lupine_xml_text;
    handler.ignorableWhitespace = lupine_xml_text;
    handler.cdataBlock = lupine_xml_cdata;
    handler.comment = lupine_xml_comment;
    handler.processingInstruction = lupine_xml_instruction;
    handler.entityDecl = lupine_xml_entity;
    handler.reference = lupine_xml_reference;
    handler.getEntity = lupine_xml_no_entity;
    handler.serror = (xmlStructuredErrorFunc)lupine_xml_ignore;
    *parser->sax = handler;
    parser->userData = run;
    // NOENT, or the value of an attribute would hold "&#38;" for "&amp;". No other entity can come to be.
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOENT | (is_utf8 ? XML_PARSE_IGNORE_ENC : 0));
    if (is_utf8) xmlSwitchEncoding(parser, XML_CHAR_ENCODING_UTF8);
    xmlParseDocument(parser);
    const xmlError *error = xmlCtxtGetLastError(parser);
    if (!parser->wellFormed || !parser->nsWellFormed || (error && error->level >= XML_ERR_ERROR)) {
        fault.code = error ? error->code : XML_ERR_INTERNAL_ERROR;
        fault.line = error ? error->line : 0;
        fault.column = error ? error->int2 : 0;
        if (error && error->message) strncpy(fault.message, error->message, sizeof fault.message - 1);
    }
    run->parser = 0;
    if (parser->myDoc) xmlFreeDoc(parser->myDoc);
    parser->myDoc = 0;
    xmlFreeParserCtxt(parser);
    return fault;
}

#undef LUPINE_XML_RUN
