/*
 * pprof's protobuf, compressed by gzip (github.com/google/pprof, proto/profile.proto). A sample is
 * a call path, leaf first, with its exclusive values in each measure; labels name thread and
 * process. Of calls, and where frames were left out, a location is a function. Of whole stacks it
 * is an address with its line, and with those of what was inlined there, innermost first.
 *
 * Addresses are those of the modules' files. A mapping of the whole address space says so: pprof
 * takes such addresses as they are, whatever the file's segments (elfexec.GetBase).
 *
 *   Profile    1 sample_type  2 sample  3 mapping  4 location  5 function  6 string_table
 *              9 time_nanos  10 duration_nanos  11 period_type  12 period  13 comment
 *              14 default_sample_type
 *   ValueType  1 type  2 unit
 *   Sample     1 location_id (packed)  2 value (packed)  3 label
 *   Label      1 key  2 str  3 num
 *   Mapping    1 id  3 memory_limit  5 filename  6 build_id  7 has_functions  8 has_filenames
 *              9 has_line_numbers  10 has_inline_frames
 *   Location   1 id  2 mapping_id  3 address  4 line
 *   Line       1 function_id  2 line
 *   Function   1 id  2 name  3 system_name  4 filename  5 start_line
 */
#include "report/export/gzip.h"
#include "report/export/paths.h"
#include "report/export/protobuf.h"

#include "analysis/sample_stacks.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION_FIELD = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
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
	MAPPING_LIMIT = 3,
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
	struct byte_vec message, place, inner, packed, head;
	struct path_chain chain;
	/* of the thread whose labels are at hand; ANALYSIS_NONE at first */
	uint32_t thread;
	uint64_t thread_name, process_name;
	/* of stacks */
	const struct analysis_sample_stacks *stacks;
	const struct profile_location *locations;
	const struct profile_location_line *lines;
	const struct profile_source *sources;
	struct map functions; /* function << 32 | source (0: its own) → id */
	bool *sent;	      /* locations, by id less one; the last one: outside of functions */
	size_t location_count;
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
		protobuf_number(&pprof->message, MAPPING_LIMIT, UINT64_MAX);
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

/* `function` may be ANALYSIS_NONE: what is outside of all. `file` is NULL for its own. */
static void write_function(struct pprof *pprof, uint64_t id, uint32_t function, const char *file)
{
	const struct analysis_function *row =
		function == ANALYSIS_NONE ? NULL : &pprof->paths.analysis->functions.data[function];
	const uint64_t name =
		string(pprof, row ? pprof->paths.names[function] : pprof->paths.outside);
	const uint64_t symbol = row ? escaped(pprof, row->symbol) : 0;
	const uint64_t path = row ? escaped(pprof, file ? file : row->source) : 0;

	pprof->message.len = 0;
	protobuf_number(&pprof->message, FUNCTION_ID, id);
	protobuf_number(&pprof->message, FUNCTION_NAME, name);
	protobuf_number(&pprof->message, FUNCTION_SYSTEM_NAME, symbol ? symbol : name);
	protobuf_number(&pprof->message, FUNCTION_FILE, path);
	if (row && !file && row->line > 0)
		protobuf_number(&pprof->message, FUNCTION_LINE, (uint64_t)row->line);
	write_field(pprof, PROFILE_FUNCTION_FIELD, &pprof->message);
}

static void begin_location(struct pprof *pprof, uint64_t id)
{
	pprof->place.len = 0;
	protobuf_number(&pprof->place, LOCATION_ID, id);
}

static void put_address(struct pprof *pprof, uint32_t module, uint64_t address)
{
	protobuf_number(&pprof->place, LOCATION_MAPPING, (uint64_t)module + 1);
	protobuf_number(&pprof->place, LOCATION_ADDRESS, address);
}

static void put_line(struct pprof *pprof, uint64_t function, uint64_t line)
{
	pprof->inner.len = 0;
	protobuf_number(&pprof->inner, LINE_FUNCTION, function);
	protobuf_number(&pprof->inner, LINE_LINE, line);
	protobuf_message(&pprof->place, LOCATION_LINE, &pprof->inner);
}

/* ---- functions as locations ---- */

/* Function and location have the same id; ANALYSIS_NONE: what is outside of all functions. */
static uint64_t function_id(const struct pprof *pprof, uint32_t function)
{
	return function == ANALYSIS_NONE ? pprof->paths.analysis->functions.len + 1
					 : (uint64_t)function + 1;
}

static void write_function_location(struct pprof *pprof, uint32_t function)
{
	const struct analysis_function *row =
		function == ANALYSIS_NONE ? NULL : &pprof->paths.analysis->functions.data[function];
	const uint64_t id = function_id(pprof, function);

	write_function(pprof, id, function, NULL);
	begin_location(pprof, id);
	if (row)
		put_address(pprof, row->module, row->link_addr);
	put_line(pprof, id, row && row->line > 0 ? (uint64_t)row->line : 0);
	write_field(pprof, PROFILE_LOCATION, &pprof->place);
}

/* ---- addresses as locations ---- */

/* Its id; one for each file that its lines are in. Written where it is new. */
static uint64_t function_in(struct pprof *pprof, uint32_t function, int64_t source)
{
	const struct analysis *analysis = pprof->paths.analysis;
	const char *own =
		function == ANALYSIS_NONE ? NULL : analysis->functions.data[function].source;
	const char *file = source ? pprof->sources[source - 1].path : NULL;

	if (own && file && strcmp(own, file) == 0) {
		file = NULL;
		source = 0;
	}
	const uint64_t fresh = pprof->functions.len + 1;
	const uint64_t id =
		*map_put(&pprof->functions, (uint64_t)function << 32 | (uint32_t)source, fresh);
	if (id == fresh)
		write_function(pprof, id, function, file);
	return id;
}

static void put_place(struct pprof *pprof, uint32_t function,
		      const struct profile_location_line *line)
{
	put_line(pprof, function_in(pprof, function, line ? line->source : 0),
		 line ? line->line : 0);
}

/* Its id, which is its index and one; written where it is new. */
static uint64_t location_id(struct pprof *pprof, size_t index)
{
	const struct analysis_sample_stacks *stacks = pprof->stacks;
	const uint32_t *functions = stacks->functions.at.data;
	const uint32_t first = stacks->functions.first[index];
	uint32_t at = stacks->functions.first[index + 1], line = stacks->first_line[index];
	const uint32_t lines_end = stacks->first_line[index + 1];

	if (pprof->sent[index])
		return index + 1;
	pprof->sent[index] = true;
	begin_location(pprof, index + 1);
	put_address(pprof, pprof->paths.analysis->functions.data[functions[first]].module,
		    pprof->locations[index].link_addr);
	for (; at > first + 1; line++)
		if (pprof->lines[line].function && pprof->lines[line].function[0])
			put_place(pprof, functions[--at], &pprof->lines[line]);
	put_place(pprof, functions[first],
		  lines_end > stacks->first_line[index] ? &pprof->lines[lines_end - 1] : NULL);
	write_field(pprof, PROFILE_LOCATION, &pprof->place);
	return index + 1;
}

/* Of samples nothing of whose stack could be read. */
static uint64_t no_location_id(struct pprof *pprof)
{
	const uint64_t id = (uint64_t)pprof->location_count + 1;

	if (!pprof->sent[id - 1]) {
		pprof->sent[id - 1] = true;
		begin_location(pprof, id);
		put_place(pprof, ANALYSIS_NONE, NULL);
		write_field(pprof, PROFILE_LOCATION, &pprof->place);
	}
	return id;
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

/* Texts of threads are looked up once for all samples that follow each other. */
static void put_labels(struct pprof *pprof, uint32_t thread)
{
	const struct analysis *analysis = pprof->paths.analysis;
	const struct profile_thread *row = analysis->threads.data[thread].row;
	const struct profile_process *process =
		analysis->processes.data[analysis->threads.data[thread].process].row;

	if (thread != pprof->thread) {
		pprof->thread = thread;
		pprof->thread_name = escaped(pprof, row->name);
		pprof->process_name = escaped(pprof, process->name);
	}
	put_label(pprof, "thread", pprof->thread_name, 0);
	put_label(pprof, "tid", 0, row->tid);
	put_label(pprof, "process", pprof->process_name, 0);
	put_label(pprof, "pid", 0, process->pid);
}

/* Of the locations in `packed`. */
static void write_sample(struct pprof *pprof, uint32_t thread, const uint64_t *values)
{
	pprof->message.len = 0;
	protobuf_message(&pprof->message, SAMPLE_LOCATIONS, &pprof->packed);
	pprof->packed.len = 0;
	for (size_t i = 0; i < pprof->paths.measure_count; i++)
		put_uleb(&pprof->packed, values[i]);
	protobuf_message(&pprof->message, SAMPLE_VALUES, &pprof->packed);
	put_labels(pprof, thread);
	write_field(pprof, PROFILE_SAMPLE, &pprof->message);
}

static void write_paths(struct pprof *pprof)
{
	const struct analysis *analysis = pprof->paths.analysis;
	struct path path;

	for (size_t i = 0; i < analysis->functions.len; i++)
		write_function_location(pprof, (uint32_t)i);
	write_function_location(pprof, ANALYSIS_NONE);
	while (paths_next(&pprof->paths, &path)) {
		paths_chain(&pprof->paths, path.node, &pprof->chain);
		pprof->packed.len = 0;
		for (size_t i = pprof->chain.len; i-- > 0;)
			put_uleb(&pprof->packed,
				 function_id(pprof,
					     analysis->nodes.data[pprof->chain.data[i]].function));
		write_sample(pprof, analysis->nodes.data[path.node].thread, path.values);
	}
}

static void write_stack(struct pprof *pprof, const struct profile_stack *stacks,
			const struct sample_value *value)
{
	uint64_t values[PATH_MEASURES_MAX] = {0};

	pprof->packed.len = 0;
	for (int64_t at = value->stack; at; at = stacks[at - 1].parent)
		put_uleb(&pprof->packed, location_id(pprof, (size_t)stacks[at - 1].location - 1));
	if (!value->stack)
		put_uleb(&pprof->packed, no_location_id(pprof));
	for (size_t i = 0; i < pprof->paths.measure_count; i++)
		values[i] = pprof->paths.measures[i].value == VALUE_SAMPLES ? value->samples
									    : value->weight;
	write_sample(pprof, value->thread, values);
}

static void write_stacks(struct pprof *pprof)
{
	const struct profile *profile = pprof->paths.analysis->profile;
	size_t count;
	const struct profile_stack *stacks = profile_stacks(profile, &count);

	pprof->lines = profile_location_lines(profile, &count);
	pprof->sources = profile_sources(profile, &count);
	pprof->locations = profile_locations(profile, &pprof->location_count);
	pprof->sent = mem_zalloc((pprof->location_count + 1) * sizeof(*pprof->sent));
	map_init(&pprof->functions);
	vec_foreach (value, &pprof->stacks->values)
		write_stack(pprof, stacks, value);
	map_fini(&pprof->functions);
	free(pprof->sent);
}

/* ---- the recording ---- */

static void write_comment(struct pprof *pprof, const char *title, const char *text)
{
	struct str comment = {0};

	if (!text || !text[0])
		return;
	str_printf(&comment, "%s%s", title, text);
	write_number(pprof, PROFILE_COMMENT, escaped(pprof, comment.data));
	str_fini(&comment);
}

/* So many events, or so much time between two samples. */
static void write_period(struct pprof *pprof)
{
	const struct profile_event *event = pprof->paths.analysis->event;

	if (pprof->paths.analysis->method != ANALYSIS_SAMPLE || !event ||
	    (!event->period && !event->frequency))
		return;
	const bool is_time = strcmp(event->unit, "ns") == 0;
	const uint64_t name =
		event->period || is_time ? escaped(pprof, event->name) : string(pprof, "time");
	const uint64_t unit = string(pprof, !event->period || is_time ? "nanoseconds" : "count");
	pprof->message.len = 0;
	protobuf_number(&pprof->message, TYPE_NAME, name);
	protobuf_number(&pprof->message, TYPE_UNIT, unit);
	write_field(pprof, PROFILE_PERIOD_TYPE, &pprof->message);
	write_number(pprof, PROFILE_PERIOD,
		     event->period
			     ? event->period
			     : (UINT64_C(1000000000) + event->frequency / 2) / event->frequency);
}

static void write_recording(struct pprof *pprof)
{
	const struct analysis *analysis = pprof->paths.analysis;
	const struct profile_session *session = profile_session(analysis->profile);

	write_number(pprof, PROFILE_TIME, (uint64_t)session->begin_unix_ns);
	if (session->end_ticks > session->begin_ticks)
		write_number(pprof, PROFILE_DURATION,
			     analysis_ns(analysis, session->end_ticks - session->begin_ticks));
	write_period(pprof);
	write_comment(pprof, "", session->command_line);
	write_comment(pprof, "host: ", session->host);
	write_comment(pprof, "tare ", session->tare_version);
	write_number(pprof, PROFILE_DEFAULT_TYPE,
		     string(pprof, pprof->paths.measures[pprof->paths.first_measure].name));
}

static void write_all(struct pprof *pprof)
{
	string(pprof, "");
	write_types(pprof);
	write_mappings(pprof);
	if (pprof->stacks)
		write_stacks(pprof);
	else
		write_paths(pprof);
	write_recording(pprof);
}

bool paths_write_pprof(const struct analysis *analysis, const struct export_options *options,
		       FILE *stream, struct error *err)
{
	struct pprof pprof = {.thread = ANALYSIS_NONE, .stacks = analysis->sample_stacks};
	bool ok;

	if (!paths_open(&pprof.paths, analysis, options->measure, err))
		return false;
	pprof.out = gzip_open(stream);
	strmap_init(&pprof.strings);
	write_all(&pprof);
	ok = gzip_close(pprof.out, err);
	strmap_fini(&pprof.strings);
	vec_fini(&pprof.message);
	vec_fini(&pprof.place);
	vec_fini(&pprof.inner);
	vec_fini(&pprof.packed);
	vec_fini(&pprof.head);
	vec_fini(&pprof.chain);
	paths_close(&pprof.paths);
	return ok;
}
