/*
 * A frame's address is that of a module as the process had it loaded at the time of the sample, or
 * had mapped a part of its file again.
 * Code of an instrumented copy counts as the function that it is a copy of, at its begin: which of
 * its instructions it was, the copy does not tell.
 */
#include "assemble/timer_assemble.h"

#include "cache/timer_rules.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define NS_PER_SECOND 1000000000ULL

/* The stack so far: what of it the next sample shares is known. */
struct stack_path {
	int64_t ids[TARE_TIMER_FRAMES_MAX];
	size_t count;
};

bool timer_assemble_begin(struct timer_assembly *assembly, uint64_t period_ns, struct error *err)
{
	const struct profile_event row = {.name = "cpu-clock",
					  .unit = "ns",
					  .period = period_ns,
					  .frequency = (NS_PER_SECOND + period_ns / 2) / period_ns};

	map_init(&assembly->cut);
	assembly->event = profile_add_event(assembly->writer, &row, err);
	return assembly->event != 0;
}

static bool was_loaded(const struct resolve_loaded *loaded, uint64_t addr, uint64_t ticks)
{
	const struct resolve_module *module = loaded->module;
	const uint64_t link_addr = addr - loaded->bias;

	if (link_addr < module->low || ticks < loaded->open_ticks || ticks >= loaded->close_ticks)
		return false;
	return link_addr < module->high ||
	       (loaded->instrumented && resolver_copied_function(loaded->module, link_addr));
}

/* The last one that was opened: a file may have taken another one's place unseen. */
static const struct resolve_loaded *loaded_at(const struct resolve_process *process, uint64_t addr,
					      uint64_t ticks)
{
	for (size_t i = process->loaded.len; i-- > 0;)
		if (was_loaded(&process->loaded.data[i], addr, ticks))
			return &process->loaded.data[i];
	return resolve_mapped_at(process, addr, ticks);
}

/* What is at an address: code of a file, or code that the process has made. */
struct timer_place {
	struct resolve_module *module;
	uint64_t link_addr;
};

static bool place_find(struct timer_assembly *assembly, const struct timer_process *process,
		       const struct timer_sample *sample, size_t frame, struct timer_place *place,
		       struct error *err)
{
	const uint64_t addr = sample->frames[frame];
	const struct resolve_loaded *loaded = loaded_at(process->resolve, addr, sample->ticks);

	if (loaded) {
		*place = (struct timer_place){loaded->module, addr - loaded->bias};
		return true;
	}
	place->link_addr = addr;
	place->module =
		resolver_module(assembly->resolver,
				*assembly->jit_path ? assembly->jit_path : PROFILE_MODULE_JIT, err);
	return place->module != NULL;
}

static int64_t location_of(struct timer_assembly *assembly, const struct timer_place *place,
			   bool is_leaf, struct error *err)
{
	uint64_t callee;
	const uint64_t copied =
		is_leaf ? resolver_sampled_address(place->module, place->link_addr, &callee)
			: resolver_copied_address(place->module, place->link_addr);

	return resolver_location(assembly->resolver, place->module,
				 copied ? copied : place->link_addr, err);
}

/* The map that compilers write for perf; empty where the process has none. */
static void find_jit(struct timer_assembly *assembly, int32_t pid)
{
	struct stat info;

	snprintf(assembly->jit_path, sizeof(assembly->jit_path), "/tmp/perf-%d.map", pid);
	if (lstat(assembly->jit_path, &info) < 0 || !S_ISREG(info.st_mode))
		*assembly->jit_path = 0;
}

static bool path_follow(struct timer_assembly *assembly, const struct timer_process *process,
			const struct timer_sample *sample, struct stack_path *path,
			struct error *err)
{
	size_t at = sample->shared < path->count ? sample->shared : path->count;

	for (path->count = at; at < sample->count; at++) {
		struct timer_place place;
		if (!place_find(assembly, process, sample, at, &place, err))
			return false;
		const int64_t location =
			location_of(assembly, &place, at + 1 == sample->count, err);
		if (!location)
			return false;
		path->ids[at] = sample_builder_stack(assembly->builder, at ? path->ids[at - 1] : 0,
						     location, err);
		if (!path->ids[at])
			return false;
		path->count = at + 1;
	}
	return true;
}

static int64_t thread_add(struct timer_assembly *assembly, const struct tare_timer_file *header,
			  const struct timer_process *process, struct error *err)
{
	const struct profile_thread row = {
		.process = process->id,
		.tid = header->tid,
		.name = header->name,
		.begin_ticks = header->begin_ticks,
		.end_ticks = header->end_ticks ? header->end_ticks : process->end_ticks,
		.limits = header->limits,
	};

	return profile_add_thread(assembly->writer, &row, err);
}

/* What a sample's innermost frame is in. */
struct timer_leaf {
	int64_t stack; /* of the sample */
	bool is_own;   /* the stub of a probe, or the runtime that a static executable has */
};

/* What stands for the stub of a linkage table is the callee's, as samples in that are. */
static bool leaf_find(struct timer_assembly *assembly, const struct timer_process *process,
		      const struct timer_sample *sample, struct timer_leaf *leaf, struct error *err)
{
	struct timer_place place;
	uint64_t callee;

	if (!sample->count)
		return true;
	if (!place_find(assembly, process, sample, sample->count - 1, &place, err))
		return false;
	leaf->is_own = resolver_is_probe(place.module, place.link_addr);
	resolver_sampled_address(place.module, place.link_addr, &callee);
	leaf->stack =
		sample_builder_called(assembly->builder, leaf->stack, place.module, callee, err);
	return leaf->stack != 0;
}

/* Of the module in which the stack of a sample ends that does not reach the thread's root. */
static bool note_cut(struct timer_assembly *assembly, const struct timer_process *process,
		     const struct timer_sample *sample, struct error *err)
{
	struct timer_place place;

	assembly->samples += sample->periods;
	if (sample->complete || !sample->count)
		return true;
	if (!place_find(assembly, process, sample, 0, &place, err))
		return false;
	*map_put(&assembly->cut, (uint64_t)place.module->id, 0) += sample->periods;
	return true;
}

static bool samples_add(struct timer_assembly *assembly, struct timer_reader *reader,
			const struct timer_process *process, int64_t thread, struct error *err)
{
	struct stack_path *path = mem_zalloc(sizeof(*path));
	struct timer_sample sample;
	bool ok = true;

	while (ok && timer_reader_next(reader, &sample)) {
		struct timer_leaf leaf = {0};
		ok = path_follow(assembly, process, &sample, path, err);
		if (ok && !sample.periods)
			continue; /* it was taken back; the next one's stack follows from its */
		ok = ok && note_cut(assembly, process, &sample, err);
		leaf.stack = path->count ? path->ids[path->count - 1] : 0;
		ok = ok && leaf_find(assembly, process, &sample, &leaf, err);
		if (!ok)
			break;
		const struct sample_builder_sample row = {
			.thread = thread,
			.event = assembly->event,
			.stack = leaf.stack,
			.ticks = sample.ticks,
			.weight = reader->header.period_ns,
			.at_once = sample.periods,
			.truncated = !sample.complete,
		};
		ok = sample_builder_add_periods(assembly->builder, &row, leaf.is_own, err);
		if (sample.ticks > assembly->counts.last_ticks)
			assembly->counts.last_ticks = sample.ticks;
	}
	free(path);
	return ok;
}

/* Those that the runtime has seen to be in its own code, before the thread's clock and later. */
static void own_add(struct timer_assembly *assembly, const struct tare_timer_file *header,
		    const struct sample_known_thread *row, int64_t thread)
{
	const uint64_t all = header->in_runtime_periods;
	const uint64_t early =
		header->early_in_runtime_periods < all ? header->early_in_runtime_periods : all;
	const struct {
		uint64_t periods, ticks;
	} parts[] = {{row ? early : 0, 0}, {row ? all - early : all, row ? row->begin_ticks : 0}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct sample_builder_sample own = {.thread = thread,
							  .event = assembly->event,
							  .ticks = parts[i].ticks,
							  .weight = parts[i].periods *
								    header->period_ns};
		if (parts[i].periods)
			sample_builder_add_own(assembly->builder, &own, parts[i].periods);
	}
}

void timer_assemble_end(struct timer_assembly *assembly)
{
	enum { ONE_OF = 200 }; /* of all samples, at least */

	if (!assembly->event)
		return;
	vec_foreach (item, &assembly->resolver->modules) {
		const struct resolve_module *module = *item;
		const uint64_t *cut = map_get(&assembly->cut, (uint64_t)module->id);

		if (cut && module->object && assembly->resolver->keeps_derived &&
		    *cut > assembly->samples / ONE_OF)
			timer_rules_follow_code(module->path, module->copy);
	}
	map_fini(&assembly->cut);
}

bool timer_assemble_thread(struct timer_assembly *assembly, struct timer_reader *reader,
			   const struct timer_process *process,
			   const struct sample_known_thread *row, struct error *err)
{
	const struct tare_timer_file *header = &reader->header;

	find_jit(assembly, header->pid);
	const int64_t thread = row ? row->id : thread_add(assembly, header, process, err);
	if (!thread || !samples_add(assembly, reader, process, thread, err))
		return false;
	own_add(assembly, header, row, thread);
	assembly->counts.lost += header->lost;
	assembly->counts.unsampled_ns += header->unsampled_ns;
	assembly->counts.damaged += reader->damaged;
	assembly->counts.periods += (double)header->periods;
	assembly->counts.signals += (double)header->signals;
	assembly->counts.tick_signals += (double)header->tick_signals;
	assembly->counts.handler_ticks += (double)header->handler_ticks;
	return true;
}
