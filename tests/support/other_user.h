/*
 * Makes the process look like another user's to what asks for its user. A test that includes this
 * is linked with other_user.c and --wrap=geteuid.
 */
#ifndef TARE_TESTS_SUPPORT_OTHER_USER_H
#define TARE_TESTS_SUPPORT_OTHER_USER_H

#include <stdbool.h>

extern bool is_another_user;

#endif
