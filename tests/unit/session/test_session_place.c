/*
 * Where a session's directory is made: in memory where there is room, else where there is most. The
 * file systems are made up: what is known of each place is the test's.
 */
#include "session/session_dir.h"
#include "tests/support/own_directory.h"

#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cmocka.h>

#define MB (1ULL << 20)

static char base[] = "/tmp/tare-test-session-XXXXXX";

/* Two places of the test; all others have no room. */
static struct {
	char path[64];
	bool in_memory;
	uint64_t room_bytes;
} memory, disk;

/* The linker puts these in the places of the C library's. */
int __wrap_statfs64(const char *path, struct statfs *kind);
int __wrap_statvfs64(const char *path, struct statvfs *room);

int __wrap_statfs64(const char *path, struct statfs *kind)
{
	*kind = (struct statfs){.f_type = strcmp(path, memory.path) == 0 ? TMPFS_MAGIC
									 : EXT4_SUPER_MAGIC};
	return 0;
}

int __wrap_statvfs64(const char *path, struct statvfs *room)
{
	*room = (struct statvfs){.f_frsize = 4096};
	if (strcmp(path, memory.path) == 0)
		room->f_bavail = memory.room_bytes / 4096;
	if (strcmp(path, disk.path) == 0)
		room->f_bavail = disk.room_bytes / 4096;
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	if (!own_directory_make(base))
		return -1;
	snprintf(memory.path, sizeof(memory.path), "%s/memory", base);
	snprintf(disk.path, sizeof(disk.path), "%s/disk", base);
	setenv("XDG_RUNTIME_DIR", memory.path, 1);
	setenv("TMPDIR", disk.path, 1);
	return mkdir(memory.path, 0700) || mkdir(disk.path, 0700);
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(base, &err) ? 0 : -1;
}

/* Base name of the place that is chosen, "" if there is none. */
static const char *chosen(uint64_t memory_bytes, uint64_t disk_bytes, bool large)
{
	static char name[16];
	struct session session;
	struct error err;

	memory.room_bytes = memory_bytes;
	disk.room_bytes = disk_bytes;
	name[0] = 0;
	if (!session_create(&session, large, &err))
		return name;
	*strrchr(session.directory, '/') = 0;
	snprintf(name, sizeof(name), "%s", path_basename(session.directory));
	session.directory[strlen(session.directory)] = '/';
	session_close(&session, true);
	return name;
}

static void test_in_memory_where_there_is_room(void **state)
{
	(void)state;
	assert_string_equal(chosen(256 * MB, 10000 * MB, false), "memory");
	assert_string_equal(chosen(256 * MB - 4096, 10000 * MB, false), "disk");
	assert_string_equal(chosen(100 * MB, 256 * MB, false), "disk");
}

static void test_where_there_is_most_else(void **state)
{
	(void)state;
	assert_string_equal(chosen(100 * MB, 50 * MB, false), "memory");
	assert_string_equal(chosen(50 * MB, 100 * MB, false), "disk");
	assert_string_equal(chosen(8 * MB, 0, false), "memory");
	assert_string_equal(chosen(8 * MB - 4096, 4096, false), "");
}

static void test_what_is_large_goes_to_the_disk(void **state)
{
	(void)state;
	assert_string_equal(chosen(10000 * MB, 8 * MB, true), "disk");
	assert_string_equal(chosen(10000 * MB, 8 * MB - 4096, true), "memory");
}

int main(void)
{
#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		PLACE_TEST(test_in_memory_where_there_is_room),
		PLACE_TEST(test_where_there_is_most_else),
		PLACE_TEST(test_what_is_large_goes_to_the_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
