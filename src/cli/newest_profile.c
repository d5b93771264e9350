/*
 * See newest_profile.h. Names that are no profiles (a directory, a text, a file that cannot be
 * read) are passed over. Of several that were written at the same time it is the first by name.
 */
#include "cli/newest_profile.h"

#include "base/base.h"
#include "cli/print.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PROFILE_SUFFIX ".tare"
#define BEFORE_SUFFIX  ".old"

struct newest {
	char *path;
	struct timespec written;
};

/* Whether there is a profile at `path`, and when it was written. */
static bool is_profile(const char *path, struct timespec *written)
{
	static const char begin[] = "SQLite format 3";
	char bytes[sizeof(begin)];
	struct stat status;
	/* O_NONBLOCK: a FIFO of such a name must not be waited for. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	const bool found = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
			   read(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes) &&
			   memcmp(bytes, begin, sizeof(begin)) == 0;

	close(fd);
	if (found)
		*written = status.st_mtim;
	return found;
}

/* Below 0: `a` is earlier. */
static int compare_times(const struct timespec *a, const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}

static void take(struct newest *newest, const char *name)
{
	struct timespec written;

	if (!str_ends_with(name, PROFILE_SUFFIX) || !is_profile(name, &written))
		return;
	const int order = newest->path ? compare_times(&newest->written, &written) : -1;
	if (order > 0 || (order == 0 && strcmp(newest->path, name) < 0))
		return;
	free(newest->path);
	newest->path = mem_strdup(name);
	newest->written = written;
}

static struct newest find(void)
{
	struct newest newest = {.path = NULL};
	DIR *directory = opendir(".");

	for (const struct dirent *entry; directory && (entry = readdir(directory));)
		take(&newest, entry->d_name);
	if (directory)
		closedir(directory);
	return newest;
}

/* "3 minutes": how long ago, in the largest unit of which there are two. */
static void append_age(struct str *out, const struct timespec *written)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {{"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}};
	const int64_t age = (int64_t)time(NULL) - written->tv_sec;
	size_t unit = 0;

	while (unit < 3 && age < 2 * units[unit].seconds)
		unit++;
	const int64_t count = age > 0 ? age / units[unit].seconds : 0;
	str_printf(out, "%jd %s%s", (intmax_t)count, units[unit].name, count == 1 ? "" : "s");
}

static void *none(const char *usage, struct error *err)
{
	error_set(err, ERROR_USAGE, "which profile? %s; there is none in this directory", usage);
	return NULL;
}

char *newest_profile(const struct command *command, const char *usage, struct error *err)
{
	const struct newest newest = find();
	struct str age = {0};

	if (!newest.path)
		return none(usage, err);
	append_age(&age, &newest.written);
	print_note(command, "%s, the newest profile here, written %s ago", newest.path, age.data);
	str_fini(&age);
	return newest.path;
}

char *newest_profile_pair(const struct command *command, const char *usage, char **before,
			  struct error *err)
{
	const struct newest newest = find();
	struct str path = {0};
	struct timespec written;

	if (!newest.path)
		return none(usage, err);
	str_printf(&path, "%s%s", newest.path, BEFORE_SUFFIX);
	if (!is_profile(path.data, &written)) {
		error_set(err, ERROR_USAGE,
			  "which profiles? %s; the newest one here, %s, has none before it (%s)",
			  usage, newest.path, path.data);
		str_fini(&path);
		free(newest.path);
		return NULL;
	}
	print_note(command, "%s, the newest profile here, compared with the one before it, %s",
		   newest.path, path.data);
	*before = path.data;
	return newest.path;
}
