/*
 * runtime/timer_walk: stacks from asynchronous signals against those of the compiler's own
 * unwinder, registers that make no sense, rules that come and go, and system calls that are not to
 * be had.
 */
#include "runtime/base/filter.h"
#include "runtime/timer/timer_walk.h"
#include "unwind/build.h"

#include <execinfo.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include <cmocka.h>

enum { FRAMES = 1200, WORK_MS = 800 };

static struct timer_walker walker;
static uint64_t frames[TARE_TIMER_FRAMES_MAX];
static volatile sig_atomic_t samples, differences, incomplete;
static volatile long sink;

/* ---- the files of this process ---- */

static int add_file(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *path = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
	const bool is_vdso = info->dlpi_addr == getauxval(AT_SYSINFO_EHDR);
	struct unwind_build_statistics statistics;
	struct error err;
	uint64_t begin = UINT64_MAX, end = 0;

	(void)size;
	(void)context;
	struct object *object = is_vdso ? object_open_bytes((const void *)info->dlpi_addr, 8192,
							    "vdso", OBJECT_UNWIND, &err)
					: object_open(path, OBJECT_UNWIND, &err);
	if (!object)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const uint64_t low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		begin = low < begin ? low : begin;
		end = low + info->dlpi_phdr[i].p_memsz > end ? low + info->dlpi_phdr[i].p_memsz
							     : end;
	}
	assert_true(timer_map_put(begin, end, info->dlpi_addr,
				  unwind_table_build(object, UNWIND_GAPS_FOLLOWED, &statistics)));
	object_close(object);
	return 0;
}

static int setup(void **state)
{
	void *first[1];

	(void)state;
	backtrace(first, 1); /* it loads a library */
	dl_iterate_phdr(add_file, NULL);
	return 0;
}

/* ---- work ---- */

static int compares(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) long deep(int depth)
{
	char text[64];
	int numbers[32];

	if (depth) {
		const long below = deep(depth - 1);
		return below + sink;
	}
	for (int i = 0; i < 32; i++)
		numbers[i] = (i * 7919) % 101;
	qsort(numbers, 32, sizeof(*numbers), compares);
	return snprintf(text, sizeof(text), "%d %f", numbers[3], (double)numbers[5]);
}

static void work(int milliseconds)
{
	const clock_t end = clock() + (clock_t)milliseconds * CLOCKS_PER_SEC / 1000;

	for (int depth = 0; clock() < end; depth = (depth + 1) % 400)
		sink += deep(depth);
}

static struct unwind_registers registers_of(const ucontext_t *context)
{
	const greg_t *from = context->uc_mcontext.gregs;

	return (struct unwind_registers){
		.value = {(uint64_t)from[REG_RAX], (uint64_t)from[REG_RDX], (uint64_t)from[REG_RCX],
			  (uint64_t)from[REG_RBX], (uint64_t)from[REG_RSI], (uint64_t)from[REG_RDI],
			  (uint64_t)from[REG_RBP], (uint64_t)from[REG_RSP], (uint64_t)from[REG_R8],
			  (uint64_t)from[REG_R9], (uint64_t)from[REG_R10], (uint64_t)from[REG_R11],
			  (uint64_t)from[REG_R12], (uint64_t)from[REG_R13], (uint64_t)from[REG_R14],
			  (uint64_t)from[REG_R15], (uint64_t)from[REG_RIP]},
		.exact = true};
}

/* The unwinder's frames from the interrupted one on; those above it are the handler's. */
static void on_timer(int number, siginfo_t *info, void *context_at)
{
	static void *theirs[FRAMES];
	const struct unwind_registers registers = registers_of(context_at);
	bool complete;
	int at = 0;

	(void)number;
	(void)info;
	const uint32_t count = timer_walk(&walker, &registers, frames, &complete);
	const int all = backtrace(theirs, FRAMES);

	while (at < all && (uint64_t)theirs[at] != registers.value[UNWIND_RA])
		at++;
	samples++;
	incomplete += !complete;
	bool same = at < all && all - at == (int)count;
	for (uint32_t i = 1; same && i < count; i++)
		same = (uint64_t)theirs[at + (int)i] - 1 == frames[i];
	differences += !same;
}

static void sample(void)
{
	const struct itimerval on = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
	const struct sigaction action = {.sa_sigaction = on_timer,
					 .sa_flags = SA_SIGINFO | SA_RESTART};

	samples = differences = incomplete = 0;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &on, NULL);
	work(WORK_MS);
	setitimer(ITIMER_PROF, &off, NULL);
}

/* ---- tests ---- */

static void test_stacks_are_those_of_the_compiler(void **state)
{
	(void)state;
	sample();
	print_message("%d stacks\n", (int)samples);
	assert_true(samples > 20);
	assert_int_equal(differences, 0);
	assert_int_equal(incomplete, 0);
}

/* Nothing that registers say may make it fault, or go on for ever. */
static void test_senseless_registers(void **state)
{
	char *hole =
		mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t random = 88172645463325252ULL;
	bool complete;

	(void)state;
	assert_ptr_not_equal(hole, MAP_FAILED);
	munmap(hole + 4096, 4096);
	const uint64_t values[] = {0,
				   1,
				   UINT64_MAX,
				   UINT64_MAX - 7,
				   (uint64_t)hole + 4096 - 8,
				   (uint64_t)hole + 4096,
				   (uint64_t)hole + 8192,
				   1ULL << 47,
				   (uint64_t)&random};
	const uint64_t codes[] = {
		(uint64_t)deep + 20, (uint64_t)qsort + 40, (uint64_t)snprintf + 60, 0, 42,
		UINT64_MAX};

	for (int round = 0; round < 20000; round++) {
		struct unwind_registers registers = {.exact = true};

		for (int i = 0; i < UNWIND_REGISTERS; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			registers.value[i] = values[random % (sizeof(values) / sizeof(values[0]))];
		}
		registers.value[UNWIND_RA] = codes[random % (sizeof(codes) / sizeof(codes[0]))];
		const uint32_t count = timer_walk(&walker, &registers, frames, &complete);
		assert_in_range(count, 1, TARE_TIMER_FRAMES_MAX);
	}
	munmap(hole, 4096);
	munmap(hole + 8192, 4096);
}

/*
 * Assembler code without unwind information, which uses rbp and rbx for itself and calls back with
 * rdi, with 72 bytes on the stack.
 */
__asm__(".pushsection .text\n"
	"bare: push %rbp\n push %rbx\n sub $40, %rsp\n"
	"mov $7, %ebp\n mov %rsi, %rbx\n mov %rsi, (%rsp)\n"
	"bare_turn: call *%rdi\n"
	"bare_return: mov (%rsp), %rbx\n"
	"add $40, %rsp\n pop %rbx\n pop %rbp\n ret\n"
	".popsection\n");

extern const char bare_turn[], bare_return[];
long bare(void (*call)(void), long value);

static uint32_t bare_frames;
static bool bare_complete;

static void walk_here(int number, siginfo_t *info, void *context_at)
{
	struct unwind_registers registers = registers_of(context_at);

	(void)number;
	(void)info;
	bare_frames = timer_walk(&walker, &registers, frames, &bare_complete);
}

static void raise_below(void)
{
	raise(SIGUSR1);
}

static bool has_frame(const char *begin, const char *end)
{
	for (uint32_t i = 0; i < bare_frames; i++)
		if (frames[i] >= (uint64_t)begin && frames[i] < (uint64_t)end)
			return true;
	return false;
}

/* The stack goes on above it by what its code does; where that leads nowhere, it does not. */
static void test_code_without_information(void **state)
{
	const struct sigaction action = {.sa_sigaction = walk_here, .sa_flags = SA_SIGINFO};
	const char *caller = (const char *)(uintptr_t)test_code_without_information;

	(void)state;
	sigaction(SIGUSR1, &action, NULL);
	long (*volatile indirect)(void (*)(void), long) = bare;

	for (int turn = 0; turn < 2; turn++) {
		bare_frames = 0;
		if (turn)
			indirect(raise_below, 1);
		else
			bare(raise_below, 1);
		assert_true(has_frame(bare_turn, bare_return));
		assert_true(has_frame(caller, caller + 500));
		assert_true(bare_complete);
	}

	/* A stack on which there is no return address where the code expects one. */
	uint64_t words[64] = {0};
	struct unwind_registers registers = {.exact = true};
	bool complete;

	registers.value[UNWIND_RSP] = (uint64_t)words;
	registers.value[UNWIND_RA] = (uint64_t)bare_turn;
	for (size_t i = 0; i < 64; i++)
		words[i] = (uint64_t)caller + 1;
	assert_int_equal(timer_walk(&walker, &registers, frames, &complete), 1);
	assert_false(complete);
}

/* Code whose rules have gone ends the stack; they can come back. */
static void test_rules_come_and_go(void **state)
{
	static const struct unwind_table *table;
	Dl_info info;

	(void)state;
	(void)info;
	struct unwind_registers registers = {.exact = true};
	bool complete;
	uint64_t page = 0x10000000;

	registers.value[UNWIND_RA] = page + 5;
	registers.value[UNWIND_RSP] = (uint64_t)&registers;
	assert_int_equal(timer_walk(&walker, &registers, frames, &complete), 1);
	assert_false(complete);

	/* one row for all: the thread's first frame */
	static struct {
		struct unwind_table head;
		uint32_t start, row_rule;
		struct unwind_rule rules[2];
	} made = {{UNWIND_TABLE_MAGIC, UNWIND_TABLE_VERSION, 1, 0, 2, 0, sizeof(made)},
		  0,
		  1,
		  {{0}, {.flags = UNWIND_OUTERMOST}}};
	table = &made.head;
	assert_true(unwind_table_check(table, sizeof(made)));
	assert_true(timer_map_put(page, page + 4096, page, table));
	assert_int_equal(timer_walk(&walker, &registers, frames, &complete), 1);
	assert_true(complete);
	timer_map_remove(page);
	assert_int_equal(timer_walk(&walker, &registers, frames, &complete), 1);
	assert_false(complete);
	/* another file at its place */
	assert_true(timer_map_put(page - 4096, page + 8192, page, table));
	timer_walk(&walker, &registers, frames, &complete);
	assert_true(complete);
	timer_map_remove(page - 4096);
	/* the first byte behind a file is the next one's, whose rules say nothing of it */
	assert_true(timer_map_put(page, page + 4096, page, table));
	assert_true(timer_map_put(page + 4096, page + 8192, page + 8192, table));
	registers.value[UNWIND_RA] = page + 4095;
	timer_walk(&walker, &registers, frames, &complete);
	assert_true(complete);
	registers.value[UNWIND_RA] = page + 4096;
	timer_walk(&walker, &registers, frames, &complete);
	assert_false(complete);
	timer_map_remove(page);
	timer_map_remove(page + 4096);
	/* code without rules takes nothing away */
	registers.value[UNWIND_RA] = page + 8;
	assert_true(timer_map_put(page, page + 4096, page, table));
	timer_map_put_bare(page, page + 8192);
	timer_walk(&walker, &registers, frames, &complete);
	assert_true(complete);
	timer_map_remove(page);
}

/* Whether a frame pointer is followed to a caller at the address. */
static bool is_code(uint64_t addr)
{
	const uint64_t frame[2] __attribute__((aligned(16))) = {0, addr + 1};
	const struct unwind_registers registers = {
		.exact = true,
		.value = {[UNWIND_RSP] = (uint64_t)(uintptr_t)frame,
			  [UNWIND_RBP] = (uint64_t)(uintptr_t)frame,
			  [UNWIND_RA] = 0x500000000000}};
	bool complete;

	return timer_walk(&walker, &registers, frames, &complete) > 1 && frames[1] == addr;
}

/* More pieces than there is room for apart. */
static void test_pieces_of_code_are_joined(void **state)
{
	enum { PIECES = 3000 };
	const uint64_t begin = 0x600000000000;

	(void)state;
	assert_false(is_code(begin));
	for (uint64_t i = 0; i < PIECES; i++) {
		timer_map_put_bare(begin + i * 4096, begin + (i + 1) * 4096);
		timer_map_put_bare(begin + i * 4096, begin + (i + 1) * 4096);
	}
	assert_true(is_code(begin));
	assert_true(is_code(begin + PIECES * 4096 - 1));
	assert_false(is_code(begin + PIECES * 4096));
	timer_map_remove(begin);
	assert_false(is_code(begin));
	/* a piece that begins within another */
	timer_map_put_bare(begin, begin + 4096);
	timer_map_put_bare(begin, begin + 3 * 4096);
	assert_true(is_code(begin + 3 * 4096 - 1));
	timer_map_remove(begin);
	/* pieces with gaps leave room for modules */
	for (uint64_t i = 0; i < PIECES; i++)
		timer_map_put_bare(begin + 2 * i * 4096, begin + (2 * i + 1) * 4096);
	assert_true(timer_map_put(begin - 4096, begin, 0, NULL));
	timer_map_remove(begin - 4096);
	for (uint64_t i = 0; i < PIECES; i++)
		timer_map_remove(begin + 2 * i * 4096);
	assert_false(is_code(begin));
}

/* The last test: the filter stays. The kernel may not copy, so the stack itself is read. */
static void test_filtered(void **state)
{
	static union {
		struct filter filter;
		unsigned char room[sizeof(struct filter) + 4 * sizeof(struct sock_filter)];
	} made;
	const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};

	(void)state;
	made.filter.length = 4;
	memcpy(made.filter.code, code, sizeof(code));
	filter_add(&made.filter);
	walker.stack_end = getauxval(AT_RANDOM);
	sample();
	assert_true(samples > 20);
	assert_int_equal(differences, 0);
	/* nothing is known of the stack's end */
	walker.stack_end = 0;
	sample();
	assert_true(incomplete > 0);
	assert_true(walker.is_forbidden);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_are_those_of_the_compiler),
		cmocka_unit_test(test_senseless_registers),
		cmocka_unit_test(test_code_without_information),
		cmocka_unit_test(test_rules_come_and_go),
		cmocka_unit_test(test_pieces_of_code_are_joined),
		cmocka_unit_test(test_filtered),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
