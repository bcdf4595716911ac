/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the BPF programs: they copy page frames that the test fills.  A hook may change
 * the frames and the state of the mm before a run and during it.
 */
#ifndef FAKE_BPF_H
#define FAKE_BPF_H

#include <errno.h>
#include <string.h>

#include "acquire/bpf_memory.h"
#include "acquire/bpf_run.h"
#include "support/build.h"
#include "support/unit.h"

#define NR_FRAMES 700
#define DIRECT_MAP UINT64_C(0xffff9a8000000000)
#define STRUCT_PAGES UINT64_C(0xffffea0000000000)
#define STRUCT_PAGE_BYTES 64
#define MM UINT64_C(0xffff9a8012345000)
#define CTX 77

/* Flags of an entry that points to a table: present, writable, user, accessed, dirty. */
#define TABLE UINT64_C(0x067)
/* Flags of a leaf in a PMD or PUD table: those of TABLE, and the page size bit. */
#define HUGE UINT64_C(0x0e7)
#define A UINT64_C(0x100000000000)

struct ptu_bpf_run {
	int unused;
};

/* The contents of each page frame. */
static uint64_t frames[NR_FRAMES][512];

/*
 * @state: the state of the mm
 * @error: -errno that a run returns
 * @before_run: called before the first state is read; @nr: number of tables of the run
 * @in_run: called between the two states
 * @nr_runs: number of runs until now
 * @nr_of_run: [nr_runs] number of tables of each of the first runs
 * @deposits: [pfn] number of tables deposited with a PMD table
 * @sharers: [pfn]
 */
static struct fake_kernel {
	struct ptu_bpf_state state;
	int error;
	void (*before_run)(size_t nr);
	void (*in_run)(size_t nr);
	unsigned int nr_runs;
	size_t nr_of_run[16];
	uint32_t deposits[NR_FRAMES];
	uint32_t sharers[NR_FRAMES];
} kernel;

static const struct ptu_bpf_memory kernel_memory = {
	.direct_map = DIRECT_MAP,
	.struct_pages = STRUCT_PAGES,
	.struct_page_bytes = STRUCT_PAGE_BYTES,
};

/* All frames are empty; the state of the mm has no sign of a change. */
static inline void kernel_init(void)
{
	memset(frames, 0, sizeof(frames));
	memset(&kernel, 0, sizeof(kernel));
	kernel.state.ctx_id = CTX;
	kernel.state.tlb_gen = 5;
}

static inline void point(unsigned int table, unsigned int index, uint64_t pfn)
{
	frames[table][index] = pfn ? pfn << 12 | TABLE : 0;
}

static inline int kernel_run(uint64_t mm, size_t nr, struct ptu_bpf_copied *ret)
{
	if (mm != MM)
		UNIT_FAIL("the mm is 0x%llx", (unsigned long long)mm);
	if (nr > PTU_BPF_CHUNK)
		UNIT_FAIL("a run has %zu tables", nr);
	if (kernel.nr_runs < 16)
		kernel.nr_of_run[kernel.nr_runs] = nr;
	kernel.nr_runs++;
	if (kernel.before_run)
		kernel.before_run(nr);
	*ret = (struct ptu_bpf_copied){ .before = kernel.state };
	if (kernel.in_run)
		kernel.in_run(nr);
	ret->after = kernel.state;
	return nr > PTU_BPF_CHUNK ? -E2BIG : kernel.error;
}

int ptu_bpf_run_copy(struct ptu_bpf_run *run, uint64_t mm,
		     const uint64_t *addresses, size_t nr,
		     struct ptu_bpf_copied *ret, struct ptu_err *err)
{
	static uint8_t tables[PTU_BPF_CHUNK][PTU_BPF_TABLE];
	const int error = kernel_run(mm, nr, ret);

	for (size_t i = 0; i < nr && !error; i++) {
		const uint64_t pfn = (addresses[i] - DIRECT_MAP) / 4096;

		if (addresses[i] % 4096 || !pfn || pfn >= NR_FRAMES)
			ret->nr_faults++;
		else
			memcpy(tables[i], frames[pfn], PTU_BPF_TABLE);
	}
	ret->tables = tables;
	return error;
}

/* A list that has more deposits than the limit is followed for @limit steps. */
int ptu_bpf_run_deposits(struct ptu_bpf_run *run, uint64_t mm,
			 const uint64_t *pages, const uint32_t *limits,
			 size_t nr, struct ptu_bpf_copied *ret,
			 struct ptu_err *err)
{
	static uint32_t deposits[PTU_BPF_CHUNK], sharers[PTU_BPF_CHUNK];
	const int error = kernel_run(mm, nr, ret);
	uint64_t steps = 0;

	for (size_t i = 0; i < nr && !error; i++) {
		const uint64_t pfn = (pages[i] - STRUCT_PAGES) /
				     STRUCT_PAGE_BYTES;

		steps += limits[i];
		if ((pages[i] - STRUCT_PAGES) % STRUCT_PAGE_BYTES || !pfn ||
		    pfn >= NR_FRAMES) {
			ret->nr_faults++;
			continue;
		}
		deposits[i] = kernel.deposits[pfn] > limits[i] + 1 ?
				      limits[i] + 1 :
				      kernel.deposits[pfn];
		sharers[i] = kernel.sharers[pfn];
	}
	if (steps > PTU_BPF_LIST_STEPS)
		UNIT_FAIL("a run follows %llu deposits",
			  (unsigned long long)steps);
	ret->deposits = deposits;
	ret->sharers = sharers;
	return error;
}

#endif
