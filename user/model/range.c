// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse and apply an address range; must not know its use. */
#include "model/range.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool take_address(const char **at, uint64_t *ret)
{
	const char *digits = *at;
	char *end;

	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		digits += 2;
	/* strtoull() would accept blanks and signs */
	if (!isxdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*ret = strtoull(*at, &end, 16);
	*at = end;
	return !errno && *ret < PTU_KERNEL_HALF;
}

int ptu_range_parse(const char *text, struct ptu_range *ret,
		    struct ptu_err *err)
{
	struct ptu_range range = { .is_given = true };
	const char *at = text;
	bool ok = take_address(&at, &range.start);

	if (ok && *at == '-') {
		at++;
		ok = take_address(&at, &range.end);
		if (ok && !*at && range.end <= range.start)
			return ptu_err_set(err, -EINVAL,
					   "'%s' ends before it starts", text);
	}
	if (!ok || *at)
		return ptu_err_set(err, -EINVAL,
				   "'%s' is not a range of addresses: a range is ADDR or ADDR-END in hex, below 2^63",
				   text);
	*ret = range;
	return 0;
}

bool ptu_range_clip(const struct ptu_range *range, const struct ptu_vma *vma,
		    uint64_t page_bytes, uint64_t *start, uint64_t *end)
{
	uint64_t first = range->start - range->start % page_bytes;
	uint64_t last = range->end;

	if (vma->start >= PTU_KERNEL_HALF)
		return false;
	*start = vma->start;
	*end = vma->end;
	if (!range->is_given)
		return true;
	if (!last)
		return range->start >= vma->start && range->start < vma->end;
	if (last % page_bytes)
		last += page_bytes - last % page_bytes;
	if (*start < first)
		*start = first;
	if (*end > last)
		*end = last;
	return *start < *end;
}
