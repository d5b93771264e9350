/*
 * One error: a code and a whole sentence. Fallible functions take `struct error *err` as their
 * last argument, return false or NULL, and fill it. The command line reports it once.
 */
#ifndef TARE_BASE_ERROR_H
#define TARE_BASE_ERROR_H

#include <stdbool.h>

enum error_code {
	ERROR_NONE,
	ERROR_USAGE,	   /* the command line is wrong */
	ERROR_INPUT,	   /* a file or a byte sequence is damaged, or not what it should be */
	ERROR_UNSUPPORTED, /* understood, but tare cannot do it */
	ERROR_TOO_LARGE,   /* tare could do it, were it not beyond a limit of the format */
	ERROR_SYSTEM,	   /* a system call failed */
	ERROR_NOT_FOUND,   /* a file or name does not exist */
	ERROR_PERMISSION,  /* the system refused access */
};

#define ERROR_MESSAGE_BYTES 1024

struct error {
	enum error_code code;
	char message[ERROR_MESSAGE_BYTES]; /* what, where, what to do; no final newline */
};

/* Sets code and message (printf format; longer text is cut) and returns false. */
__attribute__((format(printf, 3, 4))) bool error_set(struct error *err, enum error_code code,
						     const char *format, ...);

/*
 * As error_set, with ": " and the text of `errno_value` at the end. The code is derived from it:
 * ENOENT and ENOTDIR give ERROR_NOT_FOUND, EACCES and EPERM ERROR_PERMISSION, all else
 * ERROR_SYSTEM. Returns false.
 */
__attribute__((format(printf, 3, 4))) bool error_set_errno(struct error *err, int errno_value,
							   const char *format, ...);

/* Puts "prefix: " before the present message. Returns false. */
__attribute__((format(printf, 2, 3))) bool error_prefix(struct error *err, const char *format, ...);

#endif
