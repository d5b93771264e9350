/*
 * See profile_redact. The file is copied page by page into a new database, its texts are replaced
 * there, and that is written anew as a whole, so that nothing is left of them in unused pages.
 *
 * What becomes of a column of texts stands in a table. A column that does not stand there is left
 * out: a new one tells nothing before somebody has thought about it.
 */
#include "profile/private.h"
#include "profile/temporary.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum rule { RULE_DROP, RULE_KEEP, RULE_PATH, RULE_OBJECT, RULE_WORDS, RULES };

static const struct {
	const char *table, *column;
	enum rule rule;
} columns[] = {
	{"session", "system", RULE_KEEP},
	{"session", "processor", RULE_KEEP},
	{"session", "tare_version", RULE_KEEP},
	{"session", "method", RULE_KEEP},
	{"session", "settings", RULE_WORDS},
	{"session", "incomplete_reason", RULE_WORDS},
	{"process", "name", RULE_WORDS},
	{"process", "executable", RULE_PATH},
	{"process", "launcher", RULE_KEEP},
	{"unfollowed", "path", RULE_PATH},
	{"unfollowed", "reason", RULE_KEEP},
	{"thread", "name", RULE_WORDS},
	{"module", "name", RULE_PATH},
	{"module", "path", RULE_PATH},
	{"module", "build_id", RULE_KEEP},
	{"module", "lines", RULE_WORDS},
	{"function", "name", RULE_WORDS},
	{"function", "source", RULE_PATH},
	{"sampling", "collector", RULE_KEEP},
	{"sampling", "reason", RULE_WORDS},
	{"sampling", "unwinding", RULE_KEEP},
	{"event", "name", RULE_KEEP},
	{"event", "unit", RULE_KEEP},
	{"source", "path", RULE_PATH},
	{"location_line", "function", RULE_WORDS},
	{"os", "path", RULE_OBJECT},
	{"coverage", "function", RULE_WORDS},
	{"coverage", "verdict", RULE_KEEP},
	{"mark", "name", RULE_WORDS},
};

static const char *const functions[RULES] = {
	[RULE_DROP] = "redact_drop",
	[RULE_PATH] = "redact_path",
	[RULE_OBJECT] = "redact_object",
	[RULE_WORDS] = "redact_words",
};

static const char dropped[] = "[redacted]";

/* What has been replaced: the same text by the same one, and different ones by different ones. */
struct redaction {
	struct arena arena;
	struct strmap paths;	/* whole path → 1 + number among those of its base name */
	struct strmap of_names; /* base name → how many paths have it */
	struct strmap objects;	/* → number */
	sqlite3 *database;
	char *temporary;
};

/* ---- texts ---- */

static void append_path(struct redaction *redaction, const char *path, struct str *out)
{
	const char *name = path_basename(path);

	/* A name that has no directory is no path, and one with a number is not numbered again. */
	if (name == path) {
		str_append(out, path);
		return;
	}
	uint64_t *number = strmap_get(&redaction->paths, path);

	if (!number) {
		const char *kept = arena_strdup(&redaction->arena, path);
		uint64_t *same = strmap_put(&redaction->of_names, path_basename(kept), 0);
		number = strmap_put(&redaction->paths, kept, ++*same);
	}
	str_append(out, *name ? name : dropped);
	if (*number > 1)
		str_printf(out, "~%llu", (unsigned long long)*number);
}

static void append_object(struct redaction *redaction, const char *text, struct str *out)
{
	uint64_t *number = strmap_get(&redaction->objects, text);

	if (!number)
		number = strmap_put(&redaction->objects, arena_strdup(&redaction->arena, text),
				    redaction->objects.len + 1);
	str_printf(out, "[object %llu]", (unsigned long long)*number);
}

/* Behind which a path may begin. */
static bool is_separator(char c)
{
	return isspace((unsigned char)c) || strchr("=:,;()[]{}<>'\"`|&", c) != NULL;
}

/* NAME= as environments have it; its length with the sign, or 0. */
static size_t variable_length(const char *text)
{
	size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return length && !isdigit((unsigned char)text[0]) && text[length] == '=' ? length + 1 : 0;
}

/* Paths lose their directories, and what looks like a variable of the environment its value. */
static void append_words(struct redaction *redaction, const char *text, struct str *out)
{
	bool begins = true;

	while (*text) {
		const size_t variable = begins ? variable_length(text) : 0;
		size_t length = 0;
		while (text[length] && !is_separator(text[length]))
			length++;
		if (variable) {
			str_append_bytes(out, text, variable);
			str_append(out, dropped);
			text += variable;
			text += strcspn(text, " \t\r\n");
		} else if (begins && text[0] == '/' && length > 1) {
			struct str path = {0};
			str_append_bytes(&path, text, length);
			append_path(redaction, path.data, out);
			str_fini(&path);
			text += length;
		} else {
			length += text[length] != 0;
			str_append_bytes(out, text, length);
			text += length;
		}
		begins = is_separator(text[-1]);
	}
}

static void redact_text(sqlite3_context *context, enum rule rule, const char *text)
{
	struct redaction *redaction = sqlite3_user_data(context);
	struct str out = {0};

	if (rule == RULE_DROP)
		str_append(&out, dropped);
	else if (rule == RULE_PATH)
		append_path(redaction, text, &out);
	else if (rule == RULE_OBJECT)
		append_object(redaction, text, &out);
	else
		append_words(redaction, text, &out);
	sqlite3_result_text(context, out.data ? out.data : "", (int)out.len, SQLITE_TRANSIENT);
	str_fini(&out);
}

#define FUNCTION(name, rule)                                                                       \
	static void name(sqlite3_context *context, int count, sqlite3_value **values)              \
	{                                                                                          \
		(void)count;                                                                       \
		redact_text(context, rule, (const char *)sqlite3_value_text(values[0]));           \
	}
FUNCTION(redact_drop, RULE_DROP)
FUNCTION(redact_path, RULE_PATH)
FUNCTION(redact_object, RULE_OBJECT)
FUNCTION(redact_words, RULE_WORDS)

/* ---- tables ---- */

static enum rule rule_of(const struct profile_table *table, const struct profile_column *column)
{
	for (size_t i = 0; i < TABLE_COUNT(columns); i++)
		if (strcmp(columns[i].table, table->name) == 0 &&
		    strcmp(columns[i].column, column->name) == 0)
			return columns[i].rule;
	return RULE_DROP;
}

static bool fail(struct redaction *redaction, struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "cannot write %s: %s", redaction->temporary,
			 sqlite3_errmsg(redaction->database));
}

static bool redact_column(struct redaction *redaction, const struct profile_table *table,
			  const struct profile_column *column, struct error *err)
{
	const enum rule rule = rule_of(table, column);
	struct str sql = {0};

	if (rule == RULE_KEEP)
		return true;
	str_printf(&sql, "UPDATE \"%s\" SET \"%s\" = %s(\"%s\") WHERE \"%s\" <> ''", table->name,
		   column->name, functions[rule], column->name, column->name);
	const bool ok = sqlite3_exec(redaction->database, sql.data, NULL, NULL, NULL) == SQLITE_OK;
	str_fini(&sql);
	return ok || fail(redaction, err);
}

static bool redact_tables(struct redaction *redaction, const struct profile *profile,
			  struct error *err)
{
	static void (*const calls[RULES])(sqlite3_context *, int, sqlite3_value **) = {
		[RULE_DROP] = redact_drop,
		[RULE_PATH] = redact_path,
		[RULE_OBJECT] = redact_object,
		[RULE_WORDS] = redact_words,
	};

	for (int i = 0; i < RULES; i++)
		if (calls[i] &&
		    sqlite3_create_function(redaction->database, functions[i], 1, SQLITE_UTF8,
					    redaction, calls[i], NULL, NULL) != SQLITE_OK)
			return fail(redaction, err);
	for (int t = 0; t < PROFILE_TABLES; t++)
		for (size_t c = 0; c < profile_tables[t].column_count; c++)
			if (profile_column_in(profile->columns[t], c) &&
			    profile_tables[t].columns[c].type == COLUMN_TEXT &&
			    !redact_column(redaction, &profile_tables[t],
					   &profile_tables[t].columns[c], err))
				return false;
	return sqlite3_exec(redaction->database, "VACUUM", NULL, NULL, NULL) == SQLITE_OK ||
	       fail(redaction, err);
}

/* ---- the file ---- */

static bool copy_pages(struct redaction *redaction, sqlite3 *from, struct error *err)
{
	static const char settings[] = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
				       "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY";

	sqlite3_backup *backup = sqlite3_backup_init(redaction->database, "main", from, "main");
	if (!backup)
		return fail(redaction, err);
	sqlite3_backup_step(backup, -1);
	return (sqlite3_backup_finish(backup) == SQLITE_OK &&
		sqlite3_exec(redaction->database, settings, NULL, NULL, NULL) == SQLITE_OK) ||
	       fail(redaction, err);
}

static bool open_copy(struct redaction *redaction, const char *to, struct error *err)
{
	redaction->temporary = temporary_create(to, err);
	return redaction->temporary &&
	       (temporary_open(redaction->temporary, &redaction->database) == SQLITE_OK ||
		fail(redaction, err));
}

/* Under its name, when it is whole. */
static bool commit(struct redaction *redaction, const char *to, struct error *err)
{
	const bool closed = sqlite3_close(redaction->database) == SQLITE_OK;

	redaction->database = NULL;
	if (!closed || !temporary_make_durable(redaction->temporary))
		return error_set_errno(err, errno, "cannot write the profile %s", to);
	return temporary_rename(redaction->temporary, to, err);
}

bool profile_redact(struct profile *profile, const char *to, struct error *err)
{
	struct redaction redaction = {.database = NULL};

	arena_init(&redaction.arena);
	strmap_init(&redaction.paths);
	strmap_init(&redaction.of_names);
	strmap_init(&redaction.objects);
	const bool ok = open_copy(&redaction, to, err) &&
			copy_pages(&redaction, profile->database, err) &&
			redact_tables(&redaction, profile, err) && commit(&redaction, to, err);
	sqlite3_close(redaction.database);
	if (!ok && redaction.temporary)
		unlink(redaction.temporary);
	free(redaction.temporary);
	strmap_fini(&redaction.paths);
	strmap_fini(&redaction.of_names);
	strmap_fini(&redaction.objects);
	arena_fini(&redaction.arena);
	return ok;
}
