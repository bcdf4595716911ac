/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays that grow. */
#ifndef PTU_BASE_ARRAY_H
#define PTU_BASE_ARRAY_H

#include <stddef.h>

#include "base/err.h"

/* For ptu_array_grow(). */
ptu_must_check int ptu_array_enlarge(void *array, size_t *capacity,
				     size_t bytes);

/**
 * ptu_array_grow() - Make room for one more element.
 * @array: (in, out) address of the pointer to the array; NULL is an empty one
 * @nr: (in) elements that it has
 * @capacity: (in, out) elements that it has room for
 * @bytes: (in) size of an element
 *
 * The room doubles, so that adding n elements takes O(n).
 *
 * Return: 0; -ENOMEM, and nothing has changed.
 */
ptu_must_check static inline int ptu_array_grow(void *array, size_t nr,
						size_t *capacity, size_t bytes)
{
	return nr < *capacity ? 0 : ptu_array_enlarge(array, capacity, bytes);
}

#endif
