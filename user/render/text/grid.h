/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables whose rows are an array, with support for --output. */
#ifndef PTU_RENDER_TEXT_GRID_H
#define PTU_RENDER_TEXT_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "render/cells.h"
#include "render/render.h"

/**
 * ptu_grid_check() - Are the columns that --output names there?
 *
 * Return: 0; -EINVAL an unknown column, or too many.
 */
ptu_must_check int ptu_grid_check(const struct ptu_grid *grid,
				  const struct ptu_render_options *options,
				  struct ptu_err *err);

/**
 * ptu_grid_print() - Print the table.
 *
 * Return: 0; -EINVAL as ptu_grid_check(); -EIO output failed; -ENOMEM.
 */
ptu_must_check int ptu_grid_print(const struct ptu_grid *grid,
				  const struct ptu_render_options *options,
				  FILE *out, struct ptu_err *err);

#endif
