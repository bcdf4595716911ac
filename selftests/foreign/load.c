// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocates and frees constantly in some threads, in sizes from a cache line to a
 * megabyte, so that the allocator uses all its paths.  servers.py builds it with
 * AddressSanitizer, or runs it with another allocator.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NR_THREADS 3
#define NR_KEPT 4096

static void *allocate(void *seed)
{
	uint64_t random = (uintptr_t)seed * 2 + 1;
	void **kept = calloc(NR_KEPT, sizeof(*kept));

	for (;;) {
		void **slot;
		size_t bytes;

		random = random * 6364136223846793005 + 1442695040888963407;
		slot = &kept[(random >> 33) % NR_KEPT];
		free(*slot);
		/* few allocations are large: about 150 MiB per thread */
		bytes = (size_t)64 << (random >> 58) % 15;
		if (bytes >= 1 << 17 && (random >> 40) % 4)
			bytes = 512;
		*slot = malloc(bytes);
		if (*slot)
			memset(*slot, 1, bytes);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	uintptr_t i;

	for (i = 1; i < NR_THREADS; i++)
		if (pthread_create(&thread, NULL, allocate, (void *)i))
			return 1;
	allocate((void *)i);
}
