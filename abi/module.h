/*
 * What an instrumented file offers to the runtime inside the target, and how its probes call it.
 *
 * An instrumented file carries a PT_NOTE (name "tare", type TARE_NOTE_MODULE) whose descriptor is
 * struct tare_module. Offsets in it are relative to the run-time address of the descriptor itself,
 * so the runtime needs no load bias. The writable part (slots, arming bytes, counters) is a
 * PT_LOAD, in the file all zero, so every probe is dormant until a runtime arms it.
 *
 * A probe is `cmpb arm(%rip), %spl; jb stub` in the copied code, where the flags are dead: no stack
 * pointer ends in TARE_ARMED, as it is a multiple of 8, and none is below 0. Without an immediate
 * value processors make one operation of the two instructions, where `cmpb $0, arm(%rip); jne` are
 * three. The stub lies behind the copied code, calls through a slot, and jumps back. Where the
 * flags are live the probe is `jmp stub`, and the stub is `pushf; cmpb arm, %spl; jae 1f; …; 1:
 * popf; jmp back` with the same in the middle, but through the handlers of `below_flags`, which
 * find everything on the stack one word higher. Handlers preserve every register but the arithmetic
 * flags; they may use the stack below rsp (SYSCALL stubs first step over the red zone).
 *
 *   kind          stub                                         at entry of the handler
 *   ENTER         call *enter; data F, A                       frame sp = rsp+8, key = F
 *   LEAVE         call *leave                                  frame sp = rsp+8
 *   CALL          call *call; data T, A                        frame sp = rsp,   key = T
 *   CALL_INDIRECT push target; call *call_indirect;            frame sp = rsp+8, key = 8(%rsp)
 *                 lea 8(%rsp),%rsp; data A
 *   RETURN        call *return_                                frame sp = rsp
 *   LANDING       call *landing                                frame sp = rsp
 *   SYSCALL       lea -128(%rsp),%rsp; call *syscall_; lea 128(%rsp),%rsp
 *                 rax = system call number, rdi… = arguments, as before the instruction
 *
 * In a poisoned file, which is for trying the probes, `call *slot(%rip)` is `addr32 call` of a
 * handler that lies in the file itself (runtime/probes/poison.S) and scrambles all that handlers
 * need not keep; the senses of jb and jae are exchanged, so that a probe runs with its byte zero. A
 * runtime finds no functions and no call sites in it. Its SYSCALL probes have their function's
 * byte, and call through the slot as well if the byte that the runtime sets says so:
 *
 *     addr32 call poison; cmpb arm(%rip), %spl; jae 1f; call *syscall_; 1:
 *
 * Functions and call sites are counted, armed or not: behind the probe of a function's entry, and
 * behind that of a call, stands `incq %gs:counter(%rip)`; where the flags are live, in the stub
 * behind pushf. The counters (8 bytes each, of functions, then of call sites, numbered as the
 * arming bytes are, then of edges: abi/flow.h; a file without these has counters of calls that go
 * behind the callee's own) fill pages of their own. With the gs base 0 they are
 * where the file has them; another base is a thread's distance to pages of its own, the same for
 * all modules.
 *
 * "frame sp" is the address of the stack slot that holds (or, for CALL, will hold) the callee's
 * return address: the identity of a frame. RETURN's frame sp is that of the call it follows.
 * LANDING stands where an exception that the function catches, or cleans up after, comes out of one
 * of its calls; its frame sp is that of this call.
 *
 * Data are words of 4 bytes that are never executed: they begin TARE_STUB_DATA bytes behind the
 * end of the call (CALL_INDIRECT: TARE_STUB_DATA_INDIRECT), behind the jump back. Each is the
 * distance to an address from its own end:
 *   F  the original entry of the function (run address; what a function pointer to it holds)
 *   T  the call's target: original entry of a function of this module, or a PLT stub, or the GOT
 *      slot through which `call *slot(%rip)` goes
 *   A  the arming byte of this probe: a function's or a call site's. The runtime may clear a call
 *      site's when the callee turns out to report ENTER itself: the pair CALL/RETURN then only
 *      measures the call instruction.
 */
#ifndef TARE_ABI_MODULE_H
#define TARE_ABI_MODULE_H

#include <stdint.h>

#define TARE_NOTE_NAME	 "tare"
#define TARE_NOTE_MODULE 1
#define TARE_MODULE_ABI	 8
/* From a handler's return address; room for popf and the jump back. */
#define TARE_STUB_DATA		8
#define TARE_STUB_DATA_INDIRECT 12 /* and for lea */

struct tare_handlers {
	uint64_t enter;
	uint64_t leave;
	uint64_t call;
	uint64_t call_indirect;
	uint64_t return_;
	uint64_t landing;
	uint64_t syscall_;
};

/* An arming byte is 0 or this. */
#define TARE_ARMED 0xff

/* cmpb arm(%rip), %spl: these bytes, then the distance. */
#define TARE_GATE	     "\x40\x3a\x25"
#define TARE_GATE_CODE_BYTES 3 /* before the distance */
/* The second byte of a near jump behind it, if the byte is TARE_ARMED; + 1: if it is 0. */
#define TARE_GATE_JUMP 0x82

/* Counters begin at a multiple of this and have their pages alone. */
#define TARE_COUNTER_PAGE 4096ULL

/* incq %gs:counter(%rip): these bytes, then the distance. */
#define TARE_COUNT	      "\x65\x48\xff\x05"
#define TARE_COUNT_BYTES      8
#define TARE_COUNT_CODE_BYTES 4 /* before the distance */

/* addq $rounds, %gs:counter(%rip): these bytes, then the distance and the rounds. */
#define TARE_COUNT_ROUNDS	"\x65\x48\x83\x05"
#define TARE_COUNT_ROUNDS_BYTES 9

/*
 * What a counter counts, and the instruction that does. Where several instructions add to one word,
 * as rounds of a loop that its copies count, the words of the counters that follow it stay zero:
 * their entries tell of the other instructions.
 */
struct tare_counted {
	int32_t target; /* link address of a function's original entry or a call's T, less that of
			   struct tare_module; 0: the call goes through a pointer; of executions:
			   one instruction counts many */
	uint32_t
		prefix; /* of its instruction: offset of the %gs prefix from the copied code's begin
			 */
};

enum tare_module_flags {
	TARE_MODULE_USES_GS = 1,      /* its own code reads or changes %gs */
	TARE_MODULE_CALLS_UNSEEN = 2, /* some of its system calls have no probe */
};

/* Pointers to the handlers, set by the runtime before any code of the module runs. */
struct tare_slots {
	struct tare_handlers plain;
	struct tare_handlers below_flags; /* called with the flags on the stack, see above */
};

struct tare_module {
	uint32_t abi; /* TARE_MODULE_ABI */
	uint32_t function_count;
	uint32_t call_site_count;
	uint32_t syscall_site_count;
	int64_t slots_offset; /* to struct tare_slots */
	int64_t arm_offset;   /* to uint8_t[function_count + call_site_count + 1], 0 or TARE_ARMED;
				 the last byte arms all SYSCALL probes of the module */
	uint64_t link_addr;   /* of this descriptor: run address - link_addr is the load bias */
	int64_t code_offset;  /* to the first byte of the copied code (stubs included) */
	uint64_t code_size;
	uint8_t source_id[32];	 /* digest of the original file's bytes and the options */
	int64_t counters_offset; /* to uint64_t[counter_count] */
	int64_t counted_offset;	 /* to struct tare_counted[counter_count] */
	uint32_t counter_count;	 /* 0: it has none */
	uint32_t flags;		 /* enum tare_module_flags */
	int64_t flow_offset;	 /* to struct tare_flow; 0: executions are not counted */
};

_Static_assert(sizeof(struct tare_slots) == 112, "layout shared with instrumented files");
_Static_assert(sizeof(struct tare_module) == 120, "layout shared with instrumented files");

#endif
