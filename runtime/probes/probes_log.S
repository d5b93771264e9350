/* The handlers of recordings with an event log (--trace), made from handlers.inc. */
#include "runtime/probes/handlers.inc"

	handlers selector_log, 1, LOGGING
	handlers clock_log, 0, LOGGING
	slots	selector_log
	slots	clock_log
	.section .note.GNU-stack,"",@progbits
