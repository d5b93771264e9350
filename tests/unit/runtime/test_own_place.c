/* Where the runtime's own mappings lie: apart from the program's, and each below the one before. */
#include "runtime/base/own_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define GIB   (1LL << 30)
#define APART (40 * GIB)
#define ROOM  (20 * GIB)

static long map(uint64_t size_bytes)
{
	const long addr = own_place_map(size_bytes, PROT_NONE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	assert_true(addr > 0);
	return addr;
}

/* The first one lies where the program's would: that shows where these are. */
static void test_apart_from_the_programs(void **state)
{
	const long first = map(4096);
	long last = first - APART;

	(void)state;
	for (long size = 4096; size < GIB; size *= 3) {
		const long next = map((uint64_t)size);
		const long whole = (size + 4095) & -4096;

		assert_int_equal(next, last - whole);
		last = next;
		munmap((void *)next, (size_t)size);
	}
	munmap((void *)first, 4096);
	/* A program's mapping finds the same gaps as before. */
	void *const own = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true((long)own > last + ROOM);
	munmap(own, 4096);
}

/* What is too large for that lies anywhere; and where the room is at its end it begins again. */
static void test_room(void **state)
{
	const long near = map(4096);

	(void)state;
	munmap((void *)near, 4096);
	const long large = map(ROOM + 4096);

	munmap((void *)large, ROOM + 4096);
	for (int i = 0; i < 9; i++) {
		const long addr = map(4 * GIB);

		assert_true(addr > near - ROOM - 4 * GIB && addr < near + ROOM);
		munmap((void *)addr, 4 * GIB);
	}
}

/* A further mapping of a file's page is one of these, and shows the same bytes. */
static void test_again(void **state)
{
	const int fd = memfd_create("page", MFD_CLOEXEC);
	const long near = map(4096);

	(void)state;
	assert_int_equal(ftruncate(fd, 8192), 0);
	char *const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	strcpy(page, "text");
	const long again = own_place_map_again((uint64_t)page, 8192);

	assert_true(again > near - ROOM && again < near + ROOM);
	assert_string_equal((const char *)again, "text");
	strcpy((char *)again, "other");
	assert_string_equal(page, "other");
	munmap((void *)again, 8192);
	munmap((void *)near, 4096);
	munmap(page, 4096);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apart_from_the_programs),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_again),
	};
	struct rlimit space;

	/* More is mapped than a test is usually allowed to; nothing of it is used. */
	getrlimit(RLIMIT_AS, &space);
	space.rlim_cur = space.rlim_max;
	setrlimit(RLIMIT_AS, &space);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
