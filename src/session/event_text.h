/* The events that can be sampled, as text for people. */
#ifndef TARE_SESSION_EVENT_TEXT_H
#define TARE_SESSION_EVENT_TEXT_H

#include "base/base.h"

/* Appends all names with what they mean, by group; those that do not work here with the reason. */
void event_text(struct str *out);

#endif
