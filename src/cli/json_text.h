/* Text as a JSON string. */
#ifndef TARE_CLI_JSON_TEXT_H
#define TARE_CLI_JSON_TEXT_H

/* Prints it on stdout, in quotes. */
void json_text_print(const char *text);

#endif
