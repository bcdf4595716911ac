// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mappings that are visited page by page, and when they are visited again.  The test
 * chooses the result of each call.
 */
#include "measure/page_walk.h"

#include "measure/cow.h"
#include "measure/flags.h"
#include "model/pagemap.h"

enum call {
	HOST,
	BOOT_ID,
	OPEN,
	MAPS,
	PAGES,
	BEGIN,
	MAPPING,
	MAPS_SAME,
	PROC_SAME,
	NR_CALLS
};

#include "measure/fake_calls.h"

static unsigned int nr_files;
static struct ptu_mapped_head head;
/* The parts that were visited, since the last begin(). */
static struct {
	uint64_t start, end;
} parts[MOST_CALLS];
static size_t nr_parts;

/* Each time it is opened, it is read through another thread. */
int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *error)
{
	int failed = called(OPEN, error);

	if (failed)
		return failed;
	*ret = (struct ptu_proc){ .pid = pid, .tid = pid + (pid_t)calls[OPEN] };
	snprintf(ret->comm, sizeof(ret->comm), "name %u", calls[OPEN]);
	nr_open++;
	return 0;
}

/* Two mappings; in each reading the second one is a page longer. */
int ptu_proc_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		  struct ptu_err *error)
{
	int failed = called(MAPS, error);
	struct ptu_vma *vmas = calloc(3, sizeof(*vmas));

	if (failed || !vmas) {
		free(vmas);
		return failed;
	}
	vmas[0] = (struct ptu_vma){ .start = A,
				    .end = A + 2 * PAGE,
				    .perms = "rw-p" };
	vmas[1] = (struct ptu_vma){ .start = A + 4 * PAGE,
				    .end = A + (4 + calls[MAPS]) * PAGE,
				    .perms = "r--p" };
	/* [vsyscall] */
	vmas[2] = (struct ptu_vma){ .start = PTU_KERNEL_HALF,
				    .end = PTU_KERNEL_HALF + PAGE };
	*ret = (struct ptu_vmas){ .vmas = vmas, .nr_vmas = 3 };
	return 0;
}

int ptu_proc_maps_same(const struct ptu_proc *proc, const struct ptu_vmas *vmas,
		       struct ptu_err *error)
{
	/* the comparison must come after all pages, with the mappings read before them */
	if (nr_files || vmas->vmas[1].end != A + (4 + calls[MAPS]) * PAGE)
		UNIT_FAIL("the wrong mappings are compared");
	return called(MAPS_SAME, error);
}

int ptu_pages_open(const struct ptu_proc *proc, uint64_t page_bytes,
		   struct ptu_pages *ret, struct ptu_err *error)
{
	int failed = called(PAGES, error);

	if (failed)
		return failed;
	*ret = (struct ptu_pages){ .proc = proc, .page_bytes = page_bytes };
	nr_files++;
	return 0;
}

void ptu_pages_close(struct ptu_pages *files)
{
	nr_files--;
}

int ptu_pages_need_flags(const struct ptu_pages *files, const char *command,
			 struct ptu_err *error)
{
	(void)files, (void)command, (void)error;
	return 0;
}

int ptu_pages_again(const struct ptu_pages *files, uint64_t addr,
		    struct ptu_page *page, struct ptu_err *error)
{
	(void)files, (void)addr, (void)page, (void)error;
	return 0;
}

/* Every page is present. */
int ptu_pages_read(struct ptu_pages *files, uint64_t start, uint64_t end,
		   ptu_pages_fn fn, void *arg, struct ptu_err *error)
{
	const struct ptu_page page = { .word = PTU_PM_PRESENT };
	int failed = 0;

	(void)files, (void)error;
	for (; !failed && start < end; start += PAGE)
		failed = fn(arg, start, &page, 1);
	return failed;
}

static int begin(void *arg, const struct ptu_pages *files,
		 struct ptu_err *error)
{
	if (arg != &nr_parts || files->page_bytes != PAGE)
		UNIT_FAIL("the walk begins with the wrong arguments");
	nr_parts = 0;
	return called(BEGIN, error);
}

static int visit(void *arg, const struct ptu_vmas *vmas,
		 const struct ptu_vma *vma, uint64_t start, uint64_t end,
		 struct ptu_pages *files, struct ptu_err *error)
{
	if (arg != &nr_parts || files->page_bytes != PAGE || vma < vmas->vmas ||
	    vma >= vmas->vmas + vmas->nr_vmas)
		UNIT_FAIL("a mapping is visited with the wrong arguments");
	parts[nr_parts].start = start;
	parts[nr_parts++].end = end;
	return called(MAPPING, error);
}

static int walk_range(struct ptu_range range)
{
	const struct ptu_mapped mapped = { .pid = 70,
					   .range = range,
					   .begin = begin,
					   .mapping = visit,
					   .arg = &nr_parts };

	return ptu_mapped_walk(&mapped, &head, &err);
}

static int walk(void)
{
	return walk_range((struct ptu_range){ 0 });
}

static void set_up(void)
{
	calls_set_up();
	nr_files = 0;
	memset(&head, 0, sizeof(head));
	nr_parts = 0;
}

static void end(void)
{
	if (nr_open || nr_files)
		UNIT_FAIL("%u processes and %u files are open", nr_open,
			  nr_files);
}

UNIT_TEST(each_mapping_of_the_process_is_visited_once)
{
	CHECK_EQ(walk(), 0);
	CHECK_EQ(nr_parts, 2);
	CHECK_EQ(parts[0].start, A);
	CHECK_EQ(parts[0].end, A + 2 * PAGE);
	CHECK_EQ(parts[1].start, A + 4 * PAGE);
	CHECK_EQ(parts[1].end, A + 5 * PAGE);
	CHECK_EQ(calls[MAPS], 1);
	CHECK_EQ(calls[MAPS_SAME], 1);
	CHECK_EQ(calls[PROC_SAME], 1);
	CHECK_EQ(head.pid, 70);
	CHECK_EQ(head.tid, 71);
	CHECK_STR(head.comm, "name 1");
	CHECK_STR(head.boot_id, "boot");
	CHECK_STR(head.host.release, "7.2.0");
}

UNIT_TEST(only_the_part_in_the_range_is_visited)
{
	/* the second page of the first mapping, and nothing of the second one */
	CHECK_EQ(walk_range((struct ptu_range){ .start = A + PAGE + 1,
						.end = A + 4 * PAGE,
						.is_given = true }),
		 0);
	CHECK_EQ(nr_parts, 1);
	CHECK_EQ(parts[0].start, A + PAGE);
	CHECK_EQ(parts[0].end, A + 2 * PAGE);
}

UNIT_TEST(range_without_a_mapping_is_an_error)
{
	CHECK_EQ(walk_range((struct ptu_range){ .start = A + 2 * PAGE,
						.is_given = true }),
		 -ENOENT);
	CHECK_STR(err.text, "process 70: nothing is mapped at 0x7f0000002000");
	CHECK_EQ(nr_parts, 0);
	CHECK_EQ(head.pid, 0);
}

UNIT_TEST(mappings_that_changed_are_visited_again)
{
	results[MAPS_SAME][0] = -EAGAIN;
	/* memory that is unmapped while its pages are read */
	results[MAPPING][3] = -EAGAIN;
	CHECK_EQ(walk(), 0);
	CHECK_EQ(calls[OPEN], 1);
	CHECK_EQ(calls[BEGIN], 3);
	CHECK_EQ(calls[MAPPING], 6);
	/* the mappings of the third reading */
	CHECK_EQ(nr_parts, 2);
	CHECK_EQ(parts[1].end, A + 7 * PAGE);
	/* the mappings were compared after the first and the third reading */
	CHECK_EQ(calls[MAPS_SAME], 2);
	CHECK_EQ(calls[PROC_SAME], 1);
	CHECK_STR(err.text, "");
	CHECK_EQ(head.tid, 71);
}

/* The second reading has 2 + 2 pages. */
UNIT_TEST(nothing_is_kept_of_mappings_that_changed)
{
	const struct ptu_range all = { 0 };
	struct ptu_flags_report flags;
	struct ptu_cow_report cow;

	results[MAPS_SAME][0] = -EAGAIN;
	CHECK_EQ(ptu_measure_cow(70, &all, &cow, &err), 0);
	CHECK_EQ(cow.nr_rows, 2);
	CHECK_EQ(cow.total.pages, 4);
	CHECK_STR(cow.rows[0].perms, "rw-p");
	CHECK_STR(cow.rows[1].perms, "r--p");
	ptu_cow_report_deinit(&cow);

	set_up();

	results[MAPS_SAME][0] = -EAGAIN;
	CHECK_EQ(ptu_measure_flags(70, &all, true, &flags, &err), 0);
	CHECK_EQ(flags.counted.pages, 4);
	ptu_pageflags_deinit(&flags.counted);
}

UNIT_TEST(process_that_keeps_changing_is_an_error)
{
	is_silent = true;
	for (unsigned int i = 0; i < MOST_CALLS; i++)
		results[MAPS_SAME][i] = -EAGAIN;
	CHECK_EQ(walk(), -EAGAIN);
	CHECK_STR(err.text, "it changed");
	CHECK_EQ(nr_tries, RETRIES);
	CHECK_EQ(calls[MAPS], RETRIES);
	CHECK_EQ(calls[OPEN], 1);
	CHECK_EQ(calls[PROC_SAME], 0);
	CHECK_EQ(head.pid, 0);
}

UNIT_TEST(message_is_that_of_the_last_attempt)
{
	results[MAPS_SAME][0] = -EAGAIN;
	results[BEGIN][1] = -EPERM;
	CHECK_EQ(walk(), -EPERM);
	CHECK(says(BEGIN, 1));

	set_up();

	results[PROC_SAME][0] = -ESTALE;
	results[OPEN][1] = -ESRCH;
	CHECK_EQ(walk(), -ESRCH);
	CHECK(says(OPEN, 1));
}

UNIT_TEST(thread_that_ended_is_replaced_by_another_one)
{
	/* when its mappings are read, and after its pages were read */
	results[MAPS][0] = -ESTALE;
	results[PROC_SAME][0] = -ESTALE;
	CHECK_EQ(walk(), 0);
	CHECK_EQ(calls[OPEN], 3);
	CHECK_EQ(calls[MAPS], 3);
	CHECK_EQ(calls[PROC_SAME], 2);
	CHECK_EQ(head.tid, 73);
	CHECK_STR(head.comm, "name 3");
	CHECK_STR(err.text, "");
}

UNIT_TEST(process_is_opened_five_times_at_most)
{
	for (unsigned int i = 0; i < MOST_CALLS; i++)
		results[PROC_SAME][i] = -ESTALE;
	CHECK_EQ(walk(), -ESTALE);
	CHECK_EQ(calls[OPEN], 5);
	CHECK(says(PROC_SAME, 4));
	CHECK_EQ(head.pid, 0);
}

UNIT_TEST(first_failure_ends_the_walk)
{
	/* the first call of each kind fails in turn; at last, the second visit of a mapping */
	unsigned int call, nr;

	for (call = 0; call <= NR_CALLS; call++) {
		const enum call failing = call < NR_CALLS ? call : MAPPING;

		nr = call == NR_CALLS;
		set_up();
		results[failing][nr] = -EIO;
		CHECK_EQ(walk(), -EIO);
		CHECK_EQ(calls[failing], nr + 1);
		CHECK(says(failing, nr));
		CHECK_EQ(head.pid, 0);
		CHECK_EQ(nr_open + nr_files, 0);
		/* nothing behind it is called */
		CHECK(failing == PROC_SAME || !calls[failing + 1]);
	}
}

UNIT_TEST(caller_may_do_without_a_message)
{
	const struct ptu_mapped mapped = {
		.pid = 70, .begin = begin, .mapping = visit, .arg = &nr_parts
	};

	results[MAPS_SAME][0] = -EAGAIN;
	CHECK_EQ(ptu_mapped_walk(&mapped, &head, NULL), 0);
	CHECK_EQ(calls[MAPS], 2);
}

UNIT_MAIN_WITH(set_up, end)
