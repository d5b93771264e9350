/*
 * html_code: the source lines and the instructions of functions, each a table of the page: the view
 * annotate, and beside the instructions where jumps lead and which line each stands for. Private to
 * report.
 */
#ifndef TARE_REPORT_HTML_HTML_CODE_H
#define TARE_REPORT_HTML_HTML_CODE_H

#include "report/export.h"
#include "report/html/html_pack.h"

/* What of the functions with values is in the page. */
struct html_code {
	enum export_code wanted;
	uint64_t functions, embedded;
	uint64_t amount, embedded_amount; /* exclusive ones, of samples or of calls made */
	uint64_t most_functions, most_instructions; /* 0: no limit */
};

/* The analysis that has the lines' values. */
const struct analysis *html_lines_of(const struct analysis *analysis,
				     const struct export_options *options);

/* Adds tables to the open list of them. */
bool html_pack_code(struct html_pack *pack, const struct analysis *analysis,
		    const struct export_options *options, struct html_code *code,
		    struct error *err);
/* Adds "code" to the JSON object. */
void html_code_end(struct html_pack *pack, const struct html_code *code);

#endif
