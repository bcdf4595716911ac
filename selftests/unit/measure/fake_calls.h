/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the calls of functions that read a process, and returns the results that the test
 * chooses.  The test defines enum call before it includes this file: HOST, BOOT_ID and PROC_SAME,
 * names for further functions, and NR_CALLS.
 */
#ifndef FAKE_CALLS_H
#define FAKE_CALLS_H

#include <errno.h>
#include <stdlib.h>

#include "acquire/host.h"
#include "acquire/procfs.h"
#include "support/unit.h"

#define PAGE UINT64_C(4096)
#define A UINT64_C(0x7f0000000000)
/* Attempts that the process allows. */
#define RETRIES 4u
#define MOST_CALLS 64

static unsigned int calls[NR_CALLS];
/* The result of each call. */
static int results[NR_CALLS][MOST_CALLS];
/* Failing calls give no message. */
static bool is_silent;
/* No time is left after the first attempt. */
static bool is_late;
/* Called before each call; @nr counts the calls of this kind from 1. */
static void (*before_call)(enum call call, unsigned int nr);
static unsigned int nr_open, nr_tries;
static struct ptu_err err;

static void calls_set_up(void)
{
	memset(calls, 0, sizeof(calls));
	memset(results, 0, sizeof(results));
	is_silent = is_late = false;
	before_call = NULL;
	nr_open = nr_tries = 0;
	err.text[0] = '\0';
}

/* ptu_err_set() keeps an existing message, so the code has to clear it before each attempt. */
static int called(enum call call, struct ptu_err *error)
{
	unsigned int nr = calls[call]++;

	if (nr >= MOST_CALLS)
		abort();
	if (before_call)
		before_call(call, nr + 1);
	if (results[call][nr] && !is_silent)
		ptu_err_set(error, 0, "call %u of %d", nr, call);
	return results[call][nr];
}

/* The message of a failed call. */
static inline const char *message_of(enum call call, unsigned int nr)
{
	static char text[32];

	snprintf(text, sizeof(text), "call %u of %d", nr, call);
	return text;
}

static inline bool says(enum call call, unsigned int nr)
{
	return !strcmp(err.text, message_of(call, nr));
}

int ptu_host_read(struct ptu_host *ret, struct ptu_err *error)
{
	*ret = (struct ptu_host){ .release = "7.2.0", .page_bytes = PAGE };
	return called(HOST, error);
}

int ptu_proc_boot_id(char *ret, size_t ret_bytes, struct ptu_err *error)
{
	snprintf(ret, ret_bytes, "boot");
	return called(BOOT_ID, error);
}

void ptu_proc_close(struct ptu_proc *proc)
{
	/* a second call does nothing */
	nr_open -= proc->dirfd >= 0;
	proc->dirfd = -1;
}

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *error)
{
	return called(PROC_SAME, error);
}

bool ptu_proc_try_again(const struct ptu_proc *proc, unsigned int tries)
{
	return tries < (is_late ? 1 : RETRIES);
}

int ptu_proc_changed(const struct ptu_proc *proc, unsigned int tries,
		     struct ptu_err *error)
{
	nr_tries = tries;
	return ptu_err_set(error, -EAGAIN, "it changed");
}

#endif
