/* See output_name.h. */
#include "cli/output_name.h"

#include "session/job_rank.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static bool append_rank(bool is_size, struct str *out, struct error *err)
{
	const struct tare_rank rank = job_rank_own();

	if (!rank.launcher || (is_size && !rank.size))
		return error_set(err, ERROR_USAGE,
				 "%%%c has no value: no launcher of Open MPI, PMIx, MPICH, Intel "
				 "MPI, MVAPICH or Slurm has started this process as a rank of a "
				 "job",
				 is_size ? 'n' : 'r');
	str_printf(out, "%u", is_size ? rank.size : rank.rank);
	return true;
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
