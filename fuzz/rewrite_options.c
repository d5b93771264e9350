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

struct rewrite_options rewrite_options_read(const unsigned char *bytes)
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
