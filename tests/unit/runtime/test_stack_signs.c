/*
 * Which stack an event lies on: what sigaltstack has said of the signal handlers' one, and the
 * frames of handlers themselves.
 */
#include "runtime/os/stack_signs.h"
#include "runtime/tree/accumulate.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

enum { ALTERNATE_BYTES = 16384 };

static unsigned char alternate[ALTERNATE_BYTES];
static struct accumulate_local local;
static struct tare_thread_file self;

static int set_up(void **state)
{
	(void)state;
	memset(&local, 0, sizeof(local));
	self = (struct tare_thread_file){.local = (uint64_t)&local};
	state_signal_stack = (struct state_stack){0};
	return 0;
}

/* The program is about to call sigaltstack. */
static void register_stack(int flags)
{
	struct {
		struct probes_registers registers;
		stack_t stack; /* as the kernel has it */
	} frame = {.registers = {.rax = SYS_sigaltstack},
		   .stack = {.ss_sp = alternate, .ss_flags = flags, .ss_size = ALTERNATE_BYTES}};

	frame.registers.rdi = (uint64_t)&frame.stack;
	stack_signs_note(&self, &frame.registers);
}

static enum stacks_sign sign_at(const unsigned char *place, struct stacks_signs *signs)
{
	const struct accumulate_event event = {.kind = TARE_EVENT_ENTER, .sp = (uint64_t)place};

	return stack_signs_sign(&self, &event, signs);
}

static void test_registered_stacks_are_nested(void **state)
{
	unsigned char elsewhere[64];
	struct stacks_signs signs;

	(void)state;
	assert_int_equal(sign_at(alternate + 8192, &signs), STACKS_UNKNOWN);
	register_stack(0);
	assert_int_equal(sign_at(alternate + 8192, &signs), STACKS_NESTED);
	assert_int_equal(signs.extent.low, (uint64_t)alternate);
	assert_int_equal(signs.interrupted, 0);
	assert_int_equal(sign_at(elsewhere, &signs), STACKS_UNKNOWN);
}

static void test_disabled_stacks_are_none(void **state)
{
	struct stacks_signs signs;

	(void)state;
	register_stack(0);
	register_stack(SS_DISABLE);
	assert_int_equal(sign_at(alternate + 8192, &signs), STACKS_UNKNOWN);
	/* Another flag is not that one. */
	register_stack((int)(1U << 31)); /* SS_AUTODISARM */
	assert_int_equal(sign_at(alternate + 8192, &signs), STACKS_NESTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_registered_stacks_are_nested, set_up),
		cmocka_unit_test_setup(test_disabled_stacks_are_none, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
