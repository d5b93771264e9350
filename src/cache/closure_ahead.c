/*
 * See closure_ahead.h. The process has nothing of the recording but the cache's directory: no
 * output, no handlers of signals, no life beyond its parent's. What it tells goes through memory
 * that both have.
 */
#include "cache/closure_ahead.h"

#include "base/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BUILT_MAX = 512, LOOK_NS = 10000000, WHOLE = 1000 };

struct closure_ahead_state {
	atomic_bool ends;
	atomic_size_t library; /* it is at this one, from 0 on, */
	atomic_uint done;      /* of WHOLE */
	atomic_size_t built;
	char keys[BUILT_MAX][DIGEST_TEXT_BYTES];
};

static struct closure_ahead_state *state_make(void)
{
	struct closure_ahead_state *state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE,
						 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return state == MAP_FAILED ? NULL : state;
}

/* ---- in the process of its own ---- */

static void leave_parents(pid_t parent)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(0);
	const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
		_exit(0);
}

static void tell_done(const struct instrument_progress *now, void *context)
{
	struct closure_ahead_state *state = context;

	atomic_store(&state->done, (unsigned)(now->done * WHOLE));
}

static void tell_built(struct closure_ahead_state *state, const struct cache_entry *entry)
{
	const size_t built = atomic_load(&state->built);

	if (!entry->was_built || built == BUILT_MAX)
		return;
	memcpy(state->keys[built], entry->key, sizeof(entry->key));
	atomic_store(&state->built, built + 1);
}

static void instrument_all(struct closure_ahead_state *state, const struct instrumenter *from,
			   const struct path_list *libraries)
{
	struct instrument_options options = *from->options;
	struct cache cache = *from->cache;
	struct instrumenter instrumenter = {0};
	struct error ignored;
	bool is_new;

	options.progress = tell_done;
	options.progress_context = state;
	options.begins = NULL;
	cache.waiting = NULL;
	cache.leaves_busy = true;
	instrumenter_init(&instrumenter, &options, &cache);
	vec_foreach (path, libraries) {
		if (atomic_load(&state->ends))
			break;
		atomic_store(&state->done, 0);
		atomic_store(&state->library, (size_t)(path - libraries->data));
		const struct instrumented *file =
			instrumenter_get(&instrumenter, *path, &is_new, &ignored);
		if (file && is_new)
			tell_built(state, &file->entry);
	}
}

/* ---- in its parent ---- */

void closure_ahead_begin(struct closure_ahead *ahead, const struct instrumenter *instrumenter,
			 const char *loader, const char *program)
{
	const pid_t parent = getpid();

	if (ahead->state || parallel_threads(0) < 2)
		return;
	ahead->state = state_make();
	if (!ahead->state)
		return;
	const pid_t pid = fork();
	if (pid == 0) {
		struct path_list libraries = {0};

		leave_parents(parent);
		closure_list(loader, program, NULL, &libraries);
		instrument_all(ahead->state, instrumenter, &libraries);
		_exit(0);
	}
	ahead->pid = pid > 0 ? pid : 0;
}

static void show_library(const struct closure_ahead *ahead, const struct path_list *libraries,
			 void (*show)(const struct instrument_progress *now, void *context),
			 void *context)
{
	const size_t library = atomic_load(&ahead->state->library);

	if (library >= libraries->len)
		return;
	const struct instrument_progress now = {.path = libraries->data[library],
						.done = atomic_load(&ahead->state->done) /
							(double)WHOLE};
	show(&now, context);
}

void closure_ahead_end(struct closure_ahead *ahead, const struct path_list *libraries,
		       void (*show)(const struct instrument_progress *now, void *context),
		       void *context)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	pid_t ended = 0;

	if (!ahead->pid)
		return;
	atomic_store(&ahead->state->ends, true);
	while ((ended = waitpid(ahead->pid, NULL, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
		show_library(ahead, libraries, show, context);
		nanosleep(&pause, NULL);
	}
	ahead->pid = 0;
}

bool closure_ahead_has_built(const struct closure_ahead *ahead, const char *key)
{
	const size_t built = ahead->state ? atomic_load(&ahead->state->built) : 0;

	for (size_t i = 0; i < built; i++)
		if (!strcmp(ahead->state->keys[i], key))
			return true;
	return false;
}

void closure_ahead_fini(struct closure_ahead *ahead)
{
	const struct path_list none = {0};

	closure_ahead_end(ahead, &none, NULL, NULL);
	if (ahead->state)
		munmap(ahead->state, sizeof(*ahead->state));
	*ahead = (struct closure_ahead){0};
}
