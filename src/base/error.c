/* Formats error sentences into their fixed buffer; see error.h. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, enum error_code code, const char *format, ...)
{
	va_list args;

	err->code = code;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return false;
}

static enum error_code code_of_errno(int errno_value)
{
	switch (errno_value) {
	case ENOENT:
	case ENOTDIR:
		return ERROR_NOT_FOUND;
	case EACCES:
	case EPERM:
		return ERROR_PERMISSION;
	default:
		return ERROR_SYSTEM;
	}
}

/* Where a limit of this process is the reason: which one it is. */
static const char *limit_of_errno(int errno_value)
{
	return errno_value == EFBIG ? " (ulimit -f)" : errno_value == EMFILE ? " (ulimit -n)" : "";
}

bool error_set_errno(struct error *err, int errno_value, const char *format, ...)
{
	char reason[128];
	va_list args;

	err->code = code_of_errno(errno_value);
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	const size_t length = strlen(err->message);
	snprintf(err->message + length, sizeof(err->message) - length, ": %s%s",
		 strerror_r(errno_value, reason, sizeof(reason)), limit_of_errno(errno_value));
	return false;
}

bool error_prefix(struct error *err, const char *format, ...)
{
	char rest[ERROR_MESSAGE_BYTES];
	va_list args;

	memcpy(rest, err->message, sizeof(rest));
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	const size_t length = strlen(err->message);
	snprintf(err->message + length, sizeof(err->message) - length, ": %s", rest);
	return false;
}
