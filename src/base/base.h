/*
 * base: what every module stands on — errors, memory, vectors, maps, text, bounds-checked bytes,
 * files, searches, sorting, loops on all processors, limits. Knows nothing of profiling. Include
 * the single headers; this one states the contract.
 */
#ifndef TARE_BASE_BASE_H
#define TARE_BASE_BASE_H

#include "base/arena.h"
#include "base/byte_reader.h"
#include "base/enum_table.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/parallel.h"
#include "base/partition.h"
#include "base/prefault.h"
#include "base/rlimits.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"

#endif
