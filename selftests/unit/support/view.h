/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns of the live view by name, so that a new column changes no test. */
#ifndef UNIT_VIEW_H
#define UNIT_VIEW_H

#include <string.h>

#include "render/tui/view.h"

/* The place of a column in the list of columns; WHY is the last one. */
static inline size_t column_at(const struct ptu_view *view, const char *name)
{
	size_t i = 0;

	while (strcmp(ptu_view_column(view, i)->name, name))
		i++;
	return i;
}

#endif
