// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running the BPF programs that find a process, list its VMAs, and copy its tables: the
 * iterators, the arguments, and the results.
 */
#define _GNU_SOURCE
#include "acquire/fake_libbpf.h"

#define PID 5

static struct ptu_bpf_task task;
static struct ptu_bpf_vma *vmas;
static size_t nr_vmas;

static void set_up(void)
{
	be_kernel();
	fake.shows = (struct ptu_bpf_task){ .found = 1, .mm = 0x1000 };
	memset(&task, 0, sizeof(task));
	vmas = NULL;
	if (ptu_bpf_run_open(&run, &err))
		UNIT_FAIL("%s", err.text);
}

static void tear_down(void)
{
	free(vmas);
	ptu_bpf_run_close(run);
	if (fake.nr_left)
		UNIT_FAIL("%d libbpf objects or descriptors are still in use",
			  fake.nr_left);
}

static int find(pid_t pid)
{
	err.text[0] = '\0';
	return ptu_bpf_run_find(run, pid, &task, &err);
}

static int list(pid_t pid)
{
	free(vmas);
	vmas = NULL;
	err.text[0] = '\0';
	return ptu_bpf_run_vmas(run, pid, 0x1000, &vmas, &nr_vmas, &err);
}

UNIT_TEST(a_process_is_found_by_its_own_iterator)
{
	fake.shows.ctx_id = 78;
	CHECK_EQ(find(PID), 0);
	CHECK_EQ(task.mm, 0x1000);
	CHECK_EQ(task.ctx_id, 78);
	CHECK_EQ(bss.wanted_pid, PID);
	CHECK_EQ(fake.attached[FIND], PID);
	CHECK_EQ(fake.nr_iterations, 1);
	CHECK_EQ(fake.nr_left, NR_OPEN + 1);
}

UNIT_TEST(an_iterator_stays_attached_for_its_process)
{
	CHECK_EQ(find(PID), 0);
	CHECK_EQ(find(PID), 0);
	CHECK_EQ(fake.nr_attached, 1);
	CHECK_EQ(list(PID), -EAGAIN);
	CHECK_EQ(find(PID), 0);
	/* the list of one process is empty, so a second iterator lists all tasks */
	CHECK_EQ(fake.nr_attached, 3);
	CHECK_EQ(fake.attached[FIND], PID);
	CHECK_EQ(find(PID + 1), -ESRCH);
	CHECK_EQ(fake.attached[FIND], 0);
	CHECK_EQ(fake.nr_attached, 3 + 2);
	CHECK_EQ(fake.nr_left, NR_OPEN + 2);
}

/* Only leaders of thread groups have an iterator of their own. */
UNIT_TEST(a_thread_is_found_among_all_tasks)
{
	fake.shows_to_all_only = true;
	CHECK_EQ(find(PID), 0);
	CHECK_EQ(task.mm, 0x1000);
	CHECK_EQ(fake.nr_iterations, 2);
	CHECK_EQ(fake.attached[FIND], 0);
}

/* Kernels before 6.1 do not know iterators for one task. */
UNIT_TEST(kernels_without_iterators_of_one_task_show_all)
{
	fake.refuses_pids = true;
	CHECK_EQ(find(PID), 0);
	CHECK_EQ(fake.nr_attached, 2);
	CHECK_EQ(fake.nr_iterations, 1);
	CHECK_EQ(fake.attached[FIND], 0);
	fake.output = "123456789012345678901234";
	fake.nr_output = 24;
	CHECK_EQ(list(PID), 0);
	CHECK_EQ(fake.nr_attached, 4);
	CHECK_EQ(fake.nr_iterations, 2);
	CHECK_EQ(nr_vmas, 1);
}

UNIT_TEST(a_task_of_an_earlier_search_is_forgotten)
{
	CHECK_EQ(find(PID), 0);
	memset(&task, 0xee, sizeof(task));
	CHECK_EQ(find(PID + 1), -ESRCH);
	CHECK_STR(err.text, "process 6 ended");
	CHECK_EQ(task.mm, UINT64_C(0xeeeeeeeeeeeeeeee));
}

UNIT_TEST(a_process_that_is_not_shown_may_exist)
{
	fake.shows.found = 0;
	fake.shows.mm = 0;
	CHECK_EQ(find(PID), -EOPNOTSUPP);
	CHECK_STR(err.text,
		  "this kernel does not show process 5 to BPF programs");
	CHECK_EQ(fake.nr_iterations, 2);
	fake.no_process = true;
	CHECK_EQ(find(PID), -ESRCH);
	CHECK_STR(err.text, "process 5 ended");
}

#define NO_MEMORY \
	"process 5 has no memory of its own: it is a kernel thread or a zombie"

UNIT_TEST(a_kernel_thread_has_no_memory_of_its_own)
{
	fake.shows.kthread = 1;
	fake.shows.mm = 0;
	CHECK_EQ(find(PID), -EINVAL);
	CHECK_STR(err.text, NO_MEMORY);
	/* the iterator for all tasks is not used */
	CHECK_EQ(fake.nr_iterations, 1);
	/* a kernel thread may use the memory of a process */
	fake.shows.mm = 0x1000;
	CHECK_EQ(find(PID), -EINVAL);
	fake.shows.kthread = 0;
	fake.shows.mm = 0;
	CHECK_EQ(find(PID), -EINVAL);
	CHECK_STR(err.text, NO_MEMORY);
	CHECK_EQ(fake.nr_iterations, 1 + 1 + 2);
}

UNIT_TEST(errors_of_iterators_are_returned)
{
	fake.attach_errno = ENOMEM;
	CHECK_EQ(find(PID), -ENOMEM);
	CHECK_STR(err.text,
		  "BPF cannot look for process 5: Cannot allocate memory");
	CHECK_EQ(list(PID), -ENOMEM);
	CHECK_STR(err.text,
		  "BPF cannot look for process 5: Cannot allocate memory");
	CHECK_EQ(fake.nr_attached, 2);
	CHECK_EQ(fake.nr_iterations, 0);
	/* an iterator for all tasks is tried once */
	fake.attach_errno = EINVAL;
	CHECK_EQ(find(PID), -EINVAL);
	CHECK_EQ(fake.nr_attached, 2 + 2);
	fake.attach_errno = 0;
	fake.iter_error = -EPERM;
	CHECK_EQ(find(PID), -EPERM);
	CHECK_STR(err.text,
		  "BPF cannot look for process 5: Operation not permitted");
	CHECK_EQ(fake.nr_iterations, 1);
	fake.iter_error = 0;
	fake.read_errno = EIO;
	CHECK_EQ(list(PID), -EIO);
	CHECK_STR(err.text,
		  "BPF cannot look for process 5: Input/output error");
	CHECK_EQ(find(PID), -EIO);
	CHECK_EQ(fake.nr_left, NR_OPEN + 2);
}

UNIT_TEST(an_interrupted_read_is_repeated)
{
	fake.output = "123456789012345678901234";
	fake.nr_output = 24;
	fake.most_read = 10;
	fake.interrupts = 3;
	fake.interrupt_errno = EINTR;
	CHECK_EQ(list(PID), 0);
	CHECK_EQ(nr_vmas, 1);
	CHECK(!memcmp(vmas, fake.output, 24));
	fake.interrupts = 3;
	fake.interrupt_errno = EAGAIN;
	CHECK_EQ(list(PID), 0);
	CHECK_EQ(nr_vmas, 1);
	CHECK_EQ(fake.interrupts, 0);
}

static char output[24 * 3000];

/* The buffer has 16 KiB at first, and is doubled. */
UNIT_TEST(lists_of_any_length_are_read_whole)
{
	static const size_t lengths[] = { 24,	 16383 / 24 * 24, 16384,
					  16392, 32767 / 24 * 24, 32768,
					  32784, 24 * 3000 };
	static const size_t most[] = { SIZE_MAX, 4096, 1000 };
	unsigned int i, k;

	for (i = 0; i < sizeof(output); i++)
		output[i] = (char)(i * 7 + i / 256 + 1);
	fake.output = output;
	for (i = 0; i < 8; i++)
		for (k = 0; k < 3; k++) {
			fake.nr_output = lengths[i];
			fake.most_read = most[k];
			CHECK_EQ(list(PID), 0);
			CHECK_EQ(nr_vmas, lengths[i] / 24);
			CHECK(!memcmp(vmas, output, lengths[i] / 24 * 24));
		}
	CHECK_EQ(fake.attached[LIST], PID);
	CHECK_EQ(fake.nr_left, NR_OPEN + 1);
}

UNIT_TEST(memory_for_a_list_can_be_missing)
{
	fake.output = output;
	fake.nr_output = sizeof(output);
	/* one allocation, and three that double the buffer */
	for (unsigned int i = 1; i <= 4; i++) {
		fake.allocation_fails = i;
		CHECK_EQ(list(PID), -ENOMEM);
		CHECK_STR(err.text,
			  "BPF cannot look for process 5: Cannot allocate memory");
	}
	fake.allocation_fails = 5;
	CHECK_EQ(list(PID), 0);
	CHECK_EQ(nr_vmas, 3000);
}

UNIT_TEST(vmas_of_a_thread_are_listed_among_all_tasks)
{
	bss.listed_to = 0x7000;
	fake.output = "123456789012345678901234";
	fake.lists_to_all_only = true;
	fake.nr_output = 24;
	CHECK_EQ(list(PID), 0);
	CHECK_EQ(nr_vmas, 1);
	CHECK_EQ(fake.nr_iterations, 2);
	CHECK_EQ(fake.attached[LIST], 0);
	CHECK_EQ(fake.attached[FIND], -1);
	CHECK_EQ(bss.wanted_mm, 0x1000);
}

/* Each mm has mappings: an empty list would look as if all tables were outside of them. */
UNIT_TEST(an_mm_without_vmas_is_looked_for_again)
{
	CHECK_EQ(list(PID), -EAGAIN);
	CHECK(!vmas);
	CHECK_EQ(fake.nr_iterations, 2);
}

UNIT_TEST(functions_of_the_kernel_are_looked_up)
{
	fake.function = "make_device_exclusive";
	CHECK_EQ(ptu_bpf_run_has_function(run, "make_device_exclusive"), 1);
	CHECK_EQ(ptu_bpf_run_has_function(run, "make_device"), 0);
	CHECK_EQ(fake.nr_left, NR_OPEN);
	fake.btf_errno = ENOENT;
	CHECK_EQ(ptu_bpf_run_has_function(run, "make_device_exclusive"),
		 -ENOENT);
}

static struct ptu_bpf_copied copied;

UNIT_TEST(a_run_copies_what_it_is_given)
{
	const uint64_t addresses[] = { 0x1000, 0x5000, 0x3000 };

	memset(&bss, 0xee, sizeof(bss));
	bss.before.tlb_gen = 1;
	bss.after.tlb_gen = 2;
	bss.nr_faults = 3;
	CHECK_EQ(ptu_bpf_run_copy(run, 0x777, addresses, 3, &copied, &err), 0);
	CHECK_EQ(fake.last_program, COPY_FD);
	CHECK_EQ(bss.wanted_mm, 0x777);
	CHECK_EQ(bss.nr_wanted, 3);
	CHECK_EQ(bss.addresses[0], 0x1000);
	CHECK_EQ(bss.addresses[1], 0x5000);
	CHECK_EQ(bss.addresses[2], 0x3000);
	CHECK_EQ(bss.addresses[3], UINT64_C(0xeeeeeeeeeeeeeeee));
	CHECK_EQ(copied.before.tlb_gen, 1);
	CHECK_EQ(copied.after.tlb_gen, 2);
	CHECK_EQ(copied.nr_faults, 3);
	CHECK(copied.tables == bss.tables);
}

UNIT_TEST(a_run_follows_deposits_to_their_limits)
{
	const uint64_t pages[] = { 0x40, 0x80 };
	const uint32_t limits[] = { 12, 13 };

	memset(&bss, 0xee, sizeof(bss));
	CHECK_EQ(ptu_bpf_run_deposits(run, 0x777, pages, limits, 2, &copied,
				      &err),
		 0);
	CHECK_EQ(fake.last_program, DEPOSITS_FD);
	CHECK_EQ(bss.wanted_mm, 0x777);
	CHECK_EQ(bss.nr_wanted, 2);
	CHECK_EQ(bss.addresses[1], 0x80);
	CHECK_EQ(bss.limits[0], 12);
	CHECK_EQ(bss.limits[1], 13);
	CHECK_EQ(bss.limits[2], 0xeeeeeeee);
	CHECK(copied.deposits == bss.deposits);
	CHECK(copied.sharers == bss.sharers);
}

UNIT_TEST(a_run_has_at_most_256_tables)
{
	static uint64_t addresses[257];
	static uint32_t limits[257];

	addresses[255] = 0x9000;
	limits[255] = 9;
	CHECK_EQ(ptu_bpf_run_copy(run, 0, addresses, 256, &copied, &err), 0);
	CHECK_EQ(ptu_bpf_run_deposits(run, 0, addresses, limits, 256, &copied,
				      &err),
		 0);
	CHECK_EQ(bss.nr_wanted, 256);
	CHECK_EQ(bss.addresses[255], 0x9000);
	CHECK_EQ(bss.limits[255], 9);
	bss.kernel.page_bytes = 64;
	limits[256] = 1;
	CHECK_EQ(ptu_bpf_run_copy(run, 0, addresses, 257, &copied, &err),
		 -EINVAL);
	CHECK_STR(err.text,
		  "it has too many tables for one run of a BPF program");
	err.text[0] = '\0';
	CHECK_EQ(ptu_bpf_run_deposits(run, 0, addresses, limits, 257, &copied,
				      &err),
		 -EINVAL);
	CHECK_STR(err.text,
		  "it has too many tables for one run of a BPF program");
	/* the variable that follows the array of limits was not overwritten */
	CHECK_EQ(bss.kernel.page_bytes, 64);
	CHECK_EQ(fake.nr_runs, 1 + 2);
}

UNIT_TEST(errors_of_runs_are_returned)
{
	const uint64_t address = 0x1000;

	memset(&copied, 0, sizeof(copied));
	fake.run_error = -EAGAIN;
	CHECK_EQ(ptu_bpf_run_copy(run, 0, &address, 1, &copied, &err), -EAGAIN);
	CHECK_STR(err.text,
		  "a BPF program could not be run: Resource temporarily unavailable");
	CHECK(!copied.tables);
}

UNIT_TEST(run_times_are_added_up)
{
	static const struct {
		uint64_t ns, max;
	} runs[] = { { 5, 7 }, { 9, 9 }, { 8, 9 } };
	const uint64_t address = 0x1000;

	/* the program that describes the kernel counts as well */
	CHECK_EQ(ptu_bpf_run_times(run)->nr_runs, 1);
	CHECK_EQ(ptu_bpf_run_times(run)->run_ns_max, 7);
	for (unsigned int i = 0; i < 3; i++) {
		fake.run_ns = runs[i].ns;
		CHECK_EQ(ptu_bpf_run_copy(run, 0, &address, 1, &copied, &err),
			 0);
		CHECK_EQ(ptu_bpf_run_times(run)->nr_runs, 2 + i);
		CHECK_EQ(ptu_bpf_run_times(run)->run_ns_max, runs[i].max);
	}
}

UNIT_MAIN_WITH(set_up, tear_down)
