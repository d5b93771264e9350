/* Reads /proc/kallsyms and /sys/kernel/notes. Where they hide what they have, nothing is the same.
 */
#include "record/import_kernel.h"

#include "base/byte_reader.h"
#include "session/text_file.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { NOTES_BYTES_MAX = 1 << 16, KALLSYMS_BYTES_MAX = 1 << 27 };

/* Whether `symbol` is at that address in a file of the form of /proc/kallsyms. */
static bool symbol_is_at(const char *path, const struct perf_kernel *kernel)
{
	FILE *file = fopen(path, "re");
	char line[512], name[256];
	unsigned long long found;
	bool same = false;

	while (file && !same && fgets(line, sizeof(line), file))
		same = sscanf(line, "%llx %*c %255s", &found, name) == 2 &&
		       found == kernel->text_addr && strcmp(name, kernel->symbol) == 0;
	if (file)
		fclose(file);
	return same && kernel->text_addr;
}

/* The build-id in the notes of a kernel (/sys/kernel/notes); false if there is none. */
static bool import_find_build_id(const void *notes, size_t size, const unsigned char **build_id,
				 size_t *build_id_bytes)
{
	struct byte_reader reader = byte_reader(notes, size);

	while (bytes_left(&reader) >= 12) {
		const uint32_t name_bytes = read_u32(&reader), text_bytes = read_u32(&reader),
			       type = read_u32(&reader);
		const unsigned char *name = reader.at;

		read_skip(&reader, ((uint64_t)name_bytes + 3) & ~3ULL);
		const unsigned char *text = reader.at;
		read_skip(&reader, ((uint64_t)text_bytes + 3) & ~3ULL);
		if (reader.failed)
			return false;
		if (type != NT_GNU_BUILD_ID || name_bytes != 4 || memcmp(name, "GNU", 4) != 0)
			continue;
		*build_id = text;
		*build_id_bytes = text_bytes;
		return true;
	}
	return false;
}

static bool has_build_id(const struct perf_build_id *wanted)
{
	unsigned char notes[NOTES_BYTES_MAX];
	const unsigned char *build_id;
	size_t size = 0, build_id_bytes;
	const int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	for (ssize_t got = 1; got > 0 && size<sizeof(notes); size += got> 0 ? (size_t)got : 0)
		got = read(fd, notes + size, sizeof(notes) - size);
	close(fd);
	return import_find_build_id(notes, size, &build_id, &build_id_bytes) &&
	       build_id_bytes == wanted->size && memcmp(build_id, wanted->bytes, wanted->size) == 0;
}

static uint64_t boot_unix_ns(void)
{
	struct timespec now, since;

	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &since);
	return (uint64_t)(now.tv_sec - since.tv_sec) * 1000000000ULL;
}

static bool is_of_this_boot(const struct perf_data *data)
{
	const struct perf_origin *origin = perf_data_origin(data);
	struct utsname host;

	return uname(&host) == 0 && strcmp(host.nodename, origin->host) == 0 &&
	       strcmp(host.release, origin->release) == 0 &&
	       perf_data_written_ns(data) > boot_unix_ns();
}

static bool runs_here(const struct perf_data *data, const struct perf_kernel *kernel)
{
	return symbol_is_at("/proc/kallsyms", kernel) &&
	       (kernel->build_id ? has_build_id(kernel->build_id) : is_of_this_boot(data));
}

bool import_kernel_symbols(const struct perf_data *data, struct kernel_symbols *symbols)
{
	const struct perf_kernel kernel = perf_data_kernel(data);
	char path[PATH_MAX];
	struct error ignored;

	if (!kernel.symbol)
		return false;
	if (runs_here(data, &kernel)) {
		kernel_symbols_read(symbols, false);
		return true;
	}
	if (!kernel.build_id)
		return false;
	images_kept_path(kernel.build_id->bytes, kernel.build_id->size, "kallsyms", path,
			 sizeof(path));
	if (!symbol_is_at(path, &kernel))
		return false;
	char *text = text_read_file(AT_FDCWD, path, KALLSYMS_BYTES_MAX, &ignored);
	if (text)
		kernel_symbols_parse(symbols, text);
	free(text);
	return text;
}
