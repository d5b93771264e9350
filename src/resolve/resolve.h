/*
 * From the keys of calling-context trees (run addresses) to functions of modules: which module of
 * the process lies there, which function begins there, and for PLT stubs and GOT slots which
 * function of which module the name stands for. And from any address in a module, as stacks of
 * samples have them, to the function that covers it. Adds modules and functions to the profile as
 * they are met; functions are the same across processes where module path and link address are.
 */
#ifndef TARE_RESOLVE_RESOLVE_H
#define TARE_RESOLVE_RESOLVE_H

#include "cache/cache.h"
#include "cache/copy_code.h"
#include "profile/profile.h"
#include "resolve/called_code.h"
#include "resolve/jit_files.h"
#include "resolve/kernel_symbols.h"
#include "resolve/module_files.h"
#include "session/recording_file.h"
#include "session/thread_files.h"

/* Modules that are no files, by the paths that the profile has of them. */
#define RESOLVE_UNKNOWN_PATH "[unknown]"
#define RESOLVE_KERNEL_PATH  "[kernel.kallsyms]"
#define RESOLVE_VDSO_PATH    "[vdso]"

/* See chosen_code.h. */
struct resolve_chosen {
	uint64_t link_addr; /* of the form that was chosen */
	const struct object_symbol *symbol;
};

/* A file that some process had loaded, or one of the modules that are no files. */
struct resolve_module {
	int64_t id;	       /* in the profile */
	char *path;	       /* original */
	struct object *object; /* NULL where the file cannot be read */
	struct jit_code *jit;  /* of code made at run time; NULL: nothing is known of it */
	uint64_t low, high;    /* link addresses that it occupies; high 0: unknown */
	struct coverage coverage;
	bool covered;	     /* coverage is known */
	bool system;	     /* a run-time library, as the profile has it */
	const char *refusal; /* of the file as a whole; NULL: none */
	bool is_deferred;    /* it is for this recording only */
	const char *copy;    /* path of the instrumented one, NULL: none */
	bool copy_is_read;
	struct copy_code copy_code;
	struct object *copied; /* the copy, where something was looked up in it */
	bool counted_is_read;
	struct object *counted;	    /* the copy, for what its counters count; NULL: it has none */
	int64_t *counted_functions; /* of its counters, ids as they become known; else 0 */
	bool fetched;		    /* its debug file was asked for from servers */
	bool data_is_read;
	struct object *data;   /* with its symbols of data; NULL: none */
	bool unwind_is_read;   /* and the next is what came of it */
	struct object *unwind; /* its unwind information; NULL: none */
	bool called_is_read;
	struct called_code called;
	bool chosen_is_read;
	struct vec_of(struct resolve_chosen) chosen; /* by address */
	struct map functions;			     /* link address → function id */
	struct map own; /* link address of no PLT → twice the function's id, + 1: instrumented */
	struct strmap functions_by_name; /* of those known by name only */
	struct map locations;		 /* link address → location id */
};

/* A row of the table location. */
struct resolve_location {
	struct resolve_module *module; /* where it was looked for */
	uint64_t link_addr;
	int64_t function;
};

struct resolver {
	const struct recording *recording; /* borrowed; NULL: there are no copies */
	struct profile_writer *writer;	   /* borrowed */
	const char *jit_directory;	   /* of files kept of code made at run time; may be NULL */
	struct arena arena;
	struct vec_of(struct resolve_module *) modules;
	struct strmap modules_by_path;		  /* path as recorded → index */
	struct vec_of(struct module_files) ahead; /* read before they are asked for, until then */
	struct strmap ahead_by_identity;	  /* path of the copy, or of the file → index */
	int64_t function_count;
	struct strmap definers;	      /* name → address of its module: see named_callee.c */
	struct map called_unseen;     /* ids of functions: see struct rewrite_function */
	struct kernel_symbols kernel; /* read when it is first needed */
	bool kernel_is_read;
	struct strmap sources;				  /* path → id of its row */
	bool keeps_derived;				  /* cache/derived.h */
	struct vec_of(struct resolve_location) locations; /* element i is the row with id i + 1 */
};

void resolver_init(struct resolver *resolver, const struct recording *recording,
		   struct profile_writer *writer);
void resolver_fini(struct resolver *resolver);

/*
 * The module of a path as a process had it: of a copy or a link that of the original, or one of the
 * paths above. NULL with err when the profile cannot be written.
 */
struct resolve_module *resolver_module(struct resolver *resolver, const char *path,
				       struct error *err);

/* The same if the profile has it already; else NULL. */
struct resolve_module *resolver_find(const struct resolver *resolver, const char *path);

/* The lines of a module that has a file, else NULL; what was unpacked of them before is used again.
 */
struct lines *resolver_lines(const struct resolver *resolver, const struct resolve_module *module);

/* Asks servers for the debug file of a module that has none, where the user wants that, once. */
void resolve_module_fetch(struct resolve_module *module);

/*
 * Settles, before anything asks for it, that the module of `path` is read from `file`; NULL: from
 * nowhere, as its own file is not there any more.
 */
bool resolver_settle(struct resolver *resolver, const char *path, const char *file,
		     struct error *err);

/*
 * The function that covers an address of the module: of a symbol, of a PLT stub ("name@plt"), else
 * a nameless one: what one piece of unwind information is about, or what lies between two such, or
 * between two places that calls lead to. Of a module that cannot be read it is "[unknown]", without
 * an address. In the kernel module link_addr is the run address, and the function may be that of
 * one of the kernel's own modules. 0 with err.
 */
int64_t resolver_function_covering(struct resolver *resolver, struct resolve_module *module,
				   uint64_t link_addr, struct error *err);

/*
 * The location of an instruction of the module, added where it is new: by the address that is at
 * work, of a caller the last byte of its call. 0 with err when the profile cannot be written.
 */
int64_t resolver_location(struct resolver *resolver, struct resolve_module *module,
			  uint64_t link_addr, struct error *err);

/*
 * Of two locations of a stack, a caller's in an instrumented module and the one that it called in a
 * run-time library: *named is that of the function by whose name it was called, if that is not the
 * one which runs, as it has jumped there; else 0. False with err when the profile cannot be
 * written.
 */
bool resolver_named_callee(struct resolver *resolver, int64_t caller, int64_t callee,
			   int64_t *named, struct error *err);

/*
 * The begin of the function whose copy covers link_addr, which the module's instrumented copy has
 * behind all of the original; 0: none.
 */
uint64_t resolver_copied_function(struct resolve_module *module, uint64_t link_addr);
/* The same of the instruction, or of the function's begin where that cannot be told. */
uint64_t resolver_copied_address(struct resolve_module *module, uint64_t link_addr);
/* The same of the call that the CALL probe is for whose handler returns to link_addr; 0: none. */
uint64_t resolver_probed_call(struct resolve_module *module, uint64_t link_addr);
/*
 * The same of what was at work, *callee 0; or, where that stands for the stub of the procedure
 * linkage table in a copied call, of that call's last byte, and *callee is the function's begin.
 */
uint64_t resolver_sampled_address(struct resolve_module *module, uint64_t link_addr,
				  uint64_t *callee);
/* Reads on all processors what these will be asked with. */
void resolver_prepare_sampled(struct resolve_module *module, const uint64_t *link_addrs,
			      size_t count);
/* Whether link_addr in the instrumented copy is tare's: stubs of probes, or a runtime that it has.
 */
bool resolver_is_probe(struct resolve_module *module, uint64_t link_addr);

/* What the counters of a module's copy count. Until resolver_fini. */
struct resolve_counted {
	uint64_t note_addr; /* link address of struct tare_module */
	/* functions, then call sites, then edges; without a flow, calls behind functions' own */
	uint32_t count, function_count, site_end;
	const unsigned char *table; /* struct tare_counted[count] */
	const unsigned char *flow;  /* abi/flow.h; NULL: executions are not counted */
	size_t flow_size;
	const uint8_t *source_id; /* of the note */
};

/* False where the module has no copy that counts. */
bool resolver_counted(struct resolve_module *module, struct resolve_counted *counted);
/* The distance of what is counted from note_addr; 0: it is not known. */
int32_t resolve_counted_target(const struct resolve_counted *counted, uint32_t number);
/* Where the counter's instruction stands: its offset in the copied code. */
uint32_t resolve_counted_prefix(const struct resolve_counted *counted, uint32_t number);

/*
 * The id of the function that begins at function->link_addr, added with its name and size where it
 * is new, or, where that is 0, of the one that is known by its name only. 0 with err.
 */
struct resolve_function {
	const char *name;
	uint64_t link_addr, size;
};
int64_t resolver_function(struct resolver *resolver, struct resolve_module *module,
			  const struct resolve_function *function, struct error *err);

/* *id gets that of the source's row, added where it is new; 0: path is NULL. False with err. */
bool resolver_source(struct resolver *resolver, const char *path, int64_t *id, struct error *err);

/* One process: its modules at their places, and what its keys were found to be. */
struct resolve_loaded {
	struct resolve_module *module;
	uint64_t bias, open_ticks, close_ticks, ordinal;
	bool instrumented;
};

/* A part of its file that the process has mapped again, and since when; bias is of that place. */
struct resolve_mapped {
	struct resolve_loaded loaded;
	uint64_t begin, end; /* run addresses */
};

struct resolve_target {
	int64_t function;   /* id in the profile */
	bool reports_enter; /* an instrumented function's entry */
	bool in_original;   /* … where the process has loaded the file itself, beside its copy */
};

struct resolve_process {
	struct vec_of(struct resolve_loaded) loaded; /* in load order */
	struct vec_of(struct resolve_mapped) mapped; /* in that order, too */
	bool addresses_reused; /* a module was unloaded: a key's meaning depends on the time */
	struct map known;      /* key → index into targets */
	struct vec_of(struct resolve_target) targets;
	struct map call_sites; /* call site → location id, 0: in no module */
};

/* Adds the modules that the profile does not have yet. */
bool resolve_process_init(struct resolver *resolver, struct resolve_process *process,
			  const struct process_file *arena, struct error *err);
void resolve_process_fini(struct resolve_process *process);

/* Whether the process has loaded the file as it is (`instrumented` false), or a copy of it. */
bool resolve_has_loaded(const struct resolve_process *process, const struct resolve_module *module,
			bool instrumented);

/* What is mapped again at the address, up to some time; NULL: nothing. */
const struct resolve_loaded *resolve_mapped_at(const struct resolve_process *process, uint64_t addr,
					       uint64_t ticks);

/* A thread, as far as the meaning of its keys depends on it. */
struct resolve_time {
	uint64_t begin_ticks, end_ticks; /* end 0: still alive */
	uint64_t modules_seen;		 /* of struct tare_thread_file */
};

/*
 * The function of a key, as the thread met it: in the module that the key's ordinal names, else in
 * the last at its address of those that the thread had seen. False with err when the profile
 * cannot be written.
 */
bool resolve_key(struct resolver *resolver, struct resolve_process *process, uint64_t key,
		 const struct resolve_time *time, struct resolve_target *target, struct error *err);

/*
 * The function that a counter of `loaded` counts, whose distance is not 0. What lies in the module
 * itself is the same in all processes, and is looked up once; symbols are each process's own. 0
 * with err when the profile cannot be written.
 */
int64_t resolve_counted_function(struct resolver *resolver, struct resolve_process *process,
				 const struct resolve_loaded *loaded,
				 const struct resolve_counted *counted, uint32_t number,
				 struct error *err);

/*
 * The location in the original of a call site (tare_node.call_site) as the thread met it: of the
 * call's last byte. *location 0: it is in no module. False with err when the profile cannot be
 * written.
 */
bool resolve_call_site(struct resolver *resolver, struct resolve_process *process,
		       uint64_t call_site, const struct resolve_time *time, int64_t *location,
		       struct error *err);

/*
 * Puts the name of the variable at a run address: "lock (program)", "pool+0x10 (libx.so)", or
 * "libx.so+0x4060" where no symbol is there. False where it may be none of a module's: of one that
 * stayed loaded, at an address where no other was.
 */
bool resolve_data(const struct resolve_process *process, uint64_t run_addr, struct str *out);

/* Adds the verdicts for all modules that have some. */
bool resolver_write_coverage(struct resolver *resolver, struct error *err);

#endif
