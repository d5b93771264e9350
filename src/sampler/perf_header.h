/*
 * What a perf.data file says of itself: events, where its records are, and its features (host,
 * command line, build-ids …), from the sections of a file or from the records of a pipe. The format
 * is described in the kernel's tools/perf/Documentation/perf.data-file-format.txt. Bytes are
 * untrusted.
 */
#ifndef TARE_SAMPLER_PERF_HEADER_H
#define TARE_SAMPLER_PERF_HEADER_H

#include "sampler/perf_attrs.h"

/* What perf writes beside the kernel's records: enum perf_user_event_type of perf. */
enum perf_user_record {
	PERF_USER_HEADER_ATTR = 64,
	PERF_USER_HEADER_TRACING_DATA = 66,
	PERF_USER_HEADER_BUILD_ID = 67,
	PERF_USER_FINISHED_ROUND = 68,
	PERF_USER_AUXTRACE = 71,
	PERF_USER_EVENT_UPDATE = 78,
	PERF_USER_HEADER_FEATURE = 80,
	PERF_USER_COMPRESSED = 81,
	PERF_USER_COMPRESSED2 = 83,
};

/* Of the recording; "" where the file does not say. */
struct perf_origin {
	const char *host, *release, *perf_version, *architecture, *processor;
	struct vec_of(const char *) command_line; /* of perf itself */
	/* Of a moment: its time in records, and since 1970; 0 if unknown. */
	uint64_t clock_ns, wall_clock_ns;
};

struct perf_build_id {
	const char *path;
	uint8_t bytes[PERF_BUILD_ID_BYTES];
	uint8_t size;
};

struct perf_header {
	struct perf_attrs attrs;
	struct perf_origin origin;
	struct vec_of(struct perf_build_id) build_ids;
	struct strmap build_id_of; /* path → index in build_ids */
	bool is_pipe;
	bool is_stat;	 /* of perf stat record: counts, no samples */
	bool in_parts;	 /* of perf record --threads: the records are in further files */
	bool unfinished; /* perf did not come to write how much data there is */
	bool cut_off;	 /* the file ends before its data do */
	uint64_t data_offset, data_end; /* end UINT64_MAX: of a pipe */
	struct arena arena;
};

/*
 * Reads the header of `fd`, from its begin; behind a pipe's header, the descriptor stands at its
 * first record. `size` of the file, UINT64_MAX: it cannot be read by position. Fails with a
 * sentence that begins with no name.
 */
bool perf_header_read(struct perf_header *header, int fd, uint64_t size, struct error *err);
void perf_header_fini(struct perf_header *header);
/* Fails where its features tell that tare cannot make use of it. */
bool perf_header_check(const struct perf_header *header, struct error *err);

/* The records of pipes and some others; `bytes` is what stands behind the record's head. */
bool perf_header_take_attr(struct perf_header *header, struct byte_reader bytes, struct error *err);
void perf_header_take_feature(struct perf_header *header, unsigned feature,
			      struct byte_reader bytes);
void perf_header_take_build_id(struct perf_header *header, uint16_t misc, struct byte_reader bytes);
void perf_header_take_update(struct perf_header *header, struct byte_reader bytes);

/* The build-id of a path, or NULL. */
const struct perf_build_id *perf_header_build_id(const struct perf_header *header,
						 const char *path);

#endif
