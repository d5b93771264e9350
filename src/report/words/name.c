/* See name.h. */
#include "report/words/name.h"
#include "report/words/width.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

struct span {
	unsigned first, last;
};

/* Controls, marks of direction, invisible separators, private and unassigned planes. */
static const struct span unsafe[] = {
	{0x00, 0x1f},	  {0x7f, 0x9f},	    {0xad, 0xad},	{0x061c, 0x061c},
	{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},	{0xe000, 0xf8ff},
	{0xfeff, 0xfeff}, {0xfff0, 0xffff}, {0xe0000, 0xe00ff}, {0xf0000, 0x10ffff},
};

static bool in_spans(const struct span *spans, size_t count, unsigned code_point)
{
	for (size_t i = 0; i < count; i++)
		if (code_point >= spans[i].first && code_point <= spans[i].last)
			return true;
	return false;
}

#define IN(spans, code_point) in_spans(spans, sizeof(spans) / sizeof((spans)[0]), code_point)

static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/*
 * The length of the valid UTF-8 sequence at `at`, 0 where there is none. Stores the code point.
 */
static size_t utf8_decode(const char *at, unsigned *code_point)
{
	const unsigned char *bytes = (const unsigned char *)at;
	const size_t length = sequence_length(bytes[0]);
	unsigned value;

	if (length <= 1) {
		*code_point = bytes[0];
		return length;
	}
	value = bytes[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (bytes[i] & 0x3fu);
	}
	*code_point = value;
	if ((length == 3 && value < 0x800) || (length == 4 && value < 0x10000) ||
	    value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	return length;
}

static void append_escape(struct str *out, unsigned code_point)
{
	if (code_point == '\n')
		str_append(out, "\\n");
	else if (code_point == '\t')
		str_append(out, "\\t");
	else if (code_point == '\r')
		str_append(out, "\\r");
	else if (code_point < 0x80)
		str_printf(out, "\\x%02x", code_point);
	else
		str_printf(out, "\\u{%x}", code_point);
}

/* Printable ASCII, which every format takes as it is; most names are nothing else. */
static size_t plain_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at - 0x20u < 0x7fu - 0x20u)
		at++;
	return (size_t)(at - (const unsigned char *)text);
}

/* What tare writes beyond ASCII, in forms that every terminal has. */
static const char *ascii_of(unsigned code_point)
{
	static const struct {
		unsigned code_point;
		const char *ascii;
	} signs[] = {
		{0xb1, "+-"},	{0xb5, "u"},	 {0xb7, "."},	 {0xd7, "x"},	 {0x2013, "-"},
		{0x2014, "-"},	{0x2026, "..."}, {0x203a, "->"}, {0x2190, "<-"}, {0x2192, "->"},
		{0x21b3, "->"}, {0x2212, "-"},	 {0x2248, "~"},	 {0x2264, "<="}, {0x2265, ">="},
		{0x2588, "#"},	{0x2591, ":"},	 {0x25b8, ">"},
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (signs[i].code_point == code_point)
			return signs[i].ascii;
	return NULL;
}

enum safety {
	SAFE_UNICODE, /* all but unsafe characters stay */
	SAFE_ASCII,   /* those of ASCII do */
	SAFE_SIGNS,   /* the same, and tare's own signs have forms that every terminal has */
	VALID_UTF8,   /* all do */
};

static void append_safe(struct str *out, const char *text, enum safety safety)
{
	for (;;) {
		unsigned code_point;
		const size_t plain = plain_length(text);
		str_append_bytes(out, text, plain);
		text += plain;
		if (!*text)
			return;
		const size_t length = utf8_decode(text, &code_point);
		if (!length) {
			str_printf(out, "\\x%02x", (unsigned char)*text);
			text++;
			continue;
		}
		const bool ascii_only = safety == SAFE_ASCII || safety == SAFE_SIGNS;
		const char *sign = safety == SAFE_SIGNS ? ascii_of(code_point) : NULL;
		if (sign)
			str_append(out, sign);
		else if (safety != VALID_UTF8 &&
			 (IN(unsafe, code_point) || (ascii_only && code_point >= 0x80)))
			append_escape(out, code_point);
		else
			str_append_bytes(out, text, length);
		text += length;
	}
}

void name_append_escaped(struct str *out, const char *text, bool unicode)
{
	append_safe(out, text, unicode ? SAFE_UNICODE : SAFE_ASCII);
}

void name_append_sentence(struct str *out, const char *text, bool unicode)
{
	append_safe(out, text, unicode ? SAFE_UNICODE : SAFE_SIGNS);
}

void name_append_utf8(struct str *out, const char *text)
{
	append_safe(out, text, VALID_UTF8);
}

size_t name_width(const char *text)
{
	size_t width = 0;

	while (*text) {
		unsigned code_point = 0;
		const size_t length = utf8_decode(text, &code_point);
		width += length ? width_of(code_point) : 1;
		text += length ? length : 1;
	}
	return width;
}

size_t name_bytes_within(const char *text, size_t width)
{
	const char *at = text;

	while (*at) {
		unsigned code_point = 0;
		const size_t length = utf8_decode(at, &code_point);
		const size_t columns = length ? width_of(code_point) : 1;
		if (columns > width)
			break;
		width -= columns;
		at += length ? length : 1;
	}
	return (size_t)(at - text);
}

/* `dots` take the place of the middle, and of dots beside it; the tail gets `tail` of what is left.
 */
static void append_cut_within(struct str *out, const char *text, size_t width, const char *dots,
			      double tail_share)
{
	const size_t full = name_width(text), dots_width = name_width(dots);

	const size_t rest = width > dots_width ? width - dots_width : 0;
	const size_t tail = (size_t)((double)rest * tail_share), head = rest - tail;
	const size_t start = out->len;
	const char *end = text + name_bytes_within(text, full > tail ? full - tail : 0);
	str_append_bytes(out, text, name_bytes_within(text, head));
	if (out->len - start < strlen(dots) ||
	    memcmp(out->data + out->len - strlen(dots), dots, strlen(dots)) != 0)
		str_append(out, dots);
	end += str_starts_with(end, dots) ? strlen(dots) : 0;
	/* A wide character across the cut leaves the tail one column too wide. */
	while (*end && name_width(end) > tail) {
		unsigned code_point;
		const size_t length = utf8_decode(end, &code_point);
		end += length ? length : 1;
	}
	str_append(out, end);
}

void name_append_shortened(struct str *out, const char *text, size_t width, const char *mark)
{
	struct str dots = {0};

	if (name_width(text) <= width && !mark[0]) {
		str_append(out, text);
		return;
	}
	str_printf(&dots, "...%s", mark);
	append_cut_within(out, text, width, dots.data, 0.5);
	str_fini(&dots);
}

void name_append_cut(struct str *out, const char *text, size_t width)
{
	if (name_width(text) <= width) {
		str_append(out, text);
		return;
	}
	str_append_bytes(out, text, name_bytes_within(text, width > 3 ? width - 3 : 0));
	str_append(out, "...");
}

/* How many characters of an operator's name at `at` are no brackets: those of "operator<<". */
static size_t operator_length(const char *at)
{
	static const char *const names[] = {
		"operator<=>", "operator<<=", "operator>>=", "operator<<",
		"operator>>",  "operator<=",  "operator>=",  "operator->",
		"operator()",  "operator<",   "operator>"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_starts_with(at, names[i]))
			return strlen(names[i]);
	return 0;
}

/* Behind the parentheses that begin at `at`; the end where they do not close. */
static const char *behind_parentheses(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth)
			return at + 1;
	}
	return at;
}

/* What a type's name is short for, and what a reader does not call it by. */
static const struct {
	const char *text, *instead;
} aliases[] = {
	{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
	 "std::string"},
	{"std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
	{"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
	{"std::__cxx11::", "std::"},
	{"std::__1::", "std::"},
	{"[abi:cxx11]", ""},
};

static void append_aliased(struct str *out, const char *name)
{
	while (*name) {
		size_t i = 0;
		while (i < sizeof(aliases) / sizeof(aliases[0]) &&
		       !str_starts_with(name, aliases[i].text))
			i++;
		if (i < sizeof(aliases) / sizeof(aliases[0])) {
			str_append(out, aliases[i].instead);
			name += strlen(aliases[i].text);
		} else {
			str_append_bytes(out, name++, 1);
		}
	}
}

/* Behind what a function template's name begins with: the type that it returns. */
static const char *behind_type(const char *name)
{
	const char *behind = name;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		if (depth == 0 && (str_starts_with(at, "operator") ||
				   (*at == '(' && !str_starts_with(at, "(anonymous"))))
			break;
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
		if (*at != ' ' || depth)
			continue;
		if (at - name >= 3 &&
		    (memcmp(at - 3, " to", 3) == 0 || memcmp(at - 3, "for", 3) == 0))
			return name; /* a thunk, a table */
		behind = at + 1;
	}
	return behind;
}

static void append_without_parameters(struct str *out, const char *name)
{
	int depth = 0, braces = 0; /* of template arguments; of "{lambda(int)#1}" */

	for (const char *at = name; *at;) {
		const size_t operator_name = depth ? 0 : operator_length(at);
		braces += depth ? 0 : (*at == '{') - (*at == '}');
		if (operator_name) {
			str_append_bytes(out, at, operator_name);
			at += operator_name;
			continue;
		}
		if (*at == '(' && depth == 0 && braces <= 0 && at > name &&
		    !str_starts_with(at, "(anonymous")) {
			/* Of a function that has the one meant inside of it, a lambda's: go on. */
			at = behind_parentheses(at);
			if (str_starts_with(at, " const::"))
				at += strlen(" const");
			if (!str_starts_with(at, "::"))
				return;
			str_append(out, "(...)");
			continue;
		}
		if (*at == '<' && depth++ == 0)
			str_append(out, "<...>");
		else if (*at == '>' && depth > 0)
			depth--;
		else if (depth == 0)
			str_append_bytes(out, at, 1);
		at++;
	}
}

void name_append_brief(struct str *out, const char *name)
{
	struct str aliased = {0};

	append_aliased(&aliased, name);
	append_without_parameters(out, aliased.data ? aliased.data : "");
	str_fini(&aliased);
}

/* So many characters of a name's begin are worth their place. */
enum { SCOPE_BEGIN_MIN = 4 };

/* How deep template arguments lie in each other, at most LEVELS_MAX. */
enum { LEVELS_MAX = 6 };

/* A name ends with what is its own, and begins with what it lies in. */
#define TAIL_SHARE 0.65

/*
 * Walks over a name and copies it without what is in angle brackets deeper than `level`, and, where
 * `parameters` is false, without what is in parentheses. A bracket that the name begins with is
 * that of a qualified path of Rust, which says more than what follows it: it stays.
 */
struct folding {
	int level;
	bool parameters;
	const char *dots;
	int angles, rounds; /* depth of those that are open */
	int deepest;
};

static bool is_hidden(const struct folding *folding)
{
	return folding->angles > folding->level || (folding->rounds && !folding->parameters);
}

static void fold_bracket(struct folding *folding, char bracket, struct str *out)
{
	const bool hidden = is_hidden(folding);

	folding->angles += (bracket == '<') - (bracket == '>' && folding->angles > 0);
	folding->rounds += (bracket == '(') - (bracket == ')' && folding->rounds > 0);
	if (folding->angles > folding->deepest)
		folding->deepest = folding->angles;
	const bool hides = is_hidden(folding);
	if (!hidden || !hides)
		str_append_bytes(out, &bracket, 1);
	if (!hidden && hides)
		str_append(out, folding->dots);
}

/* Of a name in brackets that belongs to no template: "<module>" of Python, "<init>" of Java. */
static size_t own_length(const char *name, const char *at)
{
	static const char *const names[] = {"<module>",	  "<lambda>",	"<locals>",
					    "<listcomp>", "<dictcomp>", "<setcomp>",
					    "<genexpr>",  "<init>",	"<clinit>"};
	const bool behind_name = at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_');

	for (size_t i = 0; *at == '<' && !behind_name && i < sizeof(names) / sizeof(names[0]); i++)
		if (str_starts_with(at, names[i]))
			return strlen(names[i]);
	return 0;
}

static void fold(struct folding *folding, const char *name, struct str *out)
{
	for (const char *at = name; *at;) {
		const size_t operator_name = operator_length(at);
		if (operator_name) {
			if (!is_hidden(folding))
				str_append_bytes(out, at, operator_name);
			at += operator_name;
			continue;
		}
		const bool arrow = *at == '>' && at > name && at[-1] == '-';
		const bool empty = str_starts_with(at, "()") || str_starts_with(at, "(anonymous");
		const size_t own = own_length(name, at);
		const size_t length = own	     ? own
				      : !empty	     ? 1
				      : at[1] == ')' ? 2
						     : strcspn(at, ")") + !!*at;
		if (own || empty || arrow || at == name || !strchr("<>()", *at)) {
			if (!is_hidden(folding))
				str_append_bytes(out, at, strnlen(at, length));
			at += strnlen(at, length);
			continue;
		}
		fold_bracket(folding, *at++, out);
	}
}

/* What the compiler made of a function for some of its callers is that function; a part that is
   seldom executed (.cold) has its own name.
 */
static void cut_variant(struct str *name)
{
	static const char *const kinds[] = {"isra", "constprop", "part", "lto_priv"};
	char *clone;

	while (name->data && (clone = strrchr(name->data, '[')) && clone > name->data &&
	       clone[-1] == ' ' && str_starts_with(clone, "[clone .")) {
		const char *kind = clone + strlen("[clone .");
		size_t i = 0;
		while (i < sizeof(kinds) / sizeof(kinds[0]) && !str_starts_with(kind, kinds[i]))
			i++;
		if (i == sizeof(kinds) / sizeof(kinds[0]) || !strchr(kind, ']') ||
		    strchr(kind, ']')[1])
			return;
		clone[-1] = '\0';
		name->len = (size_t)(clone - 1 - name->data);
	}
}

/* Only names of function templates begin with a type. */
static const char *without_type(const char *name)
{
	const char *template = strchr(name, '<');

	return template && strchr(template, '(') ? behind_type(name) : name;
}

void name_append_plain(struct str *out, const char *name, bool unicode)
{
	struct folding folding = {.parameters = true, .dots = unicode ? "\u2026" : "..."};
	struct str aliased = {0};

	append_aliased(&aliased, name);
	cut_variant(&aliased);
	fold(&folding, without_type(aliased.data ? aliased.data : ""), out);
	str_fini(&aliased);
}

/* What a compiler has added to the name of a variant that it made: " [clone .isra.0]". */
static void cut_clone(struct str *name, const char *dots)
{
	char *clone = strstr(name->data, " [clone ");

	if (!clone)
		return;
	*clone = '\0';
	name->len = (size_t)(clone - name->data);
	str_append(name, dots);
}

void name_append_middle(struct str *out, const char *text, size_t width, bool unicode)
{
	if (name_width(text) <= width)
		str_append(out, text);
	else
		append_cut_within(out, text, width, unicode ? "\u2026" : "...", 0.5);
}

/* The next "::" of the name that is in no brackets, up to an operator, whose name may have some. */
static const char *next_scope(const char *at)
{
	int depth = 0;

	for (; *at && !str_starts_with(at, "operator"); at++) {
		depth += strchr("<([{", *at) != NULL;
		depth -= strchr(">)]}", *at) != NULL;
		if (depth == 0 && str_starts_with(at, "::"))
			return at;
	}
	return NULL;
}

/*
 * What a folded name ends with, as much as fits of its scopes, and before them what has room of its
 * begin: a function's own name says more than the first letters of its namespace. False where even
 * that does not fit.
 */
static bool append_last_scopes(struct str *out, const char *folded, size_t width, const char *dots)
{
	struct str parameters = {0}, shown = {0};
	struct str name = {0};

	str_append(&name, folded);
	str_printf(&parameters, "(%s)", dots);
	if (str_ends_with(name.data, parameters.data))
		name.data[name.len -= parameters.len] = 0;
	const char *at = name.data;
	str_append(&shown, at);
	while (name_width(shown.data) > width && (at = next_scope(at))) {
		str_clear(&shown);
		str_printf(&shown, "%s%s", dots, at);
		at += strlen("::");
		if (!next_scope(at) && name_width(shown.data) > width) {
			str_clear(&shown);
			str_append(&shown, at);
			break;
		}
	}
	const size_t used = name_width(shown.data);
	const bool fits = used <= width;
	if (fits && str_starts_with(shown.data, dots) && width - used >= SCOPE_BEGIN_MIN)
		str_append_bytes(out, name.data, name_bytes_within(name.data, width - used));
	str_append(out, fits ? shown.data : "");
	str_fini(&name);
	str_fini(&shown);
	str_fini(&parameters);
	return fits;
}

void name_append_fitted(struct str *out, const char *name, size_t width, bool unicode)
{
	const char *dots = unicode ? "\u2026" : "...";
	struct folding probe = {.level = INT_MAX, .parameters = true, .dots = dots};
	struct str folded = {0};
	const char *shown = name;

	if (name_width(name) <= width) {
		str_append(out, name);
		return;
	}
	fold(&probe, name, &folded);
	const int deepest = probe.deepest < LEVELS_MAX ? probe.deepest : LEVELS_MAX;
	for (int level = deepest - 1; level >= -1; level--) {
		struct folding folding = {
			.level = level > 0 ? level : 0, .parameters = level >= 0, .dots = dots};
		str_clear(&folded);
		fold(&folding, name, &folded);
		shown = folded.data ? folded.data : "";
		if (name_width(shown) <= width)
			break;
	}
	if (name_width(shown) > width) {
		cut_clone(&folded, dots);
		shown = folded.data;
	}
	if (name_width(shown) > width)
		shown = behind_type(shown);
	if (name_width(shown) <= width)
		str_append(out, shown);
	else if (!append_last_scopes(out, shown, width, dots))
		append_cut_within(out, shown, width, dots, TAIL_SHARE);
	str_fini(&folded);
}
