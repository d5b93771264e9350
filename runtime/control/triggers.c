/*
 * The table of triggers. Modules come and go under the loader's lock, so that there is one writer;
 * probes read at any time: an entry counts once its key is set.
 *
 * Refuses functions that the module does not have, and more than TARE_TRIGGERS_MAX at a time.
 */
#include "runtime/control/triggers.h"

#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/control/arming.h"
#include "runtime/control/control.h"

#include <fcntl.h>

#define READ_AT_ONCE 16

static struct trigger {
	uint64_t key; /* 0: free */
	const struct tare_module *module;
	enum tare_operation operation;
} triggers[TARE_TRIGGERS_MAX];
static uint32_t count; /* of the places that were ever in use */

static bool is_of(const struct tare_trigger *trigger, const struct tare_module *module)
{
	for (uint64_t i = 0; i < sizeof(module->source_id); i++)
		if (trigger->source_id[i] != module->source_id[i])
			return false;
	return trigger->function < module->function_count;
}

static void add(const struct tare_module *module, const struct tare_trigger *trigger)
{
	uint8_t *arm = (uint8_t *)((uint64_t)module + (uint64_t)module->arm_offset);
	uint32_t at = 0;

	while (at < count && triggers[at].key)
		at++;
	if (at == TARE_TRIGGERS_MAX)
		return;
	if (trigger->operation == TARE_START && !arming_keep(arm + trigger->function))
		return;
	triggers[at].module = module;
	triggers[at].operation = (enum tare_operation)trigger->operation;
	__atomic_store_n(&triggers[at].key,
			 (uint64_t)module - module->link_addr + trigger->link_addr,
			 __ATOMIC_RELEASE);
	if (at == count)
		__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
}

void triggers_add(const struct tare_module *module)
{
	struct tare_trigger some[READ_AT_ONCE];
	long got;

	if (!state_session.settings.triggers)
		return;
	const long fd = files_open(TARE_TRIGGERS_NAME, O_RDONLY);

	if (fd < 0)
		return;
	while ((got = kernel_call(SYS_read, fd, some, sizeof(some))) > 0)
		for (uint64_t i = 0; i < (uint64_t)got / sizeof(*some); i++)
			if (is_of(&some[i], module))
				add(module, &some[i]);
	kernel_call(SYS_close, fd);
}

void triggers_remove(const struct tare_module *module)
{
	for (uint32_t i = 0; i < count; i++)
		if (triggers[i].module == module)
			__atomic_store_n(&triggers[i].key, 0, __ATOMIC_RELEASE);
}

/* NULL: none; no key is 0. */
static const struct trigger *trigger_find(uint64_t key)
{
	const uint32_t present = __atomic_load_n(&count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; key && i < present; i++)
		if (__atomic_load_n(&triggers[i].key, __ATOMIC_ACQUIRE) == key)
			return &triggers[i];
	return NULL;
}

bool triggers_know(uint64_t key)
{
	return trigger_find(key) != NULL;
}

void triggers_meet(const struct accumulate_event *event)
{
	if (event->kind != TARE_EVENT_ENTER && event->kind != TARE_EVENT_CALL)
		return;
	const struct trigger *trigger = trigger_find(event->key);

	if (trigger)
		control_change_process(trigger->operation);
}
