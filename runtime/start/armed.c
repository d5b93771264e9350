/* Refuses notes that point outside the file's own writable segments. */
#include "runtime/start/armed.h"

#include "runtime/control/arming.h"
#include "runtime/control/control.h"
#include "runtime/control/learned.h"
#include "runtime/control/triggers.h"
#include "runtime/files/counters.h"
#include "runtime/probes/probes.h"

bool module_arm(const struct module_segments *segments)
{
	const struct tare_module *module = module_find(segments);

	if (!module)
		return false;
	struct tare_slots *slots =
		(struct tare_slots *)((uint64_t)module + (uint64_t)module->slots_offset);
	const uint64_t arm = (uint64_t)module + (uint64_t)module->arm_offset;
	const uint64_t arm_bytes = (uint64_t)module->function_count + module->call_site_count + 1;

	if (!module_may_write(segments, (uint64_t)slots, sizeof(*slots)) ||
	    !module_may_write(segments, arm, arm_bytes))
		return false;
	*slots = *probes_slots();
	triggers_add(module);
	const bool added = arming_add(module);

	if (added)
		learned_add(module);

	control_note_module();
	return added;
}

/* Of any version; what is shorter than this one's is of versions that did not count. */
static const struct tare_module *note_of(const struct module_segments *segments)
{
	return module_note(segments, TARE_NOTE_MODULE, sizeof(struct tare_module));
}

void module_count_calls(const struct module_segments *segments, uint64_t ordinal)
{
	const struct tare_module *module = note_of(segments);

	if (!module)
		return;
	const uint64_t counters = (uint64_t)module + (uint64_t)module->counters_offset;
	const uint64_t size_bytes = (uint64_t)module->counter_count * sizeof(uint64_t);

	if (module->abi == TARE_MODULE_ABI && counters % TARE_COUNTER_PAGE == 0 &&
	    module_may_write(segments, counters, size_bytes))
		counters_add(module, ordinal);
	else
		counters_add_unknown(module, module_begin(segments), module_end(segments));
}

void module_count_no_calls(const struct module_segments *segments)
{
	const struct tare_module *module = note_of(segments);

	if (module)
		counters_remove(module);
}
