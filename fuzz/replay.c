/*
 * Stands in for libFuzzer in ordinary builds: runs a fuzz target over the seeds that are named on
 * the command line (files or directories), and over a fixed number of reproducible mutations of
 * each: bytes changed, ranges cut, copied and filled, and every second time the target's own way of
 * mutation, if it has one. Without seeds it starts from an empty input.
 * It finds no new paths; it keeps the targets building and the known inputs harmless.
 */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MUTATIONS = 200, INPUT_BYTES_MAX = 1 << 22 };

static uint64_t random_state = 0x9e3779b97f4a7c15ULL;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static size_t random_below(size_t bound)
{
	return bound ? (size_t)(random_next() % bound) : 0;
}

#pragma weak LLVMFuzzerCustomMutator

/* Changes `size` bytes of `data` in place; returns the new size, never a larger one. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t size_max)
{
	(void)size_max;
	const size_t changes = 1 + random_below(8);

	for (size_t i = 0; i < changes && size; i++) {
		const size_t at = random_below(size);
		const size_t length = 1 + random_below(size - at < 16 ? size - at : 16);
		switch (random_below(5)) {
		case 0:
			data[at] = (uint8_t)random_next();
			break;
		case 1:
			data[at] ^= (uint8_t)(1u << random_below(8));
			break;
		case 2:
			memset(data + at, random_below(2) ? 0xff : 0, length);
			break;
		case 3:
			memmove(data + random_below(size - length + 1), data + at, length);
			break;
		default:
			size = random_below(4) ? size : at;
		}
	}
	return size;
}

static size_t mutate(uint8_t *data, size_t size, int round)
{
	if (!LLVMFuzzerCustomMutator || round % 2 == 0)
		return LLVMFuzzerMutate(data, size, size);
	return LLVMFuzzerCustomMutator(data, size, size, (unsigned)random_next());
}

static void run_with_mutations(const uint8_t *seed, size_t size)
{
	LLVMFuzzerTestOneInput(seed, size);
	for (int i = 0; i < MUTATIONS; i++) {
		/* A copy of exact size, so that a sanitizer sees each read beyond it. */
		uint8_t *scratch = malloc(size ? size : 1);
		if (!scratch)
			abort();
		if (size)
			memcpy(scratch, seed, size);
		const size_t mutated_size = mutate(scratch, size, i);
		uint8_t *exact = malloc(mutated_size ? mutated_size : 1);
		if (!exact)
			abort();
		memcpy(exact, scratch, mutated_size);
		free(scratch);
		LLVMFuzzerTestOneInput(exact, mutated_size);
		free(exact);
	}
}

static int run_file(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		return 1;
	}
	uint8_t *data = malloc(INPUT_BYTES_MAX);
	if (!data)
		abort();
	const size_t size = fread(data, 1, INPUT_BYTES_MAX, file);
	fclose(file);
	run_with_mutations(data, size);
	free(data);
	return 0;
}

static int run_directory(const char *path)
{
	struct dirent **entries;
	int status = 0;
	const int count = scandir(path, &entries, NULL, alphasort);

	if (count < 0) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < count; i++) {
		char name[4096];
		struct stat info;
		snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (stat(name, &info) == 0 && S_ISREG(info.st_mode))
			status |= run_file(name);
		free(entries[i]);
	}
	free(entries);
	return status;
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 2)
		run_with_mutations((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		struct stat info;
		if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode))
			status |= run_directory(argv[i]);
		else
			status |= run_file(argv[i]);
	}
	return status;
}
