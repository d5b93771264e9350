/*
 * object: one ELF file as tare sees it — segments, functions, symbols, call-frame information,
 * exception tables, relocations. Immutable after object_open; everything handed out is borrowed and
 * valid until object_close. The only user of elfutils.
 *
 * Addresses are link addresses (as in the file's headers) unless named otherwise. All input is
 * untrusted: what is damaged is an error or is left out, never a crash.
 */
#ifndef TARE_OBJECT_OBJECT_H
#define TARE_OBJECT_OBJECT_H

#include "base/base.h"

#include <elf.h>

struct object;

/* How much of the file is wanted: parsing stops early where little is needed. */
enum object_parts {
	OBJECT_SYMBOLS = 1, /* symbols and PLT/GOT names, separate debug file included */
	OBJECT_UNWIND = 2,  /* .eh_frame */
	OBJECT_RELOCS = 4,  /* code pointers, text relocations */
	OBJECT_ALL = 7,
	OBJECT_UNWIND_SEARCH = 8, /* for object_fde_find: of .eh_frame only where things are */
	OBJECT_DEBUG_FRAME = 16,  /* .debug_frame, for object_debug_fdes */
	OBJECT_DATA_SYMBOLS = 64, /* with OBJECT_SYMBOLS: of data, instead of those of code */
	OBJECT_FETCH = 32, /* the debug file from a server too, where the user asks for that */
};

/*
 * Opens an x86-64 ELF executable or shared library. Errors are whole sentences: not an ELF file, a
 * script (its interpreter named), 32-bit, another machine, a relocatable or core file, truncated.
 */
struct object *object_open(const char *path, unsigned parts, struct error *err);
/* The same from memory (tests, fuzzing); `bytes` is borrowed until object_close. */
struct object *object_open_bytes(const void *bytes, size_t size, const char *name, unsigned parts,
				 struct error *err);
void object_close(struct object *object);

const char *object_path(const struct object *object);
/* Path of the separate debug file, or NULL; found with OBJECT_SYMBOLS. */
const char *object_debug_file(const struct object *object);
/* The directories below which debug files are looked for, separated by colons. */
const char *object_debug_roots(void);
const unsigned char *object_bytes(const struct object *object, size_t *size);
mode_t object_mode(const struct object *object);
const Elf64_Ehdr *object_header(const struct object *object);
const Elf64_Phdr *object_segments(const struct object *object, size_t *count);

enum object_kind {
	OBJECT_LIBRARY,		  /* ET_DYN without an interpreter or DF_1_PIE */
	OBJECT_PIE,		  /* ET_DYN with one */
	OBJECT_EXECUTABLE,	  /* ET_EXEC with an interpreter */
	OBJECT_STATIC_EXECUTABLE, /* no interpreter: ET_EXEC, or ET_DYN with DF_1_PIE */
};
enum object_kind object_kind(const struct object *object);

/* PT_INTERP, or NULL. */
const char *object_loader(const struct object *object);
/* Bytes of thread-local storage that a library wants at a fixed offset in every thread. */
uint64_t object_static_tls_bytes(const struct object *object);
/* GNU build-id bytes, or NULL. */
const unsigned char *object_build_id(const struct object *object, size_t *size);
/* The PT_NOTE of an instrumented file: link address of struct tare_module, or 0. */
uint64_t object_tare_note(const struct object *object);
/* DT_RUNPATH or DT_RPATH, or NULL; DT_SONAME, or NULL. */
const char *object_runpath(const struct object *object);
const char *object_soname(const struct object *object);
/* Whether a needed library's name begins with `prefix`. */
bool object_needs(const struct object *object, const char *prefix);
/* Whether Go's linker has left its note. */
bool object_has_go_note(const struct object *object);

/* The link address of what the file has at an offset; false where it is in no segment. */
bool object_address_of(const struct object *object, uint64_t offset, uint64_t *addr);
/* File contents at a link address, or NULL where [addr, addr + size) is not wholly in the file. */
const unsigned char *object_at(const struct object *object, uint64_t addr, uint64_t size);
/* The PT_LOAD that holds `addr` (bss included), or NULL. */
const Elf64_Phdr *object_load_at(const struct object *object, uint64_t addr);
/* Inside a PT_LOAD (bss included); inside an executable one (file contents only). */
bool object_is_mapped(const struct object *object, uint64_t addr);
bool object_is_executable(const struct object *object, uint64_t addr);
/* The link address behind the last PT_LOAD. */
uint64_t object_memory_end(const struct object *object);

struct object_section {
	const char *name;
	Elf64_Shdr header;
};
/* Section headers in file order; count 0 where the file has none. */
const struct object_section *object_sections(const struct object *object, size_t *count);
const struct object_section *object_section_by_name(const struct object *object, const char *name);

/* ---- symbols ---- */

struct object_symbol {
	uint64_t addr, size;
	const char *name; /* as in the file: mangled, without version */
	uint8_t type;	  /* STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE, STT_OBJECT */
	uint8_t bind;
	bool dynamic; /* from .dynsym */
};

/*
 * Defined symbols in executable segments (with OBJECT_DATA_SYMBOLS: in all others), sorted by
 * address, then best name first (FUNC before NOTYPE, LOCAL last, fewer leading underscores first,
 * GLOBAL before WEAK). From .symtab, .dynsym and the separate debug file (build-id or
 * .gnu_debuglink, below /usr/lib/debug or the roots that the environment variable TARE_DEBUG_PATH
 * names).
 */
const struct object_symbol *object_symbols(const struct object *object, size_t *count);
/* The best symbol that begins exactly at / that covers `addr`, or NULL. */
const struct object_symbol *object_symbol_at(const struct object *object, uint64_t addr);
const struct object_symbol *object_symbol_covering(const struct object *object, uint64_t addr);
/*
 * What the function that begins at `addr` is called: the best symbol there, else the exported
 * function whose code is only a jump there; NULL: it has no name.
 */
const char *object_function_name(const struct object *object, uint64_t addr);
/* Address of a defined dynamic symbol, 0 if none: what the loader would bind to. */
uint64_t object_dynamic_symbol(const struct object *object, const char *name);

/*
 * The symbol that a PLT stub or a GOT slot at `addr` stands for, or NULL. PLT stubs are recognised
 * in .plt, .plt.sec, .plt.got (by the GOT slot that their jump goes through).
 */
const char *object_plt_symbol(const struct object *object, uint64_t addr);
/*
 * The function of this file that a call through the PLT stub or the GOT slot at `addr` reaches
 * unless another file has one of that name; 0: none, or its address is found by code (IFUNC).
 * *slot gets the slot, which is the only place that tells.
 */
uint64_t object_plt_function(const struct object *object, uint64_t addr, uint64_t *slot);

/* ---- relocations ---- */

/* Sorted, unique addresses of code that data points to: RELATIVE, IRELATIVE and RELR targets,
   addresses of defined symbols in 64-bit relocations; in ET_EXEC also every aligned word of data
   that holds the address of code. */
const uint64_t *object_code_pointers(const struct object *object, size_t *count);
/* Whether the loader puts an address of the file's own code into the word at `addr` (RELATIVE and
   RELR relocations); *target gets it. */
bool object_code_word(const struct object *object, uint64_t addr, uint64_t *target);
/* All such words, in the order of their relocations. */
struct object_code_word {
	uint64_t addr, target;
	uint64_t stored_at; /* where the file has the target: in the relocation, or in the word */
};
const struct object_code_word *object_code_words(const struct object *object, size_t *count);
/* Sorted addresses in executable segments that are changed by dynamic relocations. */
const uint64_t *object_text_relocations(const struct object *object, size_t *count);

/* ---- call-frame information ---- */

struct object_cie {
	uint64_t offset; /* in .eh_frame */
	uint64_t code_align;
	int64_t data_align;
	unsigned return_register;
	uint8_t pointer_encoding;     /* DW_EH_PE_* of FDE addresses */
	uint8_t lsda_encoding;	      /* DW_EH_PE_omit if none */
	uint8_t personality_encoding; /* DW_EH_PE_omit if none */
	uint64_t personality_field;   /* link address of the encoded personality pointer */
	uint64_t personality;	      /* decoded without the indirection */
	bool augmented;		      /* 'z': FDEs have a length of augmentation data */
	bool signal_frame;	      /* 'S' */
	bool understood;	      /* false: an augmentation tare does not know */
	const unsigned char *program; /* initial instructions */
	size_t program_size;
};

struct object_fde {
	uint64_t begin, end; /* the code it covers */
	uint64_t addr;	     /* link address of the FDE record itself */
	uint64_t lsda;	     /* 0 if none */
	const struct object_cie *cie;
	const unsigned char *program;
	size_t program_size;
};

/* FDEs sorted by begin; overlapping ones are dropped (the first stays), as are empty ones. */
const struct object_fde *object_fdes(const struct object *object, size_t *count);
/* The FDE that covers `addr`, or NULL. */
const struct object_fde *object_fde_covering(const struct object *object, uint64_t addr);
/*
 * Decodes the FDE that covers `addr` into the caller's storage, its CIE too, by the sorted table of
 * the file's .eh_frame_hdr: nothing else of .eh_frame is read. False where there is none.
 */
bool object_fde_find(const struct object *object, uint64_t addr, struct object_fde *fde,
		     struct object_cie *cie);
/* FDEs of .debug_frame like those of object_fdes (lsda and the address of the record are 0). */
const struct object_fde *object_debug_fdes(const struct object *object, size_t *count);
/* .eh_frame and its header: link address and size; 0 where absent. */
struct object_extent {
	uint64_t addr, size;
};
struct object_extent object_eh_frame(const struct object *object);
struct object_extent object_eh_frame_hdr(const struct object *object);

#endif
