// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: mutator SLOTS
 *
 * Changes its address space constantly: maps, unmaps, protects, moves, releases, forks,
 * and grows heap and stack.  Besides, it has a part that never changes: SLOTS slots of 2
 * MiB with one page each, at FIXED.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* servers.py uses the same address */
#define FIXED ((char *)0x200000000000)
#define SLOT ((size_t)2 << 20)
#define NR_AREAS 64 /* of up to 16 MiB each */

static uint64_t next_random(void)
{
	static uint64_t random = 1;

	random = random * 6364136223846793005 + 1442695040888963407;
	return random >> 33;
}

static void touch(char *area, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i += SLOT / 8)
		area[i] = 1;
}

static void use_stack(void)
{
	size_t bytes = next_random() % (4 << 20) + 1;

	memset(alloca(bytes), 1, bytes);
}

static void fork_once(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	size_t slots = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, i;
	struct {
		char *at;
		size_t bytes;
	} areas[NR_AREAS] = { { 0 } };
	char *fixed = mmap(FIXED, slots * SLOT, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			   -1, 0);

	if (fixed != FIXED || madvise(fixed, slots * SLOT, MADV_NOHUGEPAGE))
		return 1;
	for (i = 0; i < slots; i++)
		fixed[i * SLOT] = 1;
	for (;;) {
		size_t nr = next_random() % NR_AREAS;
		char *at = areas[nr].at;
		size_t bytes = areas[nr].bytes;

		if (!at) {
			bytes = (next_random() % 4096 + 1) * 4096;
			at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (at == MAP_FAILED)
				return 1;
			if (next_random() % 2)
				madvise(at, bytes, MADV_HUGEPAGE);
			touch(at, bytes);
			areas[nr].at = at;
			areas[nr].bytes = bytes;
			continue;
		}
		switch (next_random() % 8) {
		case 0:
		case 1:
			munmap(at, bytes);
			areas[nr].at = NULL;
			break;
		case 2:
			mprotect(at + bytes / 2 / 4096 * 4096, bytes / 2,
				 PROT_NONE);
			mprotect(at, bytes, PROT_READ | PROT_WRITE);
			break;
		case 3:
			at = mremap(at, bytes, bytes * 2, MREMAP_MAYMOVE);
			areas[nr].at = mremap(at, bytes * 2, bytes, 0);
			break;
		case 4:
			madvise(at, bytes, MADV_DONTNEED);
			break;
		case 5:
			if (sbrk(bytes) != (void *)-1)
				touch((char *)sbrk(0) - bytes, bytes);
			sbrk(-(intptr_t)bytes);
			break;
		case 6:
			use_stack();
			break;
		default:
			if (!(next_random() % 16))
				fork_once();
			touch(at, bytes);
		}
	}
}
