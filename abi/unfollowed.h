/*
 * Why a program that a recorded one has started is not recorded: names for data, and clauses that
 * follow the program's name.
 */
#ifndef TARE_ABI_UNFOLLOWED_H
#define TARE_ABI_UNFOLLOWED_H

/* X(constant, name, clause) */
#define TARE_UNFOLLOWED_LIST(X)                                                                    \
	X(REACH, "unreachable", "its root, user, limits or filters keep it from the recording")    \
	X(FOREIGN, "foreign", "no 64-bit x86 program of glibc")                                    \
	X(NO_COPY, "no-copy", "it has no loader, and cannot be instrumented")                      \
	X(UNREADABLE, "unreadable", "it may be executed but not read")                             \
	X(PRIVILEGED, "privileged", "it gains privileges by its start")                            \
	X(TRACED, "traced", "a debugger or tracer has it")                                         \
	X(GUEST, "guest", "an emulator runs it")                                                   \
	X(EMULATOR, "emulator", "it is recorded, but not what it runs by itself")

enum tare_unfollowed {
	TARE_UNFOLLOWED_NOT, /* it is recorded */
#define TARE_UNFOLLOWED_CONSTANT(constant, name, clause) TARE_UNFOLLOWED_##constant,
	TARE_UNFOLLOWED_LIST(TARE_UNFOLLOWED_CONSTANT)
#undef TARE_UNFOLLOWED_CONSTANT
		TARE_UNFOLLOWED_REASONS
};

#endif
