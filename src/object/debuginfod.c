/*
 * The library brings its own network stack along, so it is loaded only when servers are to be
 * asked. Its own time limit (DEBUGINFOD_TIMEOUT) is for one file and long; ours ends all downloads
 * of a process.
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

/* What the commands have said, and how far the downloads of this process are. */
static struct {
	struct debuginfod_options options;
	bool is_allowed, has_given_up;
	const char *file;
	time_t spent_s, started_s, moved_s;
	long moved; /* bytes, or steps before a server answers, at moved_s */
} state;

void debuginfod_allow(const struct debuginfod_options *options)
{
	state.options = *options;
	state.is_allowed = true;
}

static bool has_servers(void)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	return servers && servers[strspn(servers, " ")];
}

bool debuginfod_is_wanted(void)
{
	return state.is_allowed && !state.has_given_up && has_servers();
}

static bool library_load(struct library *library)
{
	/* A static program can load only what was made for its own C library. */
	void *handle = TARE_IS_STATIC ? NULL : dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
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

/* Steps without bytes are counted by one each. */
static bool has_moved(long done)
{
	enum { BYTES_MIN = 1024 };

	return done < state.moved || done - state.moved >= BYTES_MIN;
}

static int go_on_or_end(struct client *client, long done, long all)
{
	const time_t now = now_s();

	(void)client;
	if (has_moved(done)) {
		state.moved = done;
		state.moved_s = now;
	}
	if (state.options.show)
		state.options.show(state.file, done, all, state.options.context);
	state.has_given_up = now - state.moved_s >= DEBUGINFOD_SILENCE_SECONDS_MAX ||
			     state.spent_s + now - state.started_s >= DEBUGINFOD_SECONDS_MAX;
	return state.has_given_up;
}

static const struct library *library_get(void)
{
	static struct library library;
	static enum { UNKNOWN, MISSING, LOADED } found;

	if (found == UNKNOWN)
		found = library_load(&library) ? LOADED : MISSING;
	return found == LOADED ? &library : NULL;
}

bool debuginfod_state(const char **text)
{
	const bool works = !has_servers() || library_get();

	if (!has_servers())
		*text = "servers are not asked, as DEBUGINFOD_URLS names none";
	else if (!works)
		*text = TARE_IS_STATIC ? "the servers of DEBUGINFOD_URLS cannot be asked by a tare "
					 "with its libraries built in"
				       : "the servers of DEBUGINFOD_URLS cannot be asked: "
					 "libdebuginfod is not installed";
	else
		*text = "the servers of DEBUGINFOD_URLS are asked for others";
	return works;
}

char *debuginfod_fetch(const char *file, const unsigned char *build_id, size_t size)
{
	const struct library *library = library_get();
	char *path = NULL;

	if (!library || size > 64)
		return NULL;
	struct client *client = library->begin();
	if (!client)
		return NULL;
	state.file = file;
	state.started_s = state.moved_s = now_s();
	state.moved = 0;
	library->set_progress(client, go_on_or_end);
	const int fd = library->find(client, build_id, (int)size, &path);
	state.spent_s += now_s() - state.started_s;
	library->end(client);
	if (state.options.show)
		state.options.show(NULL, 0, 0, state.options.context);
	if (fd < 0)
		return NULL;
	close(fd);
	return path;
}
