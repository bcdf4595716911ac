// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find the direct map and the struct pages; must not read the memory of another
 * process.
 */
#define _GNU_SOURCE
#include "acquire/bpf_memory.h"

#include <cpuid.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* arch/x86/mm/kaslr.c (5.17 to 7.3): the direct map starts at a multiple of this. */
#define BASE_STEP (UINT64_C(1) << 30)
/* arch/x86/include/asm/page_64_types.h: lowest start of the direct map */
#define LOWEST_BASE_4 UINT64_C(0xffff888000000000)
#define LOWEST_BASE_5 UINT64_C(0xff11000000000000)
/* PGDs above this physical address are not found. */
#define MAX_GIBS 65536

#define NR_MARKS 8 /* number of our own pages used to test a base */
#define PAGE_BYTES 4096

uint64_t ptu_bpf_encryption_mask(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid_count(0x8000001f, 0, &eax, &ebx, &ecx, &edx) ||
	    !(eax & 3))
		return 0;
	return UINT64_C(1) << (ebx & 63);
}

struct search {
	struct ptu_bpf_run *run;
	const struct ptu_geometry *geo;
	struct ptu_bpf_format *format;
	uint64_t pgd;
	struct ptu_err *err;
};

/*
 * Translate an address with the page tables, assuming a direct map at @base.
 *
 * Return: 0; -EFAULT if the tables do not map it; -errno.
 */
static int translate(const struct search *search, uint64_t base, uint64_t addr,
		     uint64_t *ret)
{
	const struct ptu_geometry *geo = search->geo;
	uint64_t table = search->pgd;
	int level;

	for (level = PTAUDIT_PGD; level >= PTAUDIT_PTE; level--) {
		const uint64_t reach = UINT64_C(1) << geo->shift[level];
		struct ptu_bpf_copied copied;
		enum ptaudit_kind kind;
		uint64_t entry;
		int error;

		if (!geo->unfolded[level])
			continue;
		error = ptu_bpf_run_copy(search->run, 0, &table, 1, &copied,
					 search->err);
		if (error)
			return error;
		if (copied.nr_faults)
			return -EFAULT;
		memcpy(&entry,
		       copied.tables[0] +
			       8 * ptu_geometry_index(geo, level, addr),
		       sizeof(entry));
		kind = ptu_bpf_entry_kind(search->format, level, entry);
		entry &= search->format->address_mask;
		if (kind == PTAUDIT_K_LEAF) {
			/* clear the leaf's PAT flag, which is among the address bits */
			*ret = (entry & ~(reach - 1)) | (addr & (reach - 1));
			return 0;
		}
		/* base + entry must not wrap: the direct map does not */
		if (kind != PTAUDIT_K_CHILD || entry >= -base)
			return -EFAULT;
		table = base + entry;
	}
	return -EFAULT;
}

/* Do our own page tables, read through @base, lead to our own pages? */
static int try_base(const struct search *search, uint64_t base,
		    const uint8_t *marks)
{
	unsigned int i;

	for (i = 0; i < NR_MARKS; i++) {
		const uint8_t *mark = marks + i * PAGE_BYTES;
		struct ptu_bpf_copied copied;
		uint64_t physical, addr;
		int error = translate(search, base, (uintptr_t)mark, &physical);

		if (error)
			return error;
		addr = base + physical;
		error = ptu_bpf_run_copy(search->run, 0, &addr, 1, &copied,
					 search->err);
		if (error)
			return error;
		if (copied.nr_faults ||
		    memcmp(copied.tables[0], mark, PAGE_BYTES))
			return -EFAULT;
	}
	return 0;
}

static int find_base(const struct search *search, uint64_t *ret)
{
	const uint64_t lowest = search->geo->unfolded[PTAUDIT_P4D] ?
					LOWEST_BASE_5 :
					LOWEST_BASE_4;
	uint64_t base = search->pgd & ~(BASE_STEP - 1);
	int error = -EFAULT;
	unsigned int i;
	uint8_t *marks;

	if (posix_memalign((void **)&marks, PAGE_BYTES, NR_MARKS * PAGE_BYTES))
		return -ENOMEM;
	for (i = 0; i < NR_MARKS; i++)
		/* getrandom() returns requests of up to 256 bytes completely */
		if (getrandom(marks + i * PAGE_BYTES, 256, 0) != 256) {
			free(marks);
			return -errno;
		}
	for (i = 0; i < MAX_GIBS && base >= lowest; i++, base -= BASE_STEP) {
		error = try_base(search, base, marks);
		if (error != -EFAULT)
			break;
	}
	free(marks);
	*ret = base;
	return error;
}

/* Find the array: the vm_struct of our kernel stack lists struct pages. */
static int find_struct_pages(const struct search *search,
			     const struct ptu_bpf_task *self,
			     struct ptu_bpf_memory *memory)
{
	uint64_t found[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		uint64_t physical;
		int error = translate(search, memory->direct_map,
				      self->stack + i * PAGE_BYTES, &physical);

		if (error)
			return error;
		if (!self->stack_pages[i])
			return -EFAULT;
		found[i] = self->stack_pages[i] -
			   physical / PAGE_BYTES * memory->struct_page_bytes;
	}
	if (found[0] != found[1])
		return -EFAULT;
	memory->struct_pages = found[0];
	return 0;
}

int ptu_bpf_memory_init(struct ptu_bpf_run *run, const struct ptu_geometry *geo,
			struct ptu_bpf_format *format,
			struct ptu_bpf_memory *ret, struct ptu_err *err)
{
	struct search search = {
		.run = run, .geo = geo, .format = format, .err = err
	};
	struct ptu_bpf_memory memory = {
		.struct_page_bytes = ptu_bpf_run_kernel(run)->page_bytes
	};
	struct ptu_bpf_task self;
	int error = ptu_bpf_run_find(run, gettid(), &self, err);

	if (error)
		return error;
	search.pgd = self.pgd;
	error = find_base(&search, &memory.direct_map);
	if (error)
		return ptu_err_set(err, error == -EFAULT ? -EOPNOTSUPP : error,
				   "cannot find the kernel's direct map of memory: %s",
				   error == -EFAULT ?
					   "none of the possible addresses maps the pages of this process" :
					   strerror(-error));
	error = find_struct_pages(&search, &self, &memory);
	if (error)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "cannot find the kernel's array of struct page (needs CONFIG_VMAP_STACK)");
	*ret = memory;
	return 0;
}
