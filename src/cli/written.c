/* See written.h. */
#include "cli/written.h"

#include "base/base.h"
#include "cli/external_program.h"
#include "cli/print.h"
#include "report/words/name.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char *caller = "";

void written_set_caller(const char *name)
{
	caller = name;
}

/* Whether the terminal shows all of it as it is. */
static bool is_shown_whole(const char *text)
{
	struct str shown = {0};

	name_append_escaped(&shown, text, print_is_unicode());
	const bool same = strcmp(shown.data ? shown.data : "", text) == 0;

	str_fini(&shown);
	return same;
}

/* $'…' of POSIX.1-2024, which bash, zsh, ksh and busybox have: for what cannot be shown. */
static void append_in_octal(struct str *out, const char *word)
{
	str_append(out, "$'");
	for (const unsigned char *at = (const unsigned char *)word; *at; at++) {
		if (*at == '\'' || *at == '\\')
			str_printf(out, "\\%c", *at);
		else if (*at < ' ' || *at >= 0x7f)
			str_printf(out, "\\%03o", *at);
		else
			str_append_bytes(out, (const char *)at, 1);
	}
	str_append(out, "'");
}

void written_append_word(struct str *out, const char *word)
{
	static const char bare[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				   "@%+:,./_-";

	if (*word && !word[strspn(word, bare)]) {
		str_append(out, word);
		return;
	}
	if (!is_shown_whole(word)) {
		append_in_octal(out, word);
		return;
	}
	str_append_quoted(out, word);
}

/* The path that tare was called by, or its name where the shell finds that. */
static void append_caller(struct str *out)
{
	char path[PATH_MAX];

	if (*caller && program_is_there(caller)) {
		written_append_word(out, caller);
		return;
	}
	const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length > 0 ? length : 0] = 0;
	written_append_word(out, length > 0 ? path : "tare");
}

void written_print(const struct command *command, const char *path, const char *facts)
{
	struct str line = {0};

	append_caller(&line);
	str_append(&line, path[0] == '-' ? " report ./" : " report ");
	written_append_word(&line, path);
	print_note(command, "wrote %s%s; to see it: %s", path, facts, line.data);
	str_fini(&line);
}

void written_print_partial(const struct command *command, const char *path, const char *partial)
{
	struct str facts = {0};

	if (partial)
		str_printf(&facts, " (partial: %s)", partial);
	written_print(command, path, facts.data ? facts.data : "");
	str_fini(&facts);
}
