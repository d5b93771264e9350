/* Names and explanations of verdicts. */
#include "rewrite/rewrite.h"

struct verdict_info {
	const char *name, *text;
};

static const struct verdict_info verdicts[] = {
	[REWRITE_INSTRUMENTED] = {"instrumented", "has probes"},
	[REWRITE_PART] = {"part", "a separate part of an instrumented function"},
	[REWRITE_COUNTED] = {"counted", "short, without loops and calls: its calls are counted, "
					"not timed"},
	[REWRITE_NOT_SELECTED] = {"not-selected", "left out by the options"},
	[REWRITE_NO_SYSCALL] = {"no-syscall",
				"a run-time library's function that makes no system call itself"},
	[REWRITE_STARTUP] = {"startup", "process start-up code"},
	[REWRITE_SIGNAL_FRAME] = {"signal-frame", "a signal trampoline"},
	[REWRITE_UNDECODABLE] = {"undecodable", "holds bytes that are no movable instruction"},
	[REWRITE_BAD_TARGET] = {"bad-target", "branches into the middle of an instruction, or to "
					      "where the file maps nothing"},
	[REWRITE_READS_PC] = {"reads-pc", "computes with the address it runs at"},
	[REWRITE_TEXT_RELOCATION] = {"text-relocation", "its code is changed by the loader"},
	[REWRITE_ENTRY_TOO_SHORT] = {"entry-too-short", "no room for a jump at its entry"},
	[REWRITE_ENTRY_BRANCHED] = {"entry-branched",
				    "other code uses or branches into its first bytes"},
	[REWRITE_BAD_UNWIND] = {"bad-unwind", "its unwind or exception tables are not understood"},
	[REWRITE_ORPHAN] = {"orphan", "a part of a function, but of which one is not known"},
	[REWRITE_SPECIAL] = {"special",
			     "its address has a meaning to the kernel, the C library or V8"},
};
table_covers(verdicts, REWRITE_VERDICTS);

const char *rewrite_verdict_name(enum rewrite_verdict verdict)
{
	return verdicts[verdict].name;
}

const char *rewrite_verdict_text(enum rewrite_verdict verdict)
{
	return verdicts[verdict].text;
}

bool rewrite_verdict_is_instrumented(enum rewrite_verdict verdict)
{
	return verdict == REWRITE_INSTRUMENTED || verdict == REWRITE_PART;
}

bool rewrite_verdict_is_refusal(enum rewrite_verdict verdict)
{
	return verdict > REWRITE_NO_SYSCALL;
}
