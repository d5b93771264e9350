/*
 * Which function an address of code belongs to.
 *
 *   symbol with a size ── PLT stub ── unwind information ── symbol without a size ── the gap
 *
 * A gap reaches from what ends last before the address to what begins next in its segment. Code of
 * which nothing is known falls into nameless functions that begin where calls lead to
 * (called_code.h). A symbol without a size reaches to the first of these.
 */
#include "resolve/chosen_code.h"

#include "abi/flow.h"
#include "abi/module.h"
#include "base/partition.h"

#include <stdio.h>
#include <string.h>

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Whether the address is behind the original in the module's copy, which has been read then. */
static bool is_behind_original(struct resolve_module *module, uint64_t link_addr)
{
	struct error ignored;

	if (!module->copy || !module->high || link_addr < module->high)
		return false;
	if (!module->copy_is_read) {
		module->copied = object_open(module->copy, 0, &ignored);
		if (module->copied)
			copy_code_read(&module->copy_code, module->copied, module->high,
				       &module->coverage);
	}
	module->copy_is_read = true;
	return true;
}

uint64_t resolver_copied_function(struct resolve_module *module, uint64_t link_addr)
{
	return is_behind_original(module, link_addr)
		       ? copy_code_function(&module->copy_code, link_addr)
		       : 0;
}

uint64_t resolver_copied_address(struct resolve_module *module, uint64_t link_addr)
{
	return is_behind_original(module, link_addr)
		       ? copy_code_address(&module->copy_code, module->object, link_addr)
		       : 0;
}

uint64_t resolver_probed_call(struct resolve_module *module, uint64_t link_addr)
{
	const uint64_t copied = is_behind_original(module, link_addr)
					? copy_code_probed_call(&module->copy_code, link_addr)
					: 0;

	return copied ? resolver_copied_address(module, copied) : 0;
}

void resolver_prepare_sampled(struct resolve_module *module, const uint64_t *link_addrs,
			      size_t count)
{
	/* Of all addresses it is asked for the greatest whether it is in the copy's code. */
	uint64_t greatest = 0;

	for (size_t i = 0; i < count; i++)
		greatest = greater(greatest, link_addrs[i]);
	if (is_behind_original(module, greatest))
		copy_code_prepare(&module->copy_code, module->object, link_addrs, count);
}

uint64_t resolver_sampled_address(struct resolve_module *module, uint64_t link_addr,
				  uint64_t *callee)
{
	uint64_t last;

	*callee =
		is_behind_original(module, link_addr)
			? copy_code_bound_call(&module->copy_code, module->object, link_addr, &last)
			: 0;
	return *callee ? last : resolver_copied_address(module, link_addr);
}

bool resolver_is_probe(struct resolve_module *module, uint64_t link_addr)
{
	return is_behind_original(module, link_addr) &&
	       (copy_code_is_stub(&module->copy_code, link_addr) ||
		!copy_code_function(&module->copy_code, link_addr));
}

static struct object *counted_of(struct resolve_module *module)
{
	struct error ignored;

	if (!module->counted_is_read && module->copy)
		module->counted = object_open(module->copy, 0, &ignored);
	module->counted_is_read = true;
	return module->counted;
}

/* All that follows struct tare_flow in its segment. */
static void take_flow(const struct object *copy, uint64_t addr, struct resolve_counted *counted)
{
	struct tare_flow header;
	const void *bytes = object_at(copy, addr, sizeof(header));

	if (!bytes)
		return;
	memcpy(&header, bytes, sizeof(header));
	counted->flow_size = sizeof(header) +
			     (size_t)header.block_count * sizeof(struct tare_flow_block) +
			     (size_t)header.edge_count * sizeof(struct tare_flow_edge);
	counted->flow = object_at(copy, addr, counted->flow_size);
}

bool resolver_counted(struct resolve_module *module, struct resolve_counted *counted)
{
	const struct object *copy = counted_of(module);
	const uint64_t note = copy ? object_tare_note(copy) : 0;
	const unsigned char *bytes =
		note ? object_at(copy, note, sizeof(struct tare_module)) : NULL;
	struct tare_module header;

	if (!bytes)
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (header.abi != TARE_MODULE_ABI || !header.counter_count)
		return false;
	*counted = (struct resolve_counted){
		.note_addr = note,
		.count = header.counter_count,
		.function_count = header.function_count,
		.site_end = header.function_count + header.call_site_count,
		.table = object_at(copy, note + (uint64_t)header.counted_offset,
				   header.counter_count * sizeof(struct tare_counted)),
		.source_id = bytes + offsetof(struct tare_module, source_id),
	};
	if (header.flow_offset)
		take_flow(copy, note + (uint64_t)header.flow_offset, counted);
	return counted->table && header.call_site_count <= header.counter_count &&
	       header.function_count <= header.counter_count - header.call_site_count;
}

static struct tare_counted counted_at(const struct resolve_counted *counted, uint32_t number)
{
	struct tare_counted what;

	memcpy(&what, counted->table + number * sizeof(what), sizeof(what));
	return what;
}

int32_t resolve_counted_target(const struct resolve_counted *counted, uint32_t number)
{
	return counted_at(counted, number).target;
}

uint32_t resolve_counted_prefix(const struct resolve_counted *counted, uint32_t number)
{
	return counted_at(counted, number).prefix;
}

static struct object *unwind_of(struct resolve_module *module)
{
	struct error ignored;
	size_t size;

	if (!module->unwind_is_read && module->object) {
		const unsigned char *bytes = object_bytes(module->object, &size);
		module->unwind =
			object_open_bytes(bytes, size, module->path, OBJECT_UNWIND, &ignored);
	}
	module->unwind_is_read = true;
	return module->unwind;
}

/* "name@plt" where a stub for `name` covers the address: 16 bytes each, or 8. */
static bool plt_stub(const struct resolve_module *module, uint64_t link_addr, struct str *name,
		     struct resolve_function *function)
{
	for (uint64_t size = 16; size >= 8; size /= 2) {
		const uint64_t begin = link_addr & ~(size - 1);
		const char *symbol = object_plt_symbol(module->object, begin);

		if (!symbol)
			continue;
		str_printf(name, "%s@plt", symbol);
		*function = (struct resolve_function){name->data, begin, size};
		return true;
	}
	return false;
}

/* The last symbol that begins at or below the address, or NULL. */
static const struct object_symbol *symbol_below(const struct object *object, uint64_t link_addr)
{
	size_t count;
	const struct object_symbol *symbols = object_symbols(object, &count);
	const size_t above = partition_point(count, i, symbols[i].addr <= link_addr);

	/* Of several at its address the best one, which is the first. */
	return above ? object_symbol_at(object, symbols[above - 1].addr) : NULL;
}

static uint64_t fde_end_below(const struct object *unwind, uint64_t link_addr)
{
	size_t count = 0;
	const struct object_fde *fdes = unwind ? object_fdes(unwind, &count) : NULL;
	const size_t above = partition_point(count, i, fdes[i].end <= link_addr);

	return above ? fdes[above - 1].end : 0;
}

static uint64_t fde_begin_above(const struct object *unwind, uint64_t link_addr)
{
	size_t count = 0;
	const struct object_fde *fdes = unwind ? object_fdes(unwind, &count) : NULL;
	const size_t above = partition_point(count, i, fdes[i].begin <= link_addr);

	return above < count ? fdes[above].begin : UINT64_MAX;
}

static uint64_t symbol_above(const struct object *object, uint64_t link_addr)
{
	size_t count;
	const struct object_symbol *symbols = object_symbols(object, &count);
	const size_t above = partition_point(count, i, symbols[i].addr <= link_addr);

	return above < count ? symbols[above].addr : UINT64_MAX;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Where calls lead to, read when it is first asked for. */
static const struct called_code *called_of(struct resolve_module *module)
{
	if (!module->called_is_read)
		called_code_read(&module->called, module->object);
	module->called_is_read = true;
	return &module->called;
}

/* The part of a gap that begins where the last call before the address leads to. */
static struct resolve_function gap_at(struct resolve_module *module, uint64_t gap_begin,
				      uint64_t link_addr)
{
	const Elf64_Phdr *segment = object_load_at(module->object, link_addr);
	const uint64_t segment_end = segment ? segment->p_vaddr + segment->p_memsz : module->high;

	if (segment)
		gap_begin = greater(gap_begin, segment->p_vaddr);
	const struct called_code *called = called_of(module);
	const uint64_t begin = greater(gap_begin, called_code_below(called, link_addr));
	const uint64_t end = less(less(fde_begin_above(module->unwind, link_addr),
				       symbol_above(module->object, link_addr)),
				  less(called_code_above(called, link_addr), segment_end));

	return (struct resolve_function){"", begin, end - begin};
}

static void find_nameless(struct resolve_module *module, uint64_t link_addr,
			  struct resolve_function *function)
{
	struct object *unwind = unwind_of(module);
	const struct object_fde *fde = unwind ? object_fde_covering(unwind, link_addr) : NULL;
	const struct object_symbol *below = symbol_below(module->object, link_addr);

	const struct object_symbol *chosen = fde ? resolver_chosen_for(module, fde->begin) : NULL;
	if (chosen) {
		*function = (struct resolve_function){chosen->name, chosen->addr, chosen->size};
		return;
	}
	if (fde) {
		const char *name = object_function_name(module->object, fde->begin);
		*function = (struct resolve_function){name ? name : "", fde->begin,
						      fde->end - fde->begin};
		return;
	}
	const uint64_t fde_end = fde_end_below(unwind, link_addr);
	if (below && !below->size && below->addr >= fde_end &&
	    called_code_below(called_of(module), link_addr) <= below->addr) {
		*function = (struct resolve_function){below->name, below->addr, 0};
		return;
	}
	uint64_t begin = module->low;
	if (fde_end > begin)
		begin = fde_end;
	if (below && below->size && below->addr + below->size > begin)
		begin = below->addr + below->size;
	*function = begin <= link_addr ? gap_at(module, begin, link_addr)
				       : (struct resolve_function){"", link_addr, 0};
}

static int64_t kernel_function(struct resolver *resolver, struct resolve_module *module,
			       uint64_t run_addr, struct error *err)
{
	struct resolve_function function = {.name = PROFILE_FUNCTION_UNKNOWN};

	if (!resolver->kernel_is_read)
		kernel_symbols_read(&resolver->kernel, resolver->keeps_derived);
	resolver->kernel_is_read = true;
	const struct kernel_symbol *symbol =
		kernel_symbols_covering(&resolver->kernel, run_addr, &function.size);
	if (symbol) {
		function.name = symbol->name;
		function.link_addr = symbol->addr;
	}
	if (symbol && symbol->module)
		module = resolver_module(resolver, symbol->module, err);
	return module ? resolver_function(resolver, module, &function, err) : 0;
}

int64_t resolver_function_covering(struct resolver *resolver, struct resolve_module *module,
				   uint64_t link_addr, struct error *err)
{
	const struct jit_function *made =
		module->jit ? jit_code_find(module->jit, link_addr) : NULL;
	struct resolve_function function = {.name = PROFILE_FUNCTION_UNKNOWN};
	struct str name = {0};

	if (made)
		function = (struct resolve_function){made->name, made->run_addr, made->size};
	resolve_module_fetch(module);
	if (!strcmp(module->path, RESOLVE_KERNEL_PATH))
		return kernel_function(resolver, module, link_addr, err);
	if (module->object && link_addr >= module->low && link_addr < module->high) {
		const struct object_symbol *symbol =
			object_symbol_covering(module->object, link_addr);
		if (symbol)
			function =
				(struct resolve_function){symbol->name, symbol->addr, symbol->size};
		else if (!plt_stub(module, link_addr, &name, &function))
			find_nameless(module, link_addr, &function);
	}
	const int64_t id = resolver_function(resolver, module, &function, err);
	str_fini(&name);
	return id;
}

int64_t resolver_location(struct resolver *resolver, struct resolve_module *module,
			  uint64_t link_addr, struct error *err)
{
	const uint64_t *known = map_get(&module->locations, link_addr);

	if (known)
		return (int64_t)*known;
	const struct resolve_location location = {
		.module = module,
		.link_addr = link_addr,
		.function = resolver_function_covering(resolver, module, link_addr, err),
	};
	if (!location.function)
		return 0;
	const struct profile_location row = {.function = location.function, .link_addr = link_addr};
	const int64_t id = profile_add_location(resolver->writer, &row, err);
	if (!id)
		return 0;
	map_put(&module->locations, link_addr, (uint64_t)id);
	vec_push(&resolver->locations, location);
	return id;
}
