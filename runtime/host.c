#include "runtime/host.h"

const struct accumulate_host *accumulate_host;
