/*
 * chosen_code: names for the forms of a library's indirect functions. The C library has "strcmp" in
 * several forms for different processors, and a function that chooses one when a program begins
 * (STT_GNU_IFUNC). Without a symbol table the chosen one has no name of its own. tare itself has
 * loaded the same library, and the same form was chosen for it.
 */
#ifndef TARE_RESOLVE_CHOSEN_CODE_H
#define TARE_RESOLVE_CHOSEN_CODE_H

#include "resolve/resolve.h"

/*
 * The indirect function of the module whose chosen form begins at link_addr; of several ("memcpy"
 * and "memmove" are one) one that the profile has already. NULL: none, or tare has not loaded the
 * file.
 */
const struct object_symbol *resolver_chosen_for(struct resolve_module *module, uint64_t link_addr);

#endif
