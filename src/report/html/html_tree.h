/* html_tree: the call tree of a page and what it is measured by. Private to report. */
#ifndef TARE_REPORT_HTML_HTML_TREE_H
#define TARE_REPORT_HTML_HTML_TREE_H

#include "analysis/analysis.h"
#include "report/html/html_pack.h"

/* Adds the columns of all call paths, and "quantities" and "causes" to the JSON object. */
void html_pack_tree(struct html_pack *pack, const struct analysis *analysis);

#endif
