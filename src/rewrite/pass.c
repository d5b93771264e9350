/* What all passes use: pieces of their work on all workers, progress, the companion's symbols. */
#include "rewrite/private.h"

void program_run(struct program *program, void (*run)(void *, unsigned, size_t, size_t),
		 size_t count)
{
	parallel_run(&(struct parallel_loop){.run = run,
					     .context = program,
					     .count = count,
					     .piece = PROGRAM_PIECE,
					     .threads = program->thread_count});
}

void program_report(const struct program *program, double done)
{
	if (program->options->progress)
		program->options->progress(done, program->options->progress_context);
}

uint64_t program_companion_symbol(const struct program *program, const char *name)
{
	uint64_t offset;

	return companion_symbol(&program->companion, name, &offset)
		       ? program->companion.addr + offset
		       : 0;
}
