/*
 * See jit_names.h. Names come from files that compilers write for perf, when they are asked to:
 * each program has its own way, which its manual tells.
 */
#include "analysis/jit_names.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* By the names of processes, which may go on with a version. */
static const struct {
	const char *program, *start;
} ways[] = {
	{"node", "node --perf-basic-prof"},
	{"java", "java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"},
	{"beam.smp", "erl +JPperf true"},
	{"php", "php -d opcache.jit_debug=16"},
	{"python3", "python3 -X perf"},
	{"ruby", "ruby --yjit-perf"},
	{"julia", "ENABLE_JITPROFILING=1 julia"},
	{"dotnet", "DOTNET_PerfMapEnabled=1 dotnet"},
};

bool analysis_jit_is_nameless(const struct analysis *analysis,
			      const struct analysis_function *function)
{
	return strcmp(function->name, PROFILE_FUNCTION_UNKNOWN) == 0 &&
	       strcmp(analysis->modules.data[function->module].name, PROFILE_MODULE_JIT) == 0;
}

/* The process with the largest share in such code; NULL: none has any. */
static const char *most_in(const struct analysis *analysis)
{
	double *shares = calloc(analysis->processes.len + 1, sizeof(*shares)), most = 0;
	const char *program = NULL;

	if (!shares)
		return NULL;
	vec_foreach (node, &analysis->nodes) {
		if (node->function == ANALYSIS_NONE || node->thread == ANALYSIS_NONE ||
		    !analysis_jit_is_nameless(analysis, &analysis->functions.data[node->function]))
			continue;
		const uint32_t process = analysis->threads.data[node->thread].process;
		shares[process] += analysis_exclusive_share(analysis, &node->values);
		if (shares[process] > most) {
			most = shares[process];
			program = analysis->processes.data[process].row->name;
		}
	}
	free(shares);
	return program;
}

bool analysis_jit_nameless(const struct analysis *analysis, double least_share,
			   struct jit_nameless *nameless)
{
	*nameless = (struct jit_nameless){0};
	vec_foreach (function, &analysis->functions)
		if (analysis_jit_is_nameless(analysis, function))
			nameless->share += analysis_exclusive_share(analysis, &function->values);
	if (!(nameless->share >= least_share))
		return false;
	nameless->program = most_in(analysis);
	for (size_t i = 0; nameless->program && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (str_starts_with(nameless->program, ways[i].program))
			nameless->start = ways[i].start;
	return true;
}
