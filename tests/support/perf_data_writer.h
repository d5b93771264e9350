/* Writes perf.data files with known contents: as a file or a pipe, compressed or not. */
#ifndef TARE_TESTS_PERF_DATA_WRITER_H
#define TARE_TESTS_PERF_DATA_WRITER_H

#include "base/base.h"

#include <linux/perf_event.h>

enum { WRITTEN_EVENTS_MAX = 8, WRITTEN_FEATURES = 32 };

struct perf_written_event {
	struct perf_event_attr attr;
	uint64_t id; /* 0: none */
	const char *name;
};

struct perf_data_writer {
	bool pipe, compressed;
	struct perf_written_event events[WRITTEN_EVENTS_MAX];
	size_t event_count;
	struct byte_vec features[WRITTEN_FEATURES];
	struct byte_vec data;	 /* records */
	struct byte_vec waiting; /* those to be compressed */
	void *packer;
	size_t piece_bytes; /* of a compressed record's contents; 0: as long as it can be */
};

/* What stands in a sample; parts that its event's sample_type does not have are passed. */
struct perf_written_sample {
	size_t event;
	uint16_t misc;
	uint64_t ip, time, period;
	uint32_t pid, tid, cpu;
	const uint64_t *callchain;
	size_t callchain_count;
	const uint64_t *branches; /* three words each */
	size_t branch_count;
	uint64_t registers_abi;
	const uint64_t *registers; /* as many as the mask has bits */
	const void *stack;
	size_t stack_bytes, stack_used;
};

struct perf_written_mapping {
	uint32_t pid;
	uint16_t misc;
	uint64_t addr, size, file_offset, time;
	const uint8_t *build_id; /* 20 bytes, or NULL */
	const char *path;
};

void perf_data_writer_fini(struct perf_data_writer *writer);

/* Adds an event and returns its index. sample_id_all is set. */
size_t perf_write_event(struct perf_data_writer *writer, uint64_t sample_type, const char *name);
/* Features of text, by their number; words: a list of them. */
void perf_write_text_feature(struct perf_data_writer *writer, unsigned feature, const char *text);
void perf_write_words_feature(struct perf_data_writer *writer, unsigned feature,
			      const char *const *words, size_t count);
void perf_write_build_id(struct perf_data_writer *writer, const uint8_t *bytes, const char *path);

void perf_write_sample(struct perf_data_writer *writer, const struct perf_written_sample *sample);
void perf_write_mapping(struct perf_data_writer *writer,
			const struct perf_written_mapping *mapping);
void perf_write_comm(struct perf_data_writer *writer, uint32_t pid, uint32_t tid, const char *name,
		     uint64_t time);
/* PERF_RECORD_FORK or EXIT. */
void perf_write_task(struct perf_data_writer *writer, uint32_t type, uint32_t pid, uint32_t parent,
		     uint64_t time);
void perf_write_lost(struct perf_data_writer *writer, uint64_t count, uint64_t time);
/* A record without a body: 68 ends a round. */
void perf_write_bare(struct perf_data_writer *writer, uint32_t type);

/* The whole file. */
void perf_data_writer_finish(struct perf_data_writer *writer, struct byte_vec *out);

#endif
