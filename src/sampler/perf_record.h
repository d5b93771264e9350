/*
 * The records of perf_event_open, as they stand in its ring buffers and in perf.data: see
 * linux/perf_event.h, PERF_RECORD_*. Bytes are untrusted: a record that does not keep its own
 * bounds is refused, never read beyond them.
 */
#ifndef TARE_SAMPLER_PERF_RECORD_H
#define TARE_SAMPLER_PERF_RECORD_H

#include "base/base.h"
#include "unwind/step.h"

#include <linux/perf_event.h>

/* What decides how records are laid out; from the event's attributes. */
struct perf_layout {
	uint64_t sample_type, read_format;
	uint64_t regs_user;   /* mask of PERF_REG_X86_* */
	uint64_t branch_type; /* PERF_SAMPLE_BRANCH_* */
	bool sample_id_all;
};

struct perf_sample {
	uint64_t ip, time, period, id;
	uint32_t pid, tid, cpu;
	uint16_t misc;			/* PERF_RECORD_MISC_* of the record */
	const unsigned char *callchain; /* callchain_count words, not aligned; borrowed */
	uint64_t callchain_count;
	const unsigned char
		*branches; /* branch_count of three words, the last one first; borrowed */
	uint64_t branch_count;
	const unsigned char *raw; /* of tracepoints: the fields of the event; borrowed */
	uint32_t raw_bytes;
	bool has_registers; /* those of user mode; RA is the instruction pointer, exact */
	bool is_32_bit;	    /* code of the 32-bit ABI, or x32 */
	struct unwind_registers registers;
	const void *stack; /* copy of the stack from rsp on; borrowed */
	size_t stack_bytes;
};

enum { PERF_BUILD_ID_BYTES = 20 };

struct perf_mapping {
	uint32_t pid, tid;
	uint64_t addr, size, file_offset;
	uint32_t protection; /* PROT_*; of MMAP records: PROT_EXEC, or 0 if it is data */
	uint32_t major, minor;
	uint64_t inode,
		inode_generation; /* 0 where a build-id stands instead, and in MMAP records */
	uint8_t build_id[PERF_BUILD_ID_BYTES];
	uint8_t build_id_bytes; /* 0: none */
	const char *path;	/* borrowed */
};

/* FORK and EXIT. */
struct perf_task {
	uint32_t pid, parent_pid, tid, parent_tid;
	/* Made by perf for a process that ran already: what it has mapped is told by other records.
	 */
	bool ran_already;
};

struct perf_name {
	uint32_t pid, tid;
	bool exec;	  /* the name comes from execve */
	const char *name; /* borrowed */
};

/* A record of which only the kinds below are looked into. */
struct perf_record {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;
	uint64_t time; /* of records other than samples: from sample_id or their own; else 0 */
	union {
		struct perf_sample sample;
		struct perf_mapping mapping; /* MMAP, MMAP2 */
		struct perf_task task;	     /* FORK, EXIT */
		struct perf_name name;	     /* COMM */
		uint64_t lost;		     /* LOST, LOST_SAMPLES: records */
		struct perf_task switched;   /* SWITCH, SWITCH_CPU_WIDE: the thread itself */
	};
};

/*
 * Reads the record at `bytes`, of which `size` are there. False if it is cut off or malformed, or
 * its time is beyond 2^63; otherwise *size_bytes gets its length. Types that are not known are
 * passed with nothing but type and time.
 */
bool perf_record_read(const struct perf_layout *layout, const void *bytes, size_t size,
		      struct perf_record *record, size_t *size_bytes);

static inline uint64_t perf_word_at(const unsigned char *words, uint64_t i)
{
	uint64_t word;

	__builtin_memcpy(&word, words + i * sizeof(word), sizeof(word));
	return word;
}

/* The word of a callchain. */
static inline uint64_t perf_callchain_at(const struct perf_sample *sample, uint64_t i)
{
	return perf_word_at(sample->callchain, i);
}

#endif
