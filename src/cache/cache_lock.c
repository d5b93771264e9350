/*
 * flock on a file per key, in which its holder writes its process id, for those who wait. They ask
 * again and again: a lock that is waited for in the kernel is waited for without a limit.
 *
 *   open ─▶ lock ─▶ still the file of that name? ──yes──▶ taken
 *    ▲        └busy: later, up to the limit   └─no─┐
 *    └─────────────────────────────────────────────┘
 *
 * The holder removes the file before it lets go, so whoever gets the lock of a removed file begins
 * anew. Refuses links in place of files.
 */
#include "cache/cache_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_FIRST_MS = 1, PAUSE_LAST_MS = 50 };

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_in_place(const struct cache *cache, const struct cache_lock *lock)
{
	struct stat open_file, named;

	return fstat(lock->fd, &open_file) == 0 &&
	       fstatat(cache->root_fd, lock->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

static enum cache_lock_result lock_fail(const struct cache *cache, const struct cache_lock *lock,
					struct error *err)
{
	error_set_errno(err, errno, "cannot lock %s in the cache %s", lock->name, cache->root);
	return CACHE_LOCK_FAILED;
}

/* One attempt. When it is taken, lock->fd is open, else closed. */
static enum cache_lock_result lock_try(const struct cache *cache, struct cache_lock *lock,
				       struct error *err)
{
	for (;;) {
		lock->fd = openat(cache->root_fd, lock->name,
				  O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (lock->fd < 0)
			return lock_fail(cache, lock, err);
		if (flock(lock->fd, LOCK_EX | LOCK_NB) == 0) {
			if (is_in_place(cache, lock))
				return CACHE_LOCK_TAKEN;
			close(lock->fd);
			continue;
		}
		const int reason = errno;
		close(lock->fd);
		if (reason == EWOULDBLOCK)
			return CACHE_LOCK_BUSY;
		if (reason != EINTR) {
			errno = reason;
			return lock_fail(cache, lock, err);
		}
	}
}

/* Best effort: others can wait without knowing for whom. */
static void put_owner(const struct cache_lock *lock)
{
	char text[32];
	const int length = snprintf(text, sizeof(text), "%d\n", (int)getpid());

	if (ftruncate(lock->fd, 0) < 0 || pwrite(lock->fd, text, (size_t)length, 0) != length)
		(void)ftruncate(lock->fd, 0);
}

static int owner_of(const struct cache *cache, const struct cache_lock *lock)
{
	char text[32] = "";
	int pid = 0;
	const int fd = openat(cache->root_fd, lock->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return 0;
	if (pread(fd, text, sizeof(text) - 1, 0) <= 0 || sscanf(text, "%d", &pid) != 1 || pid < 0)
		pid = 0;
	close(fd);
	return pid;
}

static void tell(const struct cache *cache, const struct cache_lock *lock, const char *source,
		 bool waits)
{
	struct str sentence = {0};
	char owner[32] = "another process";
	const int pid = owner_of(cache, lock);

	if (!cache->waiting)
		return;
	if (pid)
		snprintf(owner, sizeof(owner), "process %d", pid);
	if (waits)
		str_printf(&sentence, "waiting for %s, which is instrumenting %s", owner, source);
	else
		str_printf(&sentence,
			   "%s does not get done with %s, so this recording makes a "
			   "copy of its own",
			   owner, source);
	cache->waiting(sentence.data, cache->context);
	str_fini(&sentence);
}

enum cache_lock_result cache_lock_take(const struct cache *cache, const char *key,
				       const char *source, struct cache_lock *lock,
				       struct error *err)
{
	const int64_t begin_ms = now_ms();
	int64_t pause_ms = PAUSE_FIRST_MS;
	bool told = false;

	snprintf(lock->name, sizeof(lock->name), "lock/%s", key);
	for (;;) {
		const enum cache_lock_result result = lock_try(cache, lock, err);
		if (result == CACHE_LOCK_TAKEN)
			put_owner(lock);
		if (result != CACHE_LOCK_BUSY)
			return result;
		const int64_t waited_ms = now_ms() - begin_ms;
		if (waited_ms >= cache->notice_ms && !told) {
			tell(cache, lock, source, true);
			told = true;
		}
		if (waited_ms >= cache->limit_ms) {
			if (!cache->leaves_busy)
				tell(cache, lock, source, false);
			return CACHE_LOCK_BUSY;
		}
		const struct timespec pause = {.tv_nsec = pause_ms * 1000000};
		nanosleep(&pause, NULL);
		if (pause_ms < PAUSE_LAST_MS)
			pause_ms *= 2;
	}
}

void cache_lock_release(const struct cache *cache, struct cache_lock *lock)
{
	unlinkat(cache->root_fd, lock->name, 0);
	close(lock->fd);
	lock->fd = -1;
}

static void trim_one(const struct cache *cache, const char *file)
{
	struct cache_lock lock;

	if (snprintf(lock.name, sizeof(lock.name), "lock/%s", file) >= (int)sizeof(lock.name))
		return;
	lock.fd = openat(cache->root_fd, lock.name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (lock.fd < 0)
		return;
	if (flock(lock.fd, LOCK_EX | LOCK_NB) == 0 && is_in_place(cache, &lock))
		unlinkat(cache->root_fd, lock.name, 0);
	close(lock.fd);
}

void cache_lock_trim(const struct cache *cache)
{
	const int fd =
		openat(cache->root_fd, "lock", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (!directory) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (const struct dirent *file; (file = readdir(directory));)
		if (file->d_name[0] != '.')
			trim_one(cache, file->d_name);
	closedir(directory);
}
