// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many targets change constantly, readers read every file, and the module is loaded and
 * unloaded.  Each answer must be complete and consistent.  At the end no mm, task or pid
 * may be left over.  The runner checks the kernel's log.  PTAUDIT_STRESS_SECONDS is the
 * duration (default 60), and PTAUDIT_MODULE the module's file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"
#include "slab.h"

#define NR_READERS 3
#define MOST_MUTATORS 16
#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define SWAP_DEVICE "/dev/ram0"

enum asked {
	ASKED_GEOMETRY,
	ASKED_COUNTS,
	ASKED_TABLES,
	ASKED_RANGE,
	ASKED_ORPHANS,
	ASKED_PAGES,
	ASKED_FRAMES,
	ASKED_FLAGS,
	NR_ASKED
};

/* Shared by all processes. */
struct stress {
	bool stop;
	bool pause; /* readers close their files */
	pid_t mutators[MOST_MUTATORS];
	struct mutation mutations[MOST_MUTATORS];
	uint64_t rounds[MOST_MUTATORS];
	uint64_t answers[NR_ASKED];
	uint64_t gone;	 /* the target had ended or executed another program */
	uint64_t absent; /* the module was not loaded */
	uint64_t wrong;
};

static struct stress *stress;

static void count(uint64_t *what)
{
	__atomic_add_fetch(what, 1, __ATOMIC_RELAXED);
}

static bool stopped(void)
{
	return __atomic_load_n(&stress->stop, __ATOMIC_RELAXED);
}

static pid_t start(void (*run)(unsigned int), unsigned int nr)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(nr);
		_exit(0);
	}
	return pid;
}

static void *populate_on(void *arg)
{
	while (!stopped())
		live_populate_area(arg);
	return NULL;
}

/* The first one has a second thread. */
static void run_mutator(unsigned int nr)
{
	struct mutation *m = &stress->mutations[nr];
	pthread_t thread;

	stress->mutators[nr] = getpid();
	if (!nr)
		pthread_create(&thread, NULL, populate_on, m);
	while (!stopped()) {
		live_mutators[nr].round(m);
		count(&stress->rounds[nr]);
	}
}

static int read_some(const char *path, uint64_t offset)
{
	char text[16384];
	int err = 0, fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (pread(fd, text, sizeof(text), (off_t)offset) < 1)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

/* Ask for a range in which the mutators work. */
static int ask_range(pid_t pid, struct answer *answer)
{
	uint64_t at = FAR + live_random() % 32 * HUGE;
	uint64_t end = at + (1 + live_random() % 9000) * HUGE;
	const char *file = live_random() % 4 ? LIVE_DEBUGFS "tables" :
					       LIVE_DEBUGFS "orphans";
	int err, fd = open(file, O_RDWR | O_CLOEXEC);
	char request[LIVE_REQUEST];

	if (fd < 0)
		return -errno;
	live_make_request(request, pid, at, end);
	err = live_request(fd, request);
	if (!err)
		err = live_answer(fd, answer);
	close(fd);
	return err;
}

static int ask_pages(pid_t pid)
{
	int err, fd = open(LIVE_DEBUGFS "pages", O_RDWR | O_CLOEXEC);
	char text[4096];

	if (fd < 0)
		return -errno;
	snprintf(text, sizeof(text), "%d", pid);
	err = live_request(fd, text);
	if (!err && read(fd, text, sizeof(text)) < 1)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

static int ask(enum asked asked, pid_t pid)
{
	struct counts counts;
	struct answer answer;
	int err;

	switch (asked) {
	case ASKED_GEOMETRY:
		return read_some(LIVE_DEBUGFS "geometry", 0);
	case ASKED_FLAGS:
		return read_some(LIVE_DEBUGFS "kpagemap_flags", 0);
	case ASKED_FRAMES:
		/* two words per page frame; each VM has at least 1 GiB */
		return read_some(LIVE_DEBUGFS "kpagemap",
				 live_random() % (GIB / PAGE) * 16);
	case ASKED_COUNTS:
		return live_counts(pid, &counts);
	case ASKED_PAGES:
		return ask_pages(pid);
	case ASKED_TABLES:
		err = live_tables(pid, &answer);
		break;
	case ASKED_ORPHANS:
		err = live_orphans(pid, &answer);
		break;
	default:
		err = ask_range(pid, &answer);
	}
	if (err)
		return err;
	if (live_check_records(&answer))
		err = -EBADMSG;
	live_answer_deinit(&answer);
	return err;
}

static void run_reader(unsigned int nr)
{
	while (!stopped()) {
		enum asked asked = live_random() % NR_ASKED;
		const unsigned int nr_mutator = live_random() % MOST_MUTATORS;
		pid_t pid = live_random() % 2 ?
				    stress->mutators[nr_mutator] :
				    stress->mutations[nr_mutator].child;
		int err;

		if (__atomic_load_n(&stress->pause, __ATOMIC_RELAXED)) {
			usleep(1000);
			continue;
		}
		/* An unused slot: ask about init, or about the reader itself. */
		if (!pid)
			pid = nr ? 1 : getpid();
		err = ask(asked, pid);
		switch (-err) {
		case 0:
			count(&stress->answers[asked]);
			break;
		case ESRCH:
		case ESTALE:
		case EINVAL:
			count(&stress->gone);
			break;
		case ENOENT:
		case ENODEV:
		case ENXIO: /* a file in debugfs while the module is unloaded */
			count(&stress->absent);
			break;
		default:
			live_note("request of type %u about process %d returned: %s",
				  asked, pid, strerror(-err));
			count(&stress->wrong);
		}
	}
}

/* Unload the module, and load it again.  With @pause readers stop meanwhile. */
static int reload(bool pause, uint64_t *nr_busy)
{
	int fd, err = 0;

	stress->pause = pause;
	for (unsigned int try = 0;
	     syscall(SYS_delete_module, "ptaudit", O_NONBLOCK); try++) {
		if (errno != EAGAIN && errno != EBUSY)
			return -errno;
		++*nr_busy;
		if (!pause)
			return 0;
		if (try == 60000)
			return -EBUSY;
		usleep(1000);
	}
	usleep(live_random() % 20000);
	fd = open(getenv("PTAUDIT_MODULE"), O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		err = -errno;
	close(fd);
	stress->pause = false;
	return err ? err : 1;
}

/* Allowed difference: kernel threads start and end. */
#define SLACK 12
/* The most additional seconds until each mutator and each kind of request has run once. */
#define LATE 60

FIXTURE(stress)
{
	pid_t readers[NR_READERS], mutators[MOST_MUTATORS];
};

/* KCSAN is on only during this test, because races of the kernel itself would fill the log. */
#define KCSAN "/sys/kernel/debug/kcsan"

static bool has_kcsan(void)
{
	return !access(KCSAN, F_OK);
}

/* Number of accesses that KCSAN has watched. */
static unsigned long kcsan_watched(void)
{
	static const char key[] = "\nsetup_watchpoints: ";
	char text[4096];
	const char *found = strstr(live_file(KCSAN, text, sizeof(text)), key);

	return found ? strtoul(found + strlen(key), NULL, 10) : 0;
}

static bool all_seen(void)
{
	bool ret = true;

	for (unsigned int i = 0; i < live_nr_mutators; i++)
		ret &= stress->rounds[i] && stress->mutations[i].populated;
	for (unsigned int i = 0; i < NR_ASKED; i++)
		ret &= stress->answers[i] != 0;
	return ret;
}

static int run(char *const argv[])
{
	struct tool_run done;
	int err = live_run(argv, &done);

	if (!err) {
		err = done.status ? -EIO : 0;
		live_run_deinit(&done);
	}
	return err;
}

/* Set up swap, huge pages and the files of the mutators. */
static int prepare(void)
{
	struct mutation files = { 0 };
	int err = run((char *[]){ "modprobe", "brd", "rd_nr=1",
				  "rd_size=131072", NULL });

	swapoff(SWAP_DEVICE);
	if (!err)
		err = run((char *[]){ "mkswap", SWAP_DEVICE, NULL });
	if (!err && swapon(SWAP_DEVICE, 0))
		err = -errno;
	if (!err)
		err = live_set(NR_HUGE, "16");
	if (!err)
		err = live_set(THP "enabled", "madvise");
	if (!err)
		err = live_set(THP "shmem_enabled", "advise");
	if (!err)
		err = live_set(THP "khugepaged/scan_sleep_millisecs", "10");
	if (!err)
		err = live_mutation_open(&files);
	for (unsigned int i = 0; i < live_nr_mutators; i++)
		stress->mutations[i] = files;
	return err;
}

FIXTURE_SETUP(stress)
{
	ASSERT_GE(MOST_MUTATORS, live_nr_mutators);
	stress = mmap(NULL, sizeof(*stress), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, stress);
	ASSERT_NE(NULL, getenv("PTAUDIT_MODULE"));
	ASSERT_EQ(0, prepare());
	if (has_kcsan())
		ASSERT_EQ(0, live_set(KCSAN, "on"));
}

FIXTURE_TEARDOWN(stress)
{
	if (has_kcsan())
		live_set(KCSAN, "off");
	swapoff(SWAP_DEVICE);
	live_set(NR_HUGE, "0");
}

TEST_F_TIMEOUT(stress, answers_are_whole_while_everything_changes, 7200)
{
	const char *seconds = getenv("PTAUDIT_STRESS_SECONDS");
	const time_t end = time(NULL) + (seconds ? atoi(seconds) : 60);
	uint64_t nr_busy = 0, nr_reloads = 0;
	const unsigned long watched = kcsan_watched();
	struct slabs before = slab_count(), after;
	int status;

	for (unsigned int i = 0; i < live_nr_mutators; i++)
		self->mutators[i] = start(run_mutator, i);
	for (unsigned int i = 0; i < NR_READERS; i++)
		self->readers[i] = start(run_reader, i);
	for (unsigned int i = 0;
	     time(NULL) < end || (!all_seen() && time(NULL) < end + LATE);
	     i++) {
		int ret = reload(i % 4 == 0, &nr_busy);

		ASSERT_LE(0, ret)
		{
			TH_LOG("cannot reload the module: %s", strerror(-ret));
		}
		nr_reloads += (uint64_t)ret;
		usleep(500000);
	}
	stress->stop = true;
	for (unsigned int i = 0; i < NR_READERS; i++) {
		ASSERT_EQ(self->readers[i],
			  waitpid(self->readers[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	/* SIGKILL: a mutator may wait for pages forever. */
	for (unsigned int i = 0; i < live_nr_mutators; i++) {
		kill(self->mutators[i], SIGKILL);
		waitpid(self->mutators[i], NULL, 0);
		EXPECT_LT(0, stress->rounds[i]);
		EXPECT_LT(0, stress->mutations[i].populated);
		TH_LOG("%s: %" PRIu64 " rounds, %" PRIu64
		       " of them populated memory",
		       live_mutators[i].name, stress->rounds[i],
		       stress->mutations[i].populated);
	}
	TH_LOG("answers: geometry %" PRIu64 ", counts %" PRIu64
	       ", tables %" PRIu64 ", with a range %" PRIu64
	       ", orphans %" PRIu64 ", pages %" PRIu64 ", kpagemap %" PRIu64
	       ", kpagemap_flags %" PRIu64
	       "; refused: without a target %" PRIu64
	       ", without the module %" PRIu64,
	       stress->answers[ASKED_GEOMETRY], stress->answers[ASKED_COUNTS],
	       stress->answers[ASKED_TABLES], stress->answers[ASKED_RANGE],
	       stress->answers[ASKED_ORPHANS], stress->answers[ASKED_PAGES],
	       stress->answers[ASKED_FRAMES], stress->answers[ASKED_FLAGS],
	       stress->gone, stress->absent);
	TH_LOG("the module was unloaded %" PRIu64 " times; %" PRIu64
	       " attempts failed because it was in use",
	       nr_reloads, nr_busy);
	if (has_kcsan()) {
		TH_LOG("KCSAN watched %lu accesses", kcsan_watched() - watched);
		EXPECT_LT(watched, kcsan_watched());
	}
	EXPECT_EQ(0, stress->wrong);
	EXPECT_LT(0, nr_reloads);
	for (unsigned int i = ASKED_GEOMETRY; i < NR_ASKED; i++)
		EXPECT_LT(0, stress->answers[i]);

	after = slab_settle(&before, SLACK);
	EXPECT_EQ(0, slab_compare(&before, &after, SLACK));
}

TEST_HARNESS_MAIN
