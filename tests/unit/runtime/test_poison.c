/*
 * The poison handlers by themselves: what they give back, and what they leave scrambled.
 */
#include "../../support/poison_calls.h"

#include <cpuid.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
	TRIES = 400,
	ARITHMETIC = 0x8d5,
	DIRECTION = 0x400,
	ALIGNMENT_CHECK = 0x40000,
	/* In an XSAVE area. */
	X87_CONTROL = 0,
	X87_REGISTERS = 32,
	XMM_REGISTERS = 160,
	SSE_CONTROL = 24,
	LEGACY_BYTES = 416,
	STATE_PRESENT = 512,
};

_Static_assert(offsetof(struct poison_state, registers) == POISON_OFF_REGISTERS, "");
_Static_assert(offsetof(struct poison_state, below) == POISON_OFF_BELOW, "");

static struct poison_state state_before, state_after;

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* The part of XCR0 that handlers scramble; 0 without XSAVE. */
static uint64_t vector_mask(void)
{
	uint32_t a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return a & 0xe7;
}

struct component {
	uint32_t offset, size;
};

static struct component component(unsigned number)
{
	struct component found;
	uint32_t c, d;

	__cpuid_count(0xd, number, found.size, found.offset, c, d);
	return found;
}

static void fill_bytes(uint8_t *at, size_t size, uint64_t *seed)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(next_random(seed) >> 32);
}

/* All components present, with anything in their registers, and exceptions masked. */
static void fill_vectors(uint8_t *area, uint64_t mask, uint64_t *seed)
{
	const uint16_t x87 = 0x37f;
	const uint32_t sse = 0x1f80 | (next_random(seed) & 0x6000);

	memset(area, 0, POISON_VECTOR_BYTES);
	memcpy(area + X87_CONTROL, &x87, sizeof(x87));
	memcpy(area + SSE_CONTROL, &sse, sizeof(sse));
	area[4] = (uint8_t)next_random(seed); /* which x87 registers are in use */
	for (size_t i = 0; i < 8; i++)
		fill_bytes(area + X87_REGISTERS + 16 * i, 10, seed);
	fill_bytes(area + XMM_REGISTERS, 256, seed);
	for (unsigned number = 2; number < 8; number++) {
		if (!(mask >> number & 1))
			continue;
		const struct component part = component(number);
		assert_true(part.offset + part.size <= POISON_VECTOR_BYTES);
		fill_bytes(area + part.offset, part.size, seed);
	}
	memcpy(area + STATE_PRESENT, &mask, sizeof(mask));
}

static void check_vectors(uint64_t mask)
{
	assert_memory_equal(state_after.vectors, state_before.vectors, 8);
	assert_memory_equal(state_after.vectors + SSE_CONTROL, state_before.vectors + SSE_CONTROL,
			    4);
	assert_memory_equal(state_after.vectors + X87_REGISTERS,
			    state_before.vectors + X87_REGISTERS, LEGACY_BYTES - X87_REGISTERS);
	for (unsigned number = 2; number < 8; number++) {
		if (!(mask >> number & 1))
			continue;
		const struct component part = component(number);
		assert_memory_equal(state_after.vectors + part.offset,
				    state_before.vectors + part.offset, part.size);
	}
}

/* `above`: words that the stub pushed, which it drops. */
static void check_stack(size_t above)
{
	for (size_t i = 0; i < POISON_BELOW; i++)
		assert_int_not_equal(state_after.below[i], POISON_MARK);
	for (size_t i = 0; i < POISON_ABOVE; i++) {
		if (i < above)
			assert_int_not_equal(state_after.above[i], POISON_MARK);
		else
			assert_int_equal(state_after.above[i], POISON_MARK);
	}
}

static void check(void (*handler)(void), size_t above)
{
	uint64_t seed = UINT64_C(88172645463325252);
	const uint64_t mask = vector_mask();
	int set = 0, clear = 0;

	if (!mask)
		print_message("without vector state: the processor has no XSAVE\n");
	for (int i = 0; i < TRIES; i++) {
		memset(&state_after, 0, sizeof(state_after));
		fill_vectors(state_before.vectors, mask, &seed);
		for (size_t k = 0; k < POISON_REGISTERS; k++)
			state_before.registers[k] = next_random(&seed);
		state_before.flags =
			0x202 | (next_random(&seed) & (ARITHMETIC | DIRECTION | ALIGNMENT_CHECK));
		poison_observe(handler, &state_before, &state_after, mask);
		assert_memory_equal(state_after.registers, state_before.registers,
				    sizeof(state_before.registers));
		check_stack(above);
		if (mask)
			check_vectors(mask);
		assert_int_equal(state_after.flags & ~(uint64_t)ARITHMETIC,
				 state_before.flags & ~(uint64_t)ARITHMETIC);
		set += (state_after.flags & ARITHMETIC) == ARITHMETIC;
		clear += (state_after.flags & ARITHMETIC) == 0;
	}
	assert_int_equal(set + clear, TRIES);
	assert_in_range(set, TRIES / 4, TRIES * 3 / 4);
}

static void keeps_and_scrambles(void **state)
{
	(void)state;
	check(tare_poison, 0);
}

static void scrambles_the_pushed_target(void **state)
{
	(void)state;
	check(tare_poison_call_indirect, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_and_scrambles),
		cmocka_unit_test(scrambles_the_pushed_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
