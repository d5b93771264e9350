/* Paths with the same beginning share its nodes. Of each thread there is one root, always. */
#include "report/html/html_paths.h"

#include "profile/profile.h"

void html_paths_init(struct html_paths *paths, const struct analysis *analysis, size_t most)
{
	size_t count;

	*paths = (struct html_paths){.analysis = analysis, .most = most};
	paths->stacks = profile_stacks(analysis->profile, &count);
	paths->locations = profile_locations(analysis->profile, &count);
	map_init(&paths->known);
}

void html_paths_fini(struct html_paths *paths)
{
	vec_fini(&paths->nodes);
	vec_fini(&paths->chain);
	map_fini(&paths->known);
}

uint32_t html_paths_node(struct html_paths *paths, uint32_t parent, uint32_t subject, bool *room)
{
	const uint64_t key = (uint64_t)parent << 32 | subject;
	const uint64_t *known = map_get(&paths->known, key);

	if (known)
		return (uint32_t)*known;
	if (parent != ANALYSIS_NONE && paths->nodes.len >= paths->most) {
		*room = false;
		return parent;
	}
	map_put(&paths->known, key, paths->nodes.len);
	vec_push(&paths->nodes, ((struct html_path){parent, subject}));
	return (uint32_t)paths->nodes.len - 1;
}

uint32_t html_paths_thread(struct html_paths *paths, uint32_t thread)
{
	return html_paths_node(paths, ANALYSIS_NONE, thread, NULL);
}

void html_paths_read(struct html_paths *paths, int64_t stack)
{
	paths->chain.len = 0;
	for (int64_t at = stack; at; at = paths->stacks[at - 1].parent) {
		const struct profile_location *location =
			&paths->locations[paths->stacks[at - 1].location - 1];

		vec_push(&paths->chain, paths->analysis->function_of[location->function - 1]);
	}
}

void html_paths_pack(const struct html_paths *paths, struct html_pack *pack, const char *name)
{
	html_pack_begin(pack);
	for (size_t i = 0; i < paths->nodes.len; i++) {
		const uint32_t parent = paths->nodes.data[i].parent;
		html_pack_number(pack, parent == ANALYSIS_NONE ? 0 : i - parent);
	}
	html_pack_end(pack, "%s.parent", name);
	html_pack_begin(pack);
	vec_foreach (node, &paths->nodes) {
		html_pack_number(pack, node->subject);
	}
	html_pack_end(pack, "%s.subject", name);
}
