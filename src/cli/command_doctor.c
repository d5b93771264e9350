/* tare doctor: what works on this host and why not, one line each. */
#include "cli/command.h"
#include "cli/print.h"
#include "doctor/doctor.h"

#include <stdio.h>

struct doctor_values {
	bool fix_hints;
};

static const struct option doctor_options[] = {
	{.name = "fix-hints",
	 .help = "Below each line that is not ok, the command that would mend it; none is run",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct doctor_values, fix_hints)},
	{0},
};

static void print_hint(const struct doctor_fact *fact)
{
	if (fact->verdict == DOCTOR_WORKS)
		return;
	print_line(stdout, "%-8s %-22s %s%s", "", "", *fact->hint ? "fix: " : "no command mends it",
		   fact->hint);
}

static int doctor_run(const void *values, const struct operands *operands, struct error *err)
{
	static const char *const verdicts[] = {"ok", "limited", "fails"};
	table_covers(verdicts, DOCTOR_VERDICTS);
	const struct doctor_values *doctor = values;
	struct doctor_facts facts = {0};
	int status = EXIT_STATUS_OK;

	if (operands->count) {
		error_set(err, ERROR_USAGE, "tare doctor takes no arguments");
		return -1;
	}
	doctor_examine(&facts);
	vec_foreach (fact, &facts) {
		print_line(stdout, "%-8s %-22s %s", verdicts[fact->verdict], fact->name,
			   fact->reason);
		if (doctor->fix_hints)
			print_hint(fact);
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
	.description =
		"Examines clock, OS events, perf, BPF, runtime library, cache and room for data.\n"
		"With --fix-hints it also says what you would type to mend what is limited or\n"
		"fails. Some of it needs root; none of it is run.\n\n"
		"Exit status: 0 if tare can record here, 1 if not, 2 wrong command line.",
	.examples = "tare doctor               # can tare record here?\n"
		    "tare doctor --fix-hints   # and what mends what is limited\n",
	.options = doctor_options,
	.operand_kind = OPERAND_WORD,
	.values_bytes = sizeof(struct doctor_values),
	.run = doctor_run,
};
