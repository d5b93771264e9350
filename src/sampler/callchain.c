/*
 * Start code is what unwind rules call outermost, and the two functions of the C library that call
 * main and a thread's function: they keep no frame pointer, so chains end there. Neither is
 * exported; the one stands directly before __libc_start_main, the other before pthread_create.
 */
#include "sampler/callchain.h"

#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 64, DEPTH_DEFAULT = 127 };

/* Functions of an image that start programs and threads. */
struct starts {
	struct range {
		uint64_t begin, end;
	} ranges[2];
	bool found;
};

struct callchains {
	size_t depth_max; /* of the kernel */
	struct vec_of(struct starts) of_images;
};

struct callchains *callchains_new(void)
{
	struct callchains *callchains = mem_zalloc(sizeof(*callchains));
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_stack", "re");

	callchains->depth_max = DEPTH_DEFAULT;
	if (file) {
		if (fscanf(file, "%zu", &callchains->depth_max) != 1)
			callchains->depth_max = DEPTH_DEFAULT;
		fclose(file);
	}
	return callchains;
}

void callchains_free(struct callchains *callchains)
{
	if (!callchains)
		return;
	vec_fini(&callchains->of_images);
	free(callchains);
}

size_t callchain_kernel(const struct perf_sample *sample, uint64_t *addrs, size_t room)
{
	size_t count = 0;

	for (uint64_t i = 0; i < sample->callchain_count && count < room; i++) {
		const uint64_t addr = perf_callchain_at(sample, i);

		if (addr == (uint64_t)PERF_CONTEXT_USER)
			break;
		if (addr < (uint64_t)PERF_CONTEXT_MAX) /* else it says whose the next ones are */
			addrs[count++] = addr;
	}
	return count;
}

/* ---- start code ---- */

static bool may_start(const struct image *image)
{
	const char *name = path_basename(image->path);

	return str_starts_with(name, "libc.so") || str_starts_with(name, "libc-") ||
	       str_starts_with(name, "libpthread");
}

/* The function that ends where another begins, but for alignment. */
static struct range function_before(const struct object *object, uint64_t begin)
{
	for (uint64_t addr = begin - 1; begin && addr + ALIGNMENT >= begin; addr--) {
		struct object_cie cie;
		struct object_fde fde;

		if (object_fde_find(object, addr, &fde, &cie))
			return (struct range){fde.begin, fde.end};
	}
	return (struct range){0};
}

static void find_starts(const struct image *image, struct starts *starts)
{
	static const char *const names[] = {"__libc_start_main", "pthread_create"};
	struct error err;

	starts->found = true;
	if (!image->object || !may_start(image))
		return;
	struct object *object = object_open(object_path(image->object), OBJECT_SYMBOLS, &err);

	for (size_t i = 0; object && i < 2; i++) {
		const uint64_t begin = object_dynamic_symbol(object, names[i]);

		if (begin)
			starts->ranges[i] = function_before(image->object, begin);
	}
	object_close(object);
}

static bool is_start(struct callchains *callchains, const struct process *process,
		     uint64_t run_addr)
{
	const struct process_image *mapped = process_image_at(process, run_addr);

	if (!mapped)
		return false;
	if (unwind_map_is_outermost(process->memory->map, run_addr))
		return true;
	const uint64_t link_addr = run_addr - mapped->bias;
	while (callchains->of_images.len <= mapped->image->index) {
		const struct starts none = {.found = false};
		vec_push(&callchains->of_images, none);
	}
	struct starts *starts = &callchains->of_images.data[mapped->image->index];
	if (!starts->found)
		find_starts(mapped->image, starts);
	for (size_t i = 0; i < 2; i++)
		if (link_addr >= starts->ranges[i].begin && link_addr < starts->ranges[i].end)
			return true;
	return false;
}

/* ---- */

void callchain_user(struct callchains *callchains, const struct process *process,
		    const struct perf_sample *sample, struct unwind_stack *stack)
{
	bool user = false;

	for (uint64_t i = 0; i < sample->callchain_count && stack->count < stack->room; i++) {
		const uint64_t addr = perf_callchain_at(sample, i);

		if (addr >= (uint64_t)PERF_CONTEXT_MAX) {
			user = addr == (uint64_t)PERF_CONTEXT_USER;
			continue;
		}
		if (!user)
			continue;
		stack->frames[stack->count] = (struct unwind_frame){
			.addr = addr - !!stack->count,
			.flags = stack->count ? UNWIND_FRAME_GUESSED : UNWIND_FRAME_EXACT};
		stack->count++;
	}
	stack->end =
		sample->callchain_count >= callchains->depth_max ? UNWIND_TOO_DEEP : UNWIND_NO_RULE;
	if (stack->count && is_start(callchains, process, stack->frames[stack->count - 1].addr))
		stack->end = UNWIND_ROOT;
}
