/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts the rows of a table by a column. */
#ifndef PTU_RENDER_TEXT_ORDER_H
#define PTU_RENDER_TEXT_ORDER_H

#include "render/text/grid.h"

/**
 * ptu_order_check() - Is the column that --sort names there?
 *
 * Return: 0, also without --sort; -EINVAL an unknown column, or several.
 */
ptu_must_check int ptu_order_check(const struct ptu_grid *grid,
				   const struct ptu_render_options *options,
				   struct ptu_err *err);

/**
 * ptu_order_rows() - The rows that are shown, in their order.
 *
 * Numbers and sizes: the largest first. Addresses, IDs, FILL, and words: the smallest
 * first. Rows without a value come last, equal ones stay as they are.
 *
 * @ret: (out) [@ret_nr], to be freed; untouched on failure
 *
 * Return: 0; -EINVAL as ptu_order_check(); -ENOMEM.
 */
ptu_must_check int ptu_order_rows(const struct ptu_grid *grid,
				  const struct ptu_render_options *options,
				  const void ***ret, size_t *ret_nr,
				  struct ptu_err *err);

#endif
