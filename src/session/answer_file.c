/*
 * Writing the answers. The file is written with pwrite, never mapped: a process that truncates it
 * must not be able to hurt the recorder. Refuses paths that are too long, and stops at half of the
 * slots, so that searches stay short.
 */
#include "session/answer_file.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { ANSWERS_MAX = TARE_ANSWERS_SLOTS / 2 };

static bool write_at(const struct answer_file *file, const void *bytes, size_t size,
		     uint64_t offset)
{
	return pwrite(file->fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

void answer_file_create(struct answer_file *file, const struct session *session)
{
	const struct tare_answers head = {.magic = TARE_ANSWERS_MAGIC, .abi = TARE_ANSWERS_ABI};

	*file = (struct answer_file){.used_bytes = sizeof(head)};
	file->fd = openat(session->fd, TARE_ANSWERS_NAME,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file->fd < 0)
		return;
	if (ftruncate(file->fd, TARE_ANSWERS_BYTES) == 0 && write_at(file, &head, sizeof(head), 0))
		return;
	close(file->fd);
	unlinkat(session->fd, TARE_ANSWERS_NAME, 0);
	file->fd = -1;
}

void answer_file_close(struct answer_file *file)
{
	const uint32_t closed = 1;

	if (file->fd >= 0) {
		(void)write_at(file, &closed, sizeof(closed),
			       offsetof(struct tare_answers, closed));
		close(file->fd);
	}
	vec_foreach (known, &file->known)
		free(known->path);
	vec_fini(&file->known);
	file->fd = -1;
}

void answer_file_withdraw(struct answer_file *file, enum tare_request_kind kind, const char *path)
{
	const uint32_t none = 0;

	vec_foreach (known, &file->known) {
		if (known->kind != kind || strcmp(known->path, path) != 0)
			continue;
		(void)write_at(file, &none, sizeof(none),
			       known->offset + offsetof(struct tare_answer, kind));
		free(known->path);
		*known = vec_last(&file->known);
		file->known.len--;
		return;
	}
}

static struct tare_file_identity identity_of(const struct stat *info)
{
	if (!info)
		return (struct tare_file_identity){0};
	return (struct tare_file_identity){
		.device_major = major(info->st_dev),
		.device_minor = minor(info->st_dev),
		.inode = info->st_ino,
		.size_bytes = (uint64_t)info->st_size,
		.modified_seconds = info->st_mtim.tv_sec,
		.modified_ns = info->st_mtim.tv_nsec,
		.changed_seconds = info->st_ctim.tv_sec,
		.changed_ns = info->st_ctim.tv_nsec,
	};
}

/* The answer first, whole, then the slot that leads to it. */
static bool append(struct answer_file *file, const struct tare_answer *head, const char *path,
		   const char *reply)
{
	struct byte_vec bytes = {0};
	uint32_t slot = head->hash % TARE_ANSWERS_SLOTS;
	const uint32_t offset = file->used_bytes;

	vec_append(&bytes, (const char *)head, sizeof(*head));
	vec_append(&bytes, path, head->asked_bytes + 1);
	vec_append(&bytes, reply, head->path_bytes + 1);
	const bool fits = bytes.len <= TARE_ANSWERS_BYTES - offset &&
			  write_at(file, bytes.data, bytes.len, offset);
	const size_t length = (bytes.len + 7) & ~(size_t)7;

	vec_fini(&bytes);
	while (file->slots[slot])
		slot = (slot + 1) % TARE_ANSWERS_SLOTS;
	if (!fits || !write_at(file, &offset, sizeof(offset),
			       offsetof(struct tare_answers, slots) + slot * sizeof(offset)))
		return false;
	file->slots[slot] = offset;
	file->used_bytes = length < TARE_ANSWERS_BYTES - offset ? offset + (uint32_t)length
								: TARE_ANSWERS_BYTES;
	return true;
}

void answer_file_put(struct answer_file *file, enum tare_request_kind kind, const char *path,
		     const struct stat *info, const struct server_answer *answer)
{
	const char *reply = answer->path ? answer->path : "";
	const struct tare_answer head = {
		.kind = kind,
		.hash = tare_answer_hash(kind, path),
		.asked_bytes = (uint32_t)strlen(path),
		.path_bytes = (uint32_t)strlen(reply),
		.static_tls_bytes = answer->static_tls_bytes,
		.identity = identity_of(info),
	};

	if (file->fd < 0)
		return;
	answer_file_withdraw(file, kind, path);
	size_t used = 0;

	for (size_t i = 0; i < TARE_ANSWERS_SLOTS; i++)
		used += file->slots[i] != 0;
	if (used >= ANSWERS_MAX || head.asked_bytes >= TARE_PATH_MAX ||
	    head.path_bytes >= TARE_PATH_MAX || file->used_bytes > TARE_ANSWERS_BYTES - 8)
		return;
	const uint32_t offset = file->used_bytes;

	if (append(file, &head, path, reply))
		vec_push(&file->known, ((struct answer_known){kind, mem_strdup(path), offset}));
}
