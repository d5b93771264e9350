#include "tests/support/other_user.h"

#include <unistd.h>

bool is_another_user;

/* The linker puts these in the places of the C library's. */
uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);

uid_t __wrap_geteuid(void)
{
	return __real_geteuid() + (is_another_user ? 4711 : 0);
}
