/* The profile "ranks": four ranks of a job on two hosts, with loads of 1:2:3:4. */
#ifndef TARE_TESTS_MAKE_RANKS_H
#define TARE_TESTS_MAKE_RANKS_H

void make_ranks(const char *directory);

#endif
