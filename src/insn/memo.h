/*
 * What was decoded before: most instructions of a program have been met with the same prefixes,
 * opcode, ModRM and SIB, and only these decide how an instruction is described; displacements and
 * immediates are values. One table per thread, so nothing is shared.
 */
#ifndef TARE_INSN_MEMO_H
#define TARE_INSN_MEMO_H

#include "insn/insn.h"

/* Copies the description kept for the instruction at `bytes`; false if there is none. */
bool memo_find(const unsigned char *bytes, size_t size, struct insn *insn);

/* Keeps `insn`, whose description follows from the first `deciding` of its bytes. */
void memo_keep(const unsigned char *bytes, size_t size, size_t deciding, const struct insn *insn);

#endif
