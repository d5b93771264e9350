/* A group's events that do not work mostly share the reason, so it is said once. */
#include "session/event_text.h"

#include "sampler/event_list.h"

#include <string.h>

enum { NAME_COLUMNS = 28 };

static void put_event(struct str *out, const struct event_listed *event)
{
	str_printf(out, "%c %-*s%s%s\n", event->available ? ' ' : '-',
		   event->meaning[0] ? NAME_COLUMNS : 0, event->name, event->meaning[0] ? " " : "",
		   event->meaning);
}

void event_text(struct str *out)
{
	struct event_list list = {0};
	struct arena arena = {0};
	const char *group = "", *why_not = NULL;

	arena_init(&arena);
	event_list_all(&list, &arena);
	str_append(out,
		   "Names for --event NAME[:PERIOD][:u|:k]; - does not work here. Besides: rHEX "
		   "(raw), PMU/FIELD=NUMBER,.../\n");
	for (size_t i = 0; i <= list.len; i++) {
		const struct event_listed *event = i < list.len ? &list.data[i] : NULL;

		if (!event || strcmp(event->group, group) != 0) {
			if (why_not)
				str_printf(out, "  (- %s)\n", why_not);
			why_not = NULL;
			group = event ? event->group : group;
			if (event)
				str_printf(out, "\n%s:\n", group);
		}
		if (!event)
			break;
		put_event(out, event);
		if (!event->available && !why_not)
			why_not = event->why_not;
	}
	vec_fini(&list);
	arena_fini(&arena);
}
