/*
 * heap: where malloc's memory comes from. A page that is written for the first time costs a trap,
 * and on a virtual machine two; what a command takes to read its files is a few thousand of them.
 */
#ifndef TARE_BASE_HEAP_H
#define TARE_BASE_HEAP_H

/*
 * Has the process's heap grow within one range of addresses for which the kernel is asked for pages
 * as large as it has. Where memory is limited (ulimit -v, -d), or there are no such pages, malloc
 * works as ever. Once, before any thread is made, and after rlimits_raise.
 */
void heap_begin(void);

/*
 * After a fork: what is allocated from now on lies in pages that the child has no part in. A large
 * page that both have is taken apart when one writes to it, and each of its pages copied by a trap.
 */
void heap_leave_shared(void);

#endif
