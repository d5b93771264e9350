/* From addresses of data to the names of variables, which threads wait for; see resolve.h. */
#include "resolve/resolve.h"

#include <elf.h>
#include <inttypes.h>

/* The only module that was ever at the address, and stayed; NULL where there is no such. */
static const struct resolve_loaded *module_at(const struct resolve_process *process, uint64_t addr)
{
	const struct resolve_loaded *found = NULL;

	vec_foreach (loaded, &process->loaded) {
		const uint64_t link_addr = addr - loaded->bias;

		if (link_addr < loaded->module->low || link_addr >= loaded->module->high)
			continue;
		if (found || loaded->close_ticks != UINT64_MAX)
			return NULL;
		found = loaded;
	}
	return found;
}

static const struct object *data_of(struct resolve_module *module)
{
	struct error ignored;

	if (!module->data_is_read && module->object)
		module->data = object_open(object_path(module->object),
					   OBJECT_SYMBOLS | OBJECT_DATA_SYMBOLS, &ignored);
	module->data_is_read = true;
	return module->data;
}

bool resolve_data(const struct resolve_process *process, uint64_t run_addr, struct str *out)
{
	const struct resolve_loaded *loaded = module_at(process, run_addr);

	if (!loaded)
		return false;
	const struct object *data = data_of(loaded->module);
	const uint64_t link_addr = run_addr - loaded->bias;
	const char *module = path_basename(loaded->module->path);
	const struct object_symbol *symbol = data ? object_symbol_covering(data, link_addr) : NULL;

	if (!symbol || symbol->type != STT_OBJECT) {
		str_printf(out, "%s+0x%" PRIx64, module, link_addr);
		return true;
	}
	str_append(out, symbol->name);
	if (link_addr != symbol->addr)
		str_printf(out, "+0x%" PRIx64, link_addr - symbol->addr);
	str_printf(out, " (%s)", module);
	return true;
}
