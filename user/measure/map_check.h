/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keep both sides of a check as maps. */
#ifndef PTU_MEASURE_MAP_CHECK_H
#define PTU_MEASURE_MAP_CHECK_H

#include "measure/bracket.h"
#include "report/map_sheet.h"

/**
 * struct ptu_check_maps - the sides of one check
 * @maps: [sheet.nr_sides] kernel, BPF if both were used, estimate
 * @sheet: the merged maps with causes
 */
struct ptu_check_maps {
	struct ptu_map_report maps[PTU_SHEET_SIDES];
	struct ptu_map_sheet sheet;
};

/**
 * ptu_check_maps_draw() - Draw the compared tables.
 * @p: (in) the finished check
 * @ret: (out) free with ptu_check_maps_deinit(), even after a failure
 *
 * Return: 0; -EINVAL the estimator states counts, which have no addresses; -ENOMEM;
 * -errno.
 */
ptu_must_check int ptu_check_maps_draw(const struct ptu_measure *measure,
				       const struct ptu_bracket *b,
				       const struct ptu_process *p,
				       struct ptu_check_maps *ret,
				       struct ptu_err *err);

void ptu_check_maps_deinit(struct ptu_check_maps *maps);

#endif
