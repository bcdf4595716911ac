/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which rows of a table are shown, and in which order. */
#ifndef PTU_RENDER_ORDER_H
#define PTU_RENDER_ORDER_H

#include "render/cells.h"
#include "render/render.h"

/**
 * ptu_order_check() - Does the column named by --sort exist?
 *
 * Return: 0, also without --sort; -EINVAL an unknown column, or several.
 */
ptu_must_check int ptu_order_check(const struct ptu_grid *grid,
				   const struct ptu_render_options *options,
				   struct ptu_err *err);

/**
 * ptu_order_rows() - List the displayed rows in their order.
 *
 * Numbers and sizes are sorted in descending order; addresses, IDs, FILL and words in
 * ascending order. Rows without a value come last; equal rows keep their order.
 *
 * @ret: (out) [@ret_nr] free() it; untouched on failure
 *
 * Return: 0; -EINVAL as ptu_order_check(); -ENOMEM.
 */
ptu_must_check int ptu_order_rows(const struct ptu_grid *grid,
				  const struct ptu_render_options *options,
				  const void ***ret, size_t *ret_nr,
				  struct ptu_err *err);

#endif
