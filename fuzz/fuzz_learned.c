/*
 * What recordings have learned, in files with any contents, for both of its readers: the recorder's
 * (cache/learned.h), and the runtime's (runtime/control/learned.h) in a module with as many arming
 * bytes as the file says. The first byte says whether the header comes from the input, too, or its
 * count, or it is a good one before bits of the input.
 */
#include "abi/learned.h"
#include "cache/learned.h"
#include "fuzz/fuzz.h"
#include "runtime/base/arming_lock.h"
#include "runtime/base/files.h"
#include "runtime/control/arming.h"
#include "runtime/control/disarmed.h"
#include "runtime/control/learned.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of larger counts the runtime reads what is there. */
enum { STARTED_MAX = 1 << 16, NAME_BYTES = 64 };
enum { HEADER_OF_INPUT = 1, COUNT_OF_INPUT = 2 }; /* the first byte, by 4 */

struct state_session state_session = {.settings = {.adaptive_percent = 100}};

static int dir_fd = -1;
static struct tare_learned head;
static struct tare_module module;
static bool started[STARTED_MAX];
static uint64_t start_count, bare_count;
static int locks;

static void name_of(char name[NAME_BYTES])
{
	uint64_t id;

	memcpy(&id, head.source_id, sizeof(id));
	snprintf(name, NAME_BYTES, TARE_LEARNED_NAME "%llu", (unsigned long long)id);
}

long files_open(const char *name, int flags)
{
	char expected[NAME_BYTES];

	name_of(expected);
	assert(!strcmp(name, expected));
	return openat(dir_fd, name, flags | O_CLOEXEC);
}

void arming_lock_wait(void)
{
	locks++;
}

void arming_unlock(void)
{
	locks--;
}

bool disarmed_start(const struct tare_module *of, uint32_t number)
{
	assert(of == &module && locks == 1);
	assert(number < module.function_count + module.call_site_count);
	if (number < STARTED_MAX) {
		assert(!started[number]);
		started[number] = true;
	}
	start_count++;
	return true;
}

void arming_set_bare(const struct tare_module *of, uint32_t number)
{
	assert(of == &module && locks == 1);
	assert(number < module.function_count + module.call_site_count);
	bare_count++;
}

static void directory_remove_at_end(void)
{
	char path[64];
	struct error ignored;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", dir_fd);
	char *real = realpath(path, NULL);
	if (real)
		directory_remove(real, &ignored);
	free(real);
}

static void directory_make(void)
{
	char path[] = "/tmp/tare-fuzz-learned-XXXXXX";

	assert(mkdtemp(path));
	dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert(dir_fd >= 0);
	atexit(directory_remove_at_end);
}

static void put(const char *name, const uint8_t *bits, size_t size, size_t head_bytes)
{
	const int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert(fd >= 0);
	ssize_t done = write(fd, &head, head_bytes);
	assert(done == (ssize_t)head_bytes);
	done = write(fd, bits, size);
	assert(done == (ssize_t)size);
	close(fd);
}

/* The runtime takes no bit that the recorder would not have taken, and all of these. */
static void check(const char *name, uint64_t file_bytes)
{
	struct learned learned = {0};
	uint64_t found = 0, bare = 0;
	const bool ok = learned_read(dir_fd, name, head.source_id, &learned);

	assert(ok == (learned.count != 0));
	assert(learned.count <= TARE_LEARNED_MAX && (!ok || learned.count == head.count));
	assert(!ok || file_bytes == sizeof(head) + 2 * ((uint64_t)(learned.count + 7) / 8));
	assert(!learned_has(&learned, learned.count));
	for (uint32_t i = 0; i < learned.count; i++) {
		found += learned_has(&learned, i);
		bare += learned_is_bare(&learned, i);
	}
	memset(started, 0, sizeof(started));
	start_count = bare_count = 0;
	learned_add(&module);
	assert(!locks);
	assert(!ok || (start_count == found && bare_count == bare));
	for (uint32_t i = 0; ok && i < learned.count && i < STARTED_MAX; i++)
		assert(started[i] == learned_has(&learned, i));
	learned_fini(&learned);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[NAME_BYTES];
	size_t head_bytes = sizeof(head);

	if (dir_fd < 0)
		directory_make();
	if (size < 2)
		return 0;
	const uint8_t kind = *data++;

	size--;
	head = (struct tare_learned){.magic = TARE_LEARNED_MAGIC, .abi = TARE_LEARNED_ABI};
	if (kind % 4 == HEADER_OF_INPUT) {
		head_bytes = size < sizeof(head) ? size : sizeof(head);
		memcpy(&head, data, head_bytes);
		data += head_bytes;
		size -= head_bytes;
	} else if (kind % 4 == COUNT_OF_INPUT) {
		head.count = *data++;
		size--;
	} else {
		size -= size % 2;			       /* two rows of bits */
		head.count = (uint32_t)(size * 4) - kind / 32; /* not all of the last byte */
	}
	module = (struct tare_module){.function_count = head.count / 2,
				      .call_site_count = head.count - head.count / 2};
	memcpy(module.source_id, head.source_id, sizeof(module.source_id));
	name_of(name);
	put(name, data, size, head_bytes);
	check(name, head_bytes + size);
	unlinkat(dir_fd, name, 0);
	return 0;
}
