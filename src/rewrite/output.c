/*
 * The new file from the placed code: note for the runtime, exception tables, unwind data, jumps
 * over the original entries, sections and symbols for debuggers.
 */
#include "rewrite/private.h"

#include "abi/module.h"
#include "rewrite/elf_out.h"
#include "rewrite/lsda_out.h"
#include "rewrite/segment_base.h"
#include "rewrite/static_out.h"
#include "rewrite/unwind_out.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { NOTE_HEADER_BYTES = 20 };

struct output {
	struct program *program;
	struct elf_layout layout;
	struct copy_ranges copies;
	struct vec_of(const struct range *) copied; /* of copies, one to one */
	struct vec_of(uint64_t) lsda_addrs;
	struct elf_patches patches;
	struct static_out standalone; /* if it is a static executable that carries its runtime */
	struct vec_of(struct elf_symbol) symbols;
	struct vec_of(struct elf_section) sections;
	struct object_extent note, tables, exceptions, unwind, unwind_header;
	struct object_extent runpath;
};

/* ---- layout ---- */

/* Bytes of the image and what follows it: of the code, and as much for what tells of it, which is
   more than it takes. A file that grew would be moved, and all its pages be met anew. */
static uint64_t expected_image(const struct program *program)
{
	uint64_t code = 0;

	vec_foreach (range, &program->ranges)
		code += range->copied ? range->code.len + LINE_BYTES : 0;
	return 2 * code;
}

/* The image begins behind room for its headers. */
static void begin_file(struct output *output)
{
	struct program *program = output->program;
	const struct elf_layout *layout = &output->layout;

	elf_out_begin(program->object, layout, expected_image(program), &program->file);
	program->file_addr = layout->image_addr - layout->image_offset;
	while (program->file.len < layout->image_offset + layout->headers_size)
		put_u8(&program->file, 0);
}

/* The writable segment: initial image of thread-local storage (if static), slots, arming bytes, and
   in pages of their own counters. */
static bool plan_layout(struct output *output, struct error *err)
{
	struct program *program = output->program;
	struct static_out *standalone = &output->standalone;

	if (static_out_is_wanted(program) && !static_out_plan(program, standalone, err))
		return false;
	const uint64_t image_size = (standalone->image.len + 7) & ~UINT64_C(7);
	const uint64_t small_bytes = image_size + sizeof(struct tare_slots) +
				     program->function_count + program->site_count + 1;
	const uint64_t before_counters =
		(small_bytes + TARE_COUNTER_PAGE - 1) & ~(TARE_COUNTER_PAGE - 1);
	const uint64_t rw_bytes =
		before_counters + program_counter_count(program) * sizeof(uint64_t);

	output->layout = elf_out_layout(program->object, rw_bytes, program->companion.memory_size);
	companion_place(&program->companion, output->layout.front_addr,
			object_header(program->object)->e_type == ET_EXEC);
	standalone->image_addr = output->layout.rw_addr;
	program->slots_addr = output->layout.rw_addr + image_size;
	program->arm_addr = program->slots_addr + sizeof(struct tare_slots);
	program->counters_addr = output->layout.rw_addr + before_counters;
	begin_file(output);
	return true;
}

/* Room for the note; its descriptor stands at a multiple of 8. */
static void reserve_note(struct output *output)
{
	struct program *program = output->program;

	while ((program->file.len + NOTE_HEADER_BYTES) % 8 || program->file.len % 4)
		put_u8(&program->file, 0);
	output->note.addr = image_end(program);
	program->note_addr = output->note.addr + NOTE_HEADER_BYTES;
	output->note.size = NOTE_HEADER_BYTES + sizeof(struct tare_module);
	for (uint64_t i = 0; i < output->note.size; i++)
		put_u8(&program->file, 0);
	assert(program->note_addr % 8 == 0);
}

/* Copied or not: it may run. */
static bool uses_gs(const struct program *program)
{
	vec_foreach (range, &program->ranges)
		if (range->uses_gs)
			return true;
	return code_may_set_gs(program->object);
}

/* But for the return from signal handlers, which does not wait. */
static bool calls_unseen(const struct program *program)
{
	vec_foreach (range, &program->ranges)
		if (range->has_syscall && !range->copied && range->verdict != REWRITE_SIGNAL_FRAME)
			return true;
	return false;
}

static uint32_t module_flags(const struct program *program)
{
	return (uses_gs(program) ? TARE_MODULE_USES_GS : 0) |
	       (calls_unseen(program) ? TARE_MODULE_CALLS_UNSEEN : 0);
}

static void write_note(const struct output *output)
{
	struct program *program = output->program;
	const uint64_t desc = program->note_addr;
	const uint32_t header[3] = {sizeof(TARE_NOTE_NAME), sizeof(struct tare_module),
				    TARE_NOTE_MODULE};
	struct tare_module module = {
		.abi = TARE_MODULE_ABI,
		.function_count = program->function_count,
		.call_site_count = program->site_count,
		.syscall_site_count = program->syscall_count,
		.slots_offset = (int64_t)(program->slots_addr - desc),
		.arm_offset = (int64_t)(program->arm_addr - desc),
		.link_addr = desc,
		.code_offset = (int64_t)(program->code_begin - desc),
		.code_size = program->code_end - program->code_begin,
		.counters_offset = (int64_t)(program->counters_addr - desc),
		.counted_offset = (int64_t)(program->counted_addr - desc),
		.counter_count = (uint32_t)program_counter_count(program),
		.flags = module_flags(program),
		.flow_offset = program->flow_addr ? (int64_t)(program->flow_addr - desc) : 0,
	};
	/* Poison is not for the runtime to arm: of the bytes only the SYSCALL probes' is. */
	if (program_poisons(program)) {
		module.arm_offset += program->function_count + program->site_count;
		module.function_count = module.call_site_count = 0;
	}
	unsigned char *at = program->file.data + (output->note.addr - program->file_addr);

	assert(program->code_begin < program->code_end);
	assert(output->note.addr - program->file_addr + output->note.size <= program->file.len);
	memcpy(module.source_id, program->options->source_id, sizeof(module.source_id));
	memcpy(at, header, sizeof(header));
	memcpy(at + sizeof(header), TARE_NOTE_NAME, sizeof(TARE_NOTE_NAME));
	memcpy(at + NOTE_HEADER_BYTES, &module, sizeof(module));
}

/* ---- copies, as the unwind writers want them ---- */

/* From here on they have their addresses. */
static void place_extras(struct range *range, struct copy_range *copy)
{
	vec_foreach (extra, &range->extras) {
		assert(extra->copy_addr <= range->code.len);
		extra->copy_addr += range->copy_addr;
	}
	copy->extras.data = range->extras.data;
	copy->extras.len = range->extras.len;
}

static void describe_far_calls(const struct range *range, struct copy_range *copy)
{
	vec_reserve(&copy->far_calls, range->far_calls.len);
	vec_foreach (call, &range->far_calls) {
		assert(call->insn < range->insn_count && call->end <= range->code.len);
		const struct copy_far_call placed = {
			.last = insn_end(&range->insns[call->insn]) - 1,
			.copy_begin = range->copy_addr + call->begin,
			.copy_end = range->copy_addr + call->end,
		};
		vec_push(&copy->far_calls, placed);
	}
}

/* Per unit the lowest address of its copies. The caller frees it. */
static uint64_t *find_unit_begins(const struct program *program)
{
	uint64_t *begins = mem_alloc(program->units.len * sizeof(*begins));

	memset(begins, 0xff, program->units.len * sizeof(*begins));
	vec_foreach (range, &program->ranges) {
		if (range->copied && range->copy_addr < begins[range->unit])
			begins[range->unit] = range->copy_addr;
	}
	return begins;
}

static void describe_copies(struct output *output)
{
	const struct program *program = output->program;
	uint64_t *unit_begins = find_unit_begins(program);

	vec_foreach (range, &program->ranges) {
		if (!range->copied)
			continue;
		assert(range->stubs_offset <= range->code.len);
		assert(unit_begins[range->unit] <= range->copy_addr);
		struct copy_range copy = {.fde = range->fde,
					  .copy_begin = range->copy_addr,
					  .copy_end = range->copy_addr + range->code.len,
					  .stubs_begin = range->copy_addr + range->stubs_offset,
					  .unit_begin = unit_begins[range->unit],
					  .unit = range->unit,
					  .insns = range->insns,
					  .copy_offset = range->copy_offset,
					  .insn_count = range->insn_count};
		place_extras(range, &copy);
		describe_far_calls(range, &copy);
		vec_push(&output->copies, copy);
		vec_push(&output->copied, range);
	}
	free(unit_begins);
}

/* ---- exception tables and unwind data ---- */

static uint64_t copied_landing_pad(void *context, uint64_t addr)
{
	const struct program *program = context;
	struct range *range;

	if (!program_insn(program, addr, &range) || !range->copied)
		return 0;
	return copied_code(program, addr, range);
}

static bool append_exceptions(struct output *output, struct error *err)
{
	struct program *program = output->program;

	put_align(&program->file, 4, 0);
	output->exceptions.addr = image_end(program);
	for (size_t i = 0; i < output->copies.len; i++) {
		const struct copy_range *copy = &output->copies.data[i];
		const struct lsda_out lsda = {.object = program->object,
					      .bytes = &program->file,
					      .bytes_addr = program->file_addr,
					      .landing_pad = copied_landing_pad,
					      .context = program};
		uint64_t addr = 0;
		if (copy->fde->lsda && !lsda_out_append(&lsda, copy, &addr, err))
			return false;
		vec_push(&output->lsda_addrs, addr);
	}
	assert(output->lsda_addrs.len == output->copies.len);
	output->exceptions.size = image_end(program) - output->exceptions.addr;
	return true;
}

static bool append_unwind(struct output *output, struct error *err)
{
	struct program *program = output->program;
	struct unwind_out unwind = {0};

	put_align(&program->file, 8, 0);
	const struct unwind_out_input input = {.object = program->object,
					       .companion = program->companion.object,
					       .companion_addr = program->companion.addr,
					       .ranges = &output->copies,
					       .lsda_addrs = output->lsda_addrs.data,
					       .eh_frame_addr = image_end(program)};
	if (!unwind_out_build(&input, &unwind, err))
		return false;
	output->unwind = (struct object_extent){image_end(program), unwind.eh_frame.len};
	put_bytes(&program->file, unwind.eh_frame.data, unwind.eh_frame.len);
	while (image_end(program) < unwind.eh_frame_hdr_addr)
		put_u8(&program->file, 0);
	assert(image_end(program) == unwind.eh_frame_hdr_addr);
	output->unwind_header = (struct object_extent){image_end(program), unwind.eh_frame_hdr.len};
	put_bytes(&program->file, unwind.eh_frame_hdr.data, unwind.eh_frame_hdr.len);
	unwind_out_fini(&unwind);
	return true;
}

/* ---- the original's changes ---- */

static void patch(struct output *output, uint64_t addr, const unsigned char *bytes, size_t size)
{
	unsigned char *kept = arena_alloc(&output->program->arena, size);

	memcpy(kept, bytes, size);
	vec_push(&output->patches, ((struct elf_patch){.addr = addr, .bytes = kept, .size = size}));
}

static void patch_jump(struct output *output, uint64_t addr, uint64_t copy_addr)
{
	const uint32_t distance = (uint32_t)(copy_addr - (addr + ENTRY_JUMP_BYTES));
	unsigned char jump[ENTRY_JUMP_BYTES] = {0xe9};

	assert(copy_addr >= output->program->code_begin && copy_addr < output->program->code_end);
	memcpy(jump + 1, &distance, sizeof(distance));
	patch(output, addr, jump, sizeof(jump));
}

static void patch_label(struct output *output, const struct label_jump *jump)
{
	const uint64_t copy_addr = copied_code(output->program, jump->addr,
					       program_range(output->program, jump->addr));

	patch_jump(output, jump->by ? jump->by : jump->addr, copy_addr);
	if (jump->by) {
		const unsigned char bytes[] = {0xeb, (unsigned char)(jump->by - jump->addr - 2)};
		patch(output, jump->addr, bytes, sizeof(bytes));
	}
}

/* In the relocation, or where there is none (RELR) in the word; but not where damaged files have
   that in code. */
static void patch_label_pointers(struct output *output)
{
	const struct program *program = output->program;
	size_t count;
	const struct object_code_word *words = object_code_words(program->object, &count);

	for (size_t i = 0; i < count; i++) {
		if (!label_moves(program, words[i].target) ||
		    program_range(program, words[i].stored_at))
			continue;
		const uint64_t copy_addr = copied_code(program, words[i].target,
						       program_range(program, words[i].target));
		unsigned char bytes[sizeof(copy_addr)];
		memcpy(bytes, &copy_addr, sizeof(bytes));
		patch(output, words[i].stored_at, bytes, sizeof(bytes));
		program->statistics->label_pointers++;
	}
}

static void patch_original(struct output *output)
{
	const struct program *program = output->program;

	vec_foreach (range, &program->ranges)
		if (range->copied && range->entry)
			patch_jump(output, range_patch_addr(range), range->copy_addr);
	vec_foreach (unit, &program->units)
		vec_foreach (jump, &unit->label_jumps)
			patch_label(output, jump);
	patch_label_pointers(output);
}

/* $ORIGIN of a file that lives elsewhere: the directory of the original. */
static void append_runpath(struct output *output)
{
	struct program *program = output->program;
	const char *runpath = object_runpath(program->object);
	const char *origin = program->options->origin;
	struct str text = {0};

	if (!origin || !runpath || !strstr(runpath, "ORIGIN"))
		return;
	for (const char *at = runpath; *at;) {
		const size_t length = str_starts_with(at, "$ORIGIN")	 ? 7
				      : str_starts_with(at, "${ORIGIN}") ? 9
									 : 0;
		if (length)
			str_append(&text, origin);
		else
			str_append_bytes(&text, at, 1);
		at += length ? length : 1;
	}
	output->runpath = (struct object_extent){image_end(program), text.len + 1};
	put_bytes(&program->file, text.data, text.len + 1);
	str_fini(&text);
}

/* ---- for debuggers ---- */

static void describe_symbols(struct output *output)
{
	vec_foreach (range, &output->copied) {
		if (!(*range)->name[0])
			continue;
		const struct elf_symbol symbol = {(*range)->name, (*range)->copy_addr,
						  (*range)->code.len};
		vec_push(&output->symbols, symbol);
	}
}

static void add_section(struct output *output, const char *name, uint32_t type, uint64_t flags,
			struct object_extent extent)
{
	const struct elf_section section = {.name = name,
					    .type = type,
					    .flags = SHF_ALLOC | flags,
					    .addr = extent.addr,
					    .size = extent.size,
					    .align = 8};

	if (extent.size)
		vec_push(&output->sections, section);
}

/* Thread-local storage has sections of its own: its segment is known by them to tools that write
   files anew. */
static void describe_data(struct output *output)
{
	const struct elf_layout *layout = &output->layout;
	const struct static_tls *tls = &output->standalone.tls;
	const uint64_t image_addr = output->standalone.image_addr;
	uint64_t data_addr = layout->rw_addr;

	if (static_out_is_wanted(output->program)) {
		add_section(output, ".tdata", SHT_PROGBITS, SHF_WRITE | SHF_TLS,
			    (struct object_extent){image_addr, tls->file_size});
		add_section(output, ".tbss", SHT_NOBITS, SHF_WRITE | SHF_TLS,
			    (struct object_extent){image_addr + tls->file_size,
						   tls->memory_size - tls->file_size});
		data_addr = output->program->slots_addr;
	}
	add_section(
		output, ".tare.data", SHT_PROGBITS, SHF_WRITE,
		(struct object_extent){data_addr, layout->rw_addr + layout->rw_size - data_addr});
}

static void describe_sections(struct output *output)
{
	const struct program *program = output->program;
	const struct companion *companion = &program->companion;

	add_section(output, ".tare.companion", SHT_PROGBITS, SHF_EXECINSTR,
		    (struct object_extent){companion->addr, companion->code_size});
	add_section(output, ".tare.companion.data", SHT_PROGBITS, SHF_WRITE,
		    (struct object_extent){companion->addr + companion->code_size,
					   companion->bytes.len - companion->code_size});
	add_section(output, ".tare.companion.bss", SHT_NOBITS, SHF_WRITE,
		    (struct object_extent){companion->addr + companion->bytes.len,
					   companion->memory_size - companion->bytes.len});
	describe_data(output);
	/* Tools that write files anew keep in segments only what sections cover; see elf_out.c. */
	add_section(output, ".tare.headers", SHT_PROGBITS, 0, elf_out_headers(&output->layout));
	add_section(output, ".note.tare", SHT_NOTE, 0, output->note);
	add_section(output, ".tare.text", SHT_PROGBITS, SHF_EXECINSTR,
		    (struct object_extent){program->code_begin,
					   program->code_end - program->code_begin});
	add_section(output, ".tare.tables", SHT_PROGBITS, 0, output->tables);
	add_section(output, ".tare.except_table", SHT_PROGBITS, 0, output->exceptions);
	add_section(output, ".eh_frame", SHT_PROGBITS, 0, output->unwind);
	add_section(output, ".eh_frame_hdr", SHT_PROGBITS, 0, output->unwind_header);
	add_section(output, ".tare.runpath", SHT_PROGBITS, 0, output->runpath);
}

/* By the code as it was before it was placed, which the processor had at hand. */
static uint64_t identity_of(const struct output *output)
{
	uint64_t hash = 0;

	vec_foreach (range, &output->copied)
		hash = hash_u64(hash ^ (*range)->code_hash);
	return hash ? hash : 1;
}

static bool complete_file(struct output *output, struct error *err)
{
	const struct companion *companion = &output->program->companion;
	struct elf_out_input input = {.object = output->program->object,
				      .layout = output->layout,
				      .image_size = output->program->file.len -
						    output->layout.image_offset,
				      .identity = identity_of(output),
				      .front = {.bytes = &companion->bytes,
						.code_size = companion->code_size,
						.memory_size = companion->memory_size},
				      .patches = output->patches.data,
				      .patch_count = output->patches.len,
				      .sections = output->sections.data,
				      .section_count = output->sections.len,
				      .symbols = output->symbols.data,
				      .symbol_count = output->symbols.len,
				      .note = output->note,
				      .eh_frame_hdr = output->unwind_header,
				      .runpath_addr = output->runpath.addr};

	if (static_out_is_wanted(output->program)) {
		input.rw_bytes = &output->standalone.image;
		input.tls = static_out_segment(&output->standalone);
		input.entry = output->standalone.entry;
	}
	return elf_out_write(&input, &output->program->file, err);
}

static void output_fini(struct output *output)
{
	vec_foreach (copy, &output->copies)
		vec_fini(&copy->far_calls);
	vec_fini(&output->copies);
	vec_fini(&output->copied);
	vec_fini(&output->lsda_addrs);
	vec_fini(&output->patches);
	vec_fini(&output->symbols);
	vec_fini(&output->sections);
	static_out_fini(&output->standalone);
}

bool program_output(struct program *program, struct error *err)
{
	struct output output = {.program = program};

	bool ok = plan_layout(&output, err);
	if (ok) {
		reserve_note(&output);
		ok = program_place(program, err);
	}
	if (ok) {
		output.tables = (struct object_extent){program->code_end,
						       image_end(program) - program->code_end};
		describe_copies(&output);
		ok = append_exceptions(&output, err) && append_unwind(&output, err) &&
		     (!static_out_is_wanted(program) ||
		      static_out_place(program, &output.standalone, &output.patches, err));
	}
	if (ok) {
		append_runpath(&output);
		patch_original(&output);
		write_note(&output);
		describe_symbols(&output);
		describe_sections(&output);
		ok = complete_file(&output, err);
	}
	output_fini(&output);
	return ok;
}
