// SPDX-License-Identifier: GPL-2.0-only
/* Streams whose writes fail. */
#define _GNU_SOURCE
#include "base/written.h"

#include <errno.h>
#include <string.h>

#include "support/check.h"

static char large[1 << 20];

/* Write @bytes, and ask for the result. */
static int written(FILE *out, size_t bytes, struct ptu_err *err)
{
	int error;

	err->text[0] = '\0';
	fwrite(large, 1, bytes, out);
	error = ptu_written(out, 0, err);
	fclose(out);
	return error;
}

/* Fail the first write only. */
static ssize_t fail_once(void *cookie, const char *data, size_t bytes)
{
	bool *has_failed = cookie;

	if (*has_failed)
		return (ssize_t)bytes;
	*has_failed = true;
	errno = ENOSPC;
	return 0;
}

int main(void)
{
	bool has_failed = false;
	struct ptu_err err = { "" };

	check(!written(fopen("/dev/null", "w"), 1, &err) && !err.text[0],
	      "written_data_is_no_error");
	check(written(fopen("/dev/full", "w"), 1, &err) == -ENOSPC &&
		      strstr(err.text, strerror(ENOSPC)),
	      "data_in_the_buffer_is_written_and_the_reason_given");
	check(written(fopen("/dev/full", "w"), sizeof(large), &err) ==
			      -ENOSPC &&
		      strstr(err.text, strerror(ENOSPC)),
	      "the_reason_is_given_for_data_that_is_not_in_the_buffer");
	check(written(fopencookie(&has_failed, "w",
				  (cookie_io_functions_t){ .write = fail_once }),
		      sizeof(large), &err) == -EIO &&
		      err.text[0],
	      "an_earlier_failed_write_is_an_error");
	err.text[0] = '\0';
	check(ptu_written(stdout, -ENOMEM, &err) == -ENOMEM && !err.text[0],
	      "the_error_of_the_caller_is_returned");
	return check_end();
}
