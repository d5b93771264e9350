/*
 * The library brings its own network stack along, so it is loaded only when somebody wants it. Its
 * own time limits (DEBUGINFOD_TIMEOUT) are for files that do not move on; ours ends all downloads.
 */
#include "object/debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* As elfutils/debuginfod.h has it, which is not there wherever elfutils is. */
struct client;
struct library {
	struct client *(*begin)(void);
	void (*end)(struct client *client);
	int (*find)(struct client *client, const unsigned char *build_id, int size, char **path);
	void (*set_progress)(struct client *client,
			     int (*function)(struct client *client, long done, long all));
};

static time_t started_s; /* of the download that is under way */
static time_t spent_s;

static bool is_asked_for(void)
{
	const char *wanted = getenv("TARE_DEBUGINFOD");

	return wanted && *wanted && strcmp(wanted, "0") != 0;
}

static bool has_servers(void)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	return servers && *servers;
}

bool debuginfod_is_wanted(void)
{
	return is_asked_for() && has_servers();
}

static bool library_load(struct library *library)
{
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	const struct {
		const char *name;
		void *function;
	} wanted[] = {
		{"debuginfod_begin", &library->begin},
		{"debuginfod_end", &library->end},
		{"debuginfod_find_debuginfo", &library->find},
		{"debuginfod_set_progressfn", &library->set_progress},
	};

	for (size_t i = 0; handle && i < sizeof(wanted) / sizeof(*wanted); i++) {
		void *found = dlsym(handle, wanted[i].name);
		if (!found)
			return false;
		memcpy(wanted[i].function, &found, sizeof(found));
	}
	return handle != NULL;
}

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static int give_up(struct client *client, long done, long all)
{
	(void)client;
	(void)done;
	(void)all;
	return spent_s + now_s() - started_s >= DEBUGINFOD_SECONDS_MAX;
}

static const struct library *library_get(void)
{
	static struct library library;
	static enum { UNKNOWN, MISSING, LOADED } state;

	if (state == UNKNOWN)
		state = library_load(&library) ? LOADED : MISSING;
	return state == LOADED ? &library : NULL;
}

bool debuginfod_state(const char **text)
{
	if (!is_asked_for())
		*text = "servers are not asked (TARE_DEBUGINFOD=1 asks those of DEBUGINFOD_URLS)";
	else if (!has_servers())
		*text = "servers cannot be asked: DEBUGINFOD_URLS names none";
	else if (!library_get())
		*text = "servers cannot be asked: libdebuginfod is not installed";
	else
		*text = "servers are asked for others";
	return !is_asked_for() || (has_servers() && library_get());
}

char *debuginfod_fetch(const unsigned char *build_id, size_t size)
{
	const struct library *library = library_get();
	char *path = NULL;

	if (!library || spent_s >= DEBUGINFOD_SECONDS_MAX || size > 64)
		return NULL;
	struct client *client = library->begin();
	if (!client)
		return NULL;
	started_s = now_s();
	library->set_progress(client, give_up);
	const int fd = library->find(client, build_id, (int)size, &path);
	spent_s += now_s() - started_s;
	library->end(client);
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}
