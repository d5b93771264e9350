/* Where which copy lies is the rewriter's to say: see cache/coverage.h. */
#include "cache/copy_code.h"

#include "base/parallel.h"
#include "cache/copy_steps.h"
#include "insn/insn.h"

#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct copy_function *x = a, *y = b;

	return x->copy_addr < y->copy_addr ? -1 : x->copy_addr > y->copy_addr;
}

static uint64_t code_end(const struct object *object)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X &&
		    segments[i].p_vaddr + segments[i].p_filesz > end)
			end = segments[i].p_vaddr + segments[i].p_filesz;
	return end;
}

void copy_code_read(struct copy_code *code, const struct object *copy, uint64_t code_begin,
		    const struct coverage *coverage)
{
	vec_reserve(&code->functions, coverage->rows.len);
	vec_foreach (row, &coverage->rows) {
		const struct copy_function function = {
			.copy_addr = row->copy_addr,
			.addr = row->addr,
			.size = row->size,
			.stubs = row->copy_addr + row->copy_bytes,
			.stubs_end = row->copy_addr + row->copy_bytes + row->stub_bytes,
		};

		if (row->copy_addr >= code_begin)
			vec_push(&code->functions, function);
	}
	vec_sort(&code->functions, compare);
	code->end = code_end(copy);
	code->copy = copy;
}

void copy_code_fini(struct copy_code *code)
{
	vec_foreach (function, &code->functions)
		vec_fini(&function->points);
	vec_fini(&code->functions);
}

static struct copy_function *function_of(const struct copy_code *code, uint64_t copy_addr)
{
	const size_t above = partition_point(code->functions.len, i,
					     code->functions.data[i].copy_addr <= copy_addr);

	if (!above || copy_addr >= code->end)
		return NULL;
	return &code->functions.data[above - 1];
}

uint64_t copy_code_function(const struct copy_code *code, uint64_t copy_addr)
{
	const struct copy_function *function = function_of(code, copy_addr);

	return function ? function->addr : 0;
}

bool copy_code_is_stub(const struct copy_code *code, uint64_t copy_addr)
{
	const struct copy_function *function = function_of(code, copy_addr);

	return function && copy_addr >= function->stubs && copy_addr < function->stubs_end;
}

/* What a stub has from the handler's return address on: [lea 8(%rsp),%rsp] [popf] jmp back. */
static uint64_t stub_back(const struct object *copy, uint64_t at)
{
	static const unsigned char drop[] = {0x48, 0x8d, 0x64, 0x24, 0x08};
	enum { POP_FLAGS = 0x9d };
	const unsigned char *bytes = object_at(copy, at, sizeof(drop));

	if (bytes && memcmp(bytes, drop, sizeof(drop)) == 0)
		at += sizeof(drop);
	bytes = object_at(copy, at, 1);
	if (bytes && *bytes == POP_FLAGS)
		at++;
	return copy_jump_target(copy, at);
}

uint64_t copy_code_probed_call(const struct copy_code *code, uint64_t copy_addr)
{
	const struct object *copy = code->copy;
	const uint64_t probe_end =
		copy_code_is_stub(code, copy_addr) ? stub_back(copy, copy_addr) : 0;
	const uint64_t back = probe_end ? copy_behind_count(copy, probe_end) : 0;
	const struct copy_function *function = back ? function_of(code, back) : NULL;
	struct insn insn;

	if (!function || back >= function->stubs)
		return 0;
	const uint64_t size = function->stubs - back;
	const unsigned char *bytes = object_at(copy, back, size);
	if (!bytes || !insn_decode(bytes, size, back, &insn) || !insn_is_call(&insn))
		return 0;
	return back + insn.length - 1;
}

static void read_points(const struct copy_code *code, const struct object *original,
			struct copy_function *function)
{
	const struct copy_pair pair = {
		.original = original,
		.copy = code->copy,
		.begin = function->addr,
		.end = function->addr + function->size,
		.copy_begin = function->copy_addr,
		.copy_end = function->stubs,
		.stubs_end = function->stubs_end,
	};

	if (!function->points_are_read)
		copy_points_read(&pair, &function->points);
	function->points_are_read = true;
}

struct preparation {
	const struct copy_code *code;
	const struct object *original;
	struct vec_of(struct copy_function *) functions; /* each once */
};

static void prepare_piece(void *context, unsigned worker, size_t begin, size_t end)
{
	const struct preparation *preparation = context;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		read_points(preparation->code, preparation->original,
			    preparation->functions.data[i]);
}

void copy_code_prepare(struct copy_code *code, const struct object *original,
		       const uint64_t *copy_addrs, size_t count)
{
	enum { PIECE = 16, WORTH_A_THREAD = 4 * PIECE };
	struct preparation preparation = {.code = code, .original = original};

	for (size_t i = 0; i < count; i++) {
		struct copy_function *function = function_of(code, copy_addrs[i]);
		if (!function || function->is_prepared)
			continue;
		function->is_prepared = true;
		vec_push(&preparation.functions, function);
	}
	if (preparation.functions.len >= WORTH_A_THREAD)
		parallel_run(&(struct parallel_loop){.run = prepare_piece,
						     .context = &preparation,
						     .count = preparation.functions.len,
						     .piece = PIECE,
						     .threads = parallel_threads(0)});
	vec_fini(&preparation.functions);
}

uint64_t copy_code_bound_call(struct copy_code *code, const struct object *original,
			      uint64_t copy_addr, uint64_t *last)
{
	struct copy_function *function = function_of(code, copy_addr);
	struct bound_stub stub;

	if (!function || copy_addr >= function->stubs)
		return 0;
	read_points(code, original, function);
	const struct copy_point *call = copy_points_at(&function->points, copy_addr);
	if (!call || !call->length || !bound_stub_read(code->copy, call->copy_addr, &stub) ||
	    copy_addr < stub.jump)
		return 0;
	*last = call->addr + call->length - 1;
	return copy_code_function(code, stub.copy);
}

uint64_t copy_code_address(struct copy_code *code, const struct object *original,
			   uint64_t copy_addr)
{
	struct copy_function *function = function_of(code, copy_addr);

	if (!function)
		return 0;
	read_points(code, original, function);
	const uint64_t found =
		copy_addr < function->stubs ? copy_points_find(&function->points, copy_addr) : 0;
	return found ? found : function->addr;
}
