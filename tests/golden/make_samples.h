/*
 * Profiles with samples for the golden tests, each written and committed.
 *   vector   the vector of the definition of data values
 *   sampled  two processes, three threads, kernel frames, inlined functions, recursion, truncated
 *            and unreadable stacks, two events, two collectors, names that would do harm
 *   switched two threads with the samples of all of their switches
 *   both     calls and samples of the same run, which disagree about one function
 */
#ifndef TARE_TESTS_MAKE_SAMPLES_H
#define TARE_TESTS_MAKE_SAMPLES_H

struct profile_writer;

void make_vector(struct profile_writer *writer);
void make_sampled(struct profile_writer *writer);
void make_switched(struct profile_writer *writer);
void make_both(struct profile_writer *writer);

#endif
