/*
 * Running classic BPF as the kernel does for seccomp: words of struct seccomp_data, an accumulator,
 * an index, 16 words of memory, jumps forward only, so that every run ends.
 */
#include "runtime/base/filter.h"

#include "runtime/base/bytes.h"

#include <linux/audit.h>

#define REFUSED SECCOMP_RET_KILL_PROCESS

const struct filter *filter_newest;

struct machine {
	uint32_t accumulator, index, memory[BPF_MEMWORDS];
	const struct seccomp_data *data;
};

static bool word_load(const struct machine *machine, uint32_t offset, uint32_t *word)
{
	if (offset % 4 || offset >= sizeof(*machine->data))
		return false;
	memcpy(word, (const char *)machine->data + offset, sizeof(*word));
	return true;
}

static bool value_load(const struct machine *machine, const struct sock_filter *at, uint32_t *value)
{
	switch (BPF_MODE(at->code)) {
	case BPF_IMM:
		*value = at->k;
		return true;
	case BPF_ABS:
		return BPF_CLASS(at->code) == BPF_LD && word_load(machine, at->k, value);
	case BPF_LEN:
		*value = sizeof(*machine->data);
		return true;
	case BPF_MEM:
		if (at->k < BPF_MEMWORDS)
			*value = machine->memory[at->k];
		return at->k < BPF_MEMWORDS;
	default:
		return false;
	}
}

static bool compute(struct machine *machine, const struct sock_filter *at)
{
	const uint32_t operand = BPF_SRC(at->code) == BPF_X ? machine->index : at->k;
	uint32_t *result = &machine->accumulator;

	switch (BPF_OP(at->code)) {
	case BPF_ADD:
		*result += operand;
		return true;
	case BPF_SUB:
		*result -= operand;
		return true;
	case BPF_MUL:
		*result *= operand;
		return true;
	case BPF_DIV:
		*result = operand ? *result / operand : 0;
		return true;
	case BPF_AND:
		*result &= operand;
		return true;
	case BPF_OR:
		*result |= operand;
		return true;
	case BPF_XOR:
		*result ^= operand;
		return true;
	case BPF_LSH:
		*result <<= operand & 31;
		return true;
	case BPF_RSH:
		*result >>= operand & 31;
		return true;
	case BPF_NEG:
		*result = 0 - *result;
		return true;
	default:
		return false;
	}
}

/* How many instructions are skipped; false for an operation that does not exist. */
static bool jump(const struct machine *machine, const struct sock_filter *at, uint32_t *skipped)
{
	const uint32_t operand = BPF_SRC(at->code) == BPF_X ? machine->index : at->k;
	const uint32_t value = machine->accumulator;
	bool taken;

	switch (BPF_OP(at->code)) {
	case BPF_JA:
		*skipped = at->k;
		return true;
	case BPF_JEQ:
		taken = value == operand;
		break;
	case BPF_JGT:
		taken = value > operand;
		break;
	case BPF_JGE:
		taken = value >= operand;
		break;
	case BPF_JSET:
		taken = (value & operand) != 0;
		break;
	default:
		return false;
	}
	*skipped = taken ? at->jt : at->jf;
	return true;
}

static bool store(struct machine *machine, const struct sock_filter *at, uint32_t value)
{
	if (at->k >= BPF_MEMWORDS)
		return false;
	machine->memory[at->k] = value;
	return true;
}

/* One instruction that is no return. */
static bool step(struct machine *machine, const struct sock_filter *at, uint32_t *skipped)
{
	switch (BPF_CLASS(at->code)) {
	case BPF_LD:
		return value_load(machine, at, &machine->accumulator);
	case BPF_LDX:
		return value_load(machine, at, &machine->index);
	case BPF_ST:
		return store(machine, at, machine->accumulator);
	case BPF_STX:
		return store(machine, at, machine->index);
	case BPF_ALU:
		return compute(machine, at);
	case BPF_JMP:
		return jump(machine, at, skipped);
	case BPF_MISC:
		if (BPF_MISCOP(at->code) == BPF_TAX)
			machine->index = machine->accumulator;
		else
			machine->accumulator = machine->index;
		return true;
	default:
		return false;
	}
}

uint32_t filter_run(const struct sock_filter *code, uint32_t length,
		    const struct seccomp_data *data)
{
	struct machine machine = {.data = data};

	for (uint32_t at = 0; at < length; at++) {
		uint32_t skipped = 0;

		if (BPF_CLASS(code[at].code) == BPF_RET)
			return BPF_RVAL(code[at].code) == BPF_A ? machine.accumulator : code[at].k;
		if (!step(&machine, &code[at], &skipped) || skipped >= length - at)
			return REFUSED;
		at += skipped;
	}
	return REFUSED;
}

void filter_add(struct filter *filter)
{
	filter->earlier = __atomic_load_n(&filter_newest, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&filter_newest, &filter->earlier, filter, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

bool filter_allows(const struct filter *filter, long number, const long arguments[6])
{
	struct seccomp_data data = {.nr = (int)number,
				    .arch = AUDIT_ARCH_X86_64,
				    .instruction_pointer = (uint64_t)filter_permits};

	for (int i = 0; i < 6 && arguments; i++)
		data.args[i] = (uint64_t)arguments[i];
	return (filter_run(filter->code, filter->length, &data) & SECCOMP_RET_ACTION_FULL) ==
	       SECCOMP_RET_ALLOW;
}

bool filter_permits(long number, const long arguments[6])
{
	for (const struct filter *filter = filter_newest; filter; filter = filter->earlier)
		if (!filter_allows(filter, number, arguments))
			return false;
	return true;
}
