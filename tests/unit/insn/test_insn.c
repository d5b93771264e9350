/* insn: kinds, register and flag effects, and re-encoded operands. */
#include "insn/format.h"
#include "insn/insn.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define DECODE(...)                                                                                \
	decode((const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}))

static struct insn decode(const unsigned char *bytes, size_t size)
{
	struct insn insn;

	assert_true(insn_decode(bytes, size, 0x1000, &insn));
	assert_int_equal(insn.length, size);
	return insn;
}

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(DECODE(0x90).kind, INSN_PLAIN);
	assert_int_equal(DECODE(0x74, 0x10).kind, INSN_BRANCH);
	assert_int_equal(DECODE(0x0f, 0x84, 0, 1, 0, 0).kind, INSN_BRANCH);
	assert_int_equal(DECODE(0xe2, 0xfe).kind, INSN_LOOP);
	assert_int_equal(DECODE(0xe3, 0x05).kind, INSN_LOOP);
	assert_int_equal(DECODE(0xeb, 0x05).kind, INSN_JUMP);
	assert_int_equal(DECODE(0xff, 0xe0).kind, INSN_JUMP_INDIRECT);
	assert_int_equal(DECODE(0x3e, 0xff, 0xe0).kind, INSN_JUMP_INDIRECT);
	assert_int_equal(DECODE(0xe8, 0, 0, 0, 0).kind, INSN_CALL);
	assert_int_equal(DECODE(0xff, 0xd0).kind, INSN_CALL_INDIRECT);
	assert_int_equal(DECODE(0xc3).kind, INSN_RETURN);
	assert_int_equal(DECODE(0xf3, 0xc3).kind, INSN_RETURN);
	assert_int_equal(DECODE(0xc2, 0x10, 0).kind, INSN_RETURN);
	assert_int_equal(DECODE(0x0f, 0x0b).kind, INSN_TRAP);
	assert_int_equal(DECODE(0xf4).kind, INSN_TRAP);
	assert_int_equal(DECODE(0x0f, 0x01, 0xd5).kind, INSN_PLAIN);	   /* xend */
	assert_int_equal(DECODE(0xc7, 0xf8, 0, 0, 0, 0).kind, INSN_PLAIN); /* xbegin */
	assert_true(DECODE(0x0f, 0x05).is_syscall);
	assert_true(DECODE(0xf3, 0x0f, 0x1e, 0xfa).is_endbr);
	assert_true(DECODE(0x66, 0x0f, 0x1f, 0x44, 0, 0).is_nop);
	assert_true(DECODE(0xf0, 0x0f, 0xb1, 0x17).prefix_lock);
}

static void test_uses_of_gs(void **state)
{
	(void)state;
	assert_true(DECODE(0x65, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0).uses_gs);
	assert_true(DECODE(0x8e, 0xe8).uses_gs);		   /* mov %eax,%gs */
	assert_true(DECODE(0x8c, 0xe8).uses_gs);		   /* mov %gs,%eax */
	assert_true(DECODE(0x0f, 0xa8).uses_gs);		   /* push %gs */
	assert_true(DECODE(0xf3, 0x48, 0x0f, 0xae, 0xd8).uses_gs); /* wrgsbase %rax */
	assert_true(DECODE(0xf3, 0x48, 0x0f, 0xae, 0xc8).uses_gs); /* rdgsbase %rax */
	assert_true(DECODE(0x0f, 0xb5, 0x00).uses_gs);		   /* lgs (%rax),%eax */
	assert_false(DECODE(0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0).uses_gs);
	assert_false(DECODE(0x8e, 0xc0).uses_gs);		    /* mov %eax,%es */
	assert_false(DECODE(0xf3, 0x48, 0x0f, 0xae, 0xd0).uses_gs); /* wrfsbase %rax */
	assert_false(DECODE(0x48, 0x8b, 0x07).uses_gs);
}

static void test_refused(void **state)
{
	struct insn insn;
	static const unsigned char far_jump[] = {0xff, 0x28};
	static const unsigned char eip_relative[] = {0x67, 0x8b, 0x05, 0, 0, 0, 0};
	static const unsigned char truncated[] = {0xe8, 0, 0};
	static const unsigned char invalid[] = {0x06};

	(void)state;
	assert_false(insn_decode(far_jump, sizeof(far_jump), 0, &insn));
	assert_false(insn_decode(eip_relative, sizeof(eip_relative), 0, &insn));
	assert_false(insn_decode(truncated, sizeof(truncated), 0, &insn));
	assert_false(insn_decode(invalid, sizeof(invalid), 0, &insn));
}

static void test_targets(void **state)
{
	(void)state;
	assert_int_equal(DECODE(0x74, 0x10).target, 0x1012);
	assert_int_equal(DECODE(0xe8, 0xfb, 0xff, 0xff, 0xff).target, 0x1000);
	const struct insn lea = DECODE(0x48, 0x8d, 0x05, 0x10, 0, 0, 0);
	assert_true(lea.is_lea);
	assert_int_equal(lea.rip_offset, 3);
	assert_int_equal(lea.target, 0x1017);
	const struct insn compare = DECODE(0x83, 0x3d, 0x10, 0, 0, 0, 0x01);
	assert_int_equal(compare.rip_offset, 2);
	assert_int_equal(compare.target, 0x1017);
	assert_int_equal(DECODE(0xff, 0xe1).jump_register, REG_RCX);
	assert_int_equal(DECODE(0x41, 0xff, 0xe3).jump_register, REG_R11);
}

static void test_registers(void **state)
{
	(void)state;
	const struct insn move = DECODE(0x89, 0xc8); /* mov %ecx,%eax */
	assert_int_equal(move.reads, REG_BIT(REG_RCX));
	assert_int_equal(move.writes, REG_BIT(REG_RAX));
	const struct insn byte = DECODE(0x88, 0xc8); /* mov %cl,%al keeps the rest of rax */
	assert_int_equal(byte.reads, REG_BIT(REG_RCX) | REG_BIT(REG_RAX));
	assert_int_equal(byte.writes, 0);
	const struct insn word = DECODE(0x66, 0x89, 0xc8); /* mov %cx,%ax, likewise */
	assert_int_equal(word.reads, REG_BIT(REG_RCX) | REG_BIT(REG_RAX));
	assert_int_equal(word.writes, 0);
	const struct insn both = DECODE(0x31, 0xc8); /* xor %ecx,%eax */
	assert_int_equal(both.reads, REG_BIT(REG_RCX) | REG_BIT(REG_RAX));
	assert_int_equal(both.writes, REG_BIT(REG_RAX));
	const struct insn zero = DECODE(0x31, 0xc0); /* xor %eax,%eax */
	assert_int_equal(zero.reads, 0);
	assert_int_equal(zero.writes, REG_BIT(REG_RAX));
	const struct insn cmov = DECODE(0x48, 0x0f, 0x44, 0xc1); /* cmove %rcx,%rax */
	assert_int_equal(cmov.reads, REG_BIT(REG_RCX) | REG_BIT(REG_RAX));
	assert_int_equal(cmov.writes, 0);
	const struct insn load = DECODE(0x49, 0x8b, 0x04, 0xc8); /* mov (%r8,%rcx,8),%rax */
	assert_int_equal(load.reads, REG_BIT(REG_R8) | REG_BIT(REG_RCX));
}

static void test_flags(void **state)
{
	(void)state;
	assert_int_equal(DECODE(0x39, 0xc8).flags_written, FLAGS_ALL); /* cmp */
	assert_int_equal(DECODE(0x39, 0xc8).flags_read, 0);
	assert_int_equal(DECODE(0x11, 0xc8).flags_read, FLAG_CARRY);		     /* adc */
	assert_int_equal(DECODE(0xff, 0xc0).flags_written, FLAGS_ALL & ~FLAG_CARRY); /* inc */
	assert_int_equal(DECODE(0xd3, 0xe0).flags_written, 0); /* shl %cl may change nothing */
	assert_int_equal(DECODE(0xc1, 0xef, 0x03).flags_written, FLAGS_ALL); /* shr $3,%edi */
	/* shr $32,%edi is none, shr $32,%rdi is one */
	assert_int_equal(DECODE(0xc1, 0xef, 0x20).flags_written, 0);
	assert_int_equal(DECODE(0x48, 0xc1, 0xef, 0x20).flags_written, FLAGS_ALL);
	assert_int_equal(DECODE(0x48, 0xc1, 0xef, 0x40).flags_written, 0);
	assert_int_equal(DECODE(0xd1, 0xf8).flags_written, FLAGS_ALL); /* sar %eax */
	assert_int_equal(DECODE(0xd0, 0xf8).flags_written, FLAGS_ALL); /* sar %al */
	assert_int_equal(DECODE(0xc1, 0xc0, 0x05).flags_written & ~FLAG_OVERFLOW,
			 FLAG_CARRY);				     /* rol $5,%eax */
	assert_int_equal(DECODE(0xc0, 0xd0, 0x09).flags_written, 0); /* rcl $9,%al is none */
	assert_int_equal(DECODE(0x0f, 0xa4, 0xd0, 0x04).flags_written, FLAGS_ALL); /* shld $4 */
	assert_int_equal(DECODE(0x0f, 0xa5, 0xd0).flags_written, 0);		   /* shld %cl */
	assert_int_equal(DECODE(0xf3, 0xa6).flags_written, 0);	 /* repe cmpsb, too */
	assert_int_equal(DECODE(0xa6).flags_written, FLAGS_ALL); /* cmpsb */
	assert_int_equal(DECODE(0x0f, 0xba, 0xe0, 0x01).flags_written & (FLAG_CARRY | FLAG_ZERO),
			 FLAG_CARRY); /* bt */
	assert_int_equal(DECODE(0x74, 0x00).flags_read, FLAG_ZERO);
	assert_int_equal(DECODE(0x76, 0x00).flags_read, FLAG_ZERO | FLAG_CARRY); /* jbe */
	assert_int_equal(DECODE(0x0f, 0x05).flags_written, 0);			 /* syscall */
	assert_int_equal(DECODE(0x9c).flags_read, FLAGS_ALL);			 /* pushf */
	assert_int_equal(DECODE(0x48, 0x8d, 0x04, 0x08).flags_written, 0);	 /* lea */
}

struct reuse {
	unsigned char bytes[16];
	size_t size;
	struct insn_operation operation;
	unsigned char expected[16];
	size_t expected_size;
};

#define PUSH                                                                                       \
	{                                                                                          \
		.opcode = 0xff, .reg = 6                                                           \
	}
#define SUB(register)                                                                              \
	{                                                                                          \
		.opcode = 0x2b, .reg = (register), .wide = true                                    \
	}

static const struct reuse reuses[] = {
	/* call -> push */
	{{0xff, 0xd0}, 2, PUSH, {0xff, 0xf0}, 2},
	{{0x41, 0xff, 0xd4}, 3, PUSH, {0x41, 0xff, 0xf4}, 3},
	{{0xff, 0x53, 0x08}, 3, PUSH, {0xff, 0x73, 0x08}, 3},
	{{0xff, 0x54, 0x24, 0x08}, 4, PUSH, {0xff, 0x74, 0x24, 0x08}, 4},
	{{0xff, 0x15, 1, 2, 3, 4}, 6, PUSH, {0xff, 0x35, 1, 2, 3, 4}, 6},
	{{0x64, 0xff, 0x14, 0x25, 0x10, 0, 0, 0},
	 8,
	 PUSH,
	 {0x64, 0xff, 0x34, 0x25, 0x10, 0, 0, 0},
	 8},
	{{0x3e, 0xff, 0xd0}, 3, PUSH, {0xff, 0xf0}, 2},
	/* jmp -> sub */
	{{0xff, 0x24, 0xc2}, 3, SUB(REG_R11), {0x4c, 0x2b, 0x1c, 0xc2}, 4},
	{{0x41, 0xff, 0xe2}, 3, SUB(REG_RAX), {0x49, 0x2b, 0xc2}, 3},
};

static void test_reuse(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(reuses) / sizeof(*reuses); i++) {
		const struct reuse *reuse = &reuses[i];
		const struct insn insn = decode(reuse->bytes, reuse->size);
		unsigned char out[24];
		size_t rip_offset;
		const size_t length =
			insn_reuse_operand(reuse->bytes, &insn, reuse->operation, out, &rip_offset);
		assert_int_equal(length, reuse->expected_size);
		assert_memory_equal(out, reuse->expected, length);
		assert_int_equal(rip_offset != 0, insn.rip_offset != 0);
	}
}

static void test_describe(void **state)
{
	struct insn_detail detail;
	static const unsigned char read[] = {0x48, 0x63, 0x04,
					     0x81};		 /* movslq (%rcx,%rax,4),%rax */
	static const unsigned char bound[] = {0x80, 0xf9, 0xf0}; /* cmp $0xf0,%cl */
	static const unsigned char jump[] = {0xff, 0x24, 0xc5, 0,
					     0x10, 0x40, 0}; /* jmp *0x401000(,%rax,8) */

	(void)state;
	struct insn insn = decode(read, sizeof(read));
	assert_true(insn_describe(read, &insn, &detail));
	assert_int_equal(detail.form, INSN_FORM_MOVSXD);
	assert_int_equal(detail.destination, REG_RAX);
	assert_int_equal(detail.memory.base, REG_RCX);
	assert_int_equal(detail.memory.index, REG_RAX);
	assert_int_equal(detail.memory.scale, 4);
	insn = decode(bound, sizeof(bound));
	assert_true(insn_describe(bound, &insn, &detail));
	assert_int_equal(detail.form, INSN_FORM_CMP_IMM);
	assert_int_equal(detail.immediate, 0xf0);
	insn = decode(jump, sizeof(jump));
	assert_true(insn_describe(jump, &insn, &detail));
	assert_int_equal(detail.form, INSN_FORM_JUMP_MEM);
	assert_int_equal(detail.memory.base, REG_NONE);
	assert_int_equal(detail.memory.disp, 0x401000);
}

/* xorshift: the same bytes in each run. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * What was decoded before does not change what an instruction is: with fewer bytes than are looked
 * up the same instruction is decoded anew. First bytes are drawn from a few, so that most are met
 * again with other displacements and immediates.
 */
static void test_met_before(void **state)
{
	static const unsigned char firsts[] = {0x48, 0x4c, 0x41, 0x0f, 0x66, 0xf2, 0xf3, 0x64,
					       0x67, 0x89, 0x8b, 0x8d, 0x83, 0xc1, 0xff, 0xe8,
					       0x75, 0xeb, 0xc7, 0x31, 0x29, 0xa8, 0xb6, 0xaf,
					       0x05, 0x24, 0x1f, 0x90, 0xe2, 0xc5, 0xf0, 0x62};
	uint64_t random = 0x2545f4914f6cdd1d;
	unsigned same = 0;

	(void)state;
	for (int i = 0; i < 400000; i++) {
		unsigned char bytes[16];
		struct insn met, anew;
		uint64_t value = next_random(&random);

		memcpy(bytes, &value, sizeof(value));
		memcpy(bytes + 8, &value, sizeof(value));
		for (int k = 0; k < 4; k++)
			bytes[k] = firsts[bytes[k] % sizeof(firsts)];
		if (!insn_decode(bytes, sizeof(bytes), 0x1000, &met)) {
			assert_false(insn_decode(bytes, 7, 0x1000, &anew));
			continue;
		}
		if (met.length > 7)
			continue;
		assert_true(insn_decode(bytes, 7, 0x1000, &anew));
		assert_memory_equal(&met, &anew, sizeof(met));
		same++;
	}
	assert_true(same > 100000);
}

/* An instruction of ten bytes that was met before, of which only nine are there now. */
static void test_met_before_whole(void **state)
{
	static const unsigned char bytes[16] = {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0x90};
	struct insn insn;

	(void)state;
	assert_true(insn_decode(bytes, sizeof(bytes), 0x1000, &insn));
	assert_int_equal(insn.length, 10);
	assert_true(insn_decode(bytes, 10, 0x1000, &insn));
	assert_false(insn_decode(bytes, 9, 0x1000, &insn));
}

/* Arithmetic of a register and memory: 1,792 descriptions, each met with many displacements. */
static uintptr_t count_wrong(void)
{
	uintptr_t wrong = 0;

	for (unsigned i = 0; i < 1 << 16; i++) {
		const unsigned operation = i & 7, low = i >> 3 & 7, base = i >> 6 & 7;
		const unsigned high = i >> 9 & 1, high_base = i >> 10 & 1;
		if (base == REG_RSP)
			continue; /* another form */
		const unsigned char bytes[8] = {(unsigned char)(0x48 | high << 2 | high_base),
						(unsigned char)(operation << 3 | 1),
						(unsigned char)(0x80 | low << 3 | base),
						(unsigned char)(i >> 8)};
		const unsigned registers = REG_BIT(low + 8 * high) | REG_BIT(base + 8 * high_base);
		struct insn insn;
		wrong += !insn_decode(bytes, sizeof(bytes), i, &insn) || insn.length != 7 ||
			 insn.addr != i || insn.reads != registers || insn.writes;
	}
	return wrong;
}

static void *decode_much(void *context)
{
	(void)context;
	return (void *)(count_wrong() + count_wrong());
}

/* At the same time, and one after the other: threads that end leave what they remember. */
static void test_threads(void **state)
{
	(void)state;
	for (int round = 0; round < 8; round++) {
		pthread_t threads[4];
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, decode_much, NULL), 0);
		for (size_t i = 0; i < 4; i++) {
			void *wrong;
			assert_int_equal(pthread_join(threads[i], &wrong), 0);
			assert_null(wrong);
		}
	}
	assert_int_equal(count_wrong(), 0);
}

static bool name_of(void *context, uint64_t addr, char *text, size_t size)
{
	(void)context;
	return addr == 0x1105 && snprintf(text, size, "main+0x5") > 0;
}

#define FORMAT(text, syntax, ...)                                                                  \
	insn_format(&(const struct insn_format){syntax, name_of, NULL},                            \
		    (struct insn_code){(const unsigned char[]){__VA_ARGS__},                       \
				       sizeof((const unsigned char[]){__VA_ARGS__}), 0x1000},      \
		    text, sizeof(text))

static void test_format(void **state)
{
	char text[256], little[8];

	(void)state;
	assert_int_equal(FORMAT(text, INSN_ATT, 0xe8, 0, 1, 0, 0), 5);
	assert_string_equal(text, "call 0x1105 <main+0x5>");
	assert_int_equal(FORMAT(text, INSN_INTEL, 0x74, 0x10), 2);
	assert_string_equal(text, "jz 0x1012");
	assert_int_equal(FORMAT(text, INSN_INTEL, 0x48, 0x8b, 0x05, 0xfe, 0, 0, 0), 7);
	assert_string_equal(text, "mov rax, [rip+0xfe] # 0x1105 <main+0x5>");
	assert_int_equal(FORMAT(text, INSN_ATT, 0x48, 0x8b, 0x05, 0xfe, 0, 0, 0, 0x90), 7);
	assert_string_equal(text, "mov 0xfe(%rip), %rax # 0x1105 <main+0x5>");
	assert_int_equal(FORMAT(text, INSN_ATT, 0xc7, 0x04, 0x98, 1, 0, 0, 0), 7);
	assert_string_equal(text, "movl $0x1, (%rax,%rbx,4)");
	assert_int_equal(FORMAT(text, INSN_INTEL, 0x06, 0x90), 1);
	assert_string_equal(text, "(bad)");
	assert_int_equal(FORMAT(text, INSN_ATT, 0xe8, 0), 1);
	assert_string_equal(text, "(bad)");
	assert_int_equal(FORMAT(little, INSN_ATT, 0xe8, 0, 1, 0, 0), 5);
	assert_string_equal(little, "call 0x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),	   cmocka_unit_test(test_uses_of_gs),
		cmocka_unit_test(test_refused),	   cmocka_unit_test(test_targets),
		cmocka_unit_test(test_registers),  cmocka_unit_test(test_flags),
		cmocka_unit_test(test_reuse),	   cmocka_unit_test(test_describe),
		cmocka_unit_test(test_met_before), cmocka_unit_test(test_met_before_whole),
		cmocka_unit_test(test_threads),	   cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
