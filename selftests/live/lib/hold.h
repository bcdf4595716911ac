/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameters of the module hold, by name. */
#ifndef LIVE_HOLD_H
#define LIVE_HOLD_H

/* What is missing to set the parameter; NULL: nothing. */
const char *live_hold_missing(const char *name);
/* Return: 0 or -errno. */
int live_hold_set(const char *name, int value);
int live_hold_get(const char *name);

#endif
