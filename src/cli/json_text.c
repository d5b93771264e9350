/* See json_text.h. */
#include "cli/json_text.h"

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

void json_text_append(struct str *out, const char *text)
{
	str_append(out, "\"");
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		const int length = utf8_length(at);
		if (length == 0)
			str_append(out, "\\ufffd");
		else if (*at == '"' || *at == '\\')
			str_printf(out, "\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			str_printf(out, "\\u%04x", *at);
		else
			str_append_bytes(out, (const char *)at, (size_t)length);
		at += length ? length : 1;
	}
	str_append(out, "\"");
}
