/* How text looks where it goes to: width, colour, characters. Shared by the commands that report.
 */
#ifndef TARE_CLI_TEXT_LOOK_H
#define TARE_CLI_TEXT_LOOK_H

#include "report/report.h"

enum text_color { TEXT_COLOR_AUTO, TEXT_COLOR_ALWAYS, TEXT_COLOR_NEVER };

extern const char *const text_color_choices[];

/* Fills in width, color and unicode; `to_file`: not to the standard output. */
void text_look(struct report_options *options, bool to_file, enum text_color color);

#endif
