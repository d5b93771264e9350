/*
 * Counts words with several threads: the slow program of tutorial.md.
 * Usage: words THREADS PAGES. Each thread makes up so many pages of words and counts them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, THREADS_MAX = 16, WORD_MAX = 16, PAGE_WORDS = 500 };

struct entry {
	struct entry *next;
	unsigned long count;
	char word[WORD_MAX];
};

struct table {
	pthread_mutex_t lock;
	struct entry *buckets[BUCKETS];
};

struct job {
	struct table *table;
	unsigned long pages;
	unsigned seed;
	char page[PAGE_WORDS][WORD_MAX];
};

static struct table tables[THREADS_MAX];

static unsigned hash_of(const char *word)
{
	unsigned hash = 0;

	for (; *word; word++)
		hash = hash + (unsigned char)*word;
	return hash % BUCKETS;
}

/* Functions are not inlined, as if each stood in a file of its own. */
__attribute__((noinline)) static struct entry *find(struct table *table, const char *word)
{
	struct entry **bucket = &table->buckets[hash_of(word)];
	struct entry *entry;

	for (entry = *bucket; entry; entry = entry->next)
		if (strcmp(entry->word, word) == 0)
			return entry;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		exit(1);
	strcpy(entry->word, word);
	entry->next = *bucket;
	*bucket = entry;
	return entry;
}

__attribute__((noinline)) static void make_page(struct job *job)
{
	for (int i = 0; i < PAGE_WORDS; i++) {
		job->seed = job->seed * 1103515245 + 12345;
		snprintf(job->page[i], WORD_MAX, "w%u", (job->seed >> 16) % 5000);
	}
}

__attribute__((noinline)) static void count_page(struct job *job)
{
	pthread_mutex_lock(&job->table->lock);
	for (int i = 0; i < PAGE_WORDS; i++)
		find(job->table, job->page[i])->count++;
	pthread_mutex_unlock(&job->table->lock);
}

static void *work(void *argument)
{
	struct job *job = argument;

	for (unsigned long i = 0; i < job->pages; i++) {
		make_page(job);
		count_page(job);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const int threads = argc == 3 ? atoi(argv[1]) : 0;
	pthread_t ids[THREADS_MAX];
	static struct job jobs[THREADS_MAX];
	unsigned long total = 0;

	if (threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: words THREADS PAGES\n");
		return 2;
	}
	for (int i = 0; i < threads; i++) {
		pthread_mutex_init(&tables[i].lock, NULL);
		jobs[i].table = &tables[0];
		jobs[i].pages = strtoul(argv[2], NULL, 10);
		jobs[i].seed = (unsigned)i;
		if (pthread_create(&ids[i], NULL, work, &jobs[i]) != 0)
			return 1;
	}
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < threads; i++)
		for (int j = 0; j < BUCKETS; j++)
			for (struct entry *entry = tables[i].buckets[j]; entry; entry = entry->next)
				total += entry->count;
	printf("%lu words\n", total);
	return 0;
}
