/* jit_code: maps and dumps, code that takes the place of other code, moves, and damaged files. */
#include "resolve/jit_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void assert_function(struct jit_code *code, uint64_t addr, const char *name)
{
	const struct jit_function *function = jit_code_find(code, addr);

	if (!name) {
		assert_null(function);
		return;
	}
	assert_non_null(function);
	assert_string_equal(function->name, name);
	assert_in_range(addr, function->run_addr, function->run_addr + function->size - 1);
}

static void read_map(struct jit_code *code, const char *text)
{
	jit_code_read_map(code, text, strlen(text));
}

static void test_map(void **state)
{
	struct jit_code *code = jit_code_new();

	(void)state;
	read_map(code, "1000 20 LazyCompile:*one /a b.js:3\n"
		       "0x0000000000002000 0x10 java.lang.Object::wait\r\n"
		       "zz 10 not a number\n"
		       "3000\n"
		       "3000 0 empty\n"
		       "ffffffffffffffff 10 over the end\n"
		       "12345678123456781 1 too large\n"
		       "4000 10 cut o");
	assert_function(code, 0xfff, NULL);
	assert_function(code, 0x1000, "LazyCompile:*one /a b.js:3");
	assert_function(code, 0x101f, "LazyCompile:*one /a b.js:3");
	assert_function(code, 0x1020, NULL);
	assert_function(code, 0x200f, "java.lang.Object::wait");
	assert_function(code, 0x3000, NULL);
	assert_function(code, 0x4000, NULL);
	assert_function(code, UINT64_MAX, NULL);
	jit_code_free(code);
}

static void test_later_counts(void **state)
{
	struct jit_code *code = jit_code_new();

	(void)state;
	read_map(code, "1000 100 old\n1040 10 new\n10f0 20 last\n1044 4 newest\n1100 8 old2\n");
	assert_function(code, 0x1000, "old");
	assert_function(code, 0x103f, "old");
	assert_function(code, 0x1040, "new");
	assert_function(code, 0x1044, "newest");
	assert_function(code, 0x1048, "new");
	assert_function(code, 0x1050, "old");
	assert_function(code, 0x10f0, "last");
	assert_function(code, 0x1100, "old2");
	assert_function(code, 0x1108, "last");
	read_map(code, "1000 200 whole\n");
	assert_function(code, 0x1044, "whole");
	jit_code_free(code);
}

/* ---- dumps ---- */

static void put_text(struct byte_vec *out, const char *text)
{
	put_bytes(out, text, strlen(text) + 1);
}

static void put_header(struct byte_vec *out)
{
	put_u32(out, 0x4a695444);
	put_u32(out, 1);
	put_u32(out, 40);
	put_u32(out, 62);
	put_u32(out, 0);
	put_u32(out, 123);
	put_u64(out, 0);
	put_u64(out, 0);
}

static void put_record(struct byte_vec *out, uint32_t id, const struct byte_vec *body)
{
	put_u32(out, id);
	put_u32(out, (uint32_t)(16 + body->len));
	put_u64(out, 0);
	put_bytes(out, body->data, body->len);
}

static void put_load(struct byte_vec *out, uint64_t addr, uint64_t index, const char *name)
{
	struct byte_vec body = {0};

	put_u64(&body, 0);
	put_u64(&body, addr);
	put_u64(&body, addr);
	put_u64(&body, 4);
	put_u64(&body, index);
	put_text(&body, name);
	put_u32(&body, 0x90909090);
	put_record(out, 0, &body);
	vec_fini(&body);
}

static void put_lines(struct byte_vec *out, uint64_t addr)
{
	struct byte_vec body = {0};

	put_u64(&body, addr);
	put_u64(&body, 3);
	put_u64(&body, addr + 2);
	put_u32(&body, 12);
	put_u32(&body, 0);
	put_text(&body, "/src/a.js");
	put_u64(&body, addr + 3);
	put_u32(&body, 13);
	put_u32(&body, 0);
	put_text(&body, "\xff");
	put_u64(&body, addr);
	put_u32(&body, 11);
	put_u32(&body, 0);
	put_text(&body, "/src/b.js");
	put_record(out, 2, &body);
	vec_fini(&body);
}

static void put_move(struct byte_vec *out, uint64_t from, uint64_t to, uint64_t index)
{
	struct byte_vec body = {0};

	put_u64(&body, 0);
	put_u64(&body, to);
	put_u64(&body, from);
	put_u64(&body, to);
	put_u64(&body, 4);
	put_u64(&body, index);
	put_record(out, 1, &body);
	vec_fini(&body);
}

static void assert_line(struct jit_code *code, uint64_t addr, const char *source, uint32_t number)
{
	const struct jit_line *line = jit_function_line(jit_code_find(code, addr), addr);

	assert_non_null(line);
	assert_string_equal(line->source, source);
	assert_int_equal(line->line, number);
}

static void dump_write(struct byte_vec *dump)
{
	put_header(dump);
	put_lines(dump, 0x1000);
	put_load(dump, 0x1000, 7, "lined");
	put_load(dump, 0x1010, 8, "plain");
	put_move(dump, 0x1000, 0x2000, 7);
	put_move(dump, 0x1000, 0x3000, 99);
	put_load(dump, 0x1000, 9, "instead");
}

static void test_dump(void **state)
{
	struct jit_code *code = jit_code_new();
	struct byte_vec dump = {0};

	(void)state;
	dump_write(&dump);
	jit_code_read_dump(code, dump.data, dump.len);
	assert_function(code, 0x1000, "instead");
	assert_null(jit_function_line(jit_code_find(code, 0x1000), 0x1000));
	assert_function(code, 0x1013, "plain");
	assert_function(code, 0x1014, NULL);
	assert_function(code, 0x3000, NULL);
	assert_function(code, 0x2000, "lined");
	assert_line(code, 0x2000, "/src/b.js", 11);
	assert_line(code, 0x2001, "/src/b.js", 11);
	assert_line(code, 0x2002, "/src/a.js", 12);
	assert_line(code, 0x2003, "/src/a.js", 13);
	vec_fini(&dump);
	jit_code_free(code);
}

/* Code that a collector moves twice: its lines move along both times. */
static void test_moved_twice(void **state)
{
	struct jit_code *code = jit_code_new();
	struct byte_vec dump = {0};

	(void)state;
	put_header(&dump);
	put_lines(&dump, 0x1000);
	put_load(&dump, 0x1000, 7, "lined");
	put_move(&dump, 0x1000, 0x2000, 7);
	put_move(&dump, 0x2000, 0x9000, 7);
	jit_code_read_dump(code, dump.data, dump.len);
	assert_line(code, 0x9000, "/src/b.js", 11);
	assert_line(code, 0x9002, "/src/a.js", 12);
	vec_fini(&dump);
	jit_code_free(code);
}

/* The last byte of the record's name is not where it should be. */
static void test_lines_out_of_step(void **state)
{
	struct jit_code *code = jit_code_new();
	struct byte_vec dump = {0};

	(void)state;
	put_header(&dump);
	const size_t lines_at = dump.len;
	put_lines(&dump, 0x1000);
	put_load(&dump, 0x1000, 7, "lined");
	dump.data[lines_at + 16 + 16 + 16] = 0;
	jit_code_read_dump(code, dump.data, dump.len);
	assert_function(code, 0x1000, "lined");
	assert_null(jit_function_line(jit_code_find(code, 0x1000), 0x1000));
	vec_fini(&dump);
	jit_code_free(code);
}

/* V8's lines are 64 bytes too far on. */
static void test_v8_dump(void **state)
{
	struct jit_code *code = jit_code_new();
	struct byte_vec dump = {0};

	(void)state;
	put_header(&dump);
	set_u32(&dump, 16, 0xdeadbeef);
	put_lines(&dump, 0x1040);
	set_u32(&dump, 40 + 16, 0x1000); /* its code is at 0x1000 */
	put_load(&dump, 0x1000, 7, "lined");
	jit_code_read_dump(code, dump.data, dump.len);
	assert_line(code, 0x1001, "/src/b.js", 11);
	assert_line(code, 0x1002, "/src/a.js", 12);
	vec_fini(&dump);
	jit_code_free(code);
}

static void assert_declared(const char *name, const char *source, uint32_t line)
{
	const struct jit_function function = {.name = name};
	struct jit_line declared;
	struct arena arena;

	arena_init(&arena);
	if (source) {
		assert_true(jit_function_declared(&function, &arena, &declared));
		assert_string_equal(declared.source, source);
		assert_int_equal(declared.line, line);
	} else {
		assert_false(jit_function_declared(&function, &arena, &declared));
	}
	arena_fini(&arena);
}

static void test_declared(void **state)
{
	(void)state;
	assert_declared("JS:*hot /tmp/a.js:12:34", "/tmp/a.js", 12);
	assert_declared("JS:^ node:internal/util:5:1", "node:internal/util", 5);
	assert_declared("int Hot.inner(int)", NULL, 0);
	assert_declared("name:1:2", NULL, 0);
	assert_declared("a :1:2", NULL, 0);
	assert_declared("LazyCompile:*hot /tmp/a.js:12", "/tmp/a.js", 12);
	assert_declared("a b:", NULL, 0);
	assert_declared(":", NULL, 0);
	assert_declared("1:2", NULL, 0);
	assert_declared("", NULL, 0);
}

static void test_damaged_dump(void **state)
{
	struct byte_vec dump = {0};

	(void)state;
	dump_write(&dump);
	for (size_t size = 0; size < dump.len; size++) {
		struct jit_code *code = jit_code_new();
		unsigned char *exact = mem_alloc(size + 1);
		memcpy(exact, dump.data, size);
		jit_code_read_dump(code, exact, size);
		jit_code_find(code, 0x1000);
		free(exact);
		jit_code_free(code);
	}
	struct jit_code *code = jit_code_new();
	dump.data[4] = 2; /* version */
	jit_code_read_dump(code, dump.data, dump.len);
	assert_function(code, 0x1000, NULL);
	vec_fini(&dump);
	jit_code_free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_later_counts),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_moved_twice),
		cmocka_unit_test(test_lines_out_of_step),
		cmocka_unit_test(test_v8_dump),
		cmocka_unit_test(test_declared),
		cmocka_unit_test(test_damaged_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
