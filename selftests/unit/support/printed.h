/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints into memory. */
#ifndef PRINTED_H
#define PRINTED_H

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

struct printed {
	FILE *out;
	char *text;
	size_t bytes;
	struct printed *before;
};

/* All that was printed, so that no test has to free it. */
static struct printed *printed_last;

static inline struct printed *printed_begin(void)
{
	struct printed *p = calloc(1, sizeof(*p));

	if (!p)
		abort();
	p->before = printed_last;
	printed_last = p;
	p->out = open_memstream(&p->text, &p->bytes);
	if (!p->out)
		abort();
	return p;
}

static inline char *printed_end(struct printed *p)
{
	fclose(p->out);
	return p->text;
}

/* What a statement prints to the stream @out. */
#define OUTPUT_OF(statement)                                \
	({                                                  \
		struct printed *printed_ = printed_begin(); \
		FILE *out = printed_->out;                  \
                                                            \
		statement;                                  \
		printed_end(printed_);                      \
	})

/* What a function of render.h prints; NULL: it failed. */
#define PRINTED(print, ...)                                         \
	({                                                          \
		struct ptu_err err_ = { "" };                       \
		int error_;                                         \
		char *text_ = OUTPUT_OF(                            \
			error_ = (print)(__VA_ARGS__, out, &err_)); \
                                                                    \
		if (error_)                                         \
			printf("# %s\n", err_.text);                \
		error_ ? NULL : text_;                              \
	})

#endif
