/*
 * What forbids copying a range, whatever becomes of the others: unwind data that is not understood,
 * code that the loader changes, branches between instructions, and code that cares where it runs.
 * That is
 *
 *   - code that computes with a return address: `call` to a place of its own that pops, overwrites
 *     or reads it (position-independent hand-written code, inline retpolines), the address behind a
 *     call for comparison (-mspeculative-load-hardening); the prologues of -fsplit-stack, whose
 *     callee returns one byte behind it, and of -pg, whose callee counts by it;
 *   - jumps and calls through a word below the stack pointer: probes before them use the stack;
 *   - code whose address somebody compares: restartable sequences, known by the descriptor that is
 *     stored for the kernel, and cancellable system calls (C libraries ask whether a signal came
 *     before or behind the instruction), known by other code that takes the address behind one.
 *
 * It also notes whose first bytes are used as data, and whose labels are taken: see select.c.
 */
#include "rewrite/private.h"

#include <string.h>

enum {
	PROLOGUE_INSNS = 16,
	RSEQ_SIGNATURE = 0x53053053, /* stands before each abort handler */
	RETURN_ADDRESS_LOOK_INSNS = 4,
};

/* The descriptor of a restartable sequence, see rseq(2). */
struct rseq_sequence {
	uint64_t start, length, abort;
};

/* Code that the C library recognises by its address, or that V8 does: it has tables of the return
   addresses in its builtins, and looks them up as it walks the stack. */
static bool is_special_name(const char *name)
{
	return str_starts_with(name, "Builtins_") || strcmp(name, "__syscall_cancel_arch") == 0 ||
	       strcmp(name, "__restore_rt") == 0;
}

static bool has_text_relocation(const struct program *program, const struct range *range)
{
	size_t count, low = 0;
	const uint64_t *relocations = object_text_relocations(program->object, &count);

	for (size_t high = count; low < high;) {
		const size_t middle = low + (high - low) / 2;
		if (relocations[middle] + 8 > range->begin)
			high = middle;
		else
			low = middle + 1;
	}
	return low < count && relocations[low] < range->end;
}

static void judge_range(const struct program *program, struct range *range)
{
	if (range->fde->cie->signal_frame)
		range->verdict = REWRITE_SIGNAL_FRAME;
	else if (!range->fde->cie->understood)
		range->verdict = REWRITE_BAD_UNWIND;
	else if (range->begin == object_header(program->object)->e_entry ||
		 strcmp(range->name, "_start") == 0)
		range->verdict = REWRITE_STARTUP;
	else if (is_special_name(range->name))
		range->verdict = REWRITE_SPECIAL;
	else if (has_text_relocation(program, range))
		range->verdict = REWRITE_TEXT_RELOCATION;
}

/* ---- return addresses ---- */

static bool bytes_are(const unsigned char *bytes, const struct insn *insn, const char *opcode,
		      uint8_t length)
{
	return insn->length == length && memcmp(bytes, opcode, strlen(opcode)) == 0;
}

/* pop; mov to or from (%rsp); add or lea that drops the word at the top. */
static bool uses_return_address(const struct program *program, const struct insn *insn)
{
	const unsigned char *bytes = insn_bytes(program, insn);

	if (!bytes || insn->kind != INSN_PLAIN)
		return false;
	const unsigned skip = (bytes[0] & 0xf0) == 0x40;
	const unsigned char opcode = bytes[skip];
	if (opcode >= 0x58 && opcode <= 0x5f)
		return true;
	if (insn->modrm_offset == skip + 1u && (bytes[skip + 1] & 0xc7) == 0x04 &&
	    bytes[skip + 2] == 0x24)
		return true; /* an operand (%rsp) */
	return bytes_are(bytes, insn, "\x48\x83\xc4\x08", 4) ||
	       bytes_are(bytes, insn, "\x48\x8d\x64\x24\x08", 5);
}

/* A call into the own range whose target uses the address that the call pushed. */
static bool is_call_for_address(const struct program *program, const struct range *range,
				const struct insn *call)
{
	if (call->kind != INSN_CALL || call->target <= range->begin || call->target >= range->end)
		return false;
	uint64_t addr = call->target;
	for (int i = 0; i < RETURN_ADDRESS_LOOK_INSNS; i++) {
		const struct insn *insn = program_insn(program, addr, NULL);
		if (!insn || insn->kind != INSN_PLAIN)
			return false;
		if (uses_return_address(program, insn))
			return true;
		if (insn->writes & REG_BIT(REG_RSP))
			return false;
		addr = insn_end(insn);
	}
	return false;
}

/* Frame and argument sizes in r10 and r11, call __morestack, ret: the callee skips the ret. */
static bool is_split_stack_call(const struct range *range, uint32_t number)
{
	const struct insn *insn = &range->insns[number];
	const unsigned sizes = REG_BIT(REG_R10) | REG_BIT(REG_R11);

	return number >= 2 && number + 1 < range->insn_count && insn_is_call(insn) &&
	       insn[1].kind == INSN_RETURN && (insn[-1].writes | insn[-2].writes) == sizes &&
	       !(insn[-1].reads | insn[-2].reads);
}

/* gprof's hook files what it counts under its return address. */
static bool is_profiler_call(const struct program *program, const struct insn *insn)
{
	const char *name = NULL;

	if (insn->kind == INSN_CALL || (insn->kind == INSN_CALL_INDIRECT && insn->rip_offset))
		name = object_plt_symbol(program->object, insn->target);
	return name && (strcmp(name, "mcount") == 0 || strcmp(name, "_mcount") == 0 ||
			strcmp(name, "__fentry__") == 0);
}

/* Jumps or calls through a word below the stack pointer, where probes put theirs. */
static bool reads_below_stack(const struct program *program, const struct insn *insn)
{
	struct insn_detail detail;
	const unsigned char *bytes = insn_bytes(program, insn);

	return (insn->kind == INSN_JUMP_INDIRECT || insn->kind == INSN_CALL_INDIRECT) &&
	       (insn->reads & REG_BIT(REG_RSP)) && bytes && insn_describe(bytes, insn, &detail) &&
	       detail.memory.base == REG_RSP && detail.memory.disp < 0;
}

/* ---- branches ---- */

/* Branches into the own range must meet instructions; `lock`-skipping ones may land one behind.
   Behind all that the file maps, a copy has its code. */
static bool meets_instruction(const struct program *program, const struct range *range,
			      const struct insn *insn)
{
	if (!insn_is_branch(insn) && insn->kind != INSN_CALL)
		return true;
	if (insn->target < range->begin || insn->target >= range->end)
		return insn->target < object_memory_end(program->object);
	if (range_insn_number(range, insn->target - range->begin))
		return true;
	const struct insn *before = program_insn(program, insn->target - 1, NULL);
	return before && before->prefix_lock;
}

static void judge_control(const struct program *program, struct range *range)
{
	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct insn *insn = &range->insns[i];
		if (!meets_instruction(program, range, insn)) {
			range->verdict = REWRITE_BAD_TARGET;
			return;
		}
		if (reads_below_stack(program, insn)) {
			range->verdict = REWRITE_UNDECODABLE;
			return;
		}
		if (is_call_for_address(program, range, insn) || is_split_stack_call(range, i) ||
		    (i < PROLOGUE_INSNS && is_profiler_call(program, insn))) {
			range->verdict = REWRITE_READS_PC;
			return;
		}
	}
}

/* ---- addresses that code takes ---- */

enum note_kind {
	NOTE_SPECIAL,
	NOTE_READS_PC,
	NOTE_WINDOW_READ,
	NOTE_LABEL_TAKEN,
	NOTE_LABEL_SHARED,
	NOTE_CODE_READ
};

/* Something that the code of one range says of another. */
struct note {
	struct range *range;
	enum note_kind kind;
};

struct note_vec vec_of(struct note);

static void put_note(struct note_vec *notes, struct range *range, enum note_kind kind)
{
	const struct note note = {range, kind};

	if (range)
		vec_push(notes, note);
}

static void apply_note(const struct note *note)
{
	struct range *range = note->range;

	switch (note->kind) {
	case NOTE_SPECIAL:
		if (range->verdict == REWRITE_INSTRUMENTED)
			range->verdict = REWRITE_SPECIAL;
		break;
	case NOTE_READS_PC:
		if (range->verdict == REWRITE_INSTRUMENTED)
			range->verdict = REWRITE_READS_PC;
		break;
	case NOTE_WINDOW_READ:
		range->window_is_read = true;
		break;
	case NOTE_LABEL_TAKEN:
		range->label_is_taken = true;
		break;
	case NOTE_LABEL_SHARED:
		range->label_is_shared = true;
		break;
	case NOTE_CODE_READ:
		range->code_is_read = true;
		break;
	}
}

static bool word_at(const struct program *program, uint64_t addr, uint64_t *word)
{
	const unsigned char *bytes = object_at(program->object, addr, sizeof(*word));

	if (object_code_word(program->object, addr, word))
		return true;
	if (bytes)
		memcpy(word, bytes, sizeof(*word));
	return bytes != NULL;
}

static bool is_rseq_sequence(const struct program *program, uint64_t addr,
			     struct rseq_sequence *sequence)
{
	uint64_t version_and_flags;
	uint32_t signature = 0;

	if (addr % 32 || !word_at(program, addr, &version_and_flags) ||
	    (uint32_t)version_and_flags != 0 || !word_at(program, addr + 8, &sequence->start) ||
	    !word_at(program, addr + 16, &sequence->length) ||
	    !word_at(program, addr + 24, &sequence->abort))
		return false;
	const unsigned char *before =
		object_at(program->object, sequence->abort - sizeof(signature), sizeof(signature));
	if (before)
		memcpy(&signature, before, sizeof(signature));
	return signature == RSEQ_SIGNATURE;
}

/* Refuses the code of a restartable sequence, and its abort handler. */
static void take_rseq_sequence(const struct program *program, uint64_t addr, struct note_vec *notes)
{
	struct rseq_sequence sequence;

	if (!is_rseq_sequence(program, addr, &sequence))
		return;
	put_note(notes, program_range(program, sequence.start), NOTE_SPECIAL);
	put_note(notes, program_range(program, sequence.start + sequence.length), NOTE_SPECIAL);
	put_note(notes, program_range(program, sequence.abort), NOTE_SPECIAL);
}

/* Behind a call, code that looks at the return address, which now lies below the stack pointer. */
static bool is_checked_return(const struct program *program, const struct range *range,
			      uint32_t number)
{
	const struct insn *call = &range->insns[number - 1];

	if (!insn_is_call(call))
		return false;
	for (uint32_t i = number; i < range->insn_count && i < number + RETURN_ADDRESS_LOOK_INSNS;
	     i++) {
		const struct insn *insn = &range->insns[i];
		const unsigned char *bytes = insn_bytes(program, insn);
		struct insn_detail detail;
		if (bytes && insn->kind == INSN_PLAIN && (insn->reads & REG_BIT(REG_RSP)) &&
		    insn_describe(bytes, insn, &detail) && detail.memory.base == REG_RSP &&
		    detail.memory.disp == -8)
			return true;
	}
	return false;
}

/* An address may be taken of a function's first byte, but its bytes must not be read. */
static void note_code_address(const struct program *program, const struct range *from,
			      const struct insn *insn, uint64_t addr, struct note_vec *notes)
{
	const bool reads = insn->rip_offset && !insn->is_lea;
	struct range *range = program_range_before(program, addr);

	if (!range || !range->decoded)
		return;
	const uint64_t patch = range_patch_addr(range);
	if (addr >= patch + !reads && addr < patch + ENTRY_JUMP_BYTES)
		put_note(notes, range, NOTE_WINDOW_READ);
	if (reads && addr < range->end)
		put_note(notes, range, NOTE_CODE_READ);
	if (addr <= range->begin || addr >= range->end)
		return;
	put_note(notes, range, NOTE_LABEL_TAKEN);
	if (program_is_pointed_to(program, addr))
		put_note(notes, range, NOTE_LABEL_SHARED);
	const uint32_t number = range_insn_number(range, addr - range->begin);
	if (number < 2)
		return;
	const struct insn *before = &range->insns[number - 2];
	if (range != from && before->is_syscall)
		put_note(notes, range, NOTE_SPECIAL);
	if (range == from && is_checked_return(program, range, number - 1))
		put_note(notes, range, NOTE_READS_PC);
}

/* The address that an instruction takes or reads: rip-relative, or in files with fixed addresses
   the four bytes at its end. 0 if there is none. */
static uint64_t address_operand(const struct program *program, const struct insn *insn)
{
	uint32_t value = 0;

	if (insn->rip_offset)
		return insn->target;
	if (object_header(program->object)->e_type != ET_EXEC || insn->length < 5 ||
	    insn->kind != INSN_PLAIN || insn->rel_bits)
		return 0;
	memcpy(&value, insn_bytes(program, insn) + insn->length - sizeof(value), sizeof(value));
	return value;
}

static void note_addresses(const struct program *program, const struct range *range,
			   struct note_vec *notes)
{
	for (uint32_t i = 0; i < range->insn_count; i++) {
		const struct insn *insn = &range->insns[i];
		const uint64_t addr = address_operand(program, insn);
		if (!addr)
			continue;
		if (object_is_executable(program->object, addr))
			note_code_address(program, range, insn, addr, notes);
		take_rseq_sequence(program, addr, notes);
	}
}

struct note_search {
	const struct program *program;
	struct note_vec *pieces;
};

static void note_piece(void *search_at, unsigned worker, size_t begin, size_t end)
{
	const struct note_search *search = search_at;

	(void)worker;
	for (size_t i = begin; i < end; i++)
		note_addresses(search->program, &search->program->ranges.data[i],
			       &search->pieces[begin / PROGRAM_PIECE]);
}

static void note_all_addresses(const struct program *program)
{
	const size_t count = program->ranges.len / PROGRAM_PIECE + 1;
	struct note_search search = {program, mem_zalloc(count * sizeof(*search.pieces))};

	parallel_run(&(struct parallel_loop){.run = note_piece,
					     .context = &search,
					     .count = program->ranges.len,
					     .piece = PROGRAM_PIECE,
					     .threads = program->thread_count});
	for (size_t i = 0; i < count; i++) {
		vec_foreach (note, &search.pieces[i])
			apply_note(note);
		vec_fini(&search.pieces[i]);
	}
	free(search.pieces);
}

static void judge_piece(void *program_at, unsigned worker, size_t begin, size_t end)
{
	const struct program *program = program_at;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		struct range *range = &program->ranges.data[i];
		if (!range->decoded)
			continue;
		judge_range(program, range);
		if (range->verdict == REWRITE_INSTRUMENTED)
			judge_control(program, range);
	}
}

void program_judge_ranges(struct program *program)
{
	program_run(program, judge_piece, program->ranges.len);
	note_all_addresses(program);
}
