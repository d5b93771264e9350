/* See rewrite_options.h. */
#include "fuzz/rewrite_options.h"

#include <assert.h>
#include <elf.h>

static bool select_odd(const char *name, uint64_t addr, void *context)
{
	(void)name;
	(void)context;
	return addr / 16 % 2;
}

/* Kept for all inputs. */
static const struct object *poison_companion(void)
{
	static const struct object *companion;
	struct error err;

	if (!companion)
		companion = object_open(FUZZ_POISON, OBJECT_ALL, &err);
	assert(companion);
	return companion;
}

/* `bytes`: of the file, with its whole e_ident. */
static struct rewrite_options options_read(const unsigned char *bytes)
{
	static const enum rewrite_mode modes[] = {REWRITE_FULL, REWRITE_FULL, REWRITE_NULL,
						  REWRITE_POISON};
	const unsigned char *chosen = bytes + EI_PAD;
	struct rewrite_options options = {
		.mode = modes[chosen[0] & 3],
		.syscalls_only = (chosen[0] & 3) == 1,
		.syscall_probes = chosen[0] & 64,
		.probes = chosen[0] & 4 ? REWRITE_PROBES_ALL : REWRITE_PROBES_MERGED,
		.keep_small = !(chosen[0] & 8),
		.count_executions = chosen[1] & 2,
		.select = chosen[0] & 16 ? select_odd : NULL,
		.origin = chosen[0] & 32 ? "/elsewhere" : NULL,
		.keep_points = true,
		.threads = chosen[0] & 128 ? 3 : 1,
	};

	if (options.mode == REWRITE_POISON)
		options.companion = poison_companion();
	if (chosen[1] & 1) {
		options.first_unit = chosen[2];
		options.last_unit = options.first_unit + chosen[3];
	}
	return options;
}

void rewrite_with_own_options(const unsigned char *data, size_t size,
			      void check(const struct rewritten *rewritten))
{
	struct error err;
	struct rewrite_result result = {0};
	struct byte_vec out = {0};
	struct object *object = object_open_bytes(data, size, "input", OBJECT_ALL, &err);

	if (!object)
		return;
	const struct rewrite_options options = options_read(data);
	if (rewrite_object(object, &options, &out, &result, &err)) {
		check(&(struct rewritten){data, size, object, &result, &out});
		rewrite_result_fini(&result);
	}
	vec_fini(&out);
	object_close(object);
}
