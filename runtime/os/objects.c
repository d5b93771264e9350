/*
 * Numbers of descriptors are in the registers, and their names mostly known. What lies in the
 * program's memory the kernel copies, as a pointer may lead nowhere; that, and asking for names,
 * is done with the gate closed, and the time is the runtime's own.
 *
 * Refuses names in handlers of signals that have interrupted a probe, while collection is off, and
 * what the program's filters do not let it ask. Refuses, too, to ask all the time: find opens a
 * directory every 30 µs, and to ask for their names took a third of the processor time that the
 * program needs. By default asking has a share of the thread's time, whatever it does. Waiting
 * counts as time, so what waits is known. With --exact everything is asked for.
 */
#include "runtime/os/objects.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/os/descriptors.h"
#include "runtime/os/holders.h"
#include "runtime/os/names.h"
#include "runtime/os/os_flag.h"
#include "runtime/tree/gate.h"

#include <fcntl.h>
#include <sys/mman.h>

#define PAGE_BYTES	4096ULL
#define NS_PER_SECOND	1000000000ULL
#define SLEEP_MIN_NS	1000ULL
#define SLEEP_SECONDS	1000000000LL /* what is longer is not worth a number */
#define WAIT_ALL	0
#define WAIT_PID	1
#define POLLED_MAX	64U /* of these descriptors the first ones are looked for */
#define SELECTED_MAX	1024U
#define SET_WORDS	(SELECTED_MAX / 64)
#define SLEEP_TO_A_TIME 1 /* TIMER_ABSTIME */

/* The first 8 to 16 ms of asking are free, and so again when as much has been saved. */
#define ASKING_SHARE	   32ULL
#define ASKING_AHEAD_TICKS (1ULL << 30)
#define QUESTION_MAX_TICKS (1ULL << 15) /* the rest was preempted */

struct object {
	enum tare_object kind;
	const struct probes_registers *registers;
	uint64_t number;
	uint32_t name;
	struct tare_holder holder;
};

/* ---- paths ---- */

/*
 * The path at `addr`, read to objects->text + begin, without NUL. False where it cannot be read: so
 * will the system call then say.
 */
static bool path_read(uint64_t addr, uint64_t begin, uint64_t *length)
{
	return memory_ask_text(state_private->objects.text + begin, addr, TARE_NAME_PATH_BYTES + 1,
			       length);
}

/* The path of the directory `fd` goes in front; its length, with a slash, or 0. */
static uint64_t directory_put(const struct tare_thread_file *self, uint32_t name)
{
	char *text = state_private->objects.text;
	uint32_t length = 0;
	const char *path = names_text_of(self, name, TARE_NAME_LINK, &length);
	const char *suffix = " (deleted)";
	const uint32_t suffix_bytes = (uint32_t)bytes_length(suffix);

	if (!path || !length || path[0] != '/')
		return 0;
	memcpy(text, path, length);
	text[length] = 0;
	if (length > suffix_bytes && bytes_equal(text + length - suffix_bytes, suffix))
		return 0;
	if (text[length - 1] != '/')
		text[length++] = '/';
	return length;
}

static void path_name(struct tare_thread_file *self, struct object *object, uint64_t path,
		      int32_t directory)
{
	const char *text = state_private->objects.text;
	const bool elsewhere = directory != AT_FDCWD;
	const uint32_t name = elsewhere ? descriptors_name(self, directory) : TARE_NAME_UNKNOWN;
	uint64_t begin = directory_put(self, name), length;

	object->number = 0;
	if (!path_read(path, begin, &length))
		return;
	if (!length) {
		object->number = elsewhere ? (uint32_t)directory : 0;
		object->name = name;
		return;
	}
	if (text[begin] == '/')
		object->name = names_text(self, TARE_NAME_PATH, text + begin, length);
	else
		object->name = names_text(self, TARE_NAME_PATH, text, begin + length);
}

/* ---- sets of descriptors ---- */

static void fds_put(struct tare_name_fds *fds, int32_t fd)
{
	if (fds->known < TARE_NAME_FDS_MAX)
		fds->fds[fds->known++].fd = fd;
	fds->all++;
}

static uint32_t fds_name(struct tare_thread_file *self, struct tare_name_fds *fds)
{
	if (!fds->all)
		return TARE_NAME_UNKNOWN;
	for (uint32_t i = 0; i < fds->known; i++)
		fds->fds[i].name = descriptors_name(self, fds->fds[i].fd);
	return names_struct(self, TARE_NAME_FDS, fds, sizeof(*fds));
}

static uint32_t poll_name(struct tare_thread_file *self, uint64_t addr, uint64_t count)
{
	const struct {
		int32_t fd;
		int16_t events, returned;
	} *polled = (const void *)state_private->objects.text;
	const uint64_t read = count < POLLED_MAX ? count : POLLED_MAX;
	struct tare_name_fds fds = {0};

	_Static_assert(POLLED_MAX * sizeof(*polled) <= STATE_TEXT_BYTES, "room");
	if (!read || memory_ask(state_private->objects.text, addr, read * sizeof(*polled)) !=
			     (long)(read * sizeof(*polled)))
		return TARE_NAME_UNKNOWN;
	for (uint64_t i = 0; i < read; i++)
		if (polled[i].fd >= 0)
			fds_put(&fds, polled[i].fd);
	fds.all += (uint32_t)(count - read);
	return fds_name(self, &fds);
}

static uint32_t select_name(struct tare_thread_file *self, const struct probes_registers *registers)
{
	const uint64_t sets[] = {registers->rsi, registers->rdx, registers->r10};
	const uint64_t count = registers->rdi < SELECTED_MAX ? registers->rdi : SELECTED_MAX;
	const uint64_t words = (count + 63) / 64;
	uint64_t *all = (uint64_t *)state_private->objects.text, *one = all + SET_WORDS;
	struct tare_name_fds fds = {0};

	memset(all, 0, SET_WORDS * sizeof(*all));
	for (int i = 0; i < 3; i++) {
		if (!sets[i] || !words)
			continue;
		if (memory_ask(one, sets[i], words * sizeof(*one)) != (long)(words * sizeof(*one)))
			return TARE_NAME_UNKNOWN;
		for (uint64_t word = 0; word < words; word++)
			all[word] |= one[word];
	}
	for (uint64_t fd = 0; fd < count; fd++)
		if (all[fd / 64] >> fd % 64 & 1)
			fds_put(&fds, (int32_t)fd);
	return fds_name(self, &fds);
}

/* ---- times ---- */

struct object_time {
	int64_t seconds, ns;
};

/* To two digits, so that there are few of them. */
static uint64_t time_round(uint64_t ns)
{
	uint64_t unit = 1;

	while (ns / unit >= 100)
		unit *= 10;
	return (ns + unit / 2) / unit * unit;
}

static uint64_t sleep_of(uint64_t addr, const long *clock)
{
	struct object_time wanted, now = {0};

	if (memory_ask(&wanted, addr, sizeof(wanted)) != sizeof(wanted))
		return 0;
	if (clock && kernel_call(SYS_clock_gettime, *clock, &now))
		return 0;
	const int64_t seconds = wanted.seconds - now.seconds;

	if (wanted.seconds < 0 || wanted.ns < 0 || seconds < 0 || seconds > SLEEP_SECONDS)
		return 0;
	const int64_t ns = seconds * (int64_t)NS_PER_SECOND + wanted.ns - now.ns;

	return ns >= (int64_t)SLEEP_MIN_NS ? time_round((uint64_t)ns) : 0;
}

static uint64_t sleep_of_clock(const struct probes_registers *registers)
{
	const long clock = (long)registers->rdi;

	return sleep_of(registers->rdx, registers->rsi & SLEEP_TO_A_TIME ? &clock : NULL);
}

/* ---- all ---- */

/* What the registers tell. False: there is more to be asked. */
static bool object_begin(struct object *object)
{
	const struct probes_registers *registers = object->registers;

	switch (object->kind) {
	case TARE_OBJECT_FD:
		object->number = (uint32_t)registers->rdi;
		return descriptors_known(&state_private->objects, (int32_t)registers->rdi,
					 &object->name) ||
		       registers->rax == SYS_close; /* not worth asking for it now */
	case TARE_OBJECT_CONNECT:
		object->number = (uint32_t)registers->rdi;
		return false;
	case TARE_OBJECT_MAPPED:
		if (registers->r10 & MAP_ANONYMOUS)
			return true;
		object->number = (uint32_t)registers->r8;
		return descriptors_known(&state_private->objects, (int32_t)registers->r8,
					 &object->name);
	case TARE_OBJECT_FUTEX:
		object->number = registers->rdi;
		return !holders_may_wait(registers);
	case TARE_OBJECT_PROCESS:
		object->number = (uint32_t)registers->rdi;
		return true;
	case TARE_OBJECT_WAIT:
		object->number = registers->rdi == WAIT_ALL   ? UINT32_MAX
				 : registers->rdi == WAIT_PID ? (uint32_t)registers->rsi
							      : 0;
		return true;
	default:
		return object->kind == TARE_OBJECT_NONE;
	}
}

static void object_ask(struct tare_thread_file *self, struct object *object)
{
	const struct probes_registers *registers = object->registers;

	switch (object->kind) {
	case TARE_OBJECT_FD:
	case TARE_OBJECT_MAPPED:
		object->name = descriptors_name(self, (int32_t)object->number);
		break;
	case TARE_OBJECT_CONNECT:
		object->name = descriptors_name_to_be(self, (int32_t)object->number, registers->rsi,
						      (uint32_t)registers->rdx);
		break;
	case TARE_OBJECT_PATH:
		path_name(self, object, registers->rdi, AT_FDCWD);
		break;
	case TARE_OBJECT_PATH_SECOND:
		path_name(self, object, registers->rsi, AT_FDCWD);
		break;
	case TARE_OBJECT_PATH_AT:
		path_name(self, object, registers->rsi, (int32_t)registers->rdi);
		break;
	case TARE_OBJECT_PATH_AT_SECOND:
		path_name(self, object, registers->rdx, (int32_t)registers->rsi);
		break;
	case TARE_OBJECT_POLL:
		object->name = poll_name(self, registers->rdi, (uint32_t)registers->rsi);
		break;
	case TARE_OBJECT_SELECT:
		object->name = select_name(self, registers);
		break;
	case TARE_OBJECT_FUTEX:
		object->holder = holders_find(self, registers);
		break;
	case TARE_OBJECT_SLEEP:
		object->number = sleep_of(registers->rdi, NULL);
		break;
	case TARE_OBJECT_SLEEP_CLOCK:
		object->number = sleep_of_clock(registers);
		break;
	default:
		break;
	}
}

/* ---- the share of time that asking has ---- */

/* Of locks and times there are few questions, and waits are all that they are about. */
static bool is_asked_always(enum tare_object kind)
{
	return !state_session.settings.adaptive_percent || kind == TARE_OBJECT_FUTEX ||
	       kind == TARE_OBJECT_SLEEP || kind == TARE_OBJECT_SLEEP_CLOCK;
}

static bool has_asked_enough(const struct state_objects *objects, uint64_t now_ticks)
{
	return (int64_t)(objects->asked_until_ticks - now_ticks) > (int64_t)ASKING_AHEAD_TICKS;
}

static void question_count(struct state_objects *objects, uint64_t begin_ticks,
			   uint64_t spent_ticks)
{
	if ((int64_t)(begin_ticks - objects->asked_until_ticks) > 0)
		objects->asked_until_ticks = begin_ticks;
	objects->asked_until_ticks +=
		ASKING_SHARE *
		(spent_ticks < QUESTION_MAX_TICKS ? spent_ticks : QUESTION_MAX_TICKS);
}

static void object_ask_aside(struct tare_thread_file *self, struct object *object)
{
	struct state_objects *objects = &state_private->objects;
	const uint64_t begin = kernel_ticks();

	if (!is_asked_always(object->kind) && has_asked_enough(objects, begin)) {
		object->name = TARE_NAME_OTHERS;
		return;
	}
	if (self->gate || !state_session.active ||
	    !gate_enter(self, (uint64_t)__builtin_frame_address(0)))
		return;
	object_ask(self, object);
	const uint64_t spent = kernel_ticks() - begin;

	question_count(objects, begin, spent);
	gate_spend(self, spent);
	gate_exit(self, 0);
}

void objects_count_before(struct tare_thread_file *self)
{
	const bool is_open = !self->gate && state_session.active;

	if (state_private->syscall_uncounted && is_open &&
	    gate_enter(self, (uint64_t)__builtin_frame_address(0))) {
		os_flag_count_syscall(self, state_private);
		gate_exit(self, 0);
	}
	state_private->syscall_uncounted = is_open;
}

void objects_note(struct tare_thread_file *self, const struct probes_registers *registers)
{
	struct object object = {.kind = tare_object_of((int64_t)registers->rax),
				.registers = registers};

	if (descriptors_is_changing(&state_private->objects))
		descriptors_changed(&state_private->objects);
	if (!object_begin(&object))
		object_ask_aside(self, &object);
	self->syscall_number = registers->rax;
	self->syscall_object = object.number;
	self->syscall_name = object.name;
	self->syscall_holder = object.holder;
}
