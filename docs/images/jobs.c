#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { WORKERS = 8, ROUNDS = 10 };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER,
		       totals_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int waiting, ended;
static unsigned long totals;
static int journal;

__attribute__((noinline)) static unsigned long compute(unsigned long rounds)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < rounds; i++)
		sum += i * i;
	return sum;
}

__attribute__((noinline)) static void write_journal(unsigned long value)
{
	if (write(journal, &value, sizeof(value)) == sizeof(value))
		fsync(journal);
	usleep(600); /* as a slow disk */
}

__attribute__((noinline)) static void add_up(unsigned long value)
{
	pthread_mutex_lock(&totals_lock);
	totals += value;
	if (totals % 2)
		write_journal(totals);
	pthread_mutex_unlock(&totals_lock);
}

__attribute__((noinline)) static int take_job(void)
{
	pthread_mutex_lock(&queue_lock);
	while (!waiting && !ended)
		pthread_cond_wait(&more, &queue_lock);
	const int job = waiting ? waiting-- : 0;
	pthread_mutex_unlock(&queue_lock);
	return job;
}

static void *work(void *unused)
{
	for (int job; (job = take_job());) {
		const unsigned long value = compute(200000UL + 60000UL * (unsigned long)(job % 11));

		add_up(value + (unsigned long)(job % 3));
	}
	return unused;
}

int main(void)
{
	pthread_t threads[WORKERS];
	FILE *file = tmpfile();

	journal = fileno(file);
	for (int i = 0; i < WORKERS; i++) {
		pthread_create(&threads[i], NULL, work, NULL);
		pthread_setname_np(threads[i], "worker");
	}
	for (int round = 0; round < ROUNDS; round++) {
		pthread_mutex_lock(&queue_lock);
		waiting += 24;
		pthread_cond_broadcast(&more);
		pthread_mutex_unlock(&queue_lock);
		usleep(60000);
	}
	pthread_mutex_lock(&queue_lock);
	ended = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&queue_lock);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", totals);
}
