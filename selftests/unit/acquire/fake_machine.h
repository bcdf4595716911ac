/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine for tests of acquire/bpf_memory.c, which this header includes: its physical memory
 * with the page tables of the process, which map the pages that the code under test allocates
 * and a kernel stack.
 */
#ifndef FAKE_MACHINE_H
#define FAKE_MACHINE_H

#include <cpuid.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* errno of the call that fails; 0: it succeeds. */
static int memalign_errno, random_errno;
/* Number of pages that were given random bytes. */
static unsigned int nr_random_pages;
/* What CPUID 0x8000001f returns, if the CPU has this function. */
static bool has_cpuid;
static unsigned int cpuid_eax, cpuid_ebx;

static int fake_memalign(void **ret, size_t alignment, size_t nr);

static ssize_t fake_random(void *bytes, size_t nr, unsigned int flags)
{
	if (random_errno) {
		errno = random_errno;
		return -1;
	}
	/* only without flags getrandom() always returns the bytes */
	nr_random_pages += (uintptr_t)bytes % 4096 == 0 && !flags;
	return getrandom(bytes, nr, flags);
}

static int fake_cpuid(unsigned int leaf, unsigned int subleaf,
		      unsigned int *eax, unsigned int *ebx, unsigned int *ecx,
		      unsigned int *edx)
{
	*eax = leaf == 0x8000001f && !subleaf ? cpuid_eax : 3;
	*ebx = cpuid_ebx;
	*ecx = *edx = 0xffffffff;
	return has_cpuid;
}

#define __get_cpuid_count(...) fake_cpuid(__VA_ARGS__)
#define posix_memalign(...) fake_memalign(__VA_ARGS__)
#define getrandom(...) fake_random(__VA_ARGS__)
#include "acquire/bpf_memory.c"
#undef posix_memalign
#undef getrandom

#include "support/build.h"
#include "support/unit.h"

/* The lowest starts of the direct map. */
#define LOWEST_4 UINT64_C(0xffff888000000000)
#define LOWEST_5 UINT64_C(0xff11000000000000)
#define RANDOM_BASE UINT64_C(0xffff9a4000000000)

#define STRUCT_PAGES UINT64_C(0xffffea0000000000)
#define STACK UINT64_C(0xffffc90000004000)
/* The value of each member of @found before the search. */
#define UNTOUCHED UINT64_C(0xeeeeeeeeeeeeeeee)
#define ENCRYPTED (UINT64_C(1) << 47)
/* present, writable, accessed, dirty, not executable, encrypted */
#define TABLE (UINT64_C(0x8000000000000063) | ENCRYPTED)
#define HUGE (TABLE | 0x80)
/* In a leaf of an upper table this is no bit of the address. */
#define LEAF_PAT UINT64_C(0x1000)

/* page frames; they are not adjacent */
#define PAGES_PFN 1000
#define STACK_PFN 2000
#define TABLES_PFN 3000

/* @is_wrong: its copy differs from its contents in one byte */
struct frame {
	uint64_t pfn;
	uint64_t *contents;
	bool is_wrong;
};

/*
 * @self: the process that searches, as BPF shows it
 * @base: where the direct map starts
 * @frames: [nr_frames] those that can be read
 * @tables: [nr_tables] contents of the frames that are tables
 * @decoy_at: if not 0, this far above, all frames stand a second time; there
 *	@wrong_byte of the page with the number @wrong_page is another one
 * @user_entry: if not 0, each entry of the PGD's user half
 * @find_error: -errno of finding the process
 * @copy_error: -errno of the copy with the number @copy_fails; the first one has number 1
 */
static struct machine {
	struct ptu_geometry geo;
	struct ptu_bpf_format format;
	struct ptu_bpf_kernel kernel;
	struct ptu_bpf_task self;
	uint64_t base, pgd_pfn;
	struct frame frames[80];
	unsigned int nr_frames;
	uint64_t tables[32][512];
	unsigned int nr_tables;
	uint64_t decoy_at;
	unsigned int wrong_page, wrong_byte;
	uint64_t user_entry;
	int find_error, copy_error;
	unsigned int copy_fails, nr_copies, nr_pgd_copies;
} machine;

static struct ptu_bpf_memory found;
static struct ptu_err err;
static struct ptu_bpf_run *const run = (struct ptu_bpf_run *)&machine;

static inline struct frame *frame_of(uint64_t pfn)
{
	for (unsigned int i = 0; i < machine.nr_frames; i++)
		if (machine.frames[i].pfn == pfn)
			return &machine.frames[i];
	return NULL;
}

static inline struct frame *add_frame(uint64_t pfn, void *contents)
{
	if (machine.nr_frames == 80)
		abort();
	machine.frames[machine.nr_frames] = (struct frame){
		.pfn = pfn, .contents = contents
	};
	return &machine.frames[machine.nr_frames++];
}

static inline uint64_t *add_table(uint64_t pfn)
{
	if (machine.nr_tables == 32)
		abort();
	return add_frame(pfn, machine.tables[machine.nr_tables++])->contents;
}

/* Set the entry for @addr in the table of @level; add the tables above. */
static inline void map(uint64_t addr, unsigned int level, uint64_t entry)
{
	static const unsigned int shifts[] = { 12, 21, 30, 39, 48 };
	const bool has_p4d = machine.geo.unfolded[PTAUDIT_P4D];
	uint64_t *table = frame_of(machine.pgd_pfn)->contents;
	unsigned int at = has_p4d ? 4 : 3;

	for (; at > level; at--) {
		uint64_t *next = &table[addr >> shifts[at] & 511];

		if (!*next) {
			*next = (TABLES_PFN + machine.nr_tables) << 12 | TABLE;
			add_table(TABLES_PFN + machine.nr_tables);
		}
		table = frame_of((*next & ~TABLE) >> 12)->contents;
	}
	table[addr >> shifts[at] & 511] = entry;
}

static inline void add_decoy(void)
{
	const unsigned int nr = machine.nr_frames;

	for (unsigned int i = 0; i < nr; i++) {
		const struct frame *frame = &machine.frames[i];

		add_frame(frame->pfn + machine.decoy_at / 4096, frame->contents)
			->is_wrong = frame->pfn ==
				     PAGES_PFN + 2 * machine.wrong_page;
	}
}

/* Map the pages, each to every second frame. */
static int fake_memalign(void **ret, size_t alignment, size_t nr)
{
	uint8_t *pages;

	if (memalign_errno)
		return memalign_errno;
	if (alignment != 4096 || nr != 8 * 4096)
		UNIT_FAIL("%zu bytes with alignment %zu", nr, alignment);
	pages = aligned_alloc(4096, nr);
	memset(pages, 0, nr);
	for (unsigned int i = 0; i < 8; i++) {
		map((uintptr_t)pages + i * 4096, PTAUDIT_PTE,
		    (PAGES_PFN + 2 * i) << 12 | TABLE);
		add_frame(PAGES_PFN + 2 * i, pages + i * 4096);
	}
	for (unsigned int i = 0; i < 256 && machine.user_entry; i++)
		frame_of(machine.pgd_pfn)->contents[i] = machine.user_entry;
	if (machine.decoy_at)
		add_decoy();
	*ret = pages;
	return 0;
}

const struct ptu_bpf_kernel *ptu_bpf_run_kernel(const struct ptu_bpf_run *r)
{
	return r == run ? &machine.kernel : NULL;
}

int ptu_bpf_run_find(struct ptu_bpf_run *r, pid_t pid, struct ptu_bpf_task *ret,
		     struct ptu_err *error)
{
	if (r != run || pid != gettid())
		UNIT_FAIL("thread %d is looked for", (int)pid);
	if (machine.find_error)
		return ptu_err_set(error, machine.find_error, "not there");
	*ret = machine.self;
	return 0;
}

/* As the BPF program does, leave the last copy there if the address cannot be read. */
int ptu_bpf_run_copy(struct ptu_bpf_run *r, uint64_t mm,
		     const uint64_t *addresses, size_t nr,
		     struct ptu_bpf_copied *ret, struct ptu_err *error)
{
	static uint8_t copy[1][PTU_BPF_TABLE];
	const struct frame *frame = frame_of((*addresses - machine.base) /
					     4096);

	if (r != run || mm || nr != 1 || *addresses < LOWEST_5)
		UNIT_FAIL("address 0x%llx is copied",
			  (unsigned long long)*addresses);
	if (++machine.nr_copies == machine.copy_fails)
		return machine.copy_error;
	machine.nr_pgd_copies += *addresses == machine.self.pgd;
	*ret = (struct ptu_bpf_copied){
		.tables = (const uint8_t(*)[PTU_BPF_TABLE])copy,
		.nr_faults = !frame || *addresses % 4096
	};
	if (!ret->nr_faults)
		memcpy(copy, frame->contents, PTU_BPF_TABLE);
	if (!ret->nr_faults && frame->is_wrong)
		copy[0][machine.wrong_byte] ^= 1;
	return 0;
}

/* A machine whose PGD is at this physical address, with this direct map. */
static inline void be_machine(const struct ptu_geometry *geo, uint64_t base,
			      uint64_t pgd)
{
	memset(&machine, 0, sizeof(machine));
	machine.geo = *geo;
	machine.base = base;
	machine.pgd_pfn = pgd / 4096;
	machine.kernel.page_bytes = 64;
	ptu_bpf_format_init(ENCRYPTED, true, false, &machine.format);
	add_table(machine.pgd_pfn);
	machine.self.pgd = base + pgd;
	machine.self.stack = STACK;
	for (unsigned int i = 0; i < 2; i++) {
		map(STACK + i * 4096, PTAUDIT_PTE,
		    (STACK_PFN + 3 * i) << 12 | TABLE);
		machine.self.stack_pages[i] = STRUCT_PAGES +
					      (STACK_PFN + 3 * i) * 64;
	}
}

static inline void machine_set_up(void)
{
	memalign_errno = random_errno = 0;
	has_cpuid = true;
	err.text[0] = '\0';
	memset(&found, 0xee, sizeof(found));
	be_machine(&four_levels, RANDOM_BASE, 0x5000);
}

static inline int search(void)
{
	err.text[0] = '\0';
	nr_random_pages = 0;
	return ptu_bpf_memory_init(run, &machine.geo, &machine.format, &found,
				   &err);
}

#endif
