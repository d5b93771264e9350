/*
 * html_pack: the data of a page: columns of whole numbers, a table of strings, and a JSON object
 * that names them; compressed and in base64. docs/development/page.md describes the format. Private
 * to report.
 */
#ifndef TARE_REPORT_HTML_HTML_PACK_H
#define TARE_REPORT_HTML_HTML_PACK_H

#include "base/base.h"

#include <stdio.h>

struct html_pack {
	struct str json;    /* members of the object so far, without braces */
	struct str columns; /* bytes of all columns */
	struct str index;   /* JSON: name, number of values and size of each column */
	struct str strings; /* JSON: the texts, separated by commas */
	struct strmap known;
	struct arena arena;
	uint64_t string_count;
	size_t begin, count; /* of the open column */
};

void html_pack_init(struct html_pack *pack);
void html_pack_fini(struct html_pack *pack);

/* A column is open from begin to end; its values are added in between. */
void html_pack_begin(struct html_pack *pack);
void html_pack_number(struct html_pack *pack, uint64_t number);
void html_pack_signed(struct html_pack *pack, int64_t number);
__attribute__((format(printf, 2, 3))) void html_pack_end(struct html_pack *pack, const char *name,
							 ...);

/* Of the open column: whether any value is not 0; and to end it as if it had not been begun. */
bool html_pack_any(const struct html_pack *pack);
void html_pack_drop(struct html_pack *pack);

/* Number of a text in the table of strings, which counts from 1; 0 for NULL. */
uint64_t html_pack_text(struct html_pack *pack, const char *text);

/* Members of the JSON object. */
void html_json_text(struct str *json, const char *text);
void html_pack_key(struct html_pack *pack, const char *key);
void html_pack_key_text(struct html_pack *pack, const char *key, const char *text);
void html_pack_key_number(struct html_pack *pack, const char *key, uint64_t number);

/* Writes everything as base64 of a zlib stream. */
bool html_pack_write(struct html_pack *pack, FILE *stream, struct error *err);

#endif
