/* The handlers of recordings with an event log (--trace), made from handlers.inc. */
#include "runtime/handlers.inc"

	handlers selector_log, 1, 1
	handlers clock_log, 0, 1
	slots	selector_log
	slots	clock_log
	.section .note.GNU-stack,"",@progbits
