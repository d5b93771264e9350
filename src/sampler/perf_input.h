/* The bytes of a file or a pipe, in order, a bounded part of them in memory. */
#ifndef TARE_SAMPLER_PERF_INPUT_H
#define TARE_SAMPLER_PERF_INPUT_H

#include "base/base.h"

struct perf_input {
	int fd;		       /* borrowed */
	uint64_t offset, end;  /* of the next byte; where to stop, UINT64_MAX: at the end of file */
	int error;	       /* errno of a read that failed, else 0 */
	unsigned char *buffer; /* bytes [begin, len) are the next ones */
	size_t begin, len;
};

enum { PERF_INPUT_PEEK_MAX = 1 << 17 };

/* Reads on from the descriptor's position, which is `offset`. */
void perf_input_init(struct perf_input *input, int fd, uint64_t offset, uint64_t end);
void perf_input_fini(struct perf_input *input);

/* The next bytes, at least `size` (up to PEEK_MAX) unless less are left; valid until the next call.
 */
struct byte_reader perf_input_peek(struct perf_input *input, size_t size);
/* Goes on behind `size` bytes, as far as there are; false if there are less. */
bool perf_input_skip(struct perf_input *input, uint64_t size);

#endif
