// SPDX-License-Identifier: GPL-2.0-only
/* Sets the parameters of the module hold; see hold/hold_pin.c. */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <unistd.h>

const char *live_held_walk_missing(void)
{
	return live_hold_missing("pin_tgid");
}

static void *read_byte(void *arg)
{
	struct held_walk *walk = arg;

	walk->err = live_read_byte(walk->fd);
	__atomic_store_n(&walk->ended, true, __ATOMIC_SEQ_CST);
	return NULL;
}

bool live_held_walk_begin(struct held_walk *ret, int fd, int pass)
{
	*ret = (struct held_walk){ .fd = fd };
	live_must(live_hold_set("pins_pass", pass));
	live_must(live_hold_set("pin_tgid", getpid()));
	live_must(-pthread_create(&ret->thread, NULL, read_byte, ret));
	live_until(live_hold_get("pins_held") ||
		   __atomic_load_n(&ret->ended, __ATOMIC_SEQ_CST));
	return live_hold_get("pins_held");
}

int live_held_walk_end(struct held_walk *walk)
{
	live_must(live_hold_set("pin_tgid", 0));
	pthread_join(walk->thread, NULL);
	return walk->err;
}

int live_held_walk_pins(void)
{
	return live_hold_get("pins");
}

void live_held_walk_teardown(void)
{
	live_hold_set("pin_tgid", 0);
	live_hold_set("pin_tgid", -1);
}
