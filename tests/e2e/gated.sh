#!/bin/bash
# A signal that arrives while a probe is at work: what its handler calls is counted, but has no times, which
# is said, and all others are right. The probe of an open waits for the page that its path is in, until the signal
# is there.
. "$(dirname "$0")/lib.sh"
need gcc

cat >"$work/program.c" <<'C'
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096 };

static char *page;
static int faults;
static pthread_t opener;
static volatile long sink;

__attribute__((noinline)) static void in_handler(void)
{
	for (int i = 0; i < 20; i++)
		sink++;
}

static void handle(int number)
{
	(void)number;
	in_handler();
}

/* Fills the page when somebody waits for it, and a signal as well. */
static void *fill(void *unused)
{
	static char source[PAGE] __attribute__((aligned(PAGE))) = "/nonexistent";
	struct uffd_msg message;

	if (read(faults, &message, sizeof(message)) != sizeof(message))
		return unused;
	pthread_kill(opener, SIGUSR1);
	ioctl(faults, UFFDIO_COPY,
	      &(struct uffdio_copy){.dst = (unsigned long)page, .src = (unsigned long)source, .len = PAGE});
	return unused;
}

int main(void)
{
	pthread_t filler;
	struct uffdio_api api = {.api = UFFD_API};

	opener = pthread_self();
	signal(SIGUSR1, handle);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (faults < 0 || page == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) < 0 ||
	    ioctl(faults, UFFDIO_REGISTER,
		  &(struct uffdio_register){.range = {(unsigned long)page, PAGE},
					    .mode = UFFDIO_REGISTER_MODE_MISSING}) < 0)
		return 77;
	pthread_create(&filler, NULL, fill, NULL);
	printf("%d\n", open(page, O_RDONLY));
	pthread_join(filler, NULL);
	in_handler();
	return 0;
}
C
gcc -O1 -pthread -o "$work/program" "$work/program.c"
status=0
"$work/program" >"$work/out" || status=$?
[ "$status" != 77 ] || skip "no userfaultfd here"
record_options=(--small-functions=keep)
same "$work/program"
"$TARE" report summary "$work/profile.tare" --format=json >"$work/summary.json"
dropped=$(sed -n 's/^ *"events_dropped": \([0-9]*\),*$/\1/p' "$work/summary.json")
[ "$dropped" -gt 0 ] || fail "nothing was dropped"
report functions
[ "$(cell functions function in_handler calls)" = 2 ] ||
	fail "in_handler was called $(cell functions function in_handler calls) times, expected 2"
compare sums "$work/functions.csv"
