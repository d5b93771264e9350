/* Which package has the debug symbols of a file, by lists as dpkg writes them. */
#include "object/debug_package.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

static char directory[] = "/tmp/tare-packages-XXXXXX";

static void write_list(const char *name, const char *lines)
{
	struct str path = {0};

	str_printf(&path, "%s/info/%s", directory, name);
	FILE *file = fopen(path.data, "w");
	assert_non_null(file);
	fputs(lines, file);
	assert_int_equal(fclose(file), 0);
	str_fini(&path);
}

static int set_up(void **state)
{
	struct str path = {0};

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	str_printf(&path, "%s/info", directory);
	const bool ok = mkdir(path.data, 0700) == 0 && setenv("DPKG_ADMINDIR", directory, 1) == 0;
	str_fini(&path);
	write_list("zlib1g:amd64.list", "/.\n/lib\n/lib/x86_64-linux-gnu\n"
					"/lib/x86_64-linux-gnu/libz.so.1.2.13\n");
	write_list("tool.list", "/.\n/usr/bin/tool-of-old\n/usr/bin/tool\n/usr/share/bin/last");
	write_list("libc6:amd64.list", "/lib/x86_64-linux-gnu/libc.so.6\n");
	write_list("libc6-dev:amd64.list", "/usr/lib/x86_64-linux-gnu/libc.so\n");
	write_list("empty.list", "");
	write_list("other.md5sums", "/usr/bin/other\n");
	return ok ? 0 : -1;
}

static int tear_down(void **state)
{
	struct error err;

	(void)state;
	return directory_remove(directory, &err) ? 0 : -1;
}

static void find(const char *path, const char *expected)
{
	struct str name = {0};
	const bool found = debug_package_find(path, &name);

	if (found != (expected != NULL))
		fail_msg("%s: %s", path, found ? name.data : "not found");
	if (found)
		assert_string_equal(name.data, expected);
	str_fini(&name);
}

static void packages(void **state)
{
	(void)state;
	find("/usr/bin/tool", "tool-dbgsym");
	find("/usr/share/bin/last", "tool-dbgsym");
	/* As they are called since their directory was moved below /usr, and before. */
	find("/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "zlib1g-dbgsym");
	find("/lib/x86_64-linux-gnu/libz.so.1.2.13", "zlib1g-dbgsym");
	find("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc6-dbg");
	find("/usr/lib/x86_64-linux-gnu/libc.so", "libc6-dev-dbgsym");
}

static void no_package(void **state)
{
	(void)state;
	find("/usr/bin/tool-of", NULL);
	find("/bin/last", NULL);
	find("/bin/tool", NULL);
	find("/usr/share/bin/las", NULL);
	find("/usr/bin/other", NULL);
	find("/home/me/libz.so.1.2.13", NULL);
	setenv("DPKG_ADMINDIR", "/nowhere", 1);
	find("/usr/bin/tool", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packages),
		cmocka_unit_test(no_package),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
