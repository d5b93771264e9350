/*
 * See closure_ahead.h. The processes have nothing of the recording but the cache's directory: no
 * output, no handlers of signals, no life beyond their parent's. What they tell goes through memory
 * that all have. The first makes the others; each takes the largest that none has taken yet.
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Each process has some hundred megabytes for a large library. */
enum { BUILT_MAX = 512, LOOK_NS = 10000000, WHOLE = 1000, PROCESSES_MAX = 8 };

struct closure_ahead_state {
	atomic_bool ends;      /* nothing is begun any more */
	atomic_size_t taken;   /* libraries, in the order of their sizes */
	atomic_size_t library; /* the last one begun, from 0 on, */
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

/* ---- in the processes of their own ---- */

struct ahead_library {
	size_t number; /* in the list of libraries */
	off_t size;
};

struct ahead_libraries vec_of(struct ahead_library);

struct ahead_worker {
	struct closure_ahead_state *state;
	const struct instrumenter *from;
	const struct path_list *paths;
	struct ahead_libraries order;
	size_t library; /* it is at */
};

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
	const struct ahead_worker *worker = context;

	if (atomic_load(&worker->state->library) == worker->library)
		atomic_store(&worker->state->done, (unsigned)(now->done * WHOLE));
}

static void tell_built(struct closure_ahead_state *state, const struct cache_entry *entry)
{
	if (!entry->was_built)
		return;
	const size_t built = atomic_fetch_add(&state->built, 1);
	if (built < BUILT_MAX)
		memcpy(state->keys[built], entry->key, sizeof(entry->key));
}

static void instrument_untaken(struct ahead_worker *worker)
{
	struct closure_ahead_state *state = worker->state;
	struct instrument_options options = *worker->from->options;
	struct cache cache = *worker->from->cache;
	struct instrumenter instrumenter = {0};
	struct error ignored;
	bool is_new;

	options.progress = tell_done;
	options.progress_context = worker;
	cache.waiting = NULL;
	cache.leaves_busy = true;
	cache.limit_ms = 0;
	instrumenter_init(&instrumenter, &options, &cache);
	while (!atomic_load(&state->ends)) {
		const size_t next = atomic_fetch_add(&state->taken, 1);
		if (next >= worker->order.len)
			break;
		worker->library = worker->order.data[next].number;
		atomic_store(&state->done, 0);
		atomic_store(&state->library, worker->library);
		const struct instrumented *file = instrumenter_get(
			&instrumenter, worker->paths->data[worker->library], &is_new, &ignored);
		if (file && is_new)
			tell_built(state, &file->entry);
	}
}

static int compare_sizes(const void *left, const void *right)
{
	const struct ahead_library *a = left, *b = right;

	return a->size != b->size ? (a->size < b->size ? 1 : -1)
				  : (a->number > b->number) - (a->number < b->number);
}

static void order_by_size(struct ahead_worker *worker)
{
	struct stat info;

	for (size_t i = 0; i < worker->paths->len; i++)
		if (stat(worker->paths->data[i], &info) == 0)
			vec_push(&worker->order,
				 ((struct ahead_library){.number = i, .size = info.st_size}));
	vec_sort(&worker->order, compare_sizes);
}

/* Where one cannot be made, those that are there do its work. */
static void instrument_together(struct ahead_worker *worker, unsigned processes)
{
	const pid_t first = getpid();

	for (unsigned i = 1; i < processes && i < worker->order.len; i++)
		if (fork() == 0) {
			leave_parents(first);
			instrument_untaken(worker);
			_exit(0);
		}
	instrument_untaken(worker);
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* ---- in its parent ---- */

void closure_ahead_begin(struct closure_ahead *ahead, const struct instrumenter *instrumenter,
			 const struct path_list *libraries)
{
	const pid_t parent = getpid();
	const unsigned processors = parallel_threads(0);

	if (ahead->state || processors < 2 || !libraries->len)
		return;
	ahead->state = state_make();
	if (!ahead->state)
		return;
	const pid_t pid = fork();
	if (pid == 0) {
		struct ahead_worker worker = {
			.state = ahead->state, .from = instrumenter, .paths = libraries};

		leave_parents(parent);
		order_by_size(&worker);
		instrument_together(&worker,
				    processors < PROCESSES_MAX ? processors : PROCESSES_MAX);
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

void closure_ahead_wait(struct closure_ahead *ahead, const struct path_list *libraries,
			void (*show)(const struct instrument_progress *now, void *context),
			void *context)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	pid_t ended = 0;

	if (!ahead->pid)
		return;
	while ((ended = waitpid(ahead->pid, NULL, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
		show_library(ahead, libraries, show, context);
		nanosleep(&pause, NULL);
	}
	ahead->pid = 0;
}

bool closure_ahead_was_built(const struct closure_ahead *ahead, const struct cache_entry *entry)
{
	const size_t built = ahead->state ? atomic_load(&ahead->state->built) : 0;

	for (size_t i = 0; i < built && i < BUILT_MAX; i++)
		if (!strcmp(ahead->state->keys[i], entry->key))
			return true;
	return entry->was_built;
}

void closure_ahead_fini(struct closure_ahead *ahead)
{
	const struct path_list none = {0};

	if (ahead->state)
		atomic_store(&ahead->state->ends, true);
	closure_ahead_wait(ahead, &none, NULL, NULL);
	if (ahead->state)
		munmap(ahead->state, sizeof(*ahead->state));
	*ahead = (struct closure_ahead){0};
}
