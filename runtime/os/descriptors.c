/*
 * Every descriptor has a generation, which goes up before and after each system call that may give
 * it another meaning. What a thread knows counts while the generation is that of when it asked. No
 * call that opens something needs to be seen: the lowest free number was closed before.
 *
 *   close, dup2 … ─▶ generation ── differs ─▶ /proc/thread-self/fd/N; of sockets their addresses
 *                              └── the same ─▶ what was said before
 *
 * Refuses to keep answers where closing goes unseen: under io_uring, and where a process with other
 * memory shares the descriptors. A vfork child, which lives in its parent's memory with descriptors
 * of its own, may use what its parent knows and has not been changed, and leaves nothing behind.
 */
#include "runtime/os/descriptors.h"

#include "runtime/base/bytes.h"
#include "runtime/base/kernel.h"
#include "runtime/base/memory.h"
#include "runtime/os/names.h"

#include <fcntl.h>
#include <linux/sched.h>

#define GENERATIONS	 1024U /* descriptors beyond share one with another */
#define ALL_CHANGING	 (~0ULL)
#define PATHLESS_ENOUGH	 16U /* answers of no link, after which /proc is taken to be missing */
#define FAMILY_IP4	 2
#define FAMILY_IP6	 10
#define SOCKET_LEVEL	 1
#define SOCKET_TYPE	 3
#define SOCKET_LISTENING 30
#define TYPE_STREAM	 1
#define PORT_EPHEMERAL	 32768U

static uint32_t generations[GENERATIONS], generation_of_all;
static uint32_t pathless;   /* links that were not there, since the last that was */
static bool changes_unseen; /* no answer is for long */

static uint32_t generation_of(int32_t fd)
{
	return __atomic_load_n(&generations[(uint32_t)fd % GENERATIONS], __ATOMIC_RELAXED) +
	       __atomic_load_n(&generation_of_all, __ATOMIC_RELAXED);
}

static void generation_end(uint64_t changing)
{
	uint32_t *generation = changing == ALL_CHANGING
				       ? &generation_of_all
				       : &generations[(uint32_t)(changing - 1) % GENERATIONS];

	__atomic_fetch_add(generation, 1, __ATOMIC_RELAXED);
}

static bool shares_descriptors_only(uint64_t flags)
{
	return flags & CLONE_FILES && !(flags & CLONE_VM);
}

/* 1 + the descriptor that a system call may change, all, or 0. */
static uint64_t changed_by(const struct probes_registers *registers)
{
	switch (registers->rax) {
	case SYS_close:
	case SYS_bind:
	case SYS_connect:
	case SYS_listen:
		return 1 + (uint64_t)(uint32_t)registers->rdi;
	case SYS_dup2:
	case SYS_dup3:
		return 1 + (uint64_t)(uint32_t)registers->rsi;
	case SYS_close_range:
		return ALL_CHANGING;
	case SYS_io_uring_setup:
		changes_unseen = true;
		return ALL_CHANGING;
	case SYS_clone:
		changes_unseen |= shares_descriptors_only(registers->rdi);
		return 0;
	case SYS_clone3: /* struct clone_args begins with the flags; programs probe with NULL */
		changes_unseen |= registers->rdi && registers->rsi >= CLONE_ARGS_SIZE_VER0 &&
				  shares_descriptors_only(*(const uint64_t *)registers->rdi);
		return 0;
	default:
		return 0;
	}
}

void descriptors_forget(const struct tare_thread_file *self,
			const struct probes_registers *registers)
{
	const uint64_t changing = changed_by(registers);

	if (!changing)
		return;
	generation_end(changing);
	if (self)
		state_private->objects.changing = changing;
}

void descriptors_changed(struct state_objects *objects)
{
	generation_end(objects->changing);
	objects->changing = 0;
}

static struct state_descriptor *place_of(struct state_objects *objects, int32_t fd)
{
	return &objects->known[(uint32_t)fd % STATE_DESCRIPTORS];
}

bool descriptors_known(const struct state_objects *objects, int32_t fd, uint32_t *name)
{
	const struct state_descriptor *known = &objects->known[(uint32_t)fd % STATE_DESCRIPTORS];

	if (known->number != (uint64_t)(uint32_t)fd + 1 || known->generation != generation_of(fd) ||
	    changes_unseen)
		return false;
	*name = known->name;
	return true;
}

/* ---- sockets ---- */

static bool option_get(int32_t fd, long option, uint32_t *value)
{
	uint32_t size_bytes = sizeof(*value);

	return kernel_call(SYS_getsockopt, fd, SOCKET_LEVEL, option, value, &size_bytes) == 0;
}

static uint32_t address_get(long number, int32_t fd, uint8_t *address)
{
	uint32_t size_bytes = TARE_NAME_ADDRESS_BYTES;

	memset(address, 0, TARE_NAME_ADDRESS_BYTES);
	if (kernel_call(number, fd, address, &size_bytes))
		return 0;
	return size_bytes < TARE_NAME_ADDRESS_BYTES ? size_bytes : TARE_NAME_ADDRESS_BYTES;
}

static uint32_t port_of(const uint8_t *address, uint32_t size_bytes)
{
	const uint32_t family = size_bytes ? address[0] | (uint32_t)address[1] << 8 : 0;

	return family == FAMILY_IP4 || family == FAMILY_IP6 ? (uint32_t)address[2] << 8 | address[3]
							    : 0;
}

/* Of a service's many connections only the hosts are told apart. */
static void peer_widen(struct tare_name_socket *socket)
{
	const uint32_t own = port_of(socket->local, socket->local_bytes);
	const uint32_t peers = port_of(socket->peer, socket->peer_bytes);

	if (own && own < PORT_EPHEMERAL && peers >= PORT_EPHEMERAL)
		socket->peer[2] = socket->peer[3] = 0;
}

/* One that is to be connected or to listen yet is asked for again. */
static uint32_t socket_name(struct tare_thread_file *self, int32_t fd, bool *keep)
{
	struct tare_name_socket *socket = (struct tare_name_socket *)state_private->objects.text;

	memset(socket, 0, sizeof(*socket));
	if (!option_get(fd, SOCKET_TYPE, &socket->type))
		return TARE_NAME_UNKNOWN;
	option_get(fd, SOCKET_LISTENING, &socket->is_listening);
	socket->local_bytes = address_get(SYS_getsockname, fd, socket->local);
	socket->peer_bytes = address_get(SYS_getpeername, fd, socket->peer);
	peer_widen(socket);
	*keep = socket->type != TYPE_STREAM || socket->is_listening || socket->peer_bytes;
	return names_struct(self, TARE_NAME_SOCKET, socket, sizeof(*socket));
}

uint32_t descriptors_name_to_be(struct tare_thread_file *self, int32_t fd, uint64_t address,
				uint64_t address_bytes)
{
	struct tare_name_socket *socket = (struct tare_name_socket *)state_private->objects.text;

	memset(socket, 0, sizeof(*socket));
	if (address_bytes > sizeof(socket->peer) ||
	    memory_ask(socket->peer, address, address_bytes) != (long)address_bytes ||
	    !option_get(fd, SOCKET_TYPE, &socket->type))
		return TARE_NAME_UNKNOWN;
	socket->peer_bytes = (uint32_t)address_bytes;
	return names_struct(self, TARE_NAME_SOCKET, socket, sizeof(*socket));
}

/* ---- all ---- */

static long link_read(int32_t fd, char *text, uint64_t size_bytes)
{
	char path[48];
	struct bytes_text own = {.start = path, .size_bytes = sizeof(path)};

	bytes_put(&own, "/proc/thread-self/fd/");
	bytes_put_number(&own, (uint64_t)fd);
	return kernel_call(SYS_readlinkat, AT_FDCWD, path, text, size_bytes);
}

/* Where there is no link, the descriptor may not be open, or this root has no /proc. */
static uint32_t linkless_name(struct tare_thread_file *self, int32_t fd, bool *keep)
{
	*keep = false;
	const uint32_t name = socket_name(self, fd, keep);

	if (name == TARE_NAME_UNKNOWN)
		*keep = filter_newest || ++pathless > PATHLESS_ENOUGH;
	return name;
}

static uint32_t name_ask(struct tare_thread_file *self, int32_t fd, bool *keep)
{
	char *text = state_private->objects.text;
	const long length = link_read(fd, text, TARE_NAME_PATH_BYTES + 1);

	if (length <= 0)
		return linkless_name(self, fd, keep);
	pathless = 0;
	text[length] = 0;
	if (bytes_begin_with(text, "socket:["))
		return socket_name(self, fd, keep);
	if (bytes_begin_with(text, "pipe:["))
		return names_text(self, TARE_NAME_LINK, text, sizeof("pipe") - 1);
	return names_text(self, TARE_NAME_LINK, text, (uint64_t)length);
}

uint32_t descriptors_name(struct tare_thread_file *self, int32_t fd)
{
	struct state_objects *objects = &state_private->objects;
	uint32_t name;

	if (fd < 0)
		return TARE_NAME_UNKNOWN;
	if (descriptors_known(objects, fd, &name))
		return name;
	const uint32_t generation = generation_of(fd);
	bool keep = true;

	name = name_ask(self, fd, &keep);
	if (keep && kernel_is_tid(self->tid))
		*place_of(objects, fd) =
			(struct state_descriptor){(uint64_t)(uint32_t)fd + 1, generation, name};
	return name;
}
