/*
 * rewrite: ELF file in, instrumented ELF file out, with a verdict per function. Pure: no
 * configuration, no cache, no processes. The layout that the runtime sees is abi/module.h.
 *
 * Every function of the input (an FDE of .eh_frame) that is selected and can be handled safely is
 * copied with probes into a new segment, and its original entry jumps there. Whatever is not
 * understood stays as it was: it runs uninstrumented, and its verdict says why.
 */
#ifndef TARE_REWRITE_REWRITE_H
#define TARE_REWRITE_REWRITE_H

#include "base/base.h"
#include "object/object.h"

enum rewrite_mode {
	REWRITE_FULL,	/* probes at functions, calls and system calls */
	REWRITE_NULL,	/* copies without probes: the transform by itself */
	REWRITE_POISON, /* each probe runs, against handlers of the companion that scramble
			   whatever it may change; without a runtime. See abi/module.h */
	REWRITE_MODES
};

enum rewrite_probes {
	REWRITE_PROBES_MERGED, /* no CALL/RETURN around direct calls to instrumented functions */
	REWRITE_PROBES_ALL,
};

/* What became of a function. Names for the reports: rewrite_verdict_name. */
enum rewrite_verdict {
	REWRITE_INSTRUMENTED,
	REWRITE_PART,	      /* a cold or other part of an instrumented function */
	REWRITE_COUNTED,      /* short loop-free leaf: copied with a counter, without probes */
	REWRITE_NOT_SELECTED, /* by options */
	REWRITE_NO_SYSCALL,   /* syscalls_only: nothing to do */
	/* refused */
	REWRITE_STARTUP,	 /* _start and the like */
	REWRITE_SIGNAL_FRAME,	 /* signal trampoline */
	REWRITE_UNDECODABLE,	 /* bytes that are no instruction, or one that cannot be moved */
	REWRITE_BAD_TARGET,	 /* branches into the middle of an instruction */
	REWRITE_READS_PC,	 /* call/pop: computes with its own address */
	REWRITE_TEXT_RELOCATION, /* its code is changed by the loader */
	REWRITE_ENTRY_TOO_SHORT, /* no room for the jump at its entry */
	REWRITE_ENTRY_BRANCHED,	 /* other code branches into the first bytes */
	REWRITE_BAD_UNWIND,	 /* its unwind or exception tables are not understood */
	REWRITE_SPECIAL,	 /* restartable sequence or PC-checked code */
	REWRITE_ORPHAN,		 /* a cold part without a function that leads to it */
	REWRITE_VERDICTS
};

const char *rewrite_verdict_name(enum rewrite_verdict verdict);
/* A sentence for people. */
const char *rewrite_verdict_text(enum rewrite_verdict verdict);
/* Copied and probed (or, for REWRITE_PART, belonging to such). */
bool rewrite_verdict_is_instrumented(enum rewrite_verdict verdict);
/* Selected, but could not be handled. */
bool rewrite_verdict_is_refusal(enum rewrite_verdict verdict);

struct rewrite_function {
	uint64_t addr, size;
	const char *name; /* mangled, "" if none; borrowed from the object */
	enum rewrite_verdict verdict;
	size_t unit; /* functions and parts with the same number share code */
	/* Its copy, 0: none; so many bytes of code, counts of its branches with it, and of the
	   stubs of probes behind them. */
	uint64_t copy_addr, copy_bytes, stub_bytes;
	/* Refused, and called by code of the file that is not copied either, as by itself: calls
	   that nothing counts. */
	bool called_unseen;
};

struct rewrite_options {
	enum rewrite_mode mode;
	enum rewrite_probes probes;
	bool keep_small;       /* short leaf functions have probes, too, not only a counter */
	bool count_executions; /* counters from which those of each instruction follow: abi/flow.h
				*/
	/*
	 * Functions and call sites that have a counter alone, and no probes: a bit for each arming
	 * byte of the copy that is made without this, as abi/learned.h has them. Refused with an
	 * error: a number of bytes other than bare_count. NULL: none.
	 */
	const uint8_t *bare;
	uint32_t bare_count;
	bool syscalls_only; /* copy only what holds a syscall instruction, and probe only that */
	/* REWRITE_NULL: probes at system calls all the same. The runtime follows children, and
	   shows a program its original's path, by what it sees there. */
	bool syscall_probes;
	/* Selects functions by name (mangled, "" if none); NULL selects all. */
	bool (*select)(const char *name, uint64_t addr, void *context);
	void *select_context;
	/* Directory of the original, to make $ORIGIN absolute; NULL keeps it. */
	const char *origin;
	uint8_t source_id[32]; /* put into struct tare_module */
	/*
	 * Code that comes along in the file, opened with OBJECT_ALL; companion.h says what it has
	 * to be. REWRITE_POISON needs the one with its handlers. NULL: none.
	 */
	const struct object *companion;
	/* The runtime library, likewise: static executables carry it (abi/static.h). */
	const struct object *runtime;
	/* Units [first, last) only, for bisection; 0, 0 means all. The numbers are the same in
	   every mode. Refused with an error: an end beyond the file's units. */
	size_t first_unit, last_unit;
	/* Threads to work with; 0 means one for each processor. The output is the same. */
	unsigned threads;
	/* Fill rewrite_result.points (for verification). */
	bool keep_points;
	/* Called now and then with a fraction of 1; may be NULL. */
	void (*progress)(double done, void *context);
	void *progress_context;
};

struct rewrite_statistics {
	uint64_t functions, instructions, units;
	uint64_t probes, probes_with_live_flags;
	uint64_t jumps_indirect, jumps_table_static, jumps_translated, jumps_saved, jumps_by_labels,
		jumps_tail;
	uint64_t label_pointers; /* words of data that point at copies of labels */
	uint64_t input_bytes, output_bytes, code_bytes, map_bytes;
};

/* Where an original instruction went: to its copy, or to the probe before that. */
struct rewrite_point {
	uint64_t addr, copy_addr;
};

struct rewrite_result {
	struct vec_of(struct rewrite_function) functions; /* ascending */
	struct vec_of(struct rewrite_point) points; /* if keep_points; ascending per function */
	uint64_t code_begin, code_end;		    /* of the copied code */
	struct rewrite_statistics statistics;
	bool nothing_to_do; /* no function was instrumented: no output was made */
};

/*
 * Rewrites `object` (opened with OBJECT_ALL) and puts the new file's bytes into `out`, which is
 * empty; holes are zero. Refused as a whole, with an error: static executables without a runtime,
 * already instrumented files, files without unwind tables, Go/OCaml/Haskell programs.
 */
bool rewrite_object(const struct object *object, const struct rewrite_options *options,
		    struct byte_vec *out, struct rewrite_result *result, struct error *err);
void rewrite_result_fini(struct rewrite_result *result);

#endif
