/* From link addresses to what the file has there. Everything is bounded by the segment. */
#include "object/private.h"

const Elf64_Phdr *object_load_at(const struct object *object, uint64_t addr)
{
	const size_t low = partition_point(object->load_count, i, object->loads[i].p_vaddr <= addr);

	if (!low)
		return NULL;
	const Elf64_Phdr *load = &object->loads[low - 1];
	return addr - load->p_vaddr < load->p_memsz ? load : NULL;
}

const unsigned char *object_rest_at(const struct object *object, uint64_t addr, uint64_t *size)
{
	const Elf64_Phdr *load = object_load_at(object, addr);

	*size = 0;
	if (!load || addr - load->p_vaddr >= load->p_filesz)
		return NULL;
	*size = load->p_filesz - (addr - load->p_vaddr);
	return object->bytes + load->p_offset + (addr - load->p_vaddr);
}

bool object_address_of(const struct object *object, uint64_t offset, uint64_t *addr)
{
	for (size_t i = 0; i < object->load_count; i++) {
		const uint64_t within = offset - object->loads[i].p_offset;
		if (within >= object->loads[i].p_filesz)
			continue;
		*addr = object->loads[i].p_vaddr + within;
		return true;
	}
	return false;
}

const unsigned char *object_at(const struct object *object, uint64_t addr, uint64_t size)
{
	uint64_t rest;
	const unsigned char *at = object_rest_at(object, addr, &rest);

	return at && size <= rest ? at : NULL;
}

bool object_is_mapped(const struct object *object, uint64_t addr)
{
	return object_load_at(object, addr) != NULL;
}

bool object_is_executable(const struct object *object, uint64_t addr)
{
	const Elf64_Phdr *load = object_load_at(object, addr);

	return load && (load->p_flags & PF_X) && addr - load->p_vaddr < load->p_filesz;
}

uint64_t object_memory_end(const struct object *object)
{
	if (!object->load_count)
		return 0;
	const Elf64_Phdr *last = &object->loads[object->load_count - 1];
	return last->p_vaddr + last->p_memsz;
}
