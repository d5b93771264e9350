/* See output_name.h. */
#include "cli/output_name.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By who sets them; the first that has the rank is who started the process. */
static const struct {
	const char *rank, *size;
} launchers[] = {
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
	{"PMIX_RANK", "PMIX_SIZE"},
	{"PMI_RANK", "PMI_SIZE"},
	{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
	{"SLURM_PROCID", "SLURM_NTASKS"},
};

/* Of the environment, which anybody may have set: a number and nothing else. */
static const char *number_of(const char *variable)
{
	const char *text = getenv(variable);

	return text && *text && strlen(text) < 10 && !text[strspn(text, "0123456789")] ? text
										       : NULL;
}

static bool append_rank(bool is_size, struct str *out, struct error *err)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		const char *rank = number_of(launchers[i].rank);
		const char *number = is_size ? number_of(launchers[i].size) : rank;
		if (rank && number) {
			str_append(out, number);
			return true;
		}
	}
	return error_set(err, ERROR_USAGE,
			 "%%%c has no value: neither Open MPI, MPICH nor Slurm has started this "
			 "process as a rank of a job",
			 is_size ? 'n' : 'r');
}

static bool append_host(struct str *out, struct error *err)
{
	char host[HOST_NAME_MAX + 1] = "";

	if (gethostname(host, sizeof(host) - 1) < 0)
		return error_set_errno(err, errno, "the host has no name for %%h");
	for (char *at = host; (at = strchr(at, '/'));)
		*at = '_';
	str_append(out, host);
	return true;
}

static bool append_place(char place, struct str *out, struct error *err)
{
	switch (place) {
	case 'r':
	case 'n':
		return append_rank(place == 'n', out, err);
	case 'h':
		return append_host(out, err);
	case 'p':
		str_printf(out, "%d", (int)getpid());
		return true;
	case '%':
		str_append(out, "%");
		return true;
	default:
		return error_set(err, ERROR_USAGE,
				 "%%%.1s is no place in a name: %%r rank, %%n number of ranks, %%h "
				 "host, %%p process, %%%% a percent sign",
				 &place);
	}
}

bool output_name_expand(const char *name, struct str *out, struct error *err)
{
	for (; *name; name++) {
		if (*name != '%')
			str_append_bytes(out, name, 1);
		else if (!append_place(*++name, out, err))
			return false;
	}
	return true;
}
