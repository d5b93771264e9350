/*
 * pprof's protobuf, compressed by gzip (github.com/google/pprof, proto/profile.proto). A sample is
 * a call path, leaf first, with its exclusive values in each measure; labels name thread and
 * process. A location is a function: nothing finer is known of calls.
 *
 *   Profile    1 sample_type  2 sample  3 mapping  4 location  5 function  6 string_table
 *              9 time_nanos  10 duration_nanos  13 comment  14 default_sample_type
 *   ValueType  1 type  2 unit
 *   Sample     1 location_id (packed)  2 value (packed)  3 label
 *   Label      1 key  2 str  3 num
 *   Mapping    1 id  5 filename  6 build_id  7 has_functions  8 has_filenames
 *              9 has_line_numbers  10 has_inline_frames
 *   Location   1 id  2 mapping_id  3 address  4 line
 *   Line       1 function_id  2 line
 *   Function   1 id  2 name  3 system_name  4 filename  5 start_line
 */
#include "report/gzip.h"
#include "report/paths.h"
#include "report/protobuf.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION_FIELD = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	TYPE_NAME = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINES = 10,
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};

struct pprof {
	struct paths paths;
	struct gzip *out;
	struct strmap strings; /* text → number */
	uint64_t string_count;
	struct byte_vec message, inner, packed, head;
	struct path_chain chain;
};

/* ---- parts ---- */

static void write_field(struct pprof *pprof, unsigned field, const struct byte_vec *message)
{
	pprof->head.len = 0;
	put_uleb(&pprof->head, protobuf_tag(field, PROTOBUF_BYTES));
	put_uleb(&pprof->head, message->len);
	gzip_write(pprof->out, pprof->head.data, pprof->head.len);
	gzip_write(pprof->out, message->data, message->len);
}

static void write_number(struct pprof *pprof, unsigned field, uint64_t number)
{
	pprof->head.len = 0;
	protobuf_number(&pprof->head, field, number);
	gzip_write(pprof->out, pprof->head.data, pprof->head.len);
}

/* The number of a text in the table, which it joins where it is new; "" is 0, as it must be. */
static uint64_t string(struct pprof *pprof, const char *text)
{
	const char *safe = text ? text : "";
	uint64_t *number = strmap_put(&pprof->strings, safe, UINT64_MAX);

	if (*number == UINT64_MAX) {
		struct byte_vec entry = {0};

		*number = pprof->string_count++;
		put_bytes(&entry, safe, strlen(safe));
		write_field(pprof, PROFILE_STRING, &entry);
		vec_fini(&entry);
	}
	return *number;
}

static uint64_t escaped(struct pprof *pprof, const char *text)
{
	return string(pprof, paths_text(&pprof->paths, text));
}

static void write_types(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->paths.measure_count; i++) {
		const uint64_t name = string(pprof, pprof->paths.measures[i].name);
		const uint64_t unit = string(pprof, pprof->paths.measures[i].unit);

		pprof->message.len = 0;
		protobuf_number(&pprof->message, TYPE_NAME, name);
		protobuf_number(&pprof->message, TYPE_UNIT, unit);
		write_field(pprof, PROFILE_SAMPLE_TYPE, &pprof->message);
	}
}

static void write_mappings(struct pprof *pprof)
{
	const struct analysis *analysis = pprof->paths.analysis;

	for (size_t i = 0; i < analysis->modules.len; i++) {
		const uint64_t path = escaped(pprof, analysis->modules.data[i].path);
		const uint64_t build_id = escaped(pprof, analysis->modules.data[i].build_id);

		pprof->message.len = 0;
		protobuf_number(&pprof->message, MAPPING_ID, i + 1);
		protobuf_number(&pprof->message, MAPPING_FILE, path);
		protobuf_number(&pprof->message, MAPPING_BUILD_ID, build_id);
		protobuf_number(&pprof->message, MAPPING_HAS_FUNCTIONS, 1);
		protobuf_number(&pprof->message, MAPPING_HAS_FILES, 1);
		/* So that pprof does not look for symbols by itself. */
		protobuf_number(&pprof->message, MAPPING_HAS_LINES, 1);
		protobuf_number(&pprof->message, MAPPING_HAS_INLINES, 1);
		write_field(pprof, PROFILE_MAPPING, &pprof->message);
	}
}

/* Function and location `id`; `row` is NULL for what is outside of all functions. */
static void write_location(struct pprof *pprof, uint64_t id, const struct analysis_function *row)
{
	const uint64_t name =
		string(pprof, row ? pprof->paths.names[id - 1] : pprof->paths.outside);
	const uint64_t symbol = row ? escaped(pprof, row->symbol) : name;
	const uint64_t file = row ? escaped(pprof, row->source) : 0;
	const uint64_t line = row && row->line > 0 ? (uint64_t)row->line : 0;

	pprof->message.len = 0;
	protobuf_number(&pprof->message, FUNCTION_ID, id);
	protobuf_number(&pprof->message, FUNCTION_NAME, name);
	protobuf_number(&pprof->message, FUNCTION_SYSTEM_NAME, symbol ? symbol : name);
	protobuf_number(&pprof->message, FUNCTION_FILE, file);
	protobuf_number(&pprof->message, FUNCTION_LINE, line);
	write_field(pprof, PROFILE_FUNCTION_FIELD, &pprof->message);
	pprof->inner.len = pprof->message.len = 0;
	protobuf_number(&pprof->inner, LINE_FUNCTION, id);
	protobuf_number(&pprof->inner, LINE_LINE, line);
	protobuf_number(&pprof->message, LOCATION_ID, id);
	if (row) {
		protobuf_number(&pprof->message, LOCATION_MAPPING, row->module + 1);
		protobuf_number(&pprof->message, LOCATION_ADDRESS, row->link_addr);
	}
	protobuf_message(&pprof->message, LOCATION_LINE, &pprof->inner);
	write_field(pprof, PROFILE_LOCATION, &pprof->message);
}

/* ---- samples ---- */

static void put_label(struct pprof *pprof, const char *key, uint64_t text, int64_t number)
{
	const uint64_t name = string(pprof, key);

	pprof->inner.len = 0;
	protobuf_number(&pprof->inner, LABEL_KEY, name);
	if (text)
		protobuf_number(&pprof->inner, LABEL_TEXT, text);
	else
		protobuf_number(&pprof->inner, LABEL_NUMBER, (uint64_t)number);
	protobuf_message(&pprof->message, SAMPLE_LABEL, &pprof->inner);
}

static void write_sample(struct pprof *pprof, const struct path *path)
{
	const struct analysis *analysis = pprof->paths.analysis;
	const struct analysis_thread *thread =
		&analysis->threads.data[analysis->nodes.data[path->node].thread];
	const struct profile_process *process = analysis->processes.data[thread->process].row;

	paths_chain(&pprof->paths, path->node, &pprof->chain);
	pprof->message.len = pprof->packed.len = 0;
	for (size_t i = pprof->chain.len; i-- > 0;) {
		const uint32_t function = analysis->nodes.data[pprof->chain.data[i]].function;
		put_uleb(&pprof->packed, function == ANALYSIS_NONE ? analysis->functions.len + 1
								   : (uint64_t)function + 1);
	}
	protobuf_message(&pprof->message, SAMPLE_LOCATIONS, &pprof->packed);
	pprof->packed.len = 0;
	for (size_t i = 0; i < pprof->paths.measure_count; i++)
		put_uleb(&pprof->packed, path->values[i]);
	protobuf_message(&pprof->message, SAMPLE_VALUES, &pprof->packed);
	put_label(pprof, "thread", escaped(pprof, thread->row->name), 0);
	put_label(pprof, "tid", 0, thread->row->tid);
	put_label(pprof, "process", escaped(pprof, process->name), 0);
	put_label(pprof, "pid", 0, process->pid);
	write_field(pprof, PROFILE_SAMPLE, &pprof->message);
}

static void write_all(struct pprof *pprof)
{
	const struct analysis *analysis = pprof->paths.analysis;
	const struct profile_session *session = profile_session(analysis->profile);
	struct path path;

	string(pprof, "");
	write_types(pprof);
	write_mappings(pprof);
	for (size_t i = 0; i < analysis->functions.len; i++)
		write_location(pprof, i + 1, &analysis->functions.data[i]);
	write_location(pprof, analysis->functions.len + 1, NULL);
	while (paths_next(&pprof->paths, &path))
		write_sample(pprof, &path);
	write_number(pprof, PROFILE_TIME, (uint64_t)session->begin_unix_ns);
	if (session->end_ticks > session->begin_ticks)
		write_number(pprof, PROFILE_DURATION,
			     analysis_ns(analysis, session->end_ticks - session->begin_ticks));
	write_number(pprof, PROFILE_COMMENT, escaped(pprof, session->command_line));
	write_number(pprof, PROFILE_DEFAULT_TYPE,
		     string(pprof, pprof->paths.measures[pprof->paths.first_measure].name));
}

bool paths_write_pprof(const struct analysis *analysis, const struct export_options *options,
		       FILE *stream, struct error *err)
{
	struct pprof pprof = {0};
	bool ok;

	if (!paths_open(&pprof.paths, analysis, options->measure, err))
		return false;
	pprof.out = gzip_open(stream);
	strmap_init(&pprof.strings);
	write_all(&pprof);
	ok = gzip_close(pprof.out, err);
	strmap_fini(&pprof.strings);
	vec_fini(&pprof.message);
	vec_fini(&pprof.inner);
	vec_fini(&pprof.packed);
	vec_fini(&pprof.head);
	vec_fini(&pprof.chain);
	paths_close(&pprof.paths);
	return ok;
}
