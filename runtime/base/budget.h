/*
 * budget: what the runtime may use: memory, in this process, and storage, in the session. A session
 * file that all its processes share counts the storage (abi/session.h).
 */
#ifndef TARE_RUNTIME_BASE_BUDGET_H
#define TARE_RUNTIME_BASE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct tare_usage;

/* Counts in the session's; without it each process counts by itself. */
void budget_begin(struct tare_usage *shared);

/* A forked child has none of its parent's files. */
void budget_forked(void);

/* What all processes of the session share; this process's own where it cannot be mapped. */
struct tare_usage *budget_shared(void);

/*
 * Has a process of the session measured what probes cost within the last second or two? `*means`:
 * by which handlers and marks.
 */
bool budget_measured_means(uint64_t *means);

/*
 * Before taking private memory, or pages of a session file: 0, or the bit of enum tare_limits whose
 * limit that would exceed; nothing is taken then.
 */
uint32_t budget_take_memory(uint64_t bytes);
uint32_t budget_take_file(uint64_t bytes);

void budget_give_memory(uint64_t bytes);
/* No longer mapped; `stored`: but still in the file. */
void budget_give_file(uint64_t bytes, bool stored);

/* The nodes that a thread may have: --max-nodes. */
uint64_t budget_nodes(void);

#endif
