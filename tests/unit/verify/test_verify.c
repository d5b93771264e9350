/*
 * The comparison of copies with originals: it finds nothing in what the rewriter makes, in every
 * mode, and it finds every byte that is changed afterwards, wherever it stands.
 */
#include "abi/module.h"
#include "rewrite/rewrite.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { FLIPS = 40, FLIPS_OF_LARGE = 20 };

static const char libc[] = "/lib/x86_64-linux-gnu/libc.so.6";
static const char libstdcxx[] = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";

struct pair {
	struct object *original;
	struct byte_vec bytes;
	struct rewrite_result result;
};

static void pair_make(struct pair *pair, const char *path, const struct rewrite_options *options)
{
	struct error err;

	*pair = (struct pair){0};
	pair->original = object_open(path, OBJECT_ALL, &err);
	if (!pair->original)
		fail_msg("%s", err.message);
	if (!rewrite_object(pair->original, options, &pair->bytes, &pair->result, &err))
		fail_msg("%s", err.message);
}

static void pair_release(struct pair *pair)
{
	vec_fini(&pair->bytes);
	rewrite_result_fini(&pair->result);
	object_close(pair->original);
}

/* Whether the copy is found to be wrong, or is no longer taken for one. */
static bool is_refused(const struct pair *pair, struct verify_result *result)
{
	struct error err;
	struct object *copy =
		object_open_bytes(pair->bytes.data, pair->bytes.len, "copy", OBJECT_ALL, &err);
	const bool ok = copy && verify_copy(pair->original, copy, result, &err);

	object_close(copy);
	return !ok || result->difference_count;
}

static void expect_clean(const struct pair *pair, struct verify_result *result)
{
	const bool refused = is_refused(pair, result);

	vec_foreach (difference, &result->differences)
		print_error("%s %#lx %#lx: %s\n", verify_kind_name(difference->kind),
			    difference->addr, difference->copy_addr, difference->text);
	assert_false(refused);
}

static void check_clean(const char *path, const struct rewrite_options *options)
{
	struct pair pair;
	struct verify_result result = {0};

	pair_make(&pair, path, options);
	expect_clean(&pair, &result);
	assert_true(result.counts.instructions > 1000);
	assert_true(options->mode == REWRITE_NULL || result.counts.probes > 100);
	verify_result_fini(&result);
	pair_release(&pair);
}

static void need(const char *path)
{
	if (access(path, R_OK) == 0)
		return;
	print_message("skipped: %s is not installed\n", path);
	skip();
}

static void test_copies_are_clean(void **state)
{
	static const struct rewrite_options variants[] = {
		{.mode = REWRITE_FULL},
		{.mode = REWRITE_FULL, .keep_small = true, .probes = REWRITE_PROBES_ALL},
		{.mode = REWRITE_FULL, .syscalls_only = true},
		{.mode = REWRITE_FULL, .count_executions = true},
		{.mode = REWRITE_NULL},
		{.mode = REWRITE_NULL, .syscall_probes = true},
	};

	(void)state;
	need(libc);
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++)
		check_clean(libc, &variants[i]);
	check_clean("/bin/bash", &variants[1]);
	check_clean("/bin/bash", &variants[3]);
}

static void test_exception_tables_are_clean(void **state)
{
	const struct rewrite_options options = {.keep_small = true};

	(void)state;
	need(libstdcxx);
	check_clean(libstdcxx, &options);
}

static void test_what_is_no_copy(void **state)
{
	struct pair pair;
	struct verify_result result;
	struct error err;
	const struct rewrite_options options = {.mode = REWRITE_NULL};

	(void)state;
	pair_make(&pair, "/bin/true", &options);
	assert_false(verify_copy(pair.original, pair.original, &result, &err));
	assert_non_null(strstr(err.message, "is not instrumented"));
	verify_result_fini(&result);
	struct object *copy =
		object_open_bytes(pair.bytes.data, pair.bytes.len, "copy", OBJECT_ALL, &err);
	assert_false(verify_copy(copy, copy, &result, &err));
	assert_non_null(strstr(err.message, "no original"));
	verify_result_fini(&result);
	/* Of another program. */
	struct object *other = object_open("/bin/false", OBJECT_ALL, &err);
	assert_non_null(other);
	assert_true(!verify_copy(other, copy, &result, &err) || result.difference_count);
	verify_result_fini(&result);
	object_close(other);
	object_close(copy);
	pair_release(&pair);
}

/* ---- damage ---- */

static uint64_t random_state = 88172645463325252;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

struct region {
	uint64_t offset, size; /* in the copy's file */
};

static struct region section_region(const struct pair *pair, const char *name)
{
	struct error err;
	struct object *copy =
		object_open_bytes(pair->bytes.data, pair->bytes.len, "copy", OBJECT_ALL, &err);
	const struct object_section *section = copy ? object_section_by_name(copy, name) : NULL;
	struct region region = {0};

	if (section)
		region = (struct region){section->header.sh_offset, section->header.sh_size};
	object_close(copy);
	return region;
}

/*
 * Changes one byte of the region at a time. `filler` percent of the changes at most may be missed:
 * those in nops, in the gaps that align tables, and of call sites' bounds inside a probe. Most gaps
 * are left out with all `zeros`.
 */
static void check_region(struct pair *pair, struct region region, unsigned filler, bool zeros)
{
	const int flips = pair->bytes.len > (1 << 20) ? FLIPS_OF_LARGE : FLIPS;
	int missed = 0;

	assert_true(region.size > 0);
	for (int i = 0; i < flips; i++) {
		const uint64_t offset = region.offset + random_next() % region.size;
		const unsigned char mask = (unsigned char)(1 + random_next() % 255);
		struct verify_result result = {0};
		if (!zeros && !pair->bytes.data[offset])
			continue;
		pair->bytes.data[offset] ^= mask;
		if (!is_refused(pair, &result)) {
			print_message("not found: offset %#lx ^ %#x\n", offset, mask);
			missed++;
		}
		verify_result_fini(&result);
		pair->bytes.data[offset] ^= mask;
	}
	assert_true(missed * 100 <= (int)filler * flips);
}

static void test_changed_code_is_found(void **state)
{
	struct pair pair;
	const struct rewrite_options options = {.keep_small = true};

	(void)state;
	pair_make(&pair, "/bin/true", &options);
	check_region(&pair, section_region(&pair, ".tare.text"), 6, true);
	check_region(&pair, section_region(&pair, ".tare.tables"), 3, true);
	pair_release(&pair);
}

/* ---- stubs ---- */

enum { HANDLER_CALL_BYTES = 6, STUBS = 40, HANDLERS = 6, SLOT_BYTES = 8 };

/* The next call of a handler through a slot, from `at` on; the region's end if there is none. */
static uint64_t next_handler_call(const struct pair *pair, struct region region, uint64_t at)
{
	const uint64_t end = region.offset + region.size - 16;

	while (at < end && memcmp(pair->bytes.data + at, "\xff\x15", 2) != 0)
		at++;
	return at < end ? at : region.offset + region.size;
}

/* What the stub's handler call is followed by: the jump back, or the flags' end and that. */
static bool is_stub(const struct pair *pair, uint64_t call)
{
	const unsigned char *behind = pair->bytes.data + call + HANDLER_CALL_BYTES;

	return behind[0] == 0xe9 || (behind[0] == 0x9d && behind[1] == 0xe9);
}

static void must_be_found(struct pair *pair, uint64_t offset, int by, const char *what)
{
	struct verify_result result = {0};
	int32_t value;

	memcpy(&value, pair->bytes.data + offset, sizeof(value));
	const int32_t changed = value + by;
	memcpy(pair->bytes.data + offset, &changed, sizeof(changed));
	if (!is_refused(pair, &result))
		fail_msg("%s at offset %#lx + %d was not found", what, offset, by);
	verify_result_fini(&result);
	memcpy(pair->bytes.data + offset, &value, sizeof(value));
}

/* Each stub calls the handler of its probe, has its data, and leads back right behind the probe. */
static void test_changed_stubs_are_found(void **state)
{
	struct pair pair;
	const struct rewrite_options options = {.keep_small = true};
	int stubs = 0;

	(void)state;
	pair_make(&pair, "/bin/true", &options);
	const struct region region = section_region(&pair, ".tare.text");
	const uint64_t end = region.offset + region.size;
	uint64_t at = region.offset;

	while (stubs < STUBS && (at = next_handler_call(&pair, region, at)) < end) {
		const uint64_t behind = at + HANDLER_CALL_BYTES;
		const bool flags = pair.bytes.data[behind] == 0x9d;

		if (!is_stub(&pair, at++))
			continue;
		for (int by = 1 - HANDLERS; by < HANDLERS; by++)
			if (by)
				must_be_found(&pair, at + 1, by * SLOT_BYTES, "another handler");
		must_be_found(&pair, behind + flags + 1, 1, "a jump back");
		must_be_found(&pair, behind + flags + 1, -1, "a jump back");
		if (pair.bytes.data[behind + flags + 5] == 0xcc)
			must_be_found(&pair, behind + TARE_STUB_DATA, 1, "a function's address");
		stubs++;
	}
	assert_int_equal(stubs, STUBS);
	pair_release(&pair);
}

/* Where struct tare_module stands in the bytes of the copy. */
static struct tare_module module_of(const struct pair *pair)
{
	enum { NOTE_HEADER_BYTES = 20 };
	const struct region note = section_region(pair, ".note.tare");
	struct tare_module module;

	memcpy(&module, pair->bytes.data + note.offset + NOTE_HEADER_BYTES, sizeof(module));
	return module;
}

/* Each function and call site has one instruction that counts, in the counter of its number. */
static void test_counters(void **state)
{
	struct pair pair;
	const struct rewrite_options options = {.keep_small = true};
	uint32_t found = 0, changed = 0;

	(void)state;
	need("/bin/bash");
	pair_make(&pair, "/bin/bash", &options);
	const struct tare_module module = module_of(&pair);
	const struct region code = section_region(&pair, ".tare.text");
	const uint64_t tables =
		code.offset - (uint64_t)module.code_offset + (uint64_t)module.counted_offset;

	assert_int_equal(module.counter_count, module.function_count + module.call_site_count);
	assert_int_equal((module.link_addr + (uint64_t)module.counters_offset) % TARE_COUNTER_PAGE,
			 0);
	assert_int_equal(module.flags, 0);
	for (uint64_t at = code.offset; at + TARE_COUNT_BYTES < code.offset + code.size; at++) {
		if (memcmp(pair.bytes.data + at, TARE_COUNT, TARE_COUNT_CODE_BYTES) != 0)
			continue;
		if (found++ % 2000 || changed++ == 3)
			continue;
		must_be_found(&pair, at + TARE_COUNT_CODE_BYTES, 8, "another counter");
		must_be_found(&pair, at, 1, "no counter");
	}
	assert_int_equal(found, module.counter_count);
	for (uint32_t i = 0; i < module.counter_count; i += module.counter_count / 4) {
		const uint64_t at = tables + i * sizeof(struct tare_counted);
		must_be_found(&pair, at, 1, "another function");
		must_be_found(&pair, at + offsetof(struct tare_counted, prefix), 1,
			      "another instruction");
	}
	pair_release(&pair);
}

/* The counter is at the begin of a function's copy, not behind a probe or in its stub. */
static bool is_small_counter(const unsigned char *at)
{
	static const unsigned char jump[] = {0x0f, 0x85}, compare[] = {0x80, 0x3d};

	return memcmp(at - 6, jump, sizeof(jump)) != 0 &&
	       memcmp(at + TARE_COUNT_BYTES, compare, sizeof(compare)) != 0;
}

/* Where the file says what the counter counts that the instruction at this offset increments. */
static uint64_t counted_of(const struct pair *pair, uint64_t at)
{
	const struct tare_module module = module_of(pair);
	const struct region code = section_region(pair, ".tare.text");
	const uint64_t note = code.offset - (uint64_t)module.code_offset;
	int32_t distance;

	memcpy(&distance, pair->bytes.data + at + TARE_COUNT_CODE_BYTES, sizeof(distance));
	const uint64_t counter = at + TARE_COUNT_BYTES + (uint64_t)(int64_t)distance;
	const uint64_t number =
		(counter - note - (uint64_t)module.counters_offset) / sizeof(uint64_t);
	return note + (uint64_t)module.counted_offset + number * sizeof(struct tare_counted);
}

/* A small function that is given flags. */
__asm__(".text\n"
	"	.balign 16\n"
	"	.type given_flags, @function\n"
	"given_flags:\n"
	"	.cfi_startproc\n"
	"	sbb %eax, %eax\n	ret\n"
	"	.cfi_endproc\n"
	"	.size given_flags, .-given_flags\n"
	"	.balign 16\n"
	"	.type gives_flags, @function\n"
	"gives_flags:\n"
	"	.cfi_startproc\n"
	"	cmp %edi, %esi\n	call given_flags\n"
	"	.rept 12\n	inc %eax\n	.endr\n	jmp getppid@plt\n"
	"	.cfi_endproc\n"
	"	.size gives_flags, .-gives_flags\n");

/* incq %gs:counter(%rip); call, behind the small function's own counter */
static void change_call_of_body(struct pair *pair, uint64_t at)
{
	const uint64_t distance = at + TARE_COUNT_BYTES + 1;

	must_be_found(pair, at + TARE_COUNT_CODE_BYTES, 8, "another counter");
	must_be_found(pair, counted_of(pair, at), 1, "another function is counted");
	must_be_found(pair, distance, -TARE_COUNT_BYTES, "counted twice");
	must_be_found(pair, distance, 1, "behind the function's begin");
}

/* Small functions have nothing but a counter, which keeps flags that are live; calls by jumps have
 * one, and calls of small functions, which go behind the function's own. */
static void test_counters_without_probes(void **state)
{
	struct pair pair;
	const struct rewrite_options options = {0};
	uint32_t small = 0, keeping = 0, tails = 0, calls = 0;

	(void)state;
	pair_make(&pair, "/proc/self/exe", &options);
	const struct region code = section_region(&pair, ".tare.text");
	for (uint64_t at = code.offset + 6; at + TARE_COUNT_BYTES < code.offset + code.size; at++) {
		const unsigned char *bytes = pair.bytes.data + at;
		if (memcmp(bytes, TARE_COUNT, TARE_COUNT_CODE_BYTES) != 0)
			continue;
		if (bytes[TARE_COUNT_BYTES] == 0xe9 && tails++ == 0) {
			must_be_found(&pair, at + TARE_COUNT_CODE_BYTES, 8, "another counter");
			must_be_found(&pair, counted_of(&pair, at), 1, "another call");
		}
		if (bytes[TARE_COUNT_BYTES] == 0xe8 && is_small_counter(bytes)) {
			if (calls++ == 0)
				change_call_of_body(&pair, at);
			continue;
		}
		if (!is_small_counter(bytes))
			continue;
		if (bytes[-1] == 0x9c && bytes[TARE_COUNT_BYTES] == 0x9d && keeping++ == 0) {
			must_be_found(&pair, at - 1, 1, "flags that are not saved");
			must_be_found(&pair, at + TARE_COUNT_BYTES, 1, "flags not restored");
		}
		if (small++ == 0) {
			must_be_found(&pair, at + TARE_COUNT_CODE_BYTES, 8, "another counter");
			must_be_found(&pair, at, 1, "no counter");
			must_be_found(&pair, counted_of(&pair, at), 1, "another function");
		}
	}
	assert_true(small > 1 && tails > 0 && calls > 1);
	assert_int_equal(keeping, 1);
	pair_release(&pair);
}

/* Where a call of a function of the same file through the PLT looks, with lea and cmp, what the
   PLT's slot is bound to: from `at` on; 0: nowhere. */
static uint64_t next_bound_call(const struct pair *pair, const struct region *code, uint64_t at)
{
	static const unsigned char lea[] = {0x4c, 0x8d, 0x1d}, cmp[] = {0x4c, 0x39, 0x1d};

	for (; at + 48 < code->offset + code->size; at++)
		if (memcmp(pair->bytes.data + at, lea, sizeof(lea)) == 0 &&
		    memcmp(pair->bytes.data + at + 7, cmp, sizeof(cmp)) == 0)
			return at;
	return 0;
}

static uint64_t distance_target_at(const struct pair *pair, uint64_t at)
{
	int32_t distance;

	memcpy(&distance, pair->bytes.data + at, sizeof(distance));
	return at + sizeof(distance) + (uint64_t)distance;
}

/* The call, with its probes unless they stand before and behind all; jmp back */
static void change_far_call(struct pair *pair, uint64_t at, bool has_probes)
{
	enum { GATE = 7 + 6, COUNT = 8, CALL = 5 };
	const uint64_t back = at + CALL + (has_probes ? GATE + COUNT + GATE : 0);

	assert_int_equal(pair->bytes.data[back], 0xe9);
	must_be_found(pair, back - (has_probes ? GATE : 0) - 4, 1, "a call of something else");
	must_be_found(pair, back + 1, 1, "back to another place");
}

/* jne far; incq counter; call near. Near: jmp copy */
static void change_counted_call(struct pair *pair, uint64_t at, bool has_probes)
{
	enum { COUNT_AT = 6, CALL_AT = COUNT_AT + TARE_COUNT_BYTES };
	const unsigned char *code = pair->bytes.data;

	assert_int_equal(code[at + CALL_AT], 0xe8);
	must_be_found(pair, at + 1, 1, "the opposite condition");
	must_be_found(pair, at + 2, 1, "to another place");
	must_be_found(pair, at + COUNT_AT + TARE_COUNT_CODE_BYTES, 8, "another counter");
	must_be_found(pair, at + CALL_AT + 1, 1, "a call of another place");
	const uint64_t near = distance_target_at(pair, at + CALL_AT + 1);
	assert_int_equal(code[near], 0xe9);
	must_be_found(pair, near + 1, 1, "another place in the copy");
	change_far_call(pair, distance_target_at(pair, at + 2), has_probes);
}

/* je copy; jmp far, or jmp *slot(%rip) */
static void change_call_of_stub(struct pair *pair, uint64_t at, bool has_probes)
{
	enum { DROP = 29 };
	const unsigned char *code = pair->bytes.data;

	assert_memory_equal(code + at, "\x0f\x84", 2);
	must_be_found(pair, at + 1, 1, "the opposite condition");
	must_be_found(pair, at + 2, 1, "another place in the copy");
	if (!has_probes) {
		assert_memory_equal(code + at + 6, "\xff\x25", 2);
		must_be_found(pair, at + 7, 8, "a push of the slot");
		must_be_found(pair, at + 8, 8, "through another slot");
		return;
	}
	assert_int_equal(code[at + 6], 0xe9);
	must_be_found(pair, at + 7, 1, "to another place");
	const uint64_t far = distance_target_at(pair, at + 7);
	assert_memory_equal(code + far + DROP - 5, "\x48\x8d\x64\x24\x08", 5);
	must_be_found(pair, far + DROP - 1, 8, "too much is dropped");
	must_be_found(pair, far + 15, 2, "the processor drops another number");
	change_far_call(pair, far + DROP, has_probes);
}

/* Two of each form. */
static void change_bound_calls(enum rewrite_probes probes)
{
	const struct rewrite_options options = {
		.probes = probes, .first_unit = 0, .last_unit = 1500};
	const bool has_probes = probes != REWRITE_PROBES_ALL;
	uint32_t counted = 0, of_stubs = 0;
	struct pair pair;
	uint64_t at;

	pair_make(&pair, libstdcxx, &options);
	const struct region code = section_region(&pair, ".tare.text");
	/* Functions have no counters of their own where all calls have probes. */
	for (at = code.offset; of_stubs < 2 || (has_probes && counted < 2); at++) {
		at = next_bound_call(&pair, &code, at);
		assert_int_not_equal(at, 0);
		const bool is_counted = pair.bytes.data[at + 15] == 0x85;
		uint32_t *met = is_counted ? &counted : &of_stubs;
		if ((*met)++ >= 2)
			continue;
		must_be_found(&pair, at + 3, 1, "compared with another function");
		must_be_found(&pair, at + 10, 8, "another slot is compared");
		if (is_counted)
			change_counted_call(&pair, at + 14, has_probes);
		else
			change_call_of_stub(&pair, at + 14, has_probes);
	}
	pair_release(&pair);
}

static void test_changed_bound_calls_are_found(void **state)
{
	(void)state;
	need(libstdcxx);
	change_bound_calls(REWRITE_PROBES_MERGED);
	change_bound_calls(REWRITE_PROBES_ALL);
}

static void test_changed_originals_are_found(void **state)
{
	struct pair pair;
	const struct rewrite_options options = {.keep_small = true};
	size_t size;

	(void)state;
	pair_make(&pair, "/bin/true", &options);
	object_bytes(pair.original, &size);
	check_region(&pair, (struct region){0, size}, 0, true);
	check_region(&pair, section_region(&pair, ".dynamic"), 0, true);
	pair_release(&pair);
}

static void test_changed_unwind_tables_are_found(void **state)
{
	struct pair pair;
	const struct rewrite_options options = {.first_unit = 3000, .last_unit = 3040};

	(void)state;
	need(libstdcxx);
	pair_make(&pair, libstdcxx, &options);
	check_region(&pair, section_region(&pair, ".tare.except_table"), 10, false);
	check_region(&pair, section_region(&pair, ".eh_frame"), 5, false);
	check_region(&pair, section_region(&pair, ".eh_frame_hdr"), 0, true);
	pair_release(&pair);
}

/* A position-independent static executable, and the runtime that its copy carries. */
static const char *runtime_path, *static_path;

static void test_static_copies(void **state)
{
	struct error err;
	struct pair pair;
	struct object *runtime = object_open(runtime_path, OBJECT_ALL, &err);
	const struct rewrite_options all = {.keep_small = true, .runtime = runtime};
	const struct rewrite_options some = {.first_unit = 0, .last_unit = 40, .runtime = runtime};

	(void)state;
	assert_non_null(runtime);
	check_clean(static_path, &all);
	pair_make(&pair, static_path, &some);
	check_region(&pair, (struct region){offsetof(Elf64_Ehdr, e_entry), 4}, 0, true);
	check_region(&pair, section_region(&pair, ".tdata"), 0, true);
	check_region(&pair, section_region(&pair, ".rela.dyn"), 0, true);
	check_region(&pair, section_region(&pair, ".dynamic"), 0, true);
	pair_release(&pair);
	object_close(runtime);
}

/* ---- counters without probes ---- */

/* Of the copy with all probes; the options ask for its parts. */
static uint32_t bits_of(const char *path, struct byte_vec *bytes)
{
	const struct rewrite_options options = {.mode = REWRITE_FULL};
	struct pair pair;

	pair_make(&pair, path, &options);
	const struct tare_module module = module_of(&pair);
	vec_append(bytes, pair.bytes.data, pair.bytes.len);
	pair_release(&pair);
	return module.function_count + module.call_site_count;
}

/* Each call's counter is its own: one that adds to the next one's is found. */
static void check_counters_of_calls(struct pair *pair)
{
	const struct tare_module module = module_of(pair);
	const struct region code = section_region(pair, ".tare.text");
	const uint64_t table =
		code.offset - (uint64_t)module.code_offset + (uint64_t)module.counted_offset;
	const uint32_t end = module.function_count + module.call_site_count;

	for (uint32_t i = module.function_count; i + 1 < end; i += 1 + end / STUBS) {
		struct verify_result result = {0};
		struct tare_counted counted;
		memcpy(&counted, pair->bytes.data + table + i * sizeof(counted), sizeof(counted));
		unsigned char *distance =
			pair->bytes.data + code.offset + counted.prefix + TARE_COUNT_CODE_BYTES;
		int32_t value;
		memcpy(&value, distance, sizeof(value));
		value += (int32_t)sizeof(uint64_t);
		memcpy(distance, &value, sizeof(value));
		assert_true(is_refused(pair, &result));
		verify_result_fini(&result);
		value -= (int32_t)sizeof(uint64_t);
		memcpy(distance, &value, sizeof(value));
	}
}

static uint64_t probes_of_bare(const char *path, const struct rewrite_options *options,
			       const struct byte_vec *full)
{
	struct pair pair;
	struct verify_result result = {0};

	pair_make(&pair, path, options);
	expect_clean(&pair, &result);
	const uint64_t probes = result.counts.probes;
	const struct tare_module module = module_of(&pair);
	assert_int_equal(module.function_count + module.call_site_count, options->bare_count);
	const bool same =
		pair.bytes.len == full->len && !memcmp(pair.bytes.data, full->data, full->len);
	assert_int_equal(same, !options->bare[0]);
	if (options->bare[0] == 0xff && pair.bytes.len < 1 << 20) {
		check_region(&pair, section_region(&pair, ".tare.text"), 6, true);
		check_counters_of_calls(&pair);
	}
	verify_result_fini(&result);
	pair_release(&pair);
	return probes;
}

static void check_bare(const char *path)
{
	struct byte_vec full = {0};
	const uint32_t count = bits_of(path, &full);
	unsigned char *bare = mem_zalloc(count / 8 + 1);
	struct rewrite_options options = {.mode = REWRITE_FULL, .bare = bare, .bare_count = count};
	struct byte_vec ignored = {0};
	struct rewrite_result result;
	struct error err;

	const uint64_t all = probes_of_bare(path, &options, &full);
	for (uint32_t i = 0; i < count / 8 + 1; i++)
		bare[i] = (unsigned char)(random_next() | 1);
	const uint64_t half = probes_of_bare(path, &options, &full);
	memset(bare, 0xff, count / 8 + 1);
	const uint64_t none = probes_of_bare(path, &options, &full);
	assert_true(all > half && half > none);
	/* Those of another copy. */
	options.bare_count--;
	struct object *object = object_open(path, OBJECT_ALL, &err);
	assert_non_null(object);
	assert_false(rewrite_object(object, &options, &ignored, &result, &err));
	assert_non_null(strstr(err.message, "is of another copy"));
	object_close(object);
	vec_fini(&ignored);
	vec_fini(&full);
	free(bare);
}

static void test_bare_copies_are_clean(void **state)
{
	(void)state;
	check_bare("/bin/true");
	check_bare("/bin/bash");
	need(libstdcxx);
	check_bare(libstdcxx);
}

int main(int argc, char **argv)
{
	assert_true(argc == 3);
	runtime_path = argv[1];
	static_path = argv[2];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_static_copies),
		cmocka_unit_test(test_copies_are_clean),
		cmocka_unit_test(test_bare_copies_are_clean),
		cmocka_unit_test(test_exception_tables_are_clean),
		cmocka_unit_test(test_what_is_no_copy),
		cmocka_unit_test(test_changed_code_is_found),
		cmocka_unit_test(test_changed_stubs_are_found),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_counters_without_probes),
		cmocka_unit_test(test_changed_bound_calls_are_found),
		cmocka_unit_test(test_changed_originals_are_found),
		cmocka_unit_test(test_changed_unwind_tables_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
