#include "runtime/tree/host.h"

const struct accumulate_host *accumulate_host;
