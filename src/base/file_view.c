/*
 * See file_view.h. A mapping holds its file's inode, so device and inode name that file and no
 * other as long as it is there; one that has changed is mapped anew, as its size may be another,
 * and as there are file systems whose numbers of inodes are not unique.
 *
 *   open ─ known, unchanged? ─▶ one user more ┐
 *             └ no ─▶ mmap, one user          ├▶ view
 *   close ─ one user less; none: kept, and beyond the limits those kept longest are unmapped
 */
#include "base/file_view.h"

#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapping {
	dev_t device;
	ino_t inode;
	struct timespec changed;
	const unsigned char *data;
	size_t size;
	size_t users;
	uint64_t closed; /* when there was the last one: a number that grows */
};

static struct {
	pthread_mutex_t lock;
	struct vec_of(struct mapping) mappings;
	uint64_t closed;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- one at a time, in a child that is forked meanwhile, too ---- */

static void lock(void)
{
	pthread_mutex_lock(&shared.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&shared.lock);
}

static void lock_at_forks(void)
{
	pthread_atfork(lock, unlock, unlock);
}

/* ---- opening ---- */

static bool is_of(const struct mapping *mapping, const struct stat *info)
{
	return mapping->device == info->st_dev && mapping->inode == info->st_ino &&
	       mapping->size == (size_t)info->st_size &&
	       mapping->changed.tv_sec == info->st_mtim.tv_sec &&
	       mapping->changed.tv_nsec == info->st_mtim.tv_nsec;
}

static const unsigned char *take_known(const struct stat *info)
{
	vec_foreach (mapping, &shared.mappings)
		if (is_of(mapping, info)) {
			mapping->users++;
			return mapping->data;
		}
	return NULL;
}

/* NULL with errno. */
static const unsigned char *take(int fd, const struct stat *info)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, lock_at_forks);
	lock();
	const unsigned char *data = take_known(info);
	if (!data) {
		void *mapped = mmap(NULL, (size_t)info->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (mapped != MAP_FAILED) {
			data = mapped;
			vec_push(&shared.mappings, ((struct mapping){.device = info->st_dev,
								     .inode = info->st_ino,
								     .changed = info->st_mtim,
								     .data = data,
								     .size = (size_t)info->st_size,
								     .users = 1}));
		}
	}
	unlock();
	return data;
}

bool file_view_open(struct file_view *view, const char *path, struct error *err)
{
	struct stat info;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	*view = (struct file_view){0};
	if (fd < 0)
		return error_set_errno(err, errno, "cannot open %s", path);
	bool ok = fstat(fd, &info) == 0;
	if (ok && !S_ISREG(info.st_mode)) {
		close(fd);
		error_set(err, ERROR_INPUT, "%s is not a regular file", path);
		return false;
	}
	if (ok && info.st_size) {
		view->data = take(fd, &info);
		ok = view->data != NULL;
	}
	if (ok) {
		view->size = (size_t)info.st_size;
		view->mode = info.st_mode & 07777;
	} else {
		error_set_errno(err, errno, "cannot read %s", path);
	}
	close(fd);
	return ok;
}

/* ---- closing ---- */

static void unmap(struct mapping *mapping)
{
	munmap((void *)mapping->data, mapping->size);
	*mapping = shared.mappings.data[--shared.mappings.len];
}

static struct mapping *kept_longest(size_t *count, uint64_t *bytes)
{
	struct mapping *longest = NULL;

	*count = *bytes = 0;
	vec_foreach (mapping, &shared.mappings) {
		if (mapping->users)
			continue;
		++*count;
		*bytes += mapping->size;
		if (!longest || mapping->closed < longest->closed)
			longest = mapping;
	}
	return longest;
}

static void keep(struct mapping *mapping)
{
	size_t count;
	uint64_t bytes;

	mapping->closed = ++shared.closed;
	if (mapping->size > FILE_VIEW_KEPT_BYTES) {
		unmap(mapping);
		return;
	}
	for (struct mapping *longest = kept_longest(&count, &bytes);
	     count > FILE_VIEWS_KEPT || bytes > FILE_VIEWS_KEPT_BYTES;
	     longest = kept_longest(&count, &bytes))
		unmap(longest);
}

void file_view_close(struct file_view *view)
{
	lock();
	vec_foreach (mapping, &shared.mappings)
		if (view->data && mapping->data == view->data) {
			if (--mapping->users == 0)
				keep(mapping);
			break;
		}
	unlock();
	*view = (struct file_view){0};
}
