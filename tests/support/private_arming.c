/* Arming bytes of tests, which always stay private, and one trigger. */
#include "tests/support/private_arming.h"

#include "runtime/control/arming_shared.h"
#include "runtime/control/triggers.h"

uint64_t private_arming_trigger;

bool triggers_know(uint64_t key)
{
	return key && key == private_arming_trigger;
}

bool arming_share(const struct arming_range *range)
{
	(void)range;
	return false;
}

bool arming_unshare(const struct arming_range *range)
{
	(void)range;
	return true;
}
