/*
 * Files of samples that the runtime has taken, with any contents: the first byte says whether the
 * header comes from the input too, or is a good one before records of the input.
 */
#include "fuzz/fuzz.h"
#include "session/timer_samples.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void put(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const ssize_t done = pwrite(fd, bytes, size, (off_t)offset);

	assert(done == (ssize_t)size);
}

static void read_all(int fd, uint64_t size)
{
	static struct timer_reader reader;
	struct timer_sample sample;
	struct error err;
	size_t before = 0;
	uint64_t at = 0;
	static volatile uint64_t used;

	if (!timer_reader_begin(&reader, fd, size, &err))
		return;
	while (timer_reader_next(&reader, &sample)) {
		assert(sample.count <= TARE_TIMER_FRAMES_MAX && sample.shared <= sample.count);
		assert(sample.shared <= before && sample.periods <= TARE_TIMER_PERIODS_MAX);
		assert(reader.at > at && reader.at <= size);
		before = sample.count;
		at = reader.at;
		for (size_t i = 0; i < sample.count; i++)
			used ^= sample.frames[i];
	}
	timer_reader_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("timer", MFD_CLOEXEC);

	assert(fd >= 0);
	if (size && data[0] & 1) {
		put(fd, data + 1, size - 1, 0);
		read_all(fd, size - 1);
	} else if (size) {
		const struct tare_timer_file header = {.magic = TARE_TIMER_MAGIC,
						       .abi = TARE_TIMER_ABI,
						       .period_ns = 1000000,
						       .used_bytes = TARE_TIMER_RECORDS +
								     ((size - 1) & ~7ULL)};
		put(fd, &header, sizeof(header), 0);
		put(fd, data + 1, size - 1, TARE_TIMER_RECORDS);
		read_all(fd, TARE_TIMER_RECORDS + size - 1);
	}
	close(fd);
	return 0;
}
