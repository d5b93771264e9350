/*
 * Classifies instructions with Zydis. Register effects are conservative: what is written only
 * partly, or only on a condition, also counts as read.
 */
#include "insn/insn.h"

#include "insn/memo.h"

#include <Zydis/Zydis.h>
#include <string.h>

enum { OPCODE_SHIFT_BY_1_BYTE = 0xd0, OPCODE_SHIFT_BY_1 = 0xd1 };

struct decoded {
	ZydisDecodedInstruction info;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static const ZydisDecoder *decoder(void)
{
	static _Thread_local ZydisDecoder instance;
	static _Thread_local bool ready;

	if (!ready) {
		ZydisDecoderInit(&instance, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		ready = true;
	}
	return &instance;
}

/* Register number of any part of a general register, REG_NONE for others. */
static uint8_t register_number(ZydisRegister reg)
{
	const ZydisRegister whole =
		ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return REG_NONE;
	return (uint8_t)(whole - ZYDIS_REGISTER_RAX);
}

static unsigned register_bit(ZydisRegister reg)
{
	const uint8_t number = register_number(reg);

	return number == REG_NONE ? 0 : REG_BIT(number);
}

static void note_register(struct insn *insn, const ZydisDecodedOperand *operand)
{
	const unsigned bit = register_bit(operand->reg.value);
	const bool writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	const bool partial =
		operand->size < 32 || (operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE);

	if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) || (writes && partial))
		insn->reads |= (uint16_t)bit;
	if (writes && !partial)
		insn->writes |= (uint16_t)bit;
	if (writes && partial)
		insn->merges |= (uint16_t)bit;
}

static bool note_memory(struct insn *insn, const struct decoded *decoded,
			const ZydisDecodedOperand *operand)
{
	if (operand->mem.base == ZYDIS_REGISTER_EIP)
		return false;
	insn->reads |=
		(uint16_t)(register_bit(operand->mem.base) | register_bit(operand->mem.index));
	if (operand->mem.base == ZYDIS_REGISTER_RIP && decoded->info.raw.disp.size == 32) {
		insn->rip_offset = decoded->info.raw.disp.offset;
	}
	return true;
}

/* xor r,r and sub r,r do not depend on the register's old value. */
static bool is_zeroing(const struct decoded *decoded)
{
	const ZydisDecodedOperand *operands = decoded->operands;

	return (decoded->info.mnemonic == ZYDIS_MNEMONIC_XOR ||
		decoded->info.mnemonic == ZYDIS_MNEMONIC_SUB) &&
	       decoded->info.operand_count_visible == 2 &&
	       operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[0].reg.value == operands[1].reg.value && operands[0].size >= 32;
}

static bool is_of_gs(const ZydisDecodedOperand *operand)
{
	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return operand->mem.segment == ZYDIS_REGISTER_GS;
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand->reg.value == ZYDIS_REGISTER_GS;
}

static bool note_operands(struct insn *insn, const struct decoded *decoded)
{
	for (unsigned i = 0; i < decoded->info.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];
		insn->uses_gs |= is_of_gs(operand);
		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
			note_register(insn, operand);
		else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			 !note_memory(insn, decoded, operand))
			return false;
	}
	if (is_zeroing(decoded))
		insn->reads &= (uint16_t)~insn->writes;
	return true;
}

static bool is_shift(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_SHLD:
	case ZYDIS_MNEMONIC_SHRD:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
	case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
		return true;
	default:
		return false;
	}
}

/*
 * Shifts and rotates by zero leave the flags alone: those by %cl may be ones. Through the carry,
 * 8 and 16 bits turn by the remainder of 9 and 17.
 */
static bool may_shift_by_none(const ZydisDecodedInstruction *info)
{
	const uint64_t mask = info->operand_width == 64 ? 63 : 31;

	if (!is_shift(info->mnemonic))
		return false;
	if (info->mnemonic == ZYDIS_MNEMONIC_RCL || info->mnemonic == ZYDIS_MNEMONIC_RCR)
		return true;
	if (info->raw.imm[0].size)
		return !(info->raw.imm[0].value.u & mask);
	return info->opcode_map != ZYDIS_OPCODE_MAP_DEFAULT ||
	       (info->opcode != OPCODE_SHIFT_BY_1 && info->opcode != OPCODE_SHIFT_BY_1_BYTE);
}

/* A repeated comparison may be none. */
static bool may_write_no_flags(const ZydisDecodedInstruction *info)
{
	return may_shift_by_none(info) ||
	       (info->attributes &
		(ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0;
}

static uint8_t flags_of(ZydisAccessedFlagsMask flags)
{
	return (uint8_t)((flags & ZYDIS_CPUFLAG_CF ? FLAG_CARRY : 0) |
			 (flags & ZYDIS_CPUFLAG_PF ? FLAG_PARITY : 0) |
			 (flags & ZYDIS_CPUFLAG_ZF ? FLAG_ZERO : 0) |
			 (flags & ZYDIS_CPUFLAG_SF ? FLAG_SIGN : 0) |
			 (flags & ZYDIS_CPUFLAG_OF ? FLAG_OVERFLOW : 0));
}

static void note_flags(struct insn *insn, const ZydisDecodedInstruction *info)
{
	if (!info->cpu_flags)
		return;
	const ZydisAccessedFlags *flags = info->cpu_flags;
	/* pushf and lahf read flags that Zydis lists; popf and sahf write them. */
	insn->flags_read = flags_of(flags->tested);
	if (!may_write_no_flags(info))
		insn->flags_written =
			flags_of(flags->modified | flags->set_0 | flags->set_1 | flags->undefined);
}

static bool is_loop(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_JRCXZ || mnemonic == ZYDIS_MNEMONIC_JECXZ ||
	       mnemonic == ZYDIS_MNEMONIC_LOOP || mnemonic == ZYDIS_MNEMONIC_LOOPE ||
	       mnemonic == ZYDIS_MNEMONIC_LOOPNE;
}

static bool is_trap(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_UD2 || mnemonic == ZYDIS_MNEMONIC_UD0 ||
	       mnemonic == ZYDIS_MNEMONIC_UD1 || mnemonic == ZYDIS_MNEMONIC_HLT;
}

/* Sets the kind of an instruction of control flow; false if it cannot be moved. */
static bool classify(struct insn *insn, const ZydisDecodedInstruction *info, bool relative)
{
	const bool far = info->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;

	switch (info->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		if (info->mnemonic == ZYDIS_MNEMONIC_XBEGIN ||
		    info->mnemonic == ZYDIS_MNEMONIC_XEND)
			return true;
		if (!relative)
			return false;
		insn->kind = is_loop(info->mnemonic) ? INSN_LOOP : INSN_BRANCH;
		return true;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (info->mnemonic == ZYDIS_MNEMONIC_XABORT)
			return true;
		insn->kind = relative ? INSN_JUMP : INSN_JUMP_INDIRECT;
		return !far;
	case ZYDIS_CATEGORY_CALL:
		insn->kind = relative ? INSN_CALL : INSN_CALL_INDIRECT;
		return !far;
	case ZYDIS_CATEGORY_RET:
		insn->kind = info->mnemonic == ZYDIS_MNEMONIC_RET && !far ? INSN_RETURN : INSN_TRAP;
		return true;
	default:
		if (is_trap(info->mnemonic))
			insn->kind = INSN_TRAP;
		return !relative || info->mnemonic == ZYDIS_MNEMONIC_XBEGIN;
	}
}

static bool decode_full(const unsigned char *bytes, size_t size, struct decoded *decoded)
{
	return ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(decoder(), bytes, size, &decoded->info, decoded->operands));
}

/* How many of the first bytes decide everything but the values of displacement and immediates. */
static size_t deciding_bytes(const ZydisDecodedInstruction *info)
{
	size_t count = info->length;

	/* The last byte of a 3DNow! instruction is a part of its opcode; how far a shift goes
	   decides whether it writes the flags. */
	if (info->opcode_map == ZYDIS_OPCODE_MAP_0F0F || is_shift(info->mnemonic))
		return count;
	if (info->raw.disp.size && info->raw.disp.offset < count)
		count = info->raw.disp.offset;
	for (int i = 0; i < 2; i++)
		if (info->raw.imm[i].size && info->raw.imm[i].offset < count)
			count = info->raw.imm[i].offset;
	return count;
}

/* All but addr and target. */
static bool decode(const unsigned char *bytes, size_t size, struct insn *insn, size_t *deciding)
{
	struct decoded decoded;

	*insn = (struct insn){.jump_register = REG_NONE};
	if (!decode_full(bytes, size, &decoded))
		return false;
	const ZydisDecodedInstruction *info = &decoded.info;
	*deciding = deciding_bytes(info);
	insn->length = info->length;
	if (!note_operands(insn, &decoded))
		return false;
	note_flags(insn, info);
	insn->modrm_offset = info->raw.modrm.offset;
	insn->is_syscall = info->mnemonic == ZYDIS_MNEMONIC_SYSCALL;
	/* Linux gives the flags back as they were. */
	if (insn->is_syscall)
		insn->flags_written = 0;
	insn->uses_gs |= info->mnemonic == ZYDIS_MNEMONIC_RDGSBASE ||
			 info->mnemonic == ZYDIS_MNEMONIC_WRGSBASE;
	insn->is_nop = info->mnemonic == ZYDIS_MNEMONIC_NOP;
	insn->is_endbr = info->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
	insn->is_lea = info->mnemonic == ZYDIS_MNEMONIC_LEA;
	insn->prefix_lock = bytes[0] == 0xf0;
	const bool relative =
		(info->attributes & ZYDIS_ATTRIB_IS_RELATIVE) && info->raw.imm[0].is_relative;
	if (relative) {
		insn->rel_bits = info->raw.imm[0].size;
		insn->rel_offset = info->raw.imm[0].offset;
		if (insn->rel_bits == 16)
			return false;
	}
	if (!classify(insn, info, relative))
		return false;
	if (insn->kind == INSN_JUMP_INDIRECT &&
	    decoded.operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		insn->jump_register = register_number(decoded.operands[0].reg.value);
	return true;
}

/* The value that is added to the end of the instruction. A jump's own distance comes last. */
static uint64_t relative_value(const unsigned char *bytes, const struct insn *insn)
{
	int32_t distance;

	if (insn->rel_bits == 8)
		return (uint64_t)(int64_t)(int8_t)bytes[insn->rel_offset];
	memcpy(&distance, bytes + (insn->rel_bits ? insn->rel_offset : insn->rip_offset),
	       sizeof(distance));
	return (uint64_t)(int64_t)distance;
}

bool insn_decode(const unsigned char *bytes, size_t size, uint64_t addr, struct insn *insn)
{
	if (!memo_find(bytes, size, insn)) {
		size_t deciding;

		if (!decode(bytes, size, insn, &deciding)) {
			insn->addr = addr;
			return false;
		}
		memo_keep(bytes, size, deciding, insn);
	}
	insn->addr = addr;
	if (insn->rel_bits || insn->rip_offset)
		insn->target = insn_end(insn) + relative_value(bytes, insn);
	return true;
}

static void describe_memory(const ZydisDecodedOperand *operand, const struct insn *insn,
			    struct insn_memory *memory)
{
	memory->base = register_number(operand->mem.base);
	memory->index = register_number(operand->mem.index);
	memory->scale = operand->mem.scale;
	memory->disp = operand->mem.disp.has_displacement ? operand->mem.disp.value : 0;
	memory->rip_relative = insn->rip_offset != 0;
	memory->segment = operand->mem.segment == ZYDIS_REGISTER_FS ||
			  operand->mem.segment == ZYDIS_REGISTER_GS;
}

static bool is_register(const ZydisDecodedOperand *operand, unsigned bits)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->size == bits &&
	       register_number(operand->reg.value) != REG_NONE;
}

static bool is_memory(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static enum insn_form form_of(const struct decoded *decoded)
{
	const ZydisDecodedOperand *first = &decoded->operands[0], *second = &decoded->operands[1];

	switch (decoded->info.mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
		return is_register(first, 64) ? INSN_FORM_LEA : INSN_FORM_OTHER;
	case ZYDIS_MNEMONIC_MOVSXD:
		return is_register(first, 64) && is_memory(second) ? INSN_FORM_MOVSXD
								   : INSN_FORM_OTHER;
	case ZYDIS_MNEMONIC_ADD:
		return is_register(first, 64) && is_register(second, 64) ? INSN_FORM_ADD
									 : INSN_FORM_OTHER;
	case ZYDIS_MNEMONIC_MOV:
		return is_register(first, 64) && is_memory(second) ? INSN_FORM_LOAD
								   : INSN_FORM_OTHER;
	case ZYDIS_MNEMONIC_CMP:
		return second->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? INSN_FORM_CMP_IMM
								    : INSN_FORM_OTHER;
	case ZYDIS_MNEMONIC_JMP:
		return is_memory(first) ? INSN_FORM_JUMP_MEM : INSN_FORM_OTHER;
	default:
		return INSN_FORM_OTHER;
	}
}

bool insn_describe(const unsigned char *bytes, const struct insn *insn, struct insn_detail *detail)
{
	struct decoded decoded;

	*detail = (struct insn_detail){.destination = REG_NONE, .source = REG_NONE};
	if (!decode_full(bytes, insn->length, &decoded))
		return false;
	detail->form = form_of(&decoded);
	detail->operand_bits = decoded.info.operand_width;
	const unsigned visible = decoded.info.operand_count_visible;
	for (unsigned i = 0; i < visible && i < 2; i++) {
		const ZydisDecodedOperand *operand = &decoded.operands[i];
		if (is_memory(operand))
			describe_memory(operand, insn, &detail->memory);
		else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
			*(i ? &detail->source : &detail->destination) =
				register_number(operand->reg.value);
		else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			detail->immediate = operand->imm.value.u;
	}
	if (detail->form == INSN_FORM_CMP_IMM && decoded.operands[0].size < 64)
		detail->immediate &= (UINT64_C(1) << decoded.operands[0].size) - 1;
	if (insn->kind == INSN_BRANCH)
		detail->condition = bytes[insn->rel_offset - 1] & 15;
	return true;
}

size_t insn_reuse_operand(const unsigned char *bytes, const struct insn *insn,
			  struct insn_operation operation, unsigned char *out, size_t *rip_offset)
{
	unsigned rex = (operation.wide ? 0x48u : 0x40u) | ((unsigned)operation.reg >> 3) << 2;
	size_t length = 0, at = 0;

	/* Legacy prefixes and REX stand before the one opcode byte ff. */
	for (; at + 1 < insn->modrm_offset; at++) {
		const unsigned char byte = bytes[at];
		if (byte == 0x64 || byte == 0x65 || byte == 0x67)
			out[length++] = byte;
		else if ((byte & 0xf0) == 0x40)
			rex |= byte & 3u;
		else if (byte != 0x3e && byte != 0xf2 && byte != 0xf3 && byte != 0x2e)
			return 0;
	}
	if (rex != 0x40)
		out[length++] = (unsigned char)rex;
	out[length++] = operation.opcode;
	out[length++] =
		(unsigned char)((bytes[insn->modrm_offset] & 0xc7) | (operation.reg & 7) << 3);
	const size_t rest = insn->modrm_offset + 1u;
	*rip_offset = insn->rip_offset ? length + (insn->rip_offset - rest) : 0;
	memcpy(out + length, bytes + rest, insn->length - rest);
	return length + (insn->length - rest);
}
