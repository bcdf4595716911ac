// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ask the slab allocator for userfaultfd objects; must not look at processes. */
#include "acquire/uffd.h"

#include <stdio.h>

#define OBJECTS	 "/sys/kernel/slab/userfaultfd_ctx_cache/total_objects"
#define SAMPLING "/sys/module/kfence/parameters/sample_interval"

/* Read the number at the start of a file; @absent if there is none. */
static long number_in(const char *path, long absent)
{
	FILE *file = fopen(path, "re");
	long ret;

	if (!file)
		return absent;
	if (fscanf(file, "%ld", &ret) != 1)
		ret = absent;
	fclose(file);
	return ret;
}

bool ptu_uffd_is_unused(void)
{
	return number_in(OBJECTS, 1) == 0 && number_in(SAMPLING, 0) == 0;
}
