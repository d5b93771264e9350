/* One input after the other into the merged tables; see merge.h. */
#include "merge/private.h"

/* The 62 bits that a profile has for times: until 2116. */
#define UNIX_NS_MAX ((1LL << 62) - 1)

enum { KEYS_COUNT = 16, MAPS_COUNT = 11 };

/* All tables of keys and all maps of a merge. */
struct containers {
	struct keys *keys[KEYS_COUNT];
	struct map *maps[MAPS_COUNT];
};

static struct containers containers_of(struct merge *merge)
{
	return (struct containers){
		.keys = {&merge->process_keys, &merge->thread_keys, &merge->module_keys,
			 &merge->function_keys, &merge->sampling_keys, &merge->event_keys,
			 &merge->source_keys, &merge->location_keys, &merge->coverage_keys,
			 &merge->disarm_keys, &merge->counted_keys, &merge->unfollowed_keys,
			 &merge->path_keys, &merge->block_keys, &merge->execution_keys,
			 &merge->line_keys},
		.maps = {&merge->node_map, &merge->callee_map, &merge->stack_map,
			 &merge->histogram_map, &merge->value_map, &merge->syscall_map,
			 &merge->object_map, &merge->kind_map, &merge->path_map, &merge->os_map,
			 &merge->thread_event_map}};
}

struct merge *merge_new(const struct merge_options *options)
{
	struct merge *merge = mem_zalloc(sizeof(*merge));
	const struct containers all = containers_of(merge);

	arena_init(&merge->arena);
	merge->keep_processes = options->keep_processes;
	merge->memory_bytes = options->memory_bytes;
	merge->spill =
		(struct spill){.beside = arena_strdup(&merge->arena, options->output), .fd = -1};
	for (size_t i = 0; i < KEYS_COUNT; i++)
		keys_init(all.keys[i], &merge->arena);
	for (size_t i = 0; i < MAPS_COUNT; i++)
		map_init(all.maps[i]);
	vec_push(&merge->nodes, (struct merged_node){0});
	vec_push(&merge->stacks, (struct merged_stack){0});
	return merge;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	const struct containers all = containers_of(merge);

	for (size_t i = 0; i < KEYS_COUNT; i++)
		keys_fini(all.keys[i]);
	for (size_t i = 0; i < MAPS_COUNT; i++)
		map_fini(all.maps[i]);
	vec_fini(&merge->session.reasons);
	vec_fini(&merge->processes);
	vec_fini(&merge->threads);
	vec_fini(&merge->modules);
	vec_fini(&merge->functions);
	vec_fini(&merge->samplings);
	vec_fini(&merge->events);
	vec_fini(&merge->locations);
	vec_fini(&merge->coverage);
	vec_fini(&merge->disarms);
	vec_fini(&merge->counted);
	vec_fini(&merge->blocks);
	vec_fini(&merge->executions);
	vec_fini(&merge->lines);
	vec_fini(&merge->unfollowed);
	vec_fini(&merge->marks);
	vec_fini(&merge->cpu_uses);
	vec_fini(&merge->traces);
	vec_fini(&merge->runs);
	vec_fini(&merge->trace_parts);
	vec_fini(&merge->sample_parts);
	spill_fini(&merge->spill);
	vec_fini(&merge->nodes);
	vec_fini(&merge->stacks);
	vec_fini(&merge->os);
	vec_fini(&merge->histogram);
	vec_fini(&merge->values);
	arena_fini(&merge->arena);
	free(merge);
}

static void input_fini(struct input *input)
{
	free(input->processes);
	free(input->threads);
	free(input->modules);
	free(input->functions);
	free(input->events);
	free(input->locations);
	free(input->stacks);
	free(input->sums);
	map_fini(&input->nodes);
	map_fini(&input->os_ticks);
	profile_close(input->profile);
}

static uint64_t base_of(const struct merge *merge, const struct profile_session *session)
{
	if (!merge->keep_processes || session->begin_unix_ns < 0)
		return 0;
	return (uint64_t)(session->begin_unix_ns < UNIX_NS_MAX ? session->begin_unix_ns
							       : UNIX_NS_MAX);
}

bool merge_take(struct merge *merge, const char *path, struct error *err)
{
	struct profile *profile = profile_open(path, err);

	if (!profile)
		return false;
	const struct profile_session *session = profile_session(profile);
	struct input input = {.merge = merge,
			      .profile = profile,
			      .path = path,
			      .ticks_per_second = session->ticks_per_second,
			      .begin_ticks = session->begin_ticks,
			      .base_ns = base_of(merge, session),
			      .is_merged = profile_merged(session).recordings != 0,
			      .err = err};
	map_init(&input.nodes);
	map_init(&input.os_ticks);
	session_take(merge, &input);
	combine_tables(&input);
	const bool ok = combine_nodes(&input, err) && combine_streams(&input, err) &&
			combine_times(&input, err) && runs_put_if_large(merge, err);
	input_fini(&input);
	return ok;
}

struct merge_summary merge_summary(const struct merge *merge)
{
	return merge->summary;
}
