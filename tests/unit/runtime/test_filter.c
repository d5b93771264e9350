/* What system call filters say, against programs whose answer is known. */
#include "runtime/base/filter.h"

#include <linux/audit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#define RUN(data, ...)                                                                             \
	run((data), (const struct sock_filter[]){__VA_ARGS__},                                     \
	    sizeof((const struct sock_filter[]){__VA_ARGS__}) / sizeof(struct sock_filter))
#define DATA(member) ((uint32_t)offsetof(struct seccomp_data, member))

static const struct seccomp_data sample = {.nr = 39,
					   .arch = AUDIT_ARCH_X86_64,
					   .instruction_pointer = 0x700000001234ULL,
					   .args = {0xaabbccdd11223344ULL, 5}};

static uint32_t run(const struct seccomp_data *data, const struct sock_filter *code, size_t length)
{
	return filter_run(code, (uint32_t)length, data);
}

static void test_loads(void **state)
{
	(void)state;
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(nr)),
			     BPF_STMT(BPF_RET | BPF_A, 0)),
			 39);
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(args[0]) + 4),
			     BPF_STMT(BPF_RET | BPF_A, 0)),
			 0xaabbccdd);
	assert_int_equal(
		RUN(&sample, BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0), BPF_STMT(BPF_RET | BPF_A, 0)),
		64);
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_LDX | BPF_W | BPF_LEN, 0), BPF_STMT(BPF_STX, 3),
			     BPF_STMT(BPF_LD | BPF_IMM, 1), BPF_STMT(BPF_LD | BPF_MEM, 3),
			     BPF_STMT(BPF_RET | BPF_A, 0)),
			 64);
}

static void test_arithmetic(void **state)
{
	(void)state;
	assert_int_equal(
		RUN(&sample, BPF_STMT(BPF_LD | BPF_IMM, 100), BPF_STMT(BPF_LDX | BPF_IMM, 7),
		    BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0), BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 3),
		    BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 2), BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, 1),
		    BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_LD | BPF_IMM, 0),
		    BPF_STMT(BPF_MISC | BPF_TXA, 0), BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 5),
		    BPF_STMT(BPF_RET | BPF_A, 0)),
		(((100 - 7) * 3 << 2) ^ 1) / 5);
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_LD | BPF_IMM, 1), BPF_STMT(BPF_ALU | BPF_NEG, 0),
			     BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0),
			     BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 3),
			     BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 1),
			     BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 2), BPF_STMT(BPF_RET | BPF_A, 0)),
			 (0xf3 >> 1) + 2);
	for (uint32_t by = 0; by < 32; by++)
		assert_int_equal(
			RUN(&sample, BPF_STMT(BPF_LD | BPF_IMM, 0x80000001),
			    BPF_STMT(BPF_LDX | BPF_IMM, by), BPF_STMT(BPF_ALU | BPF_LSH | BPF_X, 0),
			    BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 16), BPF_STMT(BPF_RET | BPF_A, 0)),
			0x80000001 << by >> 16);
}

static uint32_t jumped(unsigned short operation, uint32_t value)
{
	return RUN(&sample, BPF_STMT(BPF_LD | BPF_IMM, value),
		   BPF_JUMP((unsigned short)(BPF_JMP | operation | BPF_K), 10, 1, 0),
		   BPF_STMT(BPF_RET | BPF_K, 0), BPF_STMT(BPF_RET | BPF_K, 1));
}

static void test_jumps(void **state)
{
	(void)state;
	assert_int_equal(jumped(BPF_JEQ, 10), 1);
	assert_int_equal(jumped(BPF_JEQ, 11), 0);
	assert_int_equal(jumped(BPF_JGT, 10), 0);
	assert_int_equal(jumped(BPF_JGT, 0xffffffff), 1);
	assert_int_equal(jumped(BPF_JGE, 10), 1);
	assert_int_equal(jumped(BPF_JSET, 2), 1);
	assert_int_equal(jumped(BPF_JSET, 5), 0);
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_JMP | BPF_JA, 1), BPF_STMT(BPF_RET | BPF_K, 0),
			     BPF_STMT(BPF_RET | BPF_K, 2)),
			 2);
}

static void test_what_the_kernel_refuses(void **state)
{
	(void)state;
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_LD | BPF_IMM, 1)), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64),
			     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)),
			 SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2),
			     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)),
			 SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_JMP | BPF_JA, 0xffffffff),
			     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)),
			 SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(RUN(&sample, BPF_STMT(BPF_LD | BPF_MEM, 16),
			     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)),
			 SECCOMP_RET_KILL_PROCESS);
}

static void add(uint32_t number, uint32_t then, uint32_t otherwise)
{
	const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, DATA(nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, then),
		BPF_STMT(BPF_RET | BPF_K, otherwise),
	};
	struct filter *filter = malloc(sizeof(*filter) + sizeof(code));

	filter->length = sizeof(code) / sizeof(code[0]);
	__builtin_memcpy(filter->code, code, sizeof(code));
	filter_add(filter);
}

/* All filters have to allow a call; logging it, too, would be noticed. */
static void test_several_filters(void **state)
{
	const long none[6] = {0};

	(void)state;
	assert_true(filter_permits(SYS_getpid, none));
	add(SYS_getpid, SECCOMP_RET_LOG, SECCOMP_RET_ALLOW);
	assert_false(filter_permits(SYS_getpid, none));
	assert_true(filter_permits(SYS_gettid, none));
	add(SYS_read, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | 1);
	assert_true(filter_permits(SYS_read, none));
	assert_false(filter_permits(SYS_gettid, none));
	add(SYS_write, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_THREAD);
	assert_false(filter_permits(SYS_read, none));
	assert_false(filter_permits(SYS_write, none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_what_the_kernel_refuses),
		cmocka_unit_test(test_several_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
