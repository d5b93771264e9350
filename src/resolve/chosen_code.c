/* See chosen_code.h. Which form was chosen is asked of the loader, by the function's name. */
#include "resolve/chosen_code.h"

#include "base/partition.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* Where tare has loaded a file with the wanted build id. */
struct own_copy {
	const unsigned char *build_id;
	size_t size;
	uint64_t bias, low, high; /* high 0: it has not */
};

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static bool notes_have(const struct own_copy *copy, const unsigned char *notes, size_t size)
{
	while (size >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr header;

		memcpy(&header, notes, sizeof(header));
		const size_t name = padded(header.n_namesz), content = padded(header.n_descsz);
		size -= sizeof(header);
		notes += sizeof(header);
		if (name > size || content > size - name)
			return false;
		if (header.n_type == NT_GNU_BUILD_ID && header.n_descsz == copy->size &&
		    !memcmp(notes + name, copy->build_id, copy->size))
			return true;
		notes += name + content;
		size -= name + content;
	}
	return false;
}

static bool is_wanted(const struct own_copy *copy, const struct dl_phdr_info *info)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];
		const void *notes = (const void *)(info->dlpi_addr + segment->p_vaddr);

		if (segment->p_type == PT_NOTE && notes_have(copy, notes, segment->p_memsz))
			return true;
	}
	return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct own_copy *copy = context;

	(void)size;
	if (!is_wanted(copy, info))
		return 0;
	copy->bias = info->dlpi_addr;
	copy->low = UINT64_MAX;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *segment = &info->dlpi_phdr[i];
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		const uint64_t begin = copy->bias + segment->p_vaddr;
		copy->low = begin < copy->low ? begin : copy->low;
		copy->high = begin + segment->p_memsz > copy->high ? begin + segment->p_memsz
								   : copy->high;
	}
	return 1;
}

static int compare(const void *left, const void *right)
{
	const struct resolve_chosen *a = left, *b = right;

	if (a->link_addr != b->link_addr)
		return a->link_addr < b->link_addr ? -1 : 1;
	return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static void find_all(struct resolve_module *module)
{
	struct own_copy copy = {0};
	size_t count = 0;
	const struct object_symbol *symbols = object_symbols(module->object, &count);

	copy.build_id = object_build_id(module->object, &copy.size);
	if (copy.build_id)
		dl_iterate_phdr(look_at, &copy);
	for (size_t i = 0; i < count && copy.high; i++) {
		if (symbols[i].type != STT_GNU_IFUNC || !symbols[i].dynamic)
			continue;
		const uint64_t chosen = (uint64_t)dlsym(RTLD_DEFAULT, symbols[i].name);
		if (chosen >= copy.low && chosen < copy.high)
			vec_push(&module->chosen,
				 ((struct resolve_chosen){chosen - copy.bias, &symbols[i]}));
	}
	vec_sort(&module->chosen, compare);
}

const struct object_symbol *resolver_chosen_for(struct resolve_module *module, uint64_t link_addr)
{
	const struct object_symbol *found = NULL;

	if (!module->chosen_is_read && module->object)
		find_all(module);
	module->chosen_is_read = true;
	const struct resolve_chosen *all = module->chosen.data;
	const size_t first = partition_point(module->chosen.len, at, all[at].link_addr < link_addr);
	for (size_t i = first; i < module->chosen.len && all[i].link_addr == link_addr; i++) {
		if (map_get(&module->functions, all[i].symbol->addr))
			return all[i].symbol;
		found = found ? found : all[i].symbol;
	}
	return found;
}
