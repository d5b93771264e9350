/* sampler: names of events, records, and real samples of a program with known proportions. */
#include "sampler/event.h"
#include "sampler/sampler.h"

#include <asm/perf_regs.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *program; /* fixtures/proportions */

/* ---- events ---- */

static struct event parse(const char *text)
{
	struct event event;
	struct error err;

	if (!event_parse(text, 997, &event, &err))
		fail_msg("%s: %s", text, err.message);
	return event;
}

static void test_names_of_events(void **state)
{
	(void)state;
	assert_int_equal(parse("cpu-clock").frequency, 997);
	assert_string_equal(event_unit(&(struct event){.type = PERF_TYPE_SOFTWARE}), "ns");
	assert_int_equal(parse("faults:5").period, 5);
	assert_int_equal(parse("faults:5").frequency, 0);
	assert_int_equal(parse("faults:5").config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(parse("r1a8").config, 0x1a8);
	assert_int_equal(parse("r1a8").type, PERF_TYPE_RAW);
	assert_int_equal(parse("LLC-load-misses").config,
			 PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	assert_int_equal(parse("dTLB-stores").config,
			 PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_WRITE << 8);
}

static void expect_refused(const char *text, const char *in_message)
{
	struct event event;
	struct error err;

	assert_false(event_parse(text, 997, &event, &err));
	if (!strstr(err.message, in_message))
		fail_msg("%s: %s", text, err.message);
}

static void test_bad_names_of_events(void **state)
{
	(void)state;
	expect_refused("cpu-clok", "cpu-clock");
	expect_refused("faults:0", "period");
	/* Where tracefs is not mounted, that is what is said. */
	expect_refused("sched:../../../../etc/passwd", "trace");
	expect_refused("no:such_thing", "tracepoint");
	expect_refused("rxyz", "no event");
	expect_refused("a-name-that-is-much-longer-than-any-event-could-ever-have-been-given-by-"
		       "anybody-who-is-in-their-right-mind",
		       "too long");
}

/* ---- records ---- */

static const struct perf_layout layout = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
		       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.regs_user = 1ULL << PERF_REG_X86_SP | 1ULL << PERF_REG_X86_IP,
	.sample_id_all = true,
};

static void put_head(struct byte_vec *out, uint32_t type)
{
	out->len = 0;
	put_u32(out, type);
	put_u32(out, 0);
}

static void put_size(struct byte_vec *out)
{
	out->data[6] = (unsigned char)out->len;
	out->data[7] = (unsigned char)(out->len >> 8);
}

static void put_sample(struct byte_vec *out)
{
	put_head(out, PERF_RECORD_SAMPLE);
	put_u64(out, 0x401000);
	put_u32(out, 10);
	put_u32(out, 11);
	put_u64(out, 12345);
	put_u64(out, 2); /* callchain */
	put_u64(out, PERF_CONTEXT_KERNEL);
	put_u64(out, 0xffffffff81000000);
	put_u64(out, PERF_SAMPLE_REGS_ABI_64);
	put_u64(out, 0x7ffe0000);
	put_u64(out, 0x401000);
	put_u64(out, 16); /* stack */
	put_u64(out, 1);
	put_u64(out, 2);
	put_u64(out, 8); /* of which 8 are real */
	put_size(out);
}

static void test_sample_records(void **state)
{
	struct byte_vec bytes = {0};
	struct perf_record record;
	size_t size;

	(void)state;
	put_sample(&bytes);
	assert_true(perf_record_read(&layout, bytes.data, bytes.len, &record, &size));
	assert_int_equal(size, bytes.len);
	assert_int_equal(record.sample.pid, 10);
	assert_int_equal(record.sample.tid, 11);
	assert_int_equal(record.sample.time, 12345);
	assert_int_equal(record.sample.callchain_count, 2);
	assert_int_equal(perf_callchain_at(&record.sample, 1), 0xffffffff81000000);
	assert_true(record.sample.has_registers);
	assert_int_equal(record.sample.registers.value[UNWIND_RSP], 0x7ffe0000);
	assert_int_equal(record.sample.registers.value[UNWIND_RA], 0x401000);
	assert_int_equal(record.sample.stack_bytes, 8);
	vec_fini(&bytes);
}

/* Whatever is cut off is refused, and lengths inside are not believed. */
static void test_damaged_records(void **state)
{
	struct byte_vec bytes = {0};
	struct perf_record record;
	size_t size;

	(void)state;
	put_sample(&bytes);
	const size_t whole = bytes.len;
	for (size_t cut = 0; cut < whole; cut++) {
		assert_false(perf_record_read(&layout, bytes.data, cut, &record, &size));
		bytes.data[6] = (unsigned char)cut;
		assert_false(perf_record_read(&layout, bytes.data, cut, &record, &size));
		put_size(&bytes);
	}
	memset(bytes.data + 32, 0xff, 8); /* callchain's count */
	assert_false(perf_record_read(&layout, bytes.data, whole, &record, &size));
	put_head(&bytes, PERF_RECORD_MMAP2);
	put_u64(&bytes, 0);
	put_size(&bytes);
	assert_false(perf_record_read(&layout, bytes.data, bytes.len, &record, &size));
	vec_fini(&bytes);
}

static void test_mapping_records(void **state)
{
	struct byte_vec bytes = {0};
	struct perf_record record;
	size_t size;

	(void)state;
	put_head(&bytes, PERF_RECORD_MMAP);
	put_u32(&bytes, 10);
	put_u32(&bytes, 11);
	put_u64(&bytes, 0x7f0000000000);
	put_u64(&bytes, 0x2000);
	put_u64(&bytes, 0x1000);
	put_bytes(&bytes, "/lib/x.so\0\0\0\0\0\0", 16);
	put_u32(&bytes, 10); /* sample_id */
	put_u32(&bytes, 11);
	put_u64(&bytes, 777);
	put_size(&bytes);
	assert_true(perf_record_read(&layout, bytes.data, bytes.len, &record, &size));
	assert_string_equal(record.mapping.path, "/lib/x.so");
	assert_int_equal(record.mapping.file_offset, 0x1000);
	assert_int_equal(record.time, 777);
	vec_fini(&bytes);
}

/* ---- samples ---- */

struct shares {
	size_t samples, complete /* that begin in the program */, in_most, in_some, in_least,
		through_round;
};

/* The name of the program's function at a frame, or "". */
static const char *name_at(const struct process *process, const struct object *object,
			   uint64_t run_addr)
{
	const struct process_image *image = process_image_at(process, run_addr);

	if (!image || !strstr(image->image->path, "proportions"))
		return "";
	const struct object_symbol *symbol = object_symbol_covering(object, run_addr - image->bias);
	return symbol ? symbol->name : "";
}

struct collected {
	struct object *object;
	size_t complete; /* wherever they begin */
	struct shares shares;
};

static void collect(void *context, const struct sampler_sample *sample)
{
	struct collected *collected = context;
	struct shares *shares = &collected->shares;
	const struct unwind_stack *stack = sample->stack;
	const char *innermost = name_at(sample->process, collected->object, stack->frames[0].addr);

	shares->samples++;
	shares->complete += stack->end == UNWIND_ROOT && *innermost;
	collected->complete += stack->end == UNWIND_ROOT;
	shares->in_most += strcmp(innermost, "most") == 0;
	shares->in_some += strcmp(innermost, "some") == 0;
	shares->in_least += strcmp(innermost, "least") == 0;
	for (size_t i = 0; i < stack->count; i++)
		if (strcmp(name_at(sample->process, collected->object, stack->frames[i].addr),
			   "round_of_work") == 0) {
			shares->through_round++;
			break;
		}
}

/* A child that waits for a byte, and then runs the program. */
static pid_t start_child(int *go, const char *rounds, const char *processes)
{
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	const pid_t child = fork();
	if (child == 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			execl(program, program, rounds, processes, (char *)NULL);
		_exit(9);
	}
	close(ends[0]);
	*go = ends[1];
	return child;
}

static struct shares sample_program(const char *rounds, const char *processes)
{
	struct collected collected = {0};
	struct event event = parse("cpu-clock");
	struct error err;
	int go, status = 0;
	const struct sampler_options options = {.events = &event,
						.event_count = 1,
						.stack_bytes = 8192,
						.sink = {.sample = collect, .context = &collected}};
	const pid_t child = start_child(&go, rounds, processes);
	struct sampler *sampler = sampler_open_command(&options, (uint32_t)child, &err);

	collected.object = object_open(program, OBJECT_SYMBOLS, &err);
	assert_non_null(collected.object);
	if (!sampler) {
		close(go);
		waitpid(child, &status, 0);
		object_close(collected.object);
		print_message("%s\n", err.message);
		skip();
	}
	assert_int_equal(write(go, "x", 1), 1);
	close(go);
	while (waitpid(child, &status, WNOHANG) == 0)
		sampler_poll(sampler, 50);
	sampler_stop(sampler);
	assert_int_equal(status, 0);
	const struct sampler_counts *counts = sampler_counts(sampler);
	print_message("%zu samples, %zu complete, shares %zu %zu %zu\n", collected.shares.samples,
		      collected.shares.complete, collected.shares.in_most, collected.shares.in_some,
		      collected.shares.in_least);
	assert_int_equal(counts->samples, collected.shares.samples);
	assert_int_equal(counts->complete, collected.complete);
	assert_int_equal(counts->unknown, 0);
	sampler_close(sampler);
	object_close(collected.object);
	return collected.shares;
}

/* Ten standard deviations: what does not hold here is wrong, not unlucky. */
static void expect_share(size_t found, size_t all, double share)
{
	const double deviation = 10 * sqrt(share * (1 - share) * (double)all);
	const double expected = share * (double)all;

	assert_true((double)found > expected - deviation && (double)found < expected + deviation);
}

static void expect_proportions(const struct shares *shares)
{
	const size_t all = shares->in_most + shares->in_some + shares->in_least;

	assert_true(all > 20); /* the kernel lowers the frequency where its interrupts take long */
	expect_share(shares->in_most, all, 0.7);
	expect_share(shares->in_some, all, 0.2);
	expect_share(shares->in_least, all, 0.1);
	assert_true(shares->through_round >= all);
	/* A stack may have changed under the hands of whoever read its older part. */
	assert_true(100 * shares->complete >= 99 * all);
}

static void test_known_proportions(void **state)
{
	(void)state;
	const struct shares shares = sample_program("4000", "1");
	expect_proportions(&shares);
}

static void test_children_are_followed(void **state)
{
	(void)state;
	const struct shares shares = sample_program("1000", "4");
	expect_proportions(&shares);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_events),
		cmocka_unit_test(test_bad_names_of_events),
		cmocka_unit_test(test_sample_records),
		cmocka_unit_test(test_damaged_records),
		cmocka_unit_test(test_mapping_records),
		cmocka_unit_test(test_known_proportions),
		cmocka_unit_test(test_children_are_followed),
	};

	if (argc != 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
