/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the module's file `pages`. */
#ifndef LIVE_PAGES_H
#define LIVE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../../module/ptaudit_abi.h"

/* Values by key; older kernels lack some keys. */
struct pages_answer {
	uint64_t nr[PTAUDIT_NR_PAGES_KEYS];
	bool known[PTAUDIT_NR_PAGES_KEYS];
};

extern const char *const live_pages_names[PTAUDIT_NR_PAGES_KEYS];

/* Parse the text of an answer, which is changed.  Return: 0 or -EPROTO. */
int live_pages_parse(char *text, struct pages_answer *ret);
/*
 * Send a request and read the answer's text.  Return: 0, or -errno of the call that
 * failed.
 */
int live_pages_text(const char *request, char *text, size_t text_bytes);
/* Read the counts of a range; start == end == 0: the whole process. */
int live_pages(pid_t pid, uint64_t start, uint64_t end,
	       struct pages_answer *ret);

#endif
