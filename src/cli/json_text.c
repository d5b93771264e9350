/* See json_text.h. */
#include "cli/json_text.h"

#include <stdio.h>

/* Valid UTF-8 of length 1 to 4 at `at`; 0 where it is none. */
static int utf8_length(const unsigned char *at)
{
	const int length = at[0] < 0x80			   ? 1
			   : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
			   : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
			   : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
							   : 0;

	for (int i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return length;
}

void json_text_print(const char *text)
{
	putchar('"');
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		const int length = utf8_length(at);
		if (length == 0)
			fputs("\\ufffd", stdout);
		else if (*at == '"' || *at == '\\')
			printf("\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			printf("\\u%04x", *at);
		else
			fwrite(at, 1, (size_t)length, stdout);
		at += length ? length : 1;
	}
	putchar('"');
}
