/*
 * See static_out.h. Refuses a runtime that cannot start by itself, or whose thread-local block is
 * larger than the room for it.
 */
#include "rewrite/static_out.h"

#include "abi/static.h"

#include <string.h>

bool static_out_is_wanted(const struct program *program)
{
	return program->companion.loads_itself;
}

bool static_out_plan(const struct program *program, struct static_out *out, struct error *err)
{
	if (!static_tls_plan(program->object, &out->tls, err))
		return false;
	static_tls_image(program->object, &out->tls, &out->image);
	return true;
}

void static_out_fini(struct static_out *out)
{
	vec_fini(&out->image);
}

static uint64_t dynamic_section(const struct object *object)
{
	size_t count;
	const Elf64_Phdr *segments = object_segments(object, &count);

	for (size_t i = 0; i < count; i++)
		if (segments[i].p_type == PT_DYNAMIC)
			return segments[i].p_vaddr;
	return 0;
}

static bool fill_data(struct program *program, const struct static_out *out, struct error *err)
{
	struct companion *companion = &program->companion;
	uint64_t offset;

	if (!companion_symbol(companion, TARE_STATIC_DATA, &offset) ||
	    offset < companion->code_size || companion->bytes.len < sizeof(struct tare_static) ||
	    offset > companion->bytes.len - sizeof(struct tare_static))
		return error_set(err, ERROR_INPUT, "%s is no runtime for static executables",
				 object_path(companion->object));
	const struct tare_static data = {
		.link_addr = companion->addr + offset,
		.entry = object_header(program->object)->e_entry,
		.tls_image = out->image_addr + out->tls.own_offset,
		.tls_offset = out->tls.own_distance,
		.dynamic_addr = dynamic_section(program->object),
		.start = out->entry,
	};

	memcpy(companion->bytes.data + offset, &data, sizeof(data));
	return true;
}

bool static_out_place(struct program *program, struct static_out *out, struct elf_patches *patches,
		      struct error *err)
{
	struct static_tls_move move = {.object = program->object,
				       .tls = &out->tls,
				       .image_addr = out->image_addr,
				       .arena = &program->arena,
				       .patches = patches};

	out->entry = program_companion_symbol(program, TARE_STATIC_ENTRY);
	const bool ok = fill_data(program, out, err) && static_tls_move(&move, err);
	if (ok && move.relr.len) {
		put_align(&program->file, sizeof(uint64_t), 0);
		static_tls_place_relr(&move, image_end(program));
		put_bytes(&program->file, move.relr.data, move.relr.len);
	}
	vec_fini(&move.relr);
	return ok;
}

Elf64_Phdr static_out_segment(const struct static_out *out)
{
	return (Elf64_Phdr){.p_type = PT_TLS,
			    .p_flags = PF_R,
			    .p_vaddr = out->image_addr,
			    .p_paddr = out->image_addr,
			    .p_filesz = out->tls.file_size,
			    .p_memsz = out->tls.memory_size,
			    .p_align = out->tls.alignment};
}
