/* SPDX-License-Identifier: GPL-2.0-only */
/* A walk of the module that is stopped between two holds of mmap_lock. */
#ifndef LIVE_HELD_WALK_H
#define LIVE_HELD_WALK_H

#include <pthread.h>
#include <stdbool.h>

struct held_walk {
	int fd; /* a file of the module, with a request */
	int err;
	bool ended;
	pthread_t thread;
};

/* What is missing to hold a walk; NULL: nothing. */
const char *live_held_walk_missing(void);
/*
 * Let a thread read the first byte of the answer.  Wait until its walk is held before pin
 * @pass, counted from 0, or has ended.  Return: is it held?  Call live_held_walk_end() in
 * both cases.
 */
bool live_held_walk_begin(struct held_walk *ret, int fd, int pass);
/* Release the walk and wait for its end.  Return: 0, the file has the answer; -errno. */
int live_held_walk_end(struct held_walk *walk);
/* The number of pins of the last walk. */
int live_held_walk_pins(void);
/* For a fixture's teardown, also after a test that failed. */
void live_held_walk_teardown(void);

#endif
