/*
 *   CALL event ─▶ its target is an entry of a linkage table ─▶ among the last ADAPT_IMPORTS
 *   any event  ─▶ bound since? ─▶ to a function that is counted ─▶ disarmed
 *                             └▶ to any other                   ─▶ forgotten
 *
 * Refuses nothing: a site that is forgotten too early goes as others do (looks.h).
 */
#include "runtime/control/imports.h"

#include "runtime/base/arming_lock.h"
#include "runtime/base/bytes.h"
#include "runtime/base/stub.h"
#include "runtime/control/disarmed.h"
#include "runtime/os/os_flag.h"

/* Behind an endbr64, if there is one. */
static const uint8_t *code_at(uint64_t addr)
{
	const uint8_t *code = (const uint8_t *)addr;

	return code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa ? code + 4
											: code;
}

/* Where the next call of a linkage table's entry leads: [bnd] jmp *slot(%rip); 0: it is none. */
static uint64_t target_of(uint64_t entry)
{
	const uint8_t *code = code_at(entry);

	code += code[0] == 0xf2;
	if (code[0] != 0xff || code[1] != 0x25)
		return 0;
	return *(const uint64_t *)(code + 6 + *(const int32_t *)(code + 2));
}

/* To the loader, which a number is pushed for. */
static bool is_unbound(uint64_t target)
{
	return code_at(target)[0] == 0x68;
}

static void meet(struct adapt_local *local, const struct accumulate_event *event)
{
	if (event->kind != TARE_EVENT_CALL || !event->stub || !target_of(event->key))
		return;
	if (!local->imports_met)
		memset(local->imports, 0, sizeof(local->imports));
	local->imports[local->imports_met++ % ADAPT_IMPORTS] = event->stub;
}

/* Returns whether a byte was cleared. */
static bool look(uint64_t *stub)
{
	const uint64_t entry = stub_addr(*stub, 0), target = target_of(entry);

	if (!target || !is_unbound(target)) {
		const uint64_t arm = stub_addr(*stub, 1);

		*stub = 0;
		return target && disarmed_now(target) && disarmed_add(entry, arm, 1);
	}
	return false;
}

bool imports_look(struct adapt_local *local, const struct accumulate_event *event)
{
	bool cleared = false;

	meet(local, event);
	if (!local->imports_met || !arming_lock())
		return false;
	const bool known = os_flag_stubs_known();
	bool any = false;

	for (uint32_t i = 0; known && i < ADAPT_IMPORTS; i++) {
		cleared |= local->imports[i] && look(&local->imports[i]);
		any |= local->imports[i] != 0;
	}
	arming_unlock();
	if (known && !any)
		local->imports_met = 0;
	return cleared;
}
