/*
 * Looking up what the recorder has answered before. The file is mapped to be read only.
 *
 * Refuses answers that point outside of the file, about files that have changed, and those whose
 * own file is gone: a recorder that was killed cannot withdraw them.
 */
#include "runtime/base/answers.h"

#include "abi/answers.h"
#include "runtime/base/bytes.h"
#include "runtime/base/files.h"
#include "runtime/base/kernel.h"
#include "runtime/base/own_place.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/mman.h>

static const struct tare_answers *answers;

/* The head is written when the file has its size; of a shorter one a page would be a SIGBUS. */
static bool is_whole(long fd)
{
	struct {
		uint64_t magic;
		uint32_t abi;
	} head = {0};

	return kernel_call(SYS_read, fd, &head, sizeof(head)) == sizeof(head) &&
	       head.magic == TARE_ANSWERS_MAGIC && head.abi == TARE_ANSWERS_ABI;
}

void answers_begin(void)
{
	const long fd = files_open(TARE_ANSWERS_NAME, O_RDONLY);

	if (fd < 0)
		return;
	answers = NULL;
	if (is_whole(fd)) {
		const long map = own_place_map(TARE_ANSWERS_BYTES, PROT_READ, MAP_SHARED, fd);

		answers = map < 0 && map > -4096 ? NULL : (const struct tare_answers *)map;
	}
	kernel_call(SYS_close, fd);
}

/* Of a slot that is not empty; NULL where it leads out of the file. */
static const struct tare_answer *answer_at(uint32_t offset)
{
	const struct tare_answer *answer =
		(const struct tare_answer *)((const char *)answers + offset);

	if (offset % 8 || offset < sizeof(*answers) ||
	    offset > TARE_ANSWERS_BYTES - sizeof(*answer))
		return NULL;
	const uint64_t room = TARE_ANSWERS_BYTES - offset - sizeof(*answer);

	return answer->asked_bytes < TARE_PATH_MAX && answer->path_bytes < TARE_PATH_MAX &&
			       (uint64_t)answer->asked_bytes + answer->path_bytes + 2 <= room
		       ? answer
		       : NULL;
}

static const struct tare_answer *find(enum tare_request_kind kind, const char *path)
{
	const uint32_t hash = tare_answer_hash(kind, path);

	for (uint32_t i = 0; i < TARE_ANSWERS_SLOTS; i++) {
		const uint32_t offset = __atomic_load_n(
			&answers->slots[(hash + i) % TARE_ANSWERS_SLOTS], __ATOMIC_ACQUIRE);
		const struct tare_answer *answer = offset ? answer_at(offset) : NULL;

		if (!answer)
			return NULL;
		if (answer->hash == hash && answer->kind == kind &&
		    bytes_equal((const char *)(answer + 1), path))
			return answer;
	}
	return NULL;
}

static bool identity_holds(const struct tare_file_identity *was, const char *path)
{
	struct statx now;

	if (!was->inode)
		return true;
	if (kernel_call(SYS_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS, &now))
		return false;
	return now.stx_dev_major == was->device_major && now.stx_dev_minor == was->device_minor &&
	       now.stx_ino == was->inode && now.stx_size == was->size_bytes &&
	       now.stx_mtime.tv_sec == was->modified_seconds &&
	       now.stx_mtime.tv_nsec == was->modified_ns &&
	       now.stx_ctime.tv_sec == was->changed_seconds &&
	       now.stx_ctime.tv_nsec == was->changed_ns;
}

bool answers_find(enum tare_request_kind kind, const char *path, struct session_answer *answer)
{
	const struct tare_answer *found =
		answers && !__atomic_load_n(&answers->closed, __ATOMIC_ACQUIRE) ? find(kind, path)
										: NULL;

	if (!found || !identity_holds(&found->identity, path))
		return false;
	const char *copy = (const char *)(found + 1) + found->asked_bytes + 1;

	memcpy(answer->path, copy, found->path_bytes);
	answer->path[found->path_bytes] = 0;
	answer->static_tls_bytes = found->static_tls_bytes;
	return !found->path_bytes || files_can_read(answer->path);
}
