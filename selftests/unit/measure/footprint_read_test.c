// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of a process that `footprint` reads, and the flags that it keeps of them.  The test
 * defines the mappings, the pages and their page frames.
 */
#include "measure/footprint_read.h"

#include "acquire/pages.h"
#include "model/page_flags.h"
#include "model/pagemap.h"
#include "support/build.h"

/* A mapping in the kernel half. */
#define VSYSCALL UINT64_C(0xffffffffff600000)
#define SHMEM_HEAD (PTU_KPF_COMPOUND_HEAD | PTU_KPF_SWAPBACKED)

enum call {
	HOST,
	BOOT_ID,
	PROC_SAME,
	OPEN,
	NEED,
	SMAPS,
	MAPS,
	READ,
	HEAD,
	AGAIN,
	ADD,
	NR_CALLS
};

#include "measure/fake_calls.h"

static struct ptu_vma vmas[3];
static size_t nr_vmas;
/* The pages from A on; the others have none. */
static struct ptu_page pages[8];
static bool has_scan, is_recorded, ksm_is_anon, wants_smaps;
static uint64_t head_flags, head_pfn;
static uint64_t bytes_read, again_at, recalled;
static unsigned int nr_opened, nr_closed;

static struct ptu_proc proc;
static struct ptu_process process;
static struct ptu_footprint footprint;
static struct ptu_footprint_tables tables;
static struct ptu_footprint_files internal;
static struct ptu_footprint_row row;

int ptu_pages_open(const struct ptu_proc *whose, uint64_t page_bytes,
		   struct ptu_pages *ret, struct ptu_err *error)
{
	int failed = called(OPEN, NULL);

	if (error->text[0])
		abort();
	if (failed)
		return failed;
	nr_opened++;
	*ret = (struct ptu_pages){ .proc = whose,
				   .page_bytes = page_bytes,
				   .has_scan = has_scan,
				   .is_recorded = is_recorded,
				   .ksm_is_anon = ksm_is_anon };
	return 0;
}

/* Device 1 is the kernel's internal mount. */
int ptu_footprint_files_add(struct ptu_footprint_files *files,
			    const struct ptu_vma *vma, bool *ret)
{
	if (files != &internal)
		abort();
	*ret = vma->device == 1;
	return called(ADD, NULL);
}

int ptu_pages_need_flags(const struct ptu_pages *files, const char *command,
			 struct ptu_err *error)
{
	if (strcmp(command, "footprint") != 0)
		abort();
	return called(NEED, error);
}

int ptu_pages_read(struct ptu_pages *files, uint64_t start, uint64_t end,
		   ptu_pages_fn fn, void *arg, struct ptu_err *error)
{
	int failed = called(READ, error);

	if (failed)
		return failed;
	bytes_read += end - start;
	if (start == A && files->recall) {
		struct ptu_page page = pages[0];

		page.count = 0;
		files->recall(files->recall_arg, &page);
		recalled = page.count;
	}
	/* in two calls, as the reader of files may do */
	if (start == A)
		failed = fn(arg, A, pages, 3);
	if (start == A && !failed)
		failed = fn(arg, A + 3 * PAGE, pages + 3, 5);
	return failed;
}

int ptu_pages_again(const struct ptu_pages *files, uint64_t addr,
		    struct ptu_page *ret, struct ptu_err *error)
{
	again_at = addr;
	return called(AGAIN, error);
}

int ptu_pages_file_head(const struct ptu_pages *files, uint64_t pfn,
			uint64_t *ret_pfn, uint64_t *ret_flags,
			struct ptu_err *error)
{
	head_pfn = pfn;
	*ret_flags = head_flags;
	return called(HEAD, error);
}

void ptu_pages_close(struct ptu_pages *files)
{
	nr_closed++;
}

int ptu_proc_smaps(const struct ptu_proc *whose, struct ptu_vmas *ret,
		   struct ptu_err *error)
{
	int failed = called(SMAPS, error);

	if (failed)
		return failed;
	*ret = (struct ptu_vmas){ .vmas = calloc(nr_vmas, sizeof(*vmas)),
				  .nr_vmas = nr_vmas };
	memcpy(ret->vmas, vmas, nr_vmas * sizeof(*vmas));
	return 0;
}

/* The same mappings; only smaps has flags and sizes. */
int ptu_proc_maps(const struct ptu_proc *whose, struct ptu_vmas *ret,
		  struct ptu_err *error)
{
	int failed = called(MAPS, error);

	if (failed)
		return failed;
	failed = ptu_proc_smaps(whose, ret, error);
	calls[SMAPS]--;
	for (size_t i = 0; !failed && i < ret->nr_vmas; i++)
		ret->vmas[i] = (struct ptu_vma){ .start = vmas[i].start,
						 .end = vmas[i].end };
	return failed;
}

static struct ptu_page present(uint64_t pfn, uint64_t flags)
{
	return (struct ptu_page){ .word = PTU_PM_PRESENT | pfn,
				  .flags = flags,
				  .count = 2 };
}

/* Two mappings with smaps, and one in the kernel half. */
static void set_up(void)
{
	calls_set_up();
	memset(pages, 0, sizeof(pages));
	has_scan = is_recorded = ksm_is_anon = wants_smaps = false;
	head_flags = head_pfn = bytes_read = again_at = recalled = 0;
	nr_opened = nr_closed = 0;
	for (unsigned int i = 0; i < 2; i++)
		vmas[i] = (struct ptu_vma){ .start = A + i * MIB,
					    .end = A + i * MIB + 8 * PAGE,
					    .has_smaps = true,
					    .rss_bytes = (1 + i) * PAGE,
					    .pss_bytes = 500 + i,
					    .swap_bytes = (3 + i) * PAGE,
					    .huge_bytes = (7 + i) * PAGE };
	vmas[2] = (struct ptu_vma){ .start = VSYSCALL,
				    .end = VSYSCALL + PAGE,
				    .has_smaps = true,
				    .rss_bytes = PAGE };
	nr_vmas = 3;
	process = (struct ptu_process){ .pid = 10 };
	tables = (struct ptu_footprint_tables){ .known = true };
	row = (struct ptu_footprint_row){ .tables.bytes = 4711 };
	ptu_footprint_init(&footprint, PAGE, false);
}

static void tear_down(void)
{
	ptu_footprint_tables_deinit(&tables);
	ptu_footprint_deinit(&footprint);
}

static int read_process(void)
{
	return ptu_footprint_read(&proc, &tables, &process, wants_smaps,
				  &internal, &footprint, &row, &err);
}

UNIT_TEST(figures_of_smaps_are_added_up)
{
	pages[1] = present(0x100, PTU_KPF_ANON);
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(row.kernel_rss_bytes, (1 + 2) * PAGE);
	CHECK_EQ(row.kernel_pss_bytes, 500 + 501);
	CHECK_EQ(row.kernel_swap_bytes, (3 + 4) * PAGE);
	CHECK_EQ(row.huge_bytes, (7 + 8) * PAGE);
	CHECK_EQ(row.sum.rss_bytes, PAGE);
	CHECK_EQ(row.sum.pss_bytes, PAGE / 2);
	CHECK_EQ(row.tables.bytes, 4711);
	CHECK(!row.ksm_unknown);
	CHECK_EQ(bytes_read, 16 * PAGE);
	CHECK_EQ(again_at, A);
	CHECK_EQ(nr_opened, 1);
	CHECK_EQ(nr_closed, 1);
}

UNIT_TEST(next_process_recalls_the_pages_of_this_one)
{
	pages[0] = present(0x100, PTU_KPF_ANON);
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(recalled, 0);
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(recalled, 2);
}

UNIT_TEST(mapping_is_skipped_only_if_smaps_shows_no_memory)
{
	static const struct {
		bool has_scan, is_recorded, has_smaps;
		uint64_t rss, swap;
		unsigned int flags;
		bool is_skipped;
	} cases[] = {
		{ false, false, true, 0, 0, 0, true },
		{ true, false, true, 0, 0, 0, false },
		{ false, true, true, 0, 0, 0, false },
		{ false, false, false, 0, 0, 0, false },
		{ false, false, true, PAGE, 0, 0, false },
		{ false, false, true, 0, PAGE, 0, false },
		/* its pages are not in Rss */
		{ false, false, true, 0, 0, PTU_VM_HUGETLB, false },
		{ false, false, true, 0, 0, PTU_VM_MAYSHARE, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		has_scan = cases[i].has_scan;
		is_recorded = cases[i].is_recorded;
		vmas[1].has_smaps = cases[i].has_smaps;
		vmas[1].rss_bytes = cases[i].rss;
		vmas[1].swap_bytes = cases[i].swap;
		vmas[1].flags = cases[i].flags;
		CHECK_EQ(read_process(), 0);
		CHECK_EQ(bytes_read, (cases[i].is_skipped ? 8 : 16) * PAGE);
		tear_down();
	}
	set_up();
}

UNIT_TEST(no_mapping_is_skipped_if_smaps_lacks_a_huge_page)
{
	vmas[1].rss_bytes = vmas[1].swap_bytes = 0;
	process.rss_bytes = PAGE + MIB;
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(bytes_read, 8 * PAGE);
	process.rss_bytes += PAGE;
	row = (struct ptu_footprint_row){ .tables.bytes = 4711 };
	bytes_read = 0;
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(bytes_read, 16 * PAGE);
}

UNIT_TEST(smaps_is_read_only_if_its_figures_are_wanted)
{
	has_scan = true;
	pages[0] = present(0x100, PTU_KPF_ANON);
	/* with the module, it is known how hugetlb pages are reached */
	pages[1] = present(0x200, PTU_KPF_HUGE);
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(calls[MAPS], 1);
	CHECK_EQ(calls[SMAPS], 0);
	CHECK_EQ(row.sum.rss_bytes, PAGE);
	CHECK_EQ(row.kernel_rss_bytes, 0);
	wants_smaps = true;
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(calls[MAPS], 1);
	CHECK_EQ(calls[SMAPS], 1);
	CHECK_EQ(row.kernel_rss_bytes, 3 * PAGE);
	/* smaps shows which mappings need not be read */
	has_scan = wants_smaps = false;
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(calls[MAPS], 1);
}

UNIT_TEST(hugetlb_page_needs_the_flags_of_its_mapping)
{
	has_scan = true;
	tables.known = false;
	vmas[0].flags = PTU_VM_HUGETLB | PTU_VM_MAYSHARE;
	pages[0] = present(0x300, PTU_KPF_ANON);
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(calls[SMAPS], 0);
	pages[1] = present(0x100, PTU_KPF_HUGE);
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(calls[MAPS], 2);
	CHECK_EQ(calls[SMAPS], 1);
	CHECK_EQ(nr_closed, 3);
	CHECK_EQ(row.sum.hugetlb_unknown_bytes, PAGE);
	CHECK_EQ(row.sum.rss_bytes, PAGE);
	CHECK_EQ(row.kernel_rss_bytes, 3 * PAGE);
	CHECK_STR(err.text, "");
	/* each page was counted once */
	ptu_footprint_set(&footprint, &row.sum);
	CHECK_EQ(row.sum.over_bytes, 0);
	/* the process did not change: there is no time limit for this attempt */
	is_late = true;
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(calls[SMAPS], 2);
}

UNIT_TEST(tail_of_shmem_has_the_flag_of_its_head)
{
	/* a folio of three pages, another one of a file, and two tails further on */
	pages[0] = present(0x100, SHMEM_HEAD);
	pages[1] = present(0x101, PTU_KPF_COMPOUND_TAIL);
	pages[2] = present(0x102, PTU_KPF_COMPOUND_TAIL);
	pages[3] = present(0x103, PTU_KPF_COMPOUND_HEAD);
	pages[4] = present(0x104, PTU_KPF_COMPOUND_TAIL);
	pages[5] = present(0x205, PTU_KPF_COMPOUND_TAIL);
	pages[6] = present(0x206, PTU_KPF_COMPOUND_TAIL);
	pages[7] = present(0x300, PTU_KPF_SWAPBACKED);
	head_flags = SHMEM_HEAD | PTU_KPF_ANON;
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(row.sum.kinds[PTU_FOOTPRINT_SHMEM], 6 * PAGE);
	CHECK_EQ(row.sum.kinds[PTU_FOOTPRINT_FILE], 2 * PAGE);
	CHECK_EQ(row.sum.kinds[PTU_FOOTPRINT_ANON], 0);
	/* a head is searched only if the page before has another frame */
	CHECK_EQ(calls[HEAD], 1);
	CHECK_EQ(head_pfn, 0x205);
}

UNIT_TEST(page_without_a_folio_does_not_end_the_search)
{
	/* the following tail page belongs to no folio that was read */
	pages[0] = present(0x100, SHMEM_HEAD);
	pages[1] = present(0x200, 0);
	pages[2] = present(0x201, PTU_KPF_COMPOUND_TAIL);
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(head_pfn, 0x201);
	CHECK_EQ(row.sum.kinds[PTU_FOOTPRINT_SHMEM], PAGE);
	CHECK_EQ(row.sum.kinds[PTU_FOOTPRINT_FILE], 2 * PAGE);
}

UNIT_TEST(other_pages_need_no_head)
{
	pages[0] = present(0x100, PTU_KPF_ANON | PTU_KPF_COMPOUND_TAIL);
	pages[1] = present(0x201, PTU_KPF_HUGE | PTU_KPF_COMPOUND_TAIL);
	pages[2] = present(0x302, PTU_KPF_COMPOUND_TAIL);
	pages[2].word &= ~PTU_PM_PRESENT;
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(calls[HEAD], 0);
	CHECK_EQ(row.sum.kinds[PTU_FOOTPRINT_ANON], PAGE);
	CHECK_EQ(row.sum.kinds[PTU_FOOTPRINT_HUGETLB], PAGE);
}

UNIT_TEST(ksm_flag_of_every_anonymous_page_is_ignored)
{
	pages[0] = present(0x100, PTU_KPF_ANON | PTU_KPF_KSM);
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(row.sum.ksm_bytes, PAGE);
	ksm_is_anon = true;
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(row.sum.ksm_bytes, 0);
	CHECK(row.ksm_unknown);
}

UNIT_TEST(hugetlb_is_read_in_parts_that_are_reached_in_the_same_way)
{
	struct ptu_shared shared = { .start = A + 2 * PAGE,
				     .end = A + 4 * PAGE,
				     .pfn = 0x77,
				     .sharers = 9 };
	struct ptu_footprint_report report = {
		.base = { .page_bytes = PAGE,
			  .processes = &process,
			  .nr_processes = 1 },
		.rows = &row,
		.by_module = true,
	};

	process.shared = &shared;
	process.nr_shared = 1;
	CHECK_EQ(ptu_footprint_tables_add_up(&report, &tables), 0);
	nr_vmas = 1;
	CHECK_EQ(read_process(), 0);
	/* before, in and behind the range of the shared table */
	CHECK_EQ(calls[READ], 3);
	CHECK_EQ(bytes_read, 8 * PAGE);
	/* the same without the module: it may be shared, but a part is not known */
	tables.known = false;
	vmas[0].flags = PTU_VM_HUGETLB | PTU_VM_MAYSHARE;
	pages[0] = present(0x100, PTU_KPF_HUGE);
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(row.sum.hugetlb_unknown_bytes, PAGE);
}

UNIT_TEST(pages_of_the_internal_mount_are_told_from_others)
{
	uint64_t device;

	nr_vmas = 1;
	footprint.internal_is_inside = true;
	for (device = 0; device < 3; device++) {
		vmas[0].device = device;
		pages[0] = present(0x100 + device, PTU_KPF_SWAPBACKED);
		CHECK_EQ(read_process(), 0);
		ptu_footprint_set(&footprint, &row.sum);
		CHECK_EQ(row.sum.uss_bytes, device ? PAGE : 0);
	}
}

UNIT_TEST(process_that_called_exec_is_read_again)
{
	pages[0] = present(0x100, PTU_KPF_ANON);
	results[AGAIN][0] = results[READ][2] = -EAGAIN;
	CHECK_EQ(read_process(), 0);
	CHECK_EQ(calls[OPEN], 3);
	CHECK_EQ(nr_closed, 3);
	/* nothing is counted twice */
	CHECK_EQ(row.kernel_rss_bytes, 3 * PAGE);
	CHECK_EQ(row.sum.rss_bytes, PAGE);
	CHECK_EQ(row.sum.pss_bytes, PAGE / 2);
	CHECK_STR(err.text, "");
}

UNIT_TEST(process_that_keeps_calling_exec_is_not_measured)
{
	pages[0] = present(0x100, PTU_KPF_ANON);
	is_silent = true;
	for (unsigned int i = 0; i < MOST_CALLS; i++)
		results[AGAIN][i] = -EAGAIN;
	CHECK_EQ(read_process(), -EAGAIN);
	CHECK_STR(err.text, "it changed");
	CHECK_EQ(nr_tries, RETRIES);
	CHECK_EQ(row.kernel_rss_bytes, 0);
	CHECK_EQ(row.tables.bytes, 4711);
	/* nor is it in the sum of the set */
	ptu_footprint_set(&footprint, &row.sum);
	CHECK_EQ(row.sum.rss_bytes, 0);
}

UNIT_TEST(failed_reads_end_the_reading)
{
	static const struct {
		enum call call;
		unsigned int nr_closed;
	} cases[] = { { OPEN, 0 }, { NEED, 1 },	 { SMAPS, 1 },	   { READ, 1 },
		      { HEAD, 1 }, { AGAIN, 1 }, { PROC_SAME, 1 }, { ADD, 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		pages[0] = present(0x101, PTU_KPF_COMPOUND_TAIL);
		pages[1] = present(0x203, PTU_KPF_COMPOUND_TAIL);
		results[cases[i].call][0] = -EIO;
		CHECK_EQ(read_process(), -EIO);
		CHECK_EQ(calls[cases[i].call], 1);
		CHECK_EQ(nr_closed, cases[i].nr_closed);
		CHECK_EQ(row.kernel_rss_bytes, 0);
		ptu_footprint_set(&footprint, &row.sum);
		CHECK_EQ(row.sum.rss_bytes, 0);
		tear_down();
	}
	set_up();
	is_silent = true;
	results[SMAPS][0] = -ENOMEM;
	CHECK_EQ(read_process(), -ENOMEM);
	CHECK_STR(err.text, "no memory for the pages");
}

UNIT_TEST(too_many_processes_are_an_error)
{
	footprint.process = PTU_FRAME_USES_PROCESSES;
	CHECK_EQ(read_process(), -E2BIG);
	CHECK_STR(err.text, "too many processes");
	CHECK_EQ(calls[OPEN], 0);
}

UNIT_MAIN_WITH(set_up, tear_down)
