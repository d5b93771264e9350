/*
 * Prints what object/lines says of addresses, for tests that compare it with other tools:
 *
 *   lines_of FILE <addresses     one in hexadecimal per line; "all": 1 of each symbol
 *
 * One line per address: address, reason, then FUNCTION@SOURCE:LINE:COLUMN from the innermost on;
 * at last the place of the declaration, "decl=SOURCE:LINE". Time and number on stderr.
 */
#include "object/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void print_answer(uint64_t addr, const struct lines_answer *answer)
{
	printf("%" PRIx64 " %s", addr,
	       answer->reason == LINES_KNOWN ? "known" : lines_reason_text(answer->reason));
	for (size_t i = 0; i < answer->count; i++) {
		const struct lines_frame *frame = &answer->frames[i];
		printf("\t%s@%s:%u:%u", frame->function, frame->source ? frame->source : "?",
		       frame->line, frame->column);
	}
	if (answer->declared_line)
		printf("\tdecl=%s:%u", answer->declared_source, answer->declared_line);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct vec_of(uint64_t) addrs = {0};
	struct vec_of(struct lines_answer) answers = {0};
	struct error err;
	uint64_t addr;

	if (argc < 2)
		return 2;
	struct object *object = object_open(argv[1], OBJECT_SYMBOLS, &err);
	if (!object) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	while (scanf("%" SCNx64, &addr) == 1)
		vec_push(&addrs, addr);
	vec_reserve(&answers, addrs.len);
	const double start = now_s();
	struct lines *lines = lines_open(object, NULL);
	lines_find(lines, addrs.data, addrs.len, answers.data);
	fprintf(stderr, "%zu addresses in %.3f s\n", addrs.len, now_s() - start);
	for (size_t i = 0; i < addrs.len; i++)
		print_answer(addrs.data[i], &answers.data[i]);
	lines_close(lines);
	object_close(object);
	vec_fini(&addrs);
	vec_fini(&answers);
	return 0;
}
