/*
 * A table of sets of two: of instructions that share a set the last two are kept. The set is
 * guessed from the bytes that are prefixes, opcode and ModRM in most instructions: a wrong guess
 * only keeps an instruction in several sets. What makes a match is the comparison of all deciding
 * bytes. Refuses more than eight of them.
 *
 * A compiler's 5.4 million instructions miss it 0.5 million times (a table of 4,096 places for one
 * each: 1.1 million), and a miss takes ten times as long as a match.
 *
 * A thread has a table from its first instruction on, and when it ends the next one gets that: what
 * is in it depends on no thread. As thread-local storage it would be cleared for each thread,
 * whether that decodes or not, and for each start of the program.
 */
#include "insn/memo.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define KEY_BYTES 8
#define SET_BITS  13
#define WAYS	  2
/* What does not depend on the place is the end of struct insn. */
#define KEPT_FROM offsetof(struct insn, reads)

struct memo {
	uint64_t key;
	uint8_t deciding; /* bytes of it; 0: empty */
	unsigned char kept[sizeof(struct insn) - KEPT_FROM];
};

_Static_assert(sizeof(struct memo) == 32, "a set is a cache line");

struct table {
	struct memo memos[1 << SET_BITS][WAYS];
	struct table *next; /* of those that no thread has */
};

static struct {
	pthread_mutex_t mutex;
	pthread_once_t once;
	pthread_key_t at_end; /* of a thread */
	bool has_key;
	struct table *free;
} tables = {.mutex = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static _Thread_local struct table *own;

static void lock(void)
{
	pthread_mutex_lock(&tables.mutex);
}

static void unlock(void)
{
	pthread_mutex_unlock(&tables.mutex);
}

static void give_back(void *table_at)
{
	struct table *table = table_at;

	lock();
	table->next = tables.free;
	tables.free = table;
	unlock();
}

/* No child of fork shall find it locked. */
static void make_key(void)
{
	tables.has_key = pthread_atfork(lock, unlock, unlock) == 0 &&
			 pthread_key_create(&tables.at_end, give_back) == 0;
}

static struct table *take_free(void)
{
	lock();
	struct table *table = tables.free;
	if (table)
		tables.free = table->next;
	unlock();
	return table;
}

/* NULL where there is no memory for one. */
static struct table *own_table(void)
{
	if (own)
		return own;
	pthread_once(&tables.once, make_key);
	if (!tables.has_key)
		return NULL;
	struct table *table = take_free();
	if (!table) {
		table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (table == MAP_FAILED)
			return NULL;
	}
	if (pthread_setspecific(tables.at_end, table) != 0) {
		give_back(table);
		return NULL;
	}
	return own = table;
}

static uint64_t mask_of(size_t bytes)
{
	return bytes < KEY_BYTES ? (UINT64_C(1) << 8 * bytes) - 1 : ~UINT64_C(0);
}

static struct memo *set_of(struct table *table, uint64_t first)
{
	const uint8_t byte = (uint8_t)first;
	size_t length = 2;

	if (byte == 0x66 || byte == 0xf2 || byte == 0xf3)
		length = 4;
	else if ((byte & 0xf0) == 0x40)
		length = (uint8_t)(first >> 8) == 0x0f ? 4 : 3;
	else if (byte == 0x0f)
		length = 3;
	else if (byte == 0xc5 || byte == 0xc4 || byte == 0x62)
		length = 6;
	return table->memos[(first & mask_of(length)) * 0x9e3779b97f4a7c15u >> (64 - SET_BITS)];
}

static uint64_t first_bytes(const unsigned char *bytes)
{
	uint64_t first;

	memcpy(&first, bytes, sizeof(first));
	return first;
}

bool memo_find(const unsigned char *bytes, size_t size, struct insn *insn)
{
	struct table *table = size < KEY_BYTES ? NULL : own_table();

	if (!table)
		return false;
	const uint64_t first = first_bytes(bytes);
	const struct memo *set = set_of(table, first);

	for (size_t way = 0; way < WAYS; way++) {
		const struct memo *memo = &set[way];
		if (!memo->deciding || (first & mask_of(memo->deciding)) != memo->key)
			continue;
		insn->target = 0;
		memcpy((unsigned char *)insn + KEPT_FROM, memo->kept, sizeof(memo->kept));
		return size >= insn->length;
	}
	return false;
}

void memo_keep(const unsigned char *bytes, size_t size, size_t deciding, const struct insn *insn)
{
	struct table *table = size < KEY_BYTES || deciding > KEY_BYTES ? NULL : own_table();

	if (!table)
		return;
	const uint64_t first = first_bytes(bytes);
	struct memo *set = set_of(table, first);

	memmove(set + 1, set, (WAYS - 1) * sizeof(*set));
	*set = (struct memo){.key = first & mask_of(deciding), .deciding = (uint8_t)deciding};
	memcpy(set->kept, (const unsigned char *)insn + KEPT_FROM, sizeof(set->kept));
}
