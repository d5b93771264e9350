/*
 * Text of instructions by Zydis' formatter. What stands at an address that the instruction names is
 * asked from the caller and put behind the instruction, as objdump does, so that operands stay what
 * an assembler would read.
 */
#include "insn/format.h"

#include <Zydis/Zydis.h>
#include <inttypes.h>
#include <stdio.h>

enum { TEXT_BYTES = 256, NAME_BYTES = 512, ADDRESS_BYTES = 32 };

/* One per thread, so that nothing is shared. */
struct printer {
	ZydisDecoder decoder;
	ZydisFormatter formatters[2]; /* by enum insn_syntax */
	bool ready;
};

static void printer_prepare(struct printer *printer)
{
	static const ZydisFormatterStyle styles[] = {
		[INSN_ATT] = ZYDIS_FORMATTER_STYLE_ATT,
		[INSN_INTEL] = ZYDIS_FORMATTER_STYLE_INTEL,
	};

	ZydisDecoderInit(&printer->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t i = 0; i < sizeof(styles) / sizeof(*styles); i++) {
		ZydisFormatter *formatter = &printer->formatters[i];
		ZydisFormatterInit(formatter, styles[i]);
		ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE,
					  ZYAN_FALSE);
		ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL,
					  ZYAN_TRUE);
		/* No leading zeros: 0x1180, not 0x0000000000001180. */
		ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
					  ZYDIS_PADDING_DISABLED);
		ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING,
					  ZYDIS_PADDING_DISABLED);
		ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING,
					  ZYDIS_PADDING_DISABLED);
	}
	printer->ready = true;
}

/* What an instruction names, written behind it as objdump does. */
struct named {
	bool present, is_target; /* of a branch: the address is in the text already */
	uint64_t addr;
};

static struct named named_of(const ZydisDecodedInstruction *info,
			     const ZydisDecodedOperand *operands, uint64_t addr)
{
	struct named named = {0};

	for (unsigned i = 0; i < info->operand_count_visible && !named.present; i++) {
		const ZydisDecodedOperand *operand = &operands[i];
		named.is_target =
			operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative;
		const bool relative = operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
				      operand->mem.base == ZYDIS_REGISTER_RIP;
		named.present =
			(named.is_target || relative) &&
			ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(info, operand, addr, &named.addr));
	}
	return named;
}

size_t insn_format(const struct insn_format *format, struct insn_code code, char *text,
		   size_t text_size)
{
	static _Thread_local struct printer printer;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction info;
	char written[TEXT_BYTES], name[NAME_BYTES], address[ADDRESS_BYTES] = "";

	if (!printer.ready)
		printer_prepare(&printer);
	if (!text_size || !code.size)
		return 0;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&printer.decoder, code.bytes, code.size, &info,
						 operands)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
		    &printer.formatters[format->syntax], &info, operands,
		    info.operand_count_visible, written, sizeof(written), code.addr, NULL))) {
		snprintf(text, text_size, "(bad)");
		return 1;
	}
	const struct named named = named_of(&info, operands, code.addr);
	const bool has_name = named.present && format->name &&
			      format->name(format->context, named.addr, name, sizeof(name));
	if (named.present && !named.is_target)
		snprintf(address, sizeof(address), " # 0x%" PRIx64, named.addr);
	if (has_name)
		snprintf(text, text_size, "%s%s <%s>", written, address, name);
	else
		snprintf(text, text_size, "%s%s", written, address);
	return info.length;
}
