/* A buffer that is filled by read(2) and moved to its front when a request does not fit. */
#include "sampler/perf_input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 8 * PERF_INPUT_PEEK_MAX };

void perf_input_init(struct perf_input *input, int fd, uint64_t offset, uint64_t end)
{
	*input = (struct perf_input){.fd = fd, .offset = offset, .end = end};
	input->buffer = mem_alloc(BUFFER_BYTES);
}

void perf_input_fini(struct perf_input *input)
{
	free(input->buffer);
	input->buffer = NULL;
}

/* Reads what there is at once; false at the end. */
static bool fill(struct perf_input *input)
{
	const size_t have = input->len - input->begin;
	const uint64_t wanted = input->end - input->offset - have;
	ssize_t got;

	if (input->begin) {
		memmove(input->buffer, input->buffer + input->begin, have);
		input->begin = 0;
		input->len = have;
	}
	const size_t room = BUFFER_BYTES - have;
	do
		got = read(input->fd, input->buffer + have, wanted < room ? wanted : room);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		input->error = errno;
	if (got <= 0)
		return false;
	input->len += (size_t)got;
	return true;
}

struct byte_reader perf_input_peek(struct perf_input *input, size_t size)
{
	while (input->len - input->begin < size && fill(input)) {
	}
	return byte_reader(input->buffer + input->begin, input->len - input->begin);
}

bool perf_input_skip(struct perf_input *input, uint64_t size)
{
	while (size) {
		const size_t have = input->len - input->begin;
		const size_t step = have < size ? have : (size_t)size;

		if (!have && !fill(input))
			return false;
		input->begin += step;
		input->offset += step;
		size -= step;
	}
	return true;
}
