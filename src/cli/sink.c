/* Refuses output files that cannot be made; what was written so far is then discarded. */
#include "cli/sink.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SINK_BUFFER_BYTES = 256 << 10 };

/* A device is written to: a file beside it that takes its name would be no device. */
static bool sink_open_device(struct sink *sink, const char *path, struct error *err)
{
	sink->kind = SINK_DEVICE;
	sink->stream = fopen(path, "we");
	return sink->stream || error_set_errno(err, errno, "cannot write %s", path);
}

static bool is_device(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static bool sink_open_file(struct sink *sink, const char *path, struct error *err)
{
	if (!file_output_open(&sink->file, path, err))
		return false;
	const int fd = dup(sink->file.fd);
	sink->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (sink->stream)
		return true;
	error_set_errno(err, errno, "cannot write %s", path);
	if (fd >= 0)
		close(fd);
	file_output_discard(&sink->file);
	return false;
}

static bool stream_choose(struct sink *sink, const char *output, unsigned flags, struct error *err)
{
	*sink = (struct sink){.stream = stdout, .path = output};
	if (output && is_device(output))
		return sink_open_device(sink, output, err);
	if (output) {
		sink->kind = SINK_FILE;
		return sink_open_file(sink, output, err);
	}
	if ((flags & SINK_PAGES) && isatty(STDOUT_FILENO) && pager_open(&sink->pager)) {
		sink->kind = SINK_PAGER;
		sink->stream = sink->pager.stream;
	}
	return true;
}

/* One thread writes, and large tables much: no locks, and fewer calls of the system. */
static void stream_tune(const struct sink *sink)
{
	__fsetlocking(sink->stream, FSETLOCKING_BYCALLER);
	if (sink->kind != SINK_PAGER && !isatty(fileno(sink->stream)))
		setvbuf(sink->stream, NULL, _IOFBF, SINK_BUFFER_BYTES);
}

bool sink_open(struct sink *sink, const char *output, unsigned flags, struct error *err)
{
	if (!stream_choose(sink, output, flags, err))
		return false;
	sink->mode = flags & SINK_PRIVATE ? FILE_MODE_PRIVATE : file_mode_allowed(0666);
	stream_tune(sink);
	return true;
}

bool sink_close(struct sink *sink, bool ok, struct error *err)
{
	if (sink->kind == SINK_STDOUT)
		return ok;
	if (sink->kind == SINK_PAGER) {
		struct error pager_err;

		return pager_close(&sink->pager, ok ? err : &pager_err) && ok;
	}
	if (ferror(sink->stream) && ok)
		ok = error_set_errno(err, ENOSPC, "cannot write %s", sink->path);
	if (fclose(sink->stream) != 0 && ok)
		ok = error_set_errno(err, errno, "cannot write %s", sink->path);
	if (sink->kind == SINK_DEVICE)
		return ok;
	if (ok)
		return file_output_commit(&sink->file, sink->mode, err);
	file_output_discard(&sink->file);
	return false;
}
