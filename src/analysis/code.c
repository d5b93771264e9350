/* See code.h. Files are opened when first asked for, and once. */
#include "analysis/code.h"

#include "analysis/demangle.h"
#include "insn/format.h"
#include "insn/insn.h"

#include <stdio.h>
#include <string.h>

enum { FUNCTION_BYTES_MAX = 16 << 20 };

struct code_file {
	bool tried;
	struct object *object;
	struct error err;
};

void code_reader_init(struct code_reader *reader, const struct analysis *analysis)
{
	reader->analysis = analysis;
	reader->files = mem_zalloc((analysis->modules.len + 1) * sizeof(*reader->files));
}

void code_reader_fini(struct code_reader *reader)
{
	for (size_t i = 0; i < reader->analysis->modules.len; i++)
		object_close(reader->files[i].object);
	free(reader->files);
}

static bool build_is(const struct object *object, const char *wanted)
{
	size_t size;
	const unsigned char *id = object_build_id(object, &size);
	char digits[3];

	if (!wanted[0] || !id)
		return !wanted[0] && !id;
	for (size_t i = 0; i < size; i++) {
		snprintf(digits, sizeof(digits), "%02x", id[i]);
		if (strncmp(wanted + 2 * i, digits, 2) != 0)
			return false;
	}
	return strlen(wanted) == 2 * size;
}

static void code_file_open(struct code_file *file, const struct analysis_module *module)
{
	file->tried = true;
	if (module->path[0] != '/') {
		error_set(&file->err, ERROR_NOT_FOUND, "the code of %s is in no file",
			  module->name);
		return;
	}
	file->object = object_open(module->path, OBJECT_SYMBOLS | OBJECT_UNWIND, &file->err);
	if (!file->object || build_is(file->object, module->build_id))
		return;
	error_set(&file->err, ERROR_NOT_FOUND, "%s is not the file that was recorded: %s",
		  module->path, "its build id differs");
	object_close(file->object);
	file->object = NULL;
}

const struct object *code_of_module(struct code_reader *reader, uint32_t module,
				    const char **reason)
{
	struct code_file *file = &reader->files[module];

	if (!file->tried)
		code_file_open(file, &reader->analysis->modules.data[module]);
	*reason = file->object ? NULL : file->err.message;
	return file->object;
}

uint64_t code_end(const struct object *object, const struct analysis_function *function)
{
	const uint64_t begin = function->link_addr;
	const struct object_symbol *symbol = object_symbol_covering(object, begin);
	const struct object_fde *fde = object_fde_covering(object, begin);
	uint64_t size = function->size;

	if (!size && symbol && symbol->addr == begin)
		size = symbol->size;
	if (!size && fde)
		size = fde->end - begin;
	if (size > FUNCTION_BYTES_MAX)
		size = FUNCTION_BYTES_MAX;
	return size > UINT64_MAX - begin ? UINT64_MAX : begin + size;
}

static bool name_address(void *context, uint64_t addr, char *text, size_t size)
{
	const struct object *object = context;
	const struct object_symbol *symbol = object_symbol_covering(object, addr);
	const char *plt = symbol ? NULL : object_plt_symbol(object, addr);
	const char *known = symbol ? symbol->name : plt ? plt : object_function_name(object, addr);
	struct arena arena = {0};

	if (!known)
		return false;
	arena_init(&arena);
	const char *name = analysis_demangle(&arena, known);
	if (plt)
		snprintf(text, size, "%s@plt", name);
	else if (!symbol || symbol->addr == addr)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%s+0x%llx", name, (unsigned long long)(addr - symbol->addr));
	arena_fini(&arena);
	return true;
}

size_t code_text(const struct object *object, uint64_t addr, uint64_t end, char *text,
		 size_t text_size)
{
	enum { INSTRUCTION_BYTES_MAX = 15 };
	const struct insn_format format = {.name = text ? name_address : NULL,
					   .context = (void *)object};
	char ignored[8];
	uint64_t size = end > addr ? end - addr : 0;

	if (size > INSTRUCTION_BYTES_MAX)
		size = INSTRUCTION_BYTES_MAX;
	while (size && !object_at(object, addr, size))
		size--;
	if (!size || !object_is_executable(object, addr))
		return 0;
	return insn_format(&format,
			   (struct insn_code){object_at(object, addr, size), (size_t)size, addr},
			   text ? text : ignored, text ? text_size : sizeof(ignored));
}

bool code_calls_indirectly(const struct object *object, uint64_t addr, size_t length)
{
	const unsigned char *bytes = object_at(object, addr, length);
	struct insn insn;

	return bytes && insn_decode(bytes, length, addr, &insn) && insn.kind == INSN_CALL_INDIRECT;
}
