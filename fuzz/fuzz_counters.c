/*
 * Files of counters with any contents: the first byte says whether the header comes from the input,
 * too, or is a good one before records and counters of the input.
 */
#include "assemble/counted.h"
#include "fuzz/fuzz.h"
#include "session/thread_files.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of larger ones no module has as many counters, which is asked before they are read. */
enum { COUNTERS_MAX = 4096 };

static void put(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const ssize_t done = pwrite(fd, bytes, size, (off_t)offset);

	assert(done == (ssize_t)size);
}

static void read_all(int fd)
{
	struct counted_file file = {.fd = -1};
	struct error err;

	if (counted_records_read(&file, fd, "counters", &err)) {
		assert(file.count <= TARE_COUNTER_RECORDS_MAX);
		assert(file.count <= file.header.record_count);
	} else {
		assert(err.message[0]);
	}
	for (uint32_t i = 0; i < file.count; i++) {
		const struct tare_counter_record *entry = &file.records[i];
		if (entry->counter_count > COUNTERS_MAX)
			continue;
		uint64_t *values = counted_values(fd, entry);
		for (uint32_t k = 0; k < entry->counter_count; k++)
			assert(values[k] <= SESSION_FILE_VALUE_MAX);
		free(values);
	}
	counted_file_fini(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("counters", MFD_CLOEXEC);

	assert(fd >= 0);
	if (size > 1 && data[0] & 1) {
		put(fd, data + 1, size - 1, 0);
	} else if (size > 1) {
		const struct tare_counters_file header = {.magic = TARE_COUNTERS_MAGIC,
							  .abi = TARE_COUNTERS_ABI,
							  .record_count = data[0] / 2};
		put(fd, &header, sizeof(header), 0);
		put(fd, data + 1, size - 1, sizeof(header));
	}
	read_all(fd);
	close(fd);
	return 0;
}
