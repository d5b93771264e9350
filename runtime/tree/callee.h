/* What tells the nodes below one caller apart; both as in struct tare_node. */
#ifndef TARE_RUNTIME_TREE_CALLEE_H
#define TARE_RUNTIME_TREE_CALLEE_H

#include <stdint.h>

struct accumulate_callee {
	uint64_t key, call_site;
};

#endif
