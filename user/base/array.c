// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arrays that grow; must not know what is in them. */
#define _GNU_SOURCE /* reallocarray() */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64

int ptu_array_enlarge(void *array, size_t *capacity, size_t bytes)
{
	size_t more = *capacity ? 2 * *capacity : FIRST_CAPACITY;
	void *elements, *grown;

	/* copied, as a pointer to another type must not be read as a void * */
	memcpy(&elements, array, sizeof(elements));
	grown = reallocarray(elements, more, bytes);
	if (!grown)
		return -ENOMEM;
	memcpy(array, &grown, sizeof(grown));
	*capacity = more;
	/* cppcheck-suppress memleak ; the caller's pointer has it */
	return 0;
}
