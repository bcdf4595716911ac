/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints a report into memory. */
#ifndef PRINTED_H
#define PRINTED_H

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

struct printed {
	FILE *out;
	char *text;
	size_t bytes;
	struct ptu_err err;
};

static inline void printed_begin(struct printed *p)
{
	*p = (struct printed){ .text = NULL };
	p->out = open_memstream(&p->text, &p->bytes);
	if (!p->out)
		abort();
}

static inline char *printed_end(struct printed *p, int error)
{
	fclose(p->out);
	if (!error)
		return p->text;
	printf("# %s\n", p->err.text);
	free(p->text);
	return NULL;
}

/* What a function of render.h prints, for the caller to free; NULL: it failed. */
#define PRINTED(print, ...)                                              \
	({                                                               \
		struct printed p_;                                       \
                                                                         \
		printed_begin(&p_);                                      \
		printed_end(&p_, (print)(__VA_ARGS__, p_.out, &p_.err)); \
	})

#endif
