/* The handlers of recordings that keep call sites (--call-sites), made from handlers.inc. */
#include "runtime/probes/handlers.inc"

	handlers selector_sites, 1, BY_SITE
	handlers clock_sites, 0, BY_SITE
	slots	selector_sites
	slots	clock_sites
	.section .note.GNU-stack,"",@progbits
