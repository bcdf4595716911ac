// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/written.h"

#include <errno.h>
#include <string.h>

int ptu_written(FILE *out, int error, struct ptu_err *err)
{
	if (error)
		return error;
	/* the errno of a failed write is lost: write again to get the reason */
	if (ferror(out))
		fputc('\n', out);
	if (fflush(out))
		error = -errno;
	else if (ferror(out))
		error = -EIO;
	if (error)
		ptu_err_set(err, error, "cannot write the output: %s",
			    strerror(-error));
	return error;
}
