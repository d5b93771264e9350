/* tare doctor: what works on this host and why not, one line each. */
#include "cli/command.h"
#include "cli/print.h"
#include "doctor/doctor.h"

#include <stdio.h>

static const struct option doctor_options[] = {{0}};

static int doctor_run(const void *values, const struct operands *operands, struct error *err)
{
	static const char *const verdicts[] = {"ok", "limited", "fails"};
	table_covers(verdicts, DOCTOR_VERDICTS);
	struct doctor_facts facts = {0};
	int status = EXIT_STATUS_OK;

	(void)values;
	if (operands->count) {
		error_set(err, ERROR_USAGE, "tare doctor takes no arguments");
		return -1;
	}
	doctor_examine(&facts);
	vec_foreach (fact, &facts) {
		print_line(stdout, "%-8s %-22s %s", verdicts[fact->verdict], fact->name,
			   fact->reason);
		if (fact->verdict == DOCTOR_FAILS)
			status = EXIT_STATUS_FAILED;
	}
	vec_fini(&facts);
	return status;
}

const struct command command_doctor = {
	.name = "doctor",
	.operands = "",
	.summary = "say what works on this host and why not",
	.description = "Examines clock, OS events, perf, BPF, runtime library, cache and room for "
		       "data.\n\n"
		       "Exit status: 0 if tare can record here, 1 if not.",
	.options = doctor_options,
	.operand_kind = OPERAND_WORD,
	.values_bytes = 0,
	.run = doctor_run,
};
