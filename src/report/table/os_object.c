/* Objects of OS time as texts, see os_object.h. */
#include "report/table/os_object.h"

/* As kill and wait4 mean it. */
static void put_process(struct str *out, int pid)
{
	if (pid > 0)
		str_printf(out, "pid %d", pid);
	else if (pid == -1)
		str_append(out, "any child");
	else if (pid < 0)
		str_printf(out, "process group %u", 0U - (unsigned)pid);
}

static void put_duration(struct str *out, uint64_t ns, bool unicode)
{
	const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, unicode ? "\u00b5s" : "us"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;
		str_printf(out, "%.3g %s", (double)ns / (double)units[i].ns, units[i].name);
		return;
	}
}

/* Nothing where a name says it all, or nothing does. */
static void put_number(struct str *out, const struct analysis_os *os, bool unicode)
{
	switch (os->object_kind) {
	case TARE_OBJECT_FD:
	case TARE_OBJECT_CONNECT:
		str_printf(out, "fd %d", (int)os->object);
		break;
	case TARE_OBJECT_MAPPED:
		if (os->path)
			str_printf(out, "fd %d", (int)os->object);
		break;
	case TARE_OBJECT_PATH_AT:
	case TARE_OBJECT_PATH_AT_SECOND:
		if (os->object)
			str_printf(out, "fd %d", (int)os->object);
		break;
	case TARE_OBJECT_FUTEX:
		str_printf(out, "futex 0x%llx", (unsigned long long)os->object);
		break;
	case TARE_OBJECT_PROCESS:
	case TARE_OBJECT_WAIT:
		put_process(out, (int)os->object);
		break;
	case TARE_OBJECT_SLEEP:
	case TARE_OBJECT_SLEEP_CLOCK:
		put_duration(out, os->object, unicode);
		break;
	case TARE_OBJECT_NONE:
	case TARE_OBJECT_PATH:
	case TARE_OBJECT_PATH_SECOND:
	case TARE_OBJECT_POLL:
	case TARE_OBJECT_SELECT:
		break;
	}
}

void os_object_put(struct str *out, const struct analysis_os *os, bool unicode)
{
	const size_t before = out->len;

	put_number(out, os, unicode);
	if (os->path)
		str_printf(out, "%s%s", out->len > before ? " " : "", os->path);
}
