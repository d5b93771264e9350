/*
 * The functions that a program may call, and the word by which it finds them. Refuses notes whose
 * word lies outside the file's own writable segments.
 */
#include "runtime/start/api.h"

#include "abi/api.h"
#include "runtime/base/bytes.h"
#include "runtime/control/control.h"
#include "runtime/process/control_calls.h"
#include "runtime/process/marks.h"

static const struct tare_api api = {
	.version = TARE_API_VERSION,
	.size_bytes = sizeof(api),
	.change = control_change,
	.mark = marks_put,
	.name_thread = marks_name_thread,
	.state = control_state,
};

void api_connect(const struct module_segments *segments)
{
	int64_t distance;
	const void *note = module_note(segments, TARE_NOTE_API, sizeof(distance));

	if (!note)
		return;
	memcpy(&distance, note, sizeof(distance));
	const uint64_t word = (uint64_t)note + (uint64_t)distance;

	if (module_may_write(segments, word, sizeof(uint64_t)))
		*(const struct tare_api **)word = &api;
}
