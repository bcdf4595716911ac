// SPDX-License-Identifier: LGPL-2.1-or-later
/* From --truth to a side; must not ask it. */
#include "cmd/choose.h"

int ptu_choose_side(const struct ptu_options *options,
		    const struct ptu_geometry *geo,
		    struct ptu_kernel_side *side,
		    const struct ptu_kernel_side **ret, struct ptu_err *err)
{
	int error;

	if (options->estimators)
		return 0;
	error = ptu_side_open(options->truth, geo, side, err);
	if (!error)
		*ret = side;
	else if (options->truth != PTU_SIDE_AUTO)
		return error;
	err->text[0] = '\0';
	return 0;
}
