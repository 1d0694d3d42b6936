#include "CLupineXML.h"

#include <libxml/hash.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <string.h>

static struct lupine_xml_run *lupine_run(void *run) { return run; }

static void lupine_start(
    void *run, const xmlChar *name, const xmlChar *prefix, const xmlChar *space, int namespaces, const xmlChar **declared,
    int count, int defaulted, const xmlChar **attributes) {
    (void)namespaces, (void)declared, (void)defaulted;
    lupine_run(run)->events->start_element(lupine_run(run)->context, name, prefix, space, count, attributes);
}

static void lupine_end(void *run, const xmlChar *name, const xmlChar *prefix, const xmlChar *space) {
    lupine_run(run)->events->end_element(lupine_run(run)->context, name, prefix, space);
}

static void lupine_text(void *run, const xmlChar *bytes, int count) {
    lupine_run(run)->events->text(lupine_run(run)->context, bytes, count, 0);
}

static void lupine_cdata(void *run, const xmlChar *bytes, int count) {
    lupine_run(run)->events->text(lupine_run(run)->context, bytes, count, 1);
}

static void lupine_comment(void *run, const xmlChar *text) {
    lupine_run(run)->events->comment(lupine_run(run)->context, text);
}

static void lupine_instruction(void *run, const xmlChar *target, const xmlChar *data) {
    lupine_run(run)->events->instruction(lupine_run(run)->context, target, data);
}

static void lupine_entity(
    void *run, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id, xmlChar *content) {
    (void)type, (void)public_id, (void)system_id, (void)content;
    lupine_run(run)->events->entity(lupine_run(run)->context, name);
}

static void lupine_reference(void *run, const xmlChar *name) {
    lupine_run(run)->events->entity(lupine_run(run)->context, name);
}

static xmlEntityPtr lupine_no_entity(void *run, const xmlChar *name) {
    (void)run;
    return xmlGetPredefinedEntity(name);
}

// libxml2 adds the defaults of attributes, namespaces among them, and trims values by their types, whatever it is told: it does so
// out of two tables, which the declarations have filled when it asks for the external part of the document type. Without them
// it does neither.
static void lupine_declared(void *run, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id) {
    (void)name, (void)public_id, (void)system_id;
    xmlParserCtxtPtr parser = lupine_run(run)->parser;
    if (parser->attsDefault) xmlHashFree(parser->attsDefault, xmlHashDefaultDeallocator);
    parser->attsDefault = 0;
    if (parser->attsSpecial) xmlHashFree(parser->attsSpecial, 0);
    parser->attsSpecial = 0;
}

// The first fault is the cause; those that follow are its consequences.
static void lupine_error(void *run, const xmlError *error) {
    struct lupine_xml_fault *fault = &lupine_run(run)->fault;
    if (fault->code || !error || error->level < XML_ERR_ERROR) return;
    fault->code = error->code;
    fault->line = error->line;
    fault->column = error->int2;
    if (error->message) strncpy(fault->message, error->message, sizeof fault->message - 1);
    // Its limits have no code of their own: "AttValue length too long", "Comment too big found", "Huge input lookup".
    fault->is_limit = strstr(fault->message, "too long") || strstr(fault->message, "too big")
        || strstr(fault->message, "too large") || strstr(fault->message, "Huge") || strstr(fault->message, "huge");
}

void lupine_xml_prepare(void) { xmlInitParser(); }

void lupine_xml_stop(struct lupine_xml_run *run) {
    if (run->parser) xmlStopParser(run->parser);
}

void lupine_xml_parse(struct lupine_xml_run *run, const char *bytes, int count, int is_utf8) {
    xmlParserCtxtPtr parser = xmlCreateMemoryParserCtxt(bytes, count);
    if (!parser) {
        run->fault.code = XML_ERR_NO_MEMORY;
        return;
    }
    run->parser = parser;
    xmlSAXHandler handler;
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = lupine_start;
    handler.endElementNs = lupine_end;
    handler.characters = lupine_text;
    handler.ignorableWhitespace = lupine_text;
    handler.cdataBlock = lupine_cdata;
    handler.comment = lupine_comment;
    handler.processingInstruction = lupine_instruction;
    handler.entityDecl = lupine_entity;
    handler.reference = lupine_reference;
    handler.getEntity = lupine_no_entity;
    handler.externalSubset = lupine_declared;
    // The type of its error was without `const` once.
    handler.serror = (xmlStructuredErrorFunc)lupine_error;
    *parser->sax = handler;
    parser->userData = run;
    // NOENT, or the value of an attribute would hold "&#38;" for "&amp;". No other entity can come to be.
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOENT | (is_utf8 ? XML_PARSE_IGNORE_ENC : 0));
    if (is_utf8) xmlSwitchEncoding(parser, XML_CHAR_ENCODING_UTF8);
    xmlParseDocument(parser);
    if (!run->fault.code && (!parser->wellFormed || !parser->nsWellFormed)) run->fault.code = XML_ERR_INTERNAL_ERROR;
    run->parser = 0;
    if (parser->myDoc) xmlFreeDoc(parser->myDoc);
    parser->myDoc = 0;
    xmlFreeParserCtxt(parser);
}
