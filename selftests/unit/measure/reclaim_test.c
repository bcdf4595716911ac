// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reclaim asks the kernel for huge pages, several times if necessary, and counts the tables that
 * are gone.  The test is the kernel: it defines which requests succeed, and which tables they
 * free.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define close fake_close
#define nanosleep fake_nanosleep

int fake_close(int fd);
struct timespec;
int fake_nanosleep(const struct timespec *pause, struct timespec *left);

#include "measure/reclaim.c"

#include "support/build.h"
#include "support/unit.h"

#define SLOT (2 * MIB)
/* The start of a PMD table, too. */
#define A (16 * TIB)

static struct ptu_whatif_mm mms[3];
static struct ptu_whatif_file files[3];
static struct ptu_whatif_place places[8];
static struct ptu_whatif_window windows[8];
static struct ptu_whatif_report report;
static const struct ptu_whatif_ask ask = { .geo = &four_levels };
static struct ptu_err err;

static struct {
	/* for each place: number of requests that fail before one succeeds, their error */
	unsigned int failures[8];
	int failure;
	/* @is_own: only a request for this place frees its table, not one for another mm */
	bool is_own[8], is_gone[8], is_stale[8];
	/* of each address space */
	int reopen[3], pidfd[3], tables[3], status[3];
	/* of each file */
	int open_file[3];
	uint64_t used[3];
	int ready;
	unsigned int nr_clock;
	int nr_procs, nr_pidfds, nr_files;
	char text[2048];
} kernel;

#define NOTE(...)                                   \
	snprintf(kernel.text + strlen(kernel.text), \
		 sizeof(kernel.text) - strlen(kernel.text), __VA_ARGS__)

static void set_up(void)
{
	memset(&kernel, 0, sizeof(kernel));
	memset(&report, 0, sizeof(report));
	memset(mms, 0, sizeof(mms));
	memset(files, 0, sizeof(files));
	memset(windows, 0, sizeof(windows));
	memset(places, 0, sizeof(places));
	report = (struct ptu_whatif_report){ .slot_bytes = SLOT,
					     .mms = mms,
					     .files = files,
					     .places = places,
					     .windows = windows };
	kernel.failure = -EAGAIN;
	err.text[0] = '\0';
}

static void tear_down(void)
{
	if (kernel.nr_procs || kernel.nr_pidfds || kernel.nr_files)
		UNIT_FAIL("%d processes, %d pidfds and %d files are open",
			  kernel.nr_procs, kernel.nr_pidfds, kernel.nr_files);
}

/* Places and windows are added in the order of files and offsets. */
static struct ptu_whatif_place *add(size_t mm, size_t file, unsigned int slot)
{
	struct ptu_whatif_window *window = &windows[report.nr_windows];
	struct ptu_whatif_place *place = &places[report.nr_places++];

	*place = (struct ptu_whatif_place){
		.file = file,
		.offset = slot * SLOT,
		.mm = mm,
		.addr = A + (slot + 16 * file) * SLOT,
		.vma_start = A + 16 * file * SLOT,
		.vma_end = A + 16 * (file + 1) * SLOT,
	};
	if (mm >= report.nr_mms)
		report.nr_mms = mm + 1;
	if (file >= report.nr_files)
		report.nr_files = file + 1;
	if (report.nr_windows && window[-1].file == file &&
	    window[-1].offset == place->offset)
		return place;
	*window = (struct ptu_whatif_window){ .file = file,
					      .offset = place->offset };
	report.nr_windows++;
	return place;
}

int fake_close(int fd)
{
	if (fd < 0 || fd > 2)
		UNIT_FAIL("descriptor %d is closed", fd);
	kernel.nr_pidfds--;
	return 0;
}

int fake_nanosleep(const struct timespec *pause, struct timespec *left)
{
	NOTE("pause %ld; ", pause->tv_sec * 1000 + pause->tv_nsec / 1000000);
	return 0;
}

uint64_t ptu_now_ns(void)
{
	return kernel.nr_clock++ ? 5000 : 2000;
}

int ptu_collapse_ready(struct ptu_err *ret_err)
{
	return kernel.ready ? ptu_err_set(ret_err, kernel.ready, "not ready") :
			      0;
}

int ptu_whatif_reopen(const struct ptu_whatif_mm *mm, struct ptu_proc *ret)
{
	const size_t i = (size_t)(mm - mms);

	NOTE("open %zu; ", i);
	if (kernel.reopen[i])
		return kernel.reopen[i];
	*ret = (struct ptu_proc){ .pid = (pid_t)i };
	kernel.nr_procs++;
	return 0;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	if (proc->dirfd < 0)
		UNIT_FAIL("process %d is closed twice", (int)proc->pid);
	proc->dirfd = -1;
	kernel.nr_procs--;
}

int ptu_collapse_open(const struct ptu_proc *proc)
{
	if (kernel.pidfd[proc->pid])
		return kernel.pidfd[proc->pid];
	kernel.nr_pidfds++;
	/* 0 is valid: standard input may be closed */
	return (int)proc->pid;
}

int ptu_whatif_open_file(const struct ptu_whatif_report *of,
			 const struct ptu_whatif_place *place,
			 struct ptu_shmem *ret)
{
	if (of != &report)
		UNIT_FAIL("a file of another report is opened");
	NOTE("file %zu; ", place->file);
	if (kernel.open_file[place->file])
		return kernel.open_file[place->file];
	*ret = (struct ptu_shmem){ .fd = (int)place->file,
				   .used_bytes = kernel.used[place->file] };
	kernel.nr_files++;
	return 0;
}

void ptu_shmem_close(struct ptu_shmem *shmem)
{
	kernel.nr_files--;
}

static size_t place_at(size_t mm, uint64_t addr)
{
	for (size_t i = 0; i < report.nr_places; i++)
		if (places[i].mm == mm && places[i].addr == addr)
			return i;
	abort();
}

bool ptu_shmem_same(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		    const struct ptu_shmem *shmem)
{
	for (size_t i = 0; i < report.nr_places; i++)
		if (places[i].mm == (size_t)proc->pid &&
		    places[i].vma_start == start && places[i].vma_end == end &&
		    places[i].file == (size_t)shmem->fd)
			return !kernel.is_stale[i];
	UNIT_FAIL("a mapping at 0x%llx of the process %d is compared",
		  (unsigned long long)start, (int)proc->pid);
	return false;
}

/* MADV_COLLAPSE frees the tables of other address spaces, too. */
int ptu_collapse(int pidfd, uint64_t start, uint64_t bytes)
{
	const size_t asked = place_at((size_t)pidfd, start);

	if (bytes != SLOT)
		UNIT_FAIL("%llu bytes are collapsed, not a slot",
			  (unsigned long long)bytes);
	NOTE("huge %zu.%zu; ", places[asked].mm,
	     (size_t)(places[asked].offset / SLOT));
	if (kernel.failures[asked]) {
		kernel.failures[asked]--;
		return kernel.failure;
	}
	for (size_t i = 0; i < report.nr_places; i++)
		if (places[i].file == places[asked].file &&
		    places[i].offset == places[asked].offset &&
		    (i == asked || !kernel.is_own[i]))
			kernel.is_gone[i] = true;
	return 0;
}

/* A huge page in the PMD table replaces a table that is gone. */
int ptu_whatif_tables(const struct ptu_whatif_ask *of,
		      const struct ptu_proc *proc, struct ptu_vmas *vmas,
		      struct ptu_tables *tables, size_t *ret_changed,
		      struct ptu_err *ret_err)
{
	if (of != &ask || ret_err)
		UNIT_FAIL("the wrong tables are read");
	if (kernel.tables[proc->pid])
		return kernel.tables[proc->pid];
	*ret_changed = 0;
	*vmas = (struct ptu_vmas){ .vmas = malloc(1) };
	ptu_tables_init(tables, &four_levels);
	for (size_t i = 0; i < report.nr_places; i++)
		if (places[i].mm == (size_t)proc->pid &&
		    ptu_tables_add(tables,
				   kernel.is_gone[i] ? PTAUDIT_PMD :
						       PTAUDIT_PTE,
				   places[i].addr,
				   kernel.is_gone[i] ? PTU_LEAF : PTU_CERTAIN))
			abort();
	return 0;
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *ret_err)
{
	*ret = (struct ptu_proc_status){ .vmpte_bytes = 100 + proc->pid };
	return kernel.status[proc->pid];
}

static int reclaim(void)
{
	return ptu_reclaim(&ask, &report, &err);
}

UNIT_TEST(each_window_becomes_a_huge_page)
{
	add(0, 0, 0);
	add(0, 0, 1);
	CHECK_EQ(reclaim(), 0);
	/* the last process and the last file are opened to see the result */
	CHECK_STR(kernel.text,
		  "open 0; file 0; huge 0.0; huge 0.1; open 0; file 0; ");
	CHECK(report.reclaim.done);
	CHECK_EQ(report.reclaim.windows, 2);
	CHECK_EQ(report.reclaim.failed_windows, 0);
	CHECK_EQ(report.reclaim.returned_tables, 2);
	CHECK_EQ(report.reclaim.more_tables, 0);
	CHECK_EQ(report.reclaim.took_ns, 3000);
	CHECK_EQ(mms[0].vmpte_after_bytes, 100);
	CHECK(places[0].returned && places[1].returned);
}

UNIT_TEST(nothing_is_done_if_the_kernel_cannot_do_it)
{
	kernel.ready = -EOPNOTSUPP;
	add(0, 0, 0);
	CHECK_EQ(reclaim(), -EOPNOTSUPP);
	CHECK_STR(err.text, "not ready");
	CHECK_STR(kernel.text, "");
	CHECK(!report.reclaim.done);
}

/* One request frees the tables of all address spaces. */
UNIT_TEST(one_address_space_is_asked_for_each_window)
{
	add(0, 0, 0);
	add(1, 0, 0);
	add(2, 0, 0);
	add(1, 0, 1);
	add(1, 1, 0);
	add(2, 1, 1);
	CHECK_EQ(reclaim(), 0);
	CHECK_STR(kernel.text, "open 0; file 0; huge 0.0; open 1; huge 1.1; "
			       "file 1; huge 1.0; open 2; huge 2.1; "
			       "open 0; open 1; open 2; file 0; file 1; ");
	CHECK_EQ(report.reclaim.windows, 4);
	CHECK_EQ(report.reclaim.returned_tables, 6);
	CHECK_EQ(mms[1].vmpte_after_bytes, 101);
	CHECK_EQ(mms[2].vmpte_after_bytes, 102);
}

UNIT_TEST(the_next_address_space_is_asked_after_an_error)
{
	add(0, 0, 0);
	add(1, 0, 0);
	add(2, 0, 0);
	kernel.failures[0] = 1;
	CHECK_EQ(reclaim(), 0);
	CHECK_STR(kernel.text, "open 0; file 0; huge 0.0; open 1; huge 1.0; "
			       "open 0; open 1; open 2; file 0; ");
	CHECK_EQ(windows[0].error, 0);
	CHECK_EQ(report.reclaim.windows, 1);
	CHECK_EQ(report.reclaim.returned_tables, 3);
}

UNIT_TEST(later_only_address_spaces_that_have_a_table_are_asked)
{
	add(0, 0, 0);
	add(1, 0, 0);
	add(2, 0, 0);
	kernel.is_own[1] = kernel.is_own[2] = true;
	CHECK_EQ(reclaim(), 0);
	CHECK_STR(kernel.text,
		  "open 0; file 0; huge 0.0; open 0; open 1; open 2; "
		  "pause 20; open 1; file 0; huge 1.0; open 2; huge 2.0; "
		  "open 0; open 1; open 2; file 0; ");
	CHECK_EQ(report.reclaim.returned_tables, 3);
}

UNIT_TEST(a_window_is_tried_six_times)
{
	add(0, 0, 0);
	kernel.failures[0] = 99;
	CHECK_EQ(reclaim(), 0);
#define TRY "open 0; file 0; huge 0.0; open 0; "
	CHECK_STR(kernel.text,
		  TRY "pause 20; " TRY "pause 40; " TRY "pause 80; " TRY
		      "pause 160; " TRY "pause 320; " TRY "file 0; ");
	CHECK_EQ(windows[0].error, -EAGAIN);
	CHECK_EQ(report.reclaim.windows, 0);
	CHECK_EQ(report.reclaim.failed_windows, 1);
	CHECK_EQ(report.reclaim.returned_tables, 0);
	CHECK(!places[0].returned);
}

UNIT_TEST(a_busy_page_is_tried_again)
{
	add(0, 0, 0);
	add(0, 0, 1);
	kernel.failures[1] = 1;
	CHECK_EQ(reclaim(), 0);
	CHECK_STR(kernel.text,
		  "open 0; file 0; huge 0.0; huge 0.1; open 0; pause 20; "
		  "open 0; file 0; huge 0.1; open 0; file 0; ");
	CHECK_EQ(report.reclaim.windows, 2);
	CHECK_EQ(windows[1].error, 0);
}

/* Of two windows, the first one fails. */
UNIT_TEST(one_table_that_is_left_is_enough_for_another_round)
{
	add(0, 0, 0);
	add(0, 0, 1);
	kernel.failures[0] = 1;
	CHECK_EQ(reclaim(), 0);
	CHECK(strstr(kernel.text, "pause 20; open 0; file 0; huge 0.0; open "));
	CHECK_EQ(report.reclaim.returned_tables, 2);
}

UNIT_TEST(tables_that_were_not_predicted_are_not_touched)
{
	add(0, 0, 0);
	/* an address space that maps the same window, and forbids huge pages there */
	add(1, 0, 0)->block = PTU_BLOCK_NOHUGEPAGE;
	add(0, 0, 1)->block = PTU_BLOCK_HOLE;
	windows[1].block = PTU_BLOCK_HOLE;
	CHECK_EQ(reclaim(), 0);
	CHECK_STR(kernel.text, "open 0; file 0; huge 0.0; open 0; open 1; "
			       "file 0; ");
	CHECK_EQ(report.reclaim.windows, 1);
	CHECK_EQ(report.reclaim.failed_windows, 0);
	CHECK_EQ(report.reclaim.returned_tables, 1);
	CHECK_EQ(report.reclaim.more_tables, 1);
}

UNIT_TEST(a_blocked_window_is_not_counted_as_failed)
{
	add(0, 0, 0)->block = PTU_BLOCK_HOLE;
	windows[0].block = PTU_BLOCK_HOLE;
	windows[0].error = -EIO;
	CHECK_EQ(reclaim(), 0);
	CHECK_EQ(report.reclaim.windows, 0);
	CHECK_EQ(report.reclaim.failed_windows, 0);
}

UNIT_TEST(an_address_space_that_cannot_be_opened_is_an_error_of_the_window)
{
	add(0, 0, 0);
	add(1, 1, 0);
	kernel.reopen[0] = -ESRCH;
	CHECK_EQ(reclaim(), 0);
	CHECK_EQ(windows[0].error, -ESRCH);
	CHECK_EQ(windows[1].error, 0);
	CHECK_EQ(report.reclaim.windows, 1);
	CHECK_EQ(report.reclaim.failed_windows, 1);
	/* its tables are gone, but reclaim did not free them */
	CHECK(!places[0].returned);
	CHECK(places[1].returned);
	CHECK_EQ(mms[0].vmpte_after_bytes, 0);
	CHECK_EQ(mms[1].vmpte_after_bytes, 101);
}

/* The huge page was made through the other process. */
UNIT_TEST(a_process_that_ended_is_no_error_of_a_window_with_a_huge_page)
{
	add(0, 0, 0);
	add(1, 0, 0);
	kernel.reopen[1] = -ESRCH;
	/* also if the huge page is made in a later round */
	for (unsigned int i = 0; i < 2; i++) {
		kernel.failures[0] = i;
		CHECK_EQ(reclaim(), 0);
		CHECK_EQ(windows[0].error, 0);
		CHECK_EQ(report.reclaim.windows, 1);
		CHECK_EQ(report.reclaim.failed_windows, 0);
		CHECK_EQ(report.reclaim.returned_tables, 1);
		memset(&report.reclaim, 0, sizeof(report.reclaim));
		places[0].returned = kernel.is_gone[0] = false;
		kernel.text[0] = '\0';
	}
}

UNIT_TEST(a_process_without_a_pidfd_is_an_error_of_the_window)
{
	add(0, 0, 0);
	add(0, 0, 1);
	kernel.pidfd[0] = -EMFILE;
	CHECK_EQ(reclaim(), 0);
	CHECK(strstr(kernel.text, "open 0; open 0; open 0; pause 20; "));
	CHECK_EQ(windows[0].error, -EMFILE);
	CHECK_EQ(windows[1].error, -EMFILE);
	CHECK(!strstr(kernel.text, "huge"));
}

UNIT_TEST(a_file_that_cannot_be_opened_is_an_error_of_the_window)
{
	for (size_t i = 0; i < 2; i++) {
		set_up();
		add(0, 0, 0);
		add(0, 1, 0);
		kernel.open_file[i] = -ESTALE;
		files[i].used_bytes = 300;
		CHECK_EQ(reclaim(), 0);
		CHECK_EQ(windows[i].error, -ESTALE);
		CHECK_EQ(windows[1 - i].error, 0);
		/* its memory is unknown, and counts as unchanged */
		CHECK_EQ(files[i].used_after_bytes, 300);
		CHECK_EQ(report.reclaim.filled_bytes, 0);
	}
}

UNIT_TEST(another_mapping_at_the_place_is_not_touched)
{
	add(0, 0, 0);
	kernel.is_stale[0] = true;
	CHECK_EQ(reclaim(), 0);
	CHECK_EQ(windows[0].error, -ESTALE);
	CHECK(!strstr(kernel.text, "huge"));
}

UNIT_TEST(tables_that_cannot_be_read_are_not_called_freed)
{
	add(0, 0, 0);
	kernel.tables[0] = -EACCES;
	kernel.status[0] = -EACCES;
	mms[0].vmpte_after_bytes = 77;
	CHECK_EQ(reclaim(), 0);
	CHECK(!places[0].returned);
	CHECK_EQ(report.reclaim.returned_tables, 0);
	CHECK_EQ(mms[0].vmpte_after_bytes, 77);
	CHECK(strstr(kernel.text, "pause 320; "));
}

UNIT_TEST(memory_that_fills_holes_is_the_growth_of_all_files)
{
	add(0, 0, 0);
	add(0, 0, 1);
	add(0, 1, 0);
	add(0, 2, 0);
	files[0].used_bytes = 1000;
	files[1].used_bytes = 2000;
	files[2].used_bytes = 4000;
	kernel.used[0] = 1030;
	kernel.used[1] = 2200;
	kernel.used[2] = 4000;
	CHECK_EQ(reclaim(), 0);
	CHECK_EQ(files[0].used_after_bytes, 1030);
	CHECK_EQ(files[1].used_after_bytes, 2200);
	CHECK_EQ(files[2].used_after_bytes, 4000);
	CHECK_EQ(report.reclaim.filled_bytes, 230);
	/* each file is opened once to see its size */
	CHECK(strstr(kernel.text, "open 0; file 0; file 1; file 2; "));
	kernel.used[0] = 500;
	CHECK_EQ(reclaim(), 0);
	CHECK_EQ(report.reclaim.filled_bytes, 0);
}

UNIT_MAIN_WITH(set_up, tear_down)
