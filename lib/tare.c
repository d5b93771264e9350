/*
 * The stub library: what a program links to call tare (include/tare/tare.h). It knows nothing but
 * where the runtime's functions are, if one is there: abi/api.h.
 */
#include <tare/tare.h>

#include "abi/api.h"
#include "abi/control.h"
#include "abi/module.h"

#include <stddef.h>

#define VISIBLE __attribute__((visibility("default")))

/* Written by the runtime before any code of this file's module runs. */
__attribute__((visibility("hidden"))) const struct tare_api *volatile tare_api_word;

/* clang-format off */
__asm__(".pushsection .note.tare.api, \"a\", @note\n"
	".balign 4\n"
	".long 5, 8, 2\n" /* sizes of name and descriptor, TARE_NOTE_API */
	".asciz \"" TARE_NOTE_NAME "\"\n"
	".balign 4\n"
	".quad tare_api_word - .\n"
	".popsection\n");
/* clang-format on */
_Static_assert(TARE_NOTE_API == 2 && sizeof(TARE_NOTE_NAME) == 5, "the note");

static int change(enum tare_operation operation, enum tare_level level, unsigned int id)
{
	const struct tare_api *api = tare_api_word;

	return api ? api->change((int)operation, (int)level, id) : TARE_NOT_RECORDED;
}

VISIBLE int tare_start(enum tare_level level, unsigned int id)
{
	return change(TARE_START, level, id);
}

VISIBLE int tare_stop(enum tare_level level, unsigned int id)
{
	return change(TARE_STOP, level, id);
}

VISIBLE int tare_suspend(enum tare_level level, unsigned int id)
{
	return change(TARE_SUSPEND, level, id);
}

VISIBLE int tare_resume(enum tare_level level, unsigned int id)
{
	return change(TARE_RESUME, level, id);
}

VISIBLE int tare_mark(long id)
{
	const struct tare_api *api = tare_api_word;

	return api ? api->mark(id, NULL) : TARE_NOT_RECORDED;
}

VISIBLE int tare_comment_mark(long id, const char *text)
{
	const struct tare_api *api = tare_api_word;

	return api ? api->mark(id, text) : TARE_NOT_RECORDED;
}

VISIBLE int tare_name_thread(const char *name)
{
	const struct tare_api *api = tare_api_word;

	return api ? api->name_thread(name) : TARE_NOT_RECORDED;
}

VISIBLE int tare_state(void)
{
	const struct tare_api *api = tare_api_word;

	return api ? api->state() : TARE_NOT_RECORDED;
}
