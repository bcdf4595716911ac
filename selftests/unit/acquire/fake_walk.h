/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process whose tables acquire/bpf_walk.c reads.  The test fills its page frames and its
 * VMAs.  The clock advances only while the code under test waits, or by @find_ns.
 * Includes bpf_walk.c; bpf_pieces.c is the real one.
 */
#ifndef FAKE_WALK_H
#define FAKE_WALK_H

#include <stdlib.h>
#include <time.h>

#include "model/bpf_entry.h"

/* Number of the call that has no memory; the first one has number 1; 0: none. */
static unsigned int fails_to_read, fails_to_enter, fails_to_allocate;

static inline bool is_due(unsigned int *call)
{
	return *call && !--*call;
}

#define ptu_bpf_read_table(...) \
	(is_due(&fails_to_read) ? -ENOMEM : ptu_bpf_read_table(__VA_ARGS__))
#define ptu_bpf_enter_ptes(...) \
	(is_due(&fails_to_enter) ? -ENOMEM : ptu_bpf_enter_ptes(__VA_ARGS__))
#define malloc(nr) (is_due(&fails_to_allocate) ? NULL : malloc(nr))
#define calloc(nr, each) (is_due(&fails_to_allocate) ? NULL : calloc(nr, each))
#include "acquire/bpf_walk.c"
#undef ptu_bpf_read_table
#undef ptu_bpf_enter_ptes
#undef malloc
#undef calloc

#include "acquire/fake_bpf.h"

#define PID 77
#define NS_TID 79
#define START_NS 1000000
#define PGD 1 /* its page frame */

/*
 * @find_error, @vmas_error, @btf_error: -errno of the call with the number @find_fails,
 *	@vmas_fails, @btf_fails
 * @before_find, @before_vmas: called before the process and its VMAs are read; @call counts
 *	these calls from 1 in each test
 * @find_ns: how long it takes to find the process
 * @functions: those that the kernel's BTF has
 * @nr_open: runs that are open
 */
static struct fake_process {
	struct ptu_bpf_task task;
	struct ptu_bpf_vma vmas[8];
	size_t nr_vmas;
	int find_error, vmas_error, open_error, memory_error, btf_error;
	unsigned int find_fails, vmas_fails, btf_fails;
	unsigned int nr_finds, nr_vmas_read, nr_btf_read;
	void (*before_find)(unsigned int call);
	void (*before_vmas)(unsigned int call);
	uint64_t now_ns, find_ns;
	unsigned int nr_waits;
	uint64_t waited_ns;
	const char *functions;
	struct ptu_bpf_kernel types;
	uint64_t encryption_mask;
	int nr_open;
} fake;

static struct ptu_bpf_run fake_run;
static struct ptu_geometry geo;
static struct ptu_bpf *bpf;
static struct ptu_err err;

/* The answer to the last request. */
static char *bytes;
static size_t nr_bytes;

uint64_t ptu_now_ns(void)
{
	return fake.now_ns;
}

int nanosleep(const struct timespec *pause, struct timespec *left)
{
	fake.nr_waits++;
	fake.waited_ns += pause->tv_nsec + pause->tv_sec * PTU_NS_PER_SEC;
	fake.now_ns += pause->tv_nsec + pause->tv_sec * PTU_NS_PER_SEC;
	return 0;
}

uint64_t ptu_bpf_encryption_mask(void)
{
	return fake.encryption_mask;
}

int ptu_bpf_memory_init(struct ptu_bpf_run *run,
			const struct ptu_geometry *geometry,
			struct ptu_bpf_format *format,
			struct ptu_bpf_memory *ret, struct ptu_err *error)
{
	if (run != &fake_run || geometry != &geo)
		UNIT_FAIL("the memory of another run or machine is opened");
	if (fake.memory_error)
		return ptu_err_set(error, fake.memory_error, "no direct map");
	*ret = kernel_memory;
	return 0;
}

int ptu_bpf_run_open(struct ptu_bpf_run **ret, struct ptu_err *error)
{
	if (fake.open_error)
		return ptu_err_set(error, fake.open_error, "no programs");
	*ret = &fake_run;
	fake.nr_open++;
	return 0;
}

void ptu_bpf_run_close(struct ptu_bpf_run *run)
{
	fake.nr_open -= run == &fake_run;
}

const struct ptu_bpf_kernel *ptu_bpf_run_kernel(const struct ptu_bpf_run *run)
{
	return &fake.types;
}

const struct ptu_bpf_times *ptu_bpf_run_times(const struct ptu_bpf_run *run)
{
	static const struct ptu_bpf_times times = { .nr_runs = 3 };

	return run == &fake_run ? &times : NULL;
}

int ptu_bpf_run_has_function(struct ptu_bpf_run *run, const char *name)
{
	if (++fake.nr_btf_read == fake.btf_fails)
		return fake.btf_error;
	return fake.functions && !strcmp(fake.functions, name);
}

int ptu_bpf_run_find(struct ptu_bpf_run *run, pid_t pid,
		     struct ptu_bpf_task *ret, struct ptu_err *error)
{
	fake.nr_finds++;
	fake.now_ns += fake.find_ns;
	if (fake.before_find)
		fake.before_find(fake.nr_finds);
	if (pid != PID)
		UNIT_FAIL("process %d is looked for", (int)pid);
	if (fake.find_error && fake.nr_finds == fake.find_fails)
		return ptu_err_set(error, fake.find_error, "cannot find it");
	*ret = fake.task;
	return 0;
}

int ptu_bpf_run_vmas(struct ptu_bpf_run *run, pid_t pid, uint64_t mm,
		     struct ptu_bpf_vma **vmas, size_t *nr_vmas,
		     struct ptu_err *error)
{
	fake.nr_vmas_read++;
	if (fake.before_vmas)
		fake.before_vmas(fake.nr_vmas_read);
	if (pid != NS_TID)
		UNIT_FAIL("VMAs of thread %d are read", (int)pid);
	if (mm != fake.task.mm)
		UNIT_FAIL("VMAs of another mm are read");
	if (fake.vmas_error && fake.nr_vmas_read == fake.vmas_fails)
		return ptu_err_set(error, fake.vmas_error, "cannot list VMAs");
	*nr_vmas = fake.nr_vmas;
	*vmas = calloc(fake.nr_vmas + 1, sizeof(**vmas));
	memcpy(*vmas, fake.vmas, fake.nr_vmas * sizeof(**vmas));
	return 0;
}

/* A process with an empty PGD, on a machine with 4 levels and without PTI. */
static inline void fake_set_up(void)
{
	kernel_init();
	geo = four_levels;
	fails_to_read = fails_to_enter = fails_to_allocate = 0;
	err.text[0] = '\0';
	fake = (struct fake_process){
		.task = { .mm = MM,
			  .ctx_id = CTX,
			  .pgd = DIRECT_MAP + PGD * 4096,
			  .start_boottime_ns = START_NS,
			  .ns_tid = NS_TID },
		.find_fails = 1,
		.vmas_fails = 1,
		.now_ns = 5000,
		.types = { .page_bytes = STRUCT_PAGE_BYTES,
			   .has_tlb_gen = 1,
			   .has_markers = 1 },
	};
	if (ptu_bpf_open(&geo, &bpf, &err))
		UNIT_FAIL("%s", err.text);
}

static inline void fake_forget(void)
{
	free(bytes);
	bytes = NULL;
	nr_bytes = 0;
	err.text[0] = '\0';
}

static inline void fake_tear_down(void)
{
	fake_forget();
	ptu_bpf_close(bpf);
	if (fake.nr_open)
		UNIT_FAIL("%d are open or were closed twice", fake.nr_open);
}

/* Try to read the tables of a range once, all at one moment. */
static inline int try_range(uint64_t start, uint64_t end)
{
	fake_forget();
	return ptu_bpf_try(bpf, PID, start, end, false, &bytes, &nr_bytes,
			   &err);
}

static inline int try_once(void)
{
	return try_range(0, 0);
}

static inline int try_pieces(void)
{
	fake_forget();
	return ptu_bpf_try(bpf, PID, 0, 0, true, &bytes, &nr_bytes, &err);
}

static inline int walk_range(uint64_t start, uint64_t end)
{
	fake_forget();
	return ptu_bpf_walk(bpf, PID, start, end, &bytes, &nr_bytes, &err);
}

static inline const struct ptaudit_header *header(void)
{
	return (const struct ptaudit_header *)bytes;
}

static inline const struct ptaudit_table *records(void)
{
	return (const struct ptaudit_table *)(bytes + PTAUDIT_HEADER_SIZE);
}

/* Return the record of the table in this page frame, or an empty one. */
static inline const struct ptaudit_table *table_of(uint64_t pfn)
{
	static const struct ptaudit_table none;

	for (size_t i = 0; bytes && i < header()->nr_records; i++)
		if (records()[i].type == PTAUDIT_TABLE &&
		    records()[i].pfn == pfn)
			return &records()[i];
	return &none;
}

static inline unsigned int nr_tables(unsigned int level)
{
	unsigned int nr = 0;

	for (size_t i = 0; bytes && i < header()->nr_records; i++)
		nr += records()[i].type == PTAUDIT_TABLE &&
		      records()[i].level == level;
	return nr;
}

/* The mm's counter has @nr tables, of all levels below the P4D, and deposits. */
static inline void counter_is(uint64_t nr)
{
	kernel.state.pgtables_bytes = nr * 4096;
}

#endif
