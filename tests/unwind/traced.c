/* See traced.h. */
#include "tests/unwind/traced.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

bool traced_start(struct traced *traced, char **command)
{
	int status;
	const pid_t pid = fork();

	*traced = (struct traced){.pid = pid, .images = images_new()};
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return false;
	ptrace(PTRACE_SETOPTIONS, pid, NULL,
	       PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC);
	traced_look_again(traced);
	return true;
}

void traced_end(struct traced *traced)
{
	int status;

	kill(traced->pid, SIGKILL);
	while (waitpid(traced->pid, &status, __WALL) == traced->pid && WIFSTOPPED(status)) {
	}
	processes_free(traced->processes);
	images_free(traced->images);
}

void traced_look_again(struct traced *traced)
{
	struct error err;

	processes_free(traced->processes);
	traced->processes = processes_new(traced->images, true);
	processes_attach(traced->processes, (uint32_t)traced->pid, NULL, &err);
}

bool traced_registers(pid_t tid, struct user_regs_struct *registers)
{
	return ptrace(PTRACE_GETREGS, tid, NULL, registers) == 0;
}

bool traced_word(pid_t pid, uint64_t addr, uint64_t *word)
{
	const struct iovec here = {.iov_base = word, .iov_len = sizeof(*word)};
	const struct iovec there = {.iov_base = (void *)addr, .iov_len = sizeof(*word)};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)sizeof(*word);
}

static bool read_word(void *context, uint64_t addr, uint64_t *word)
{
	return traced_word(*(const pid_t *)context, addr, word);
}

static struct unwind_registers registers_of(const struct user_regs_struct *user)
{
	return (struct unwind_registers){.exact = true,
					 .value = {[UNWIND_RAX] = user->rax,
						   [UNWIND_RDX] = user->rdx,
						   [UNWIND_RCX] = user->rcx,
						   [UNWIND_RBX] = user->rbx,
						   [UNWIND_RSI] = user->rsi,
						   [UNWIND_RDI] = user->rdi,
						   [UNWIND_RBP] = user->rbp,
						   [UNWIND_RSP] = user->rsp,
						   [UNWIND_R8] = user->r8,
						   [UNWIND_R9] = user->r9,
						   [UNWIND_R10] = user->r10,
						   [UNWIND_R11] = user->r11,
						   [UNWIND_R12] = user->r12,
						   [UNWIND_R13] = user->r13,
						   [UNWIND_R14] = user->r14,
						   [UNWIND_R15] = user->r15,
						   [UNWIND_RA] = user->rip}};
}

bool traced_unwind_registers(pid_t tid, struct unwind_registers *registers)
{
	struct user_regs_struct user;

	if (!traced_registers(tid, &user))
		return false;
	*registers = registers_of(&user);
	return true;
}

void traced_stack(struct traced *traced, pid_t tid, struct stack *stack)
{
	static struct unwind_frame frames[STACK_MAX];
	static unsigned char copy[8192];
	struct unwind_stack found = {.frames = frames, .room = STACK_MAX};
	struct user_regs_struct user;

	*stack = (struct stack){0};
	if (!traced_registers(tid, &user))
		return;
	const struct unwind_registers registers = registers_of(&user);
	const struct iovec here = {.iov_base = copy, .iov_len = sizeof(copy)};
	const struct iovec there = {.iov_base = (void *)user.rsp, .iov_len = sizeof(copy)};
	const ssize_t copied = process_vm_readv(traced->pid, &here, 1, &there, 1, 0);
	const struct unwind_memory memory = {.begin = user.rsp,
					     .size_bytes = copied > 0 ? (size_t)copied : 0,
					     .bytes = copy,
					     .read = read_word,
					     .context = &traced->pid};

	unwind_walk(processes_get(traced->processes, (uint32_t)traced->pid)->memory->map,
		    &registers, &memory, &found);
	for (size_t i = 0; i < found.count; i++)
		stack->at[i] = frames[i].addr + !(frames[i].flags & UNWIND_FRAME_EXACT);
	stack->count = found.count;
	stack->complete = found.end == UNWIND_ROOT;
}

const char *traced_name(struct traced *traced, uint64_t addr)
{
	static char texts[4][160];
	static unsigned next;
	char *text = texts[next++ % 4];
	const struct process_image *mapped =
		process_image_at(processes_get(traced->processes, (uint32_t)traced->pid), addr);
	struct error err;

	if (!mapped) {
		snprintf(text, sizeof(texts[0]), "0x%" PRIx64, addr);
		return text;
	}
	const char *slash = strrchr(mapped->image->path, '/');
	const uint64_t link_addr = addr - mapped->bias;
	struct object *object = object_open(mapped->image->path, OBJECT_SYMBOLS, &err);
	const struct object_symbol *symbol =
		object ? object_symbol_covering(object, link_addr) : NULL;

	snprintf(text, sizeof(texts[0]), "%s 0x%" PRIx64 " %s+%" PRIu64,
		 slash ? slash + 1 : mapped->image->path, link_addr, symbol ? symbol->name : "?",
		 symbol ? link_addr - symbol->addr : 0);
	object_close(object);
	return text;
}
