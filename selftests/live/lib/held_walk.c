// SPDX-License-Identifier: GPL-2.0-only
/* Sets the parameters of the module hold; see hold/hold_pin.c. */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HOLD "/sys/module/hold/parameters/"
#define PIN_TGID HOLD "pin_tgid"

static int set(const char *path, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	return live_set(path, text);
}

static int get(const char *path)
{
	char text[16];

	return atoi(live_file(path, text, sizeof(text)));
}

const char *live_held_walk_missing(void)
{
	return access(PIN_TGID, W_OK) ? "the module hold" : NULL;
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
	live_must(set(HOLD "pins_pass", pass));
	live_must(set(PIN_TGID, getpid()));
	live_must(-pthread_create(&ret->thread, NULL, read_byte, ret));
	live_until(get(HOLD "pins_held") ||
		   __atomic_load_n(&ret->ended, __ATOMIC_SEQ_CST));
	return get(HOLD "pins_held");
}

int live_held_walk_end(struct held_walk *walk)
{
	live_must(set(PIN_TGID, 0));
	pthread_join(walk->thread, NULL);
	return walk->err;
}

int live_held_walk_pins(void)
{
	return get(HOLD "pins");
}

void live_held_walk_teardown(void)
{
	set(PIN_TGID, 0);
	set(PIN_TGID, -1);
}
