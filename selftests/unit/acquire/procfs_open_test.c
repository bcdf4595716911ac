// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test how a process is opened and reopened, and how its end is detected.  The processes are
 * simulated, because some states cannot be produced with the real ones of procfs_find_test.
 */
#include "acquire/fake_proc.h"

static struct ptu_proc proc;

static void set_up(void)
{
	proc_set_up();
	proc.dirfd = -1;
}

UNIT_TEST(a_process_is_opened)
{
	CHECK_EQ(ptu_proc_open(7, &proc, &err), 0);
	CHECK_EQ(proc.pid, 7);
	CHECK_EQ(proc.tid, 7);
	CHECK_EQ(proc.dirfd, DIR_FD + 1);
	CHECK_EQ(proc.start_time, 33);
	CHECK_EQ(proc.opened_ns, NOW);
	CHECK_EQ(proc.read_ns, 50 * UINT64_C(1000000000));
	CHECK_EQ(ptu_proc_deadline_ns(&proc), NOW + 50 * UINT64_C(1000000000));
	CHECK_EQ(fake.nr_fds, 1);
	ptu_proc_close(&proc);
	CHECK_EQ(proc.dirfd, -1);
	ptu_proc_close(&proc);
}

/* The first free descriptor is 0. It must be closed like any other. */
UNIT_TEST(the_first_process_is_opened)
{
	CHECK_EQ(ptu_proc_open(1, &proc, &err), 0);
	CHECK_EQ(proc.pid, 1);
	CHECK_EQ(proc.dirfd, 0);
	CHECK(!ptu_proc_denied(&proc));
	CHECK_EQ(fake.nr_fds, 1);
	ptu_proc_close(&proc);
	CHECK_EQ(fake.nr_fds, 0);
}

/* The message of a process that cannot be opened. */
#define NOT_OPENED(pid, error, message)                           \
	do {                                                      \
		err.text[0] = '\0';                               \
		CHECK_EQ(ptu_proc_open(pid, &proc, &err), error); \
		CHECK_STR(err.text, message);                     \
		CHECK_EQ(fake.nr_fds, 0);                         \
	} while (0)

UNIT_TEST(a_process_that_does_not_exist_is_named)
{
	NOT_OPENED(0, -EINVAL, "0 is not a PID");
	NOT_OPENED(-1, -EINVAL, "-1 is not a PID");
	NOT_OPENED(8, -ESRCH, "process 8: no such process");
	fake.processes[1].open_error = -ESRCH;
	NOT_OPENED(7, -ESRCH, "process 7: no such process");
	fake.processes[1].open_error = -EMFILE;
	NOT_OPENED(7, -EMFILE,
		   "process 7: cannot open /proc/7: Too many open files");
	fake.is_recording = true;
	NOT_OPENED(8, -ESRCH, "process 8: the recording has no such process");
}

UNIT_TEST(a_process_that_can_get_signals_is_hidden)
{
	static const char hidden[] =
		"process 8: /proc is mounted with hidepid, and hides it: run as its owner, or as root with CAP_SYS_PTRACE";

	fake.kill_error = EPERM;
	NOT_OPENED(8, -ESRCH, hidden);
	fake.kill_error = 0;
	NOT_OPENED(8, -ESRCH, hidden);
	fake.is_recording = true;
	NOT_OPENED(8, -ESRCH, "process 8: the recording has no such process");
}

UNIT_TEST(a_process_that_ends_while_it_is_opened_has_ended)
{
	fake.processes[1].stat_error = -ESRCH;
	NOT_OPENED(7, -ESRCH, "process 7 ended");
	fake.processes[1].stat_error = -EIO;
	NOT_OPENED(7, -EIO, "bad stat");
}

/* The main thread and the thread 8 have ended. The thread 10 runs. */
static void main_thread_ended(void)
{
	fake.processes[1].state = 'Z';
	fake.processes[1].threads[0].tid = 8;
	fake.processes[1].threads[0].state = 'Z';
	fake.processes[1].threads[1].tid = 10;
	fake.processes[1].threads[1].state = 'R';
	fake.processes[1].threads[1].faults = 2;
}

UNIT_TEST(a_thread_that_lives_is_used)
{
	main_thread_ended();
	CHECK_EQ(ptu_proc_open(7, &proc, &err), 0);
	CHECK_EQ(proc.tid, 10);
	CHECK_EQ(proc.state, 'R');
	/* those of the thread, whose stat is read again; not those of all threads */
	CHECK_EQ(proc.faults, 2);
	CHECK_EQ(proc.dirfd, THREAD_FD + 1);
	CHECK(!ptu_proc_is_zombie(&proc));
	CHECK_EQ(fake.nr_fds, 1);
}

UNIT_TEST(a_kernel_thread_has_no_other_threads)
{
	main_thread_ended();
	fake.processes[1].kthread = true;
	CHECK_EQ(ptu_proc_open(7, &proc, &err), 0);
	CHECK_EQ(proc.tid, 7);
	CHECK_EQ(ptu_proc_has_memory(&proc, &err), -EINVAL);
	CHECK_STR(err.text,
		  "process 7 is a kernel thread: it has no page tables of its own");
}

UNIT_TEST(a_recording_names_its_thread)
{
	main_thread_ended();
	fake.processes[1].recorded = 12;
	CHECK_EQ(ptu_proc_open(7, &proc, &err), 0);
	CHECK_EQ(proc.tid, 12);
	CHECK_EQ(proc.state, 'S');
	CHECK_EQ(proc.dirfd, DIR_FD + 1);
	ptu_proc_close(&proc);
	/* the main thread was a zombie when it was recorded */
	fake.processes[1].recorded = 7;
	fake.processes[1].threads[0].tid = 0;
	CHECK_EQ(ptu_proc_open(7, &proc, &err), 0);
	CHECK_EQ(proc.tid, 7);
	CHECK(ptu_proc_is_zombie(&proc));
	CHECK_EQ(ptu_proc_has_memory(&proc, &err), -EINVAL);
	CHECK_STR(err.text,
		  "process 7 is a zombie: its page tables are already freed");
}

UNIT_TEST(a_lack_of_descriptors_is_not_a_zombie)
{
	main_thread_ended();
	fake.processes[1].threads_error = -EMFILE;
	NOT_OPENED(7, -EMFILE,
		   "process 7: cannot list its threads: Too many open files");
	/* the process has ended meanwhile, and is a zombie */
	fake.processes[1].threads_error = -ENOENT;
	CHECK_EQ(ptu_proc_open(7, &proc, &err), 0);
	CHECK(ptu_proc_is_zombie(&proc));
}

UNIT_TEST(lack_of_descriptors_and_memory_is_a_shortage)
{
	CHECK(ptu_proc_shortage(-EMFILE));
	CHECK(ptu_proc_shortage(-ENFILE));
	CHECK(ptu_proc_shortage(-ENOMEM));
	CHECK(!ptu_proc_shortage(-ENOENT));
	CHECK(!ptu_proc_shortage(0));
}

UNIT_TEST(a_process_with_memory_has_no_message)
{
	CHECK_EQ(ptu_proc_open(7, &proc, &err), 0);
	CHECK_EQ(ptu_proc_has_memory(&proc, &err), 0);
	CHECK_STR(err.text, "");
}

/* Open the process; the test then changes it. */
static void open_it(void)
{
	if (ptu_proc_open(7, &proc, &err))
		abort();
	fake.nr_opened = 0;
}

#define GONE(error, message)                                 \
	do {                                                 \
		err.text[0] = '\0';                          \
		CHECK_EQ(ptu_proc_gone(&proc, &err), error); \
		CHECK_STR(err.text, message);                \
		CHECK_EQ(fake.nr_fds, 1);                    \
	} while (0)

UNIT_TEST(a_process_that_is_gone_has_ended)
{
	open_it();
	fake.processes[1].open_error = -ENOENT;
	GONE(-ESRCH, "process 7 ended");
	CHECK_EQ(fake.nr_pauses, 0);
	fake.processes[1].open_error = 0;
	fake.processes[1].state = 'Z';
	GONE(-ESRCH, "process 7 ended");
	CHECK_EQ(fake.nr_pauses, 0);
}

UNIT_TEST(another_process_with_its_number_is_not_the_process)
{
	open_it();
	fake.processes[1].start_time++;
	GONE(-ESRCH, "process 7 ended");
	/* the other process has a living thread */
	main_thread_ended();
	GONE(-ESRCH, "process 7 ended");
	CHECK_EQ(fake.nr_pauses, 0);
}

UNIT_TEST(another_thread_may_live)
{
	open_it();
	main_thread_ended();
	GONE(-ESTALE,
	     "process 7: it was read through thread 7, which has ended; other threads still run");
	CHECK_EQ(fake.nr_opened, 1);
}

/* The main thread is looked at a hundred times, a millisecond apart. */
UNIT_TEST(a_thread_that_is_ending_is_waited_for)
{
	struct fake_process later;

	open_it();
	later = fake.processes[1];
	later.state = 'Z';
	later.threads[0].tid = 10;
	later.threads[0].state = 'R';
	fake.processes[1].next = &later;
	fake.processes[1].again = 3;
	GONE(-ESTALE,
	     "process 7: it was read through thread 7, which has ended; other threads still run");
	CHECK_EQ(fake.nr_pauses, 3);
	CHECK_EQ(fake.nr_opened, 4);
}

UNIT_TEST(waiting_for_the_end_has_a_limit)
{
	open_it();
	GONE(-ESRCH, "process 7 ended");
	CHECK_EQ(fake.nr_pauses, 99);
	CHECK_EQ(fake.nr_opened, 100);
}

UNIT_TEST(a_process_is_opened_again_in_the_same_time_limit)
{
	open_it();
	proc.read_ns = 12;
	main_thread_ended();
	fake.now_ns += 1000;
	CHECK_EQ(ptu_proc_reopen(&proc), 0);
	CHECK_EQ(proc.tid, 10);
	CHECK_EQ(proc.opened_ns, NOW);
	CHECK_EQ(proc.read_ns, 12);
	CHECK_EQ(proc.reopened, 1);
	CHECK_EQ(proc.dirfd, THREAD_FD + 1);
	CHECK_EQ(fake.nr_fds, 1);
}

UNIT_TEST(a_process_is_opened_five_times_at_most)
{
	open_it();
	for (unsigned int i = 1; i < PTU_OPEN_TRIES; i++)
		CHECK_EQ(ptu_proc_reopen(&proc), 0);
	CHECK_EQ(ptu_proc_reopen(&proc), -ESTALE);
	CHECK_EQ(fake.nr_opened, 4);
}

UNIT_TEST(only_the_same_process_is_opened_again)
{
	open_it();
	fake.processes[1].start_time++;
	CHECK_EQ(ptu_proc_reopen(&proc), -ESRCH);
	CHECK_EQ(proc.reopened, 0);
	CHECK_EQ(fake.nr_fds, 1);
	fake.processes[1].open_error = -EMFILE;
	CHECK_EQ(ptu_proc_reopen(&proc), -EMFILE);
	CHECK_EQ(proc.dirfd, DIR_FD + 1);
}

UNIT_TEST(a_process_stays_the_same_until_its_end)
{
	open_it();
	CHECK_EQ(ptu_proc_same(&proc, &err), 0);
	CHECK_EQ(fake.nr_opened, 0);
	fake.processes[1].stat_error = -EIO;
	CHECK_EQ(ptu_proc_same(&proc, &err), -EIO);
	CHECK_STR(err.text, "bad stat");
	err.text[0] = '\0';
	fake.processes[1].stat_error = -ESRCH;
	CHECK_EQ(ptu_proc_same(&proc, &err), -ESRCH);
	CHECK_STR(err.text, "process 7 ended");
	err.text[0] = '\0';
	fake.processes[1].stat_error = 0;
	fake.processes[1].state = 'Z';
	CHECK_EQ(ptu_proc_same(&proc, &err), -ESRCH);
	CHECK_STR(err.text, "process 7 ended");
	/* in a recording, the stat may be that of a zombie */
	fake.is_recording = true;
	CHECK_EQ(ptu_proc_same(&proc, &err), 0);
}

UNIT_TEST(page_faults_are_seen)
{
	open_it();
	CHECK(!ptu_proc_faulted(&proc));
	fake.processes[1].faults++;
	CHECK(ptu_proc_faulted(&proc));
	fake.processes[1].stat_error = -ESRCH;
	CHECK(!ptu_proc_faulted(&proc));
}

UNIT_TEST(maps_of_another_user_is_denied)
{
	open_it();
	CHECK(!ptu_proc_denied(&proc));
	CHECK_EQ(fake.nr_fds, 1);
	fake.processes[1].maps_error = -EACCES;
	CHECK(ptu_proc_denied(&proc));
	fake.processes[1].maps_error = -EPERM;
	CHECK(ptu_proc_denied(&proc));
	fake.processes[1].maps_error = -ESRCH;
	CHECK(!ptu_proc_denied(&proc));
}

UNIT_TEST(attempts_end_at_the_limit_of_time)
{
	const uint64_t seconds_5 = 5 * UINT64_C(1000000000);

	open_it();
	fake.now_ns = NOW + seconds_5 - 1;
	CHECK(ptu_proc_try_again(&proc, 9));
	CHECK(!ptu_proc_try_again(&proc, 10));
	fake.now_ns++;
	CHECK(!ptu_proc_try_again(&proc, 1));
	CHECK(ptu_proc_try_again(&proc, 0));
	/* the heap settings change only while ptaudit reads itself */
	CHECK_EQ(fake.mmap_max, 99);
}

/*
 * By default, free() would unmap memory in each attempt and thus change the
 * mappings.
 */
UNIT_TEST(ptaudit_keeps_its_heap_while_it_reads_itself)
{
	const struct ptu_proc own = { .pid = SELF, .opened_ns = NOW };

	CHECK(ptu_proc_try_again(&own, 0));
	CHECK_EQ(fake.mmap_max, 99);
	CHECK(ptu_proc_try_again(&own, 1));
	CHECK_EQ(fake.mmap_max, 0);
	CHECK_EQ(fake.trim_threshold, -1);
}

UNIT_TEST(the_number_of_attempts_is_named)
{
	open_it();
	strcpy(err.text, "an earlier one");
	CHECK_EQ(ptu_proc_changed(&proc, 10, &err), -EAGAIN);
	CHECK_STR(err.text,
		  "process 7: its mappings changed during each of 10 attempts to read them");
	CHECK_EQ(ptu_proc_changed(&proc, 9, &err), -EAGAIN);
	CHECK_STR(err.text,
		  "process 7: its mappings changed during each of 9 attempts to read them, and the time limit of 5 seconds was reached");
	CHECK_EQ(ptu_proc_changed(&proc, 1, &err), -EAGAIN);
	CHECK_STR(err.text,
		  "process 7: its mappings changed during each of 1 attempt to read them, and the time limit of 5 seconds was reached");
	CHECK_EQ(ptu_proc_changed(&proc, 1, NULL), -EAGAIN);
}

static void tear_down(void)
{
	if (proc.dirfd >= 0)
		ptu_proc_close(&proc);
	proc_tear_down();
}

UNIT_MAIN_WITH(set_up, tear_down)
