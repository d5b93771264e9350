/* See mpi_call.h. */
#include "analysis/mpi_call.h"

#include <ctype.h>
#include <string.h>

static const char prefix[] = "MPI_";

/* Less what stands at its end, if it does. */
static void shorten(size_t *length, const char *text, const char *end)
{
	const size_t size = strlen(end);

	if (*length > size && memcmp(text + *length - size, end, size) == 0)
		*length -= size;
}

/* mpi_barrier_, of which there are variants with more behind the name. */
static bool fortran_name(const char *rest, struct str *name)
{
	size_t length = strlen(rest);

	if (!length || rest[length - 1] != '_')
		return false;
	while (length && rest[length - 1] == '_')
		length--;
	shorten(&length, rest, "_f08ts");
	shorten(&length, rest, "_f08");
	shorten(&length, rest, "_f");
	if (!length || !islower((unsigned char)rest[0]))
		return false;
	str_append(name, prefix);
	str_printf(name, "%c", toupper((unsigned char)rest[0]));
	str_append_bytes(name, rest + 1, length - 1);
	return true;
}

bool mpi_call_name(const char *symbol, struct str *name)
{
	const bool is_profiling = symbol[0] == 'P' || symbol[0] == 'p';
	const char *text = symbol + is_profiling;

	if (strncmp(text, prefix, strlen(prefix)) == 0 && isupper((unsigned char)text[4])) {
		str_append(name, text);
		return true;
	}
	return strncmp(text, "mpi_", 4) == 0 && fortran_name(text + 4, name);
}
