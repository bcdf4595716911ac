// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ptaudit system` on a machine at rest: it accounts for all of PageTables, and the
 * tables that a process allocates appear in exactly the parts that they belong to.
 */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/sets.h"

/* The parts of the output, in pages. */
struct parts {
	int64_t pte, pmd, pud, p4d, pgd, deposited, vmpte;
	int64_t text_poke, kernel, shared;
};

static int64_t part_bytes(const json_t *root, const char *name)
{
	json_t *part;
	size_t i;

	json_array_foreach(json_object_get(root, "parts"), i, part)
	{
		if (!strcmp(name,
			    json_string_value(json_object_get(part, "name"))))
			return live_number(part, "bytes");
	}
	return LIVE_NO_NUMBER;
}

static int64_t sum_of(const json_t *root, const char *array, const char *key)
{
	int64_t sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(root, array), i, row)
		sum += live_number(row, key);
	return sum;
}

static json_t *ask_system(const char *truth)
{
	struct tool_run run = { 0 };
	json_t *root = NULL;

	if (LIVE_RUN(&run, "system", "--json", "--truth", (char *)truth))
		return NULL;
	if (!run.status && !*run.err)
		root = json_loads(run.out, 0, NULL);
	if (!root)
		live_note("exit status %d: %s%s", run.status, run.out, run.err);
	live_run_deinit(&run);
	return root;
}

/* Conditions that each answer must meet on a machine at rest. */
static int check_root(const json_t *root, const char *truth)
{
	const char *source = json_string_value(json_object_get(root, "source"));
	int64_t all = live_number(root, "pagetables_bytes");
	int failures = 0;

	failures += differs(truth, "source", strcmp(source, truth), 0, 0);
	failures += differs(truth, "sum of parts",
			    sum_of(root, "parts", "bytes"),
			    live_number(root, "accounted_bytes"), 0);
	failures += differs(truth, "remainder",
			    live_number(root, "remainder_bytes"), 0, 0);
	failures += differs(truth, "accounted",
			    live_number(root, "accounted_bytes"), all, 0);
	failures += differs(truth, "frames by kpageflags",
			    live_number(root, "kpageflags_bytes"), all, 0);
	failures += differs(truth, "sum of nodes",
			    sum_of(root, "nodes", "pagetables_bytes"), all, 0);
	failures += differs(truth, "nodes by kpageflags",
			    sum_of(root, "nodes", "kpageflags_bytes"), all, 0);
	failures += differs(truth, "number of nodes",
			    (int64_t)json_array_size(
				    json_object_get(root, "nodes")),
			    2, 0);
	if (failures) {
		char *text = json_dumps(root, JSON_INDENT(1));

		live_note("%s", text);
		free(text);
	}
	return failures;
}

static int look(struct parts *ret)
{
	json_t *root = ask_system("module");
	int failures = root ? check_root(root, "module") : 1;

	*ret = (struct parts){
		.pte = part_bytes(root, "pte") / P,
		.pmd = part_bytes(root, "pmd") / P,
		.pud = part_bytes(root, "pud") / P,
		.p4d = part_bytes(root, "p4d") / P,
		.pgd = part_bytes(root, "pgd") / P,
		.deposited = part_bytes(root, "deposited") / P,
		.vmpte = part_bytes(root, "vmpte") / P,
		.text_poke = part_bytes(root, "text-poke") / P,
		.kernel = part_bytes(root, "kernel") / P,
		.shared = live_number(root, "shared_bytes") / P,
	};
	json_decref(root);
	return failures;
}

/* Which levels PageTables counts.  Source: the constructors of tables in mm/ (6.1, 6.12, 7.2). */
static bool counts_puds(void)
{
	return live_system()->version >= 6012;
}

static bool counts_pgds(void)
{
	return live_system()->version >= 7002;
}

/*
 * Compare the tables that were added since @before.  A process does not change the
 * kernel's own tables.  PGDs without a process are ignored: they go when another CPU
 * switches to another task.
 */
static int check_new(const struct parts *before, const struct parts *now,
		     const struct parts *expected)
{
	int failures = 0;

#define NEW(part)                                                              \
	differs("new tables", #part, now->part - before->part, expected->part, \
		0)
	failures += NEW(pte);
	failures += NEW(pmd);
	failures += NEW(pud);
	failures += NEW(p4d);
	failures += NEW(pgd);
	failures += NEW(deposited);
	failures += NEW(vmpte);
	failures += NEW(text_poke);
	failures += NEW(shared);
	return failures;
}

FIXTURE(system)
{
	struct parts before, now;
};

FIXTURE_SETUP(system)
{
	struct parts warm;

	ASSERT_EQ(0, live_check_environment());
	if (!live_thp_missing())
		ASSERT_EQ(0, live_set(THP "enabled", "madvise"));
	/* without address randomization each run of the tool has the same tables */
	ASSERT_NE(-1, personality(ADDR_NO_RANDOMIZE));
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, look(&warm));
	ASSERT_EQ(0, look(&self->before));
}

FIXTURE_TEARDOWN(system)
{
	stop_all();
	live_set("/proc/sys/vm/nr_hugepages", "0");
}

TEST_F_TIMEOUT(system, remainder_of_an_idle_machine_is_0, 240)
{
	/* tables of the kernel and of this process */
	EXPECT_LT(0, self->before.kernel);
	EXPECT_LT(0, self->before.pte);
	EXPECT_EQ(0, self->before.vmpte);
	EXPECT_EQ(counts_puds(), self->before.pud > 0);
	EXPECT_EQ(counts_pgds(), self->before.pgd > 0);
	EXPECT_EQ(counts_pgds() && live_system()->levels == 5,
		  self->before.p4d > 0);
	/* a PTE table, and one table per upper level that PageTables counts */
	EXPECT_EQ(2 + counts_puds() + counts_pgds() * (1 + live_system()->pti) +
			  (counts_pgds() && live_system()->levels == 5),
		  self->before.text_poke);
}

TEST_F_TIMEOUT(system, five_new_tables_appear_in_their_parts, 240)
{
	const struct parts expected = { .pte = 5,
					.pmd = 1,
					.pud = counts_puds() };

	ASSERT_EQ(0, tell(0, SMALL, START, 5 * HUGE, 0));
	for (unsigned int i = 0; i < 5; i++)
		ASSERT_EQ(0, tell(0, TOUCH, START + i * HUGE, PAGE, 0));
	ASSERT_EQ(0, look(&self->now));
	EXPECT_EQ(0, check_new(&self->before, &self->now, &expected));
	/* the tables are freed again */
	ASSERT_EQ(0, tell(0, UNMAP, START, 5 * HUGE, 0));
	ASSERT_EQ(0, look(&self->now));
	EXPECT_EQ(0, check_new(&self->before, &self->now, &(struct parts){}));
}

TEST_F_TIMEOUT(system, deposited_tables_have_their_own_part, 240)
{
	const struct parts expected = { .deposited = 3,
					.pmd = 1,
					.pud = counts_puds() };

	if (live_thp_missing())
		SKIP(return, "needs %s", live_thp_missing());
	ASSERT_EQ(0, tell(0, MAP_HUGE, START, 3 * HUGE, 0));
	ASSERT_EQ(0, tell(0, TOUCH, START, 3 * HUGE, 0));
	ASSERT_EQ(0, look(&self->now));
	EXPECT_EQ(0, check_new(&self->before, &self->now, &expected));
}

/* A second process with the same address space adds nothing. */
TEST_F_TIMEOUT(system, one_address_space_is_counted_once, 240)
{
	ASSERT_EQ(0, start_next(1, CLONE));
	ASSERT_EQ(0, look(&self->before));
	ASSERT_EQ(0, start_next(2, CLONE));
	ASSERT_EQ(0, look(&self->now));
	EXPECT_EQ(0, check_new(&self->before, &self->now, &(struct parts){}));
}

/* A shared table is counted once.  Each process has a PUD table of its own. */
TEST_F_TIMEOUT(system, shared_table_is_counted_once, 240)
{
	const struct parts first = { .pmd = 1, .pud = counts_puds() };
	const struct parts second = { .pud = counts_puds(), .shared = 1 };
	int file;

	stop_all();
	ASSERT_EQ(0, live_set("/proc/sys/vm/nr_hugepages", "4"));
	file = memfd_create("hugetlb", MFD_HUGETLB);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, ftruncate(file, GIB));
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, look(&self->before));
	ASSERT_EQ(0, look(&self->before));
	ASSERT_EQ(0, tell(0, MAP_FD, START, GIB, (uint64_t)file));
	ASSERT_EQ(0, tell(0, TOUCH, START, PAGE, 0));
	ASSERT_EQ(0, look(&self->now));
	EXPECT_EQ(0, check_new(&self->before, &self->now, &first));
	self->before = self->now;
	ASSERT_EQ(0, tell(1, MAP_FD, START, GIB, (uint64_t)file));
	ASSERT_EQ(0, tell(1, TOUCH, START, PAGE, 0));
	ASSERT_EQ(0, look(&self->now));
	EXPECT_EQ(0, check_new(&self->before, &self->now, &second));
	close(file);
}

/*
 * The BPF walk must find the same tables.  This process has an LDT, which KPTI maps in
 * the kernel half, and shares a table of hugetlb memory with itself.
 */
TEST_F_TIMEOUT(system, bpf_finds_the_same_tables, 240)
{
	struct user_desc desc = { .limit = 1, .seg_32bit = 1 };
	json_t *root;
	int file;

	if (live_system()->version < 5017)
		SKIP(return, "needs a walk by BPF");
	live_must(syscall(SYS_modify_ldt, 1, &desc, sizeof(desc)));
	ASSERT_EQ(0, live_set("/proc/sys/vm/nr_hugepages", "4"));
	file = memfd_create("hugetlb", MFD_HUGETLB);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, ftruncate(file, GIB));
	for (uint64_t start = START; start < START + 2 * GIB; start += GIB) {
		live_map_fd(start, GIB, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_NORESERVE, file);
		live_touch(start, start + PAGE);
	}
	close(file);
	root = ask_system("bpf");
	ASSERT_NE(NULL, root);
	EXPECT_EQ(0, check_root(root, "bpf"));
	EXPECT_EQ(0, part_bytes(root, "vmpte"));
	EXPECT_EQ((int64_t)PAGE, live_number(root, "shared_bytes"));
	json_decref(root);
}

/*
 * The tables of a process can move while its mmap_lock is held for writing.  So the walk by
 * BPF is refused, and VmPTE counts them.
 */
TEST_F_TIMEOUT(system, a_writer_of_mmap_lock_is_seen_by_bpf, 240)
{
	const pid_t pid = members[0].pid;
	json_t *root;

	if (live_system()->version < 5017)
		SKIP(return, "needs a walk by BPF");
	if (live_lock_missing())
		SKIP(return, "needs %s", live_lock_missing());
	ASSERT_EQ(0, live_lock_mm(pid));
	root = ask_system("bpf");
	ASSERT_EQ(0, live_lock_mm(0));
	ASSERT_NE(NULL, root);
	EXPECT_EQ(1,
		  live_number(json_object_get(root, "processes"), "by_vmpte"));
	EXPECT_EQ((int64_t)live_vmpte_bytes(pid), part_bytes(root, "vmpte"));
	json_decref(root);
}

/*
 * Without privileges the answer uses VmPTE, which a simple loop over /proc can sum up as
 * well.
 */
TEST_F_TIMEOUT(system, nobody_gets_the_sum_of_vmpte, 240)
{
	struct tool_run run;
	json_t *root;

	ASSERT_EQ(0, setresuid(65534, 65534, 0));
	ASSERT_EQ(0, LIVE_RUN(&run, "system", "--json"));
	ASSERT_EQ(0, setresuid(0, 0, 0));
	EXPECT_EQ(0, run.status);
	root = json_loads(run.out, 0, NULL);
	ASSERT_NE(NULL, root);
	EXPECT_EQ(0, strcmp("vmpte", json_string_value(
					     json_object_get(root, "source"))));
	EXPECT_LT(live_vmpte_bytes(getpid()) + live_vmpte_bytes(members[0].pid),
		  (uint64_t)part_bytes(root, "vmpte"));
	EXPECT_EQ(part_bytes(root, "vmpte"),
		  live_number(root, "accounted_bytes"));
	EXPECT_EQ(live_number(root, "pagetables_bytes") -
			  live_number(root, "accounted_bytes"),
		  live_number(root, "remainder_bytes"));
	json_decref(root);
	live_run_deinit(&run);
}

/* Allocate one PTE table per millisecond until killed. */
static void grow(void)
{
	const size_t bytes = 256 * GIB;
	volatile char *p;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	p = mmap(NULL, bytes, PROT_READ,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		_exit(1);
	for (size_t at = 0; at < bytes; at += HUGE) {
		(void)p[at];
		usleep(1000);
	}
	pause();
	_exit(1);
}

/*
 * The tool must not wait for a counter that keeps changing.  It reads four times instead of
 * twelve, or a few times more if the grower did not run during one of them.
 */
TEST_F_TIMEOUT(system, growing_pagetables_are_not_waited_for, 240)
{
	pid_t grower = fork();
	json_t *root;

	if (!grower)
		grow();
	ASSERT_LT(0, grower);
	root = ask_system("module");
	EXPECT_EQ(0, waitpid(grower, NULL, WNOHANG));
	EXPECT_EQ(0, kill(grower, SIGKILL));
	EXPECT_EQ(grower, waitpid(grower, NULL, 0));
	ASSERT_NE(NULL, root);
	EXPECT_TRUE(json_is_false(json_object_get(root, "held_still")));
	EXPECT_LE(4, live_number(root, "tries"));
	EXPECT_GT(12, live_number(root, "tries"));
	json_decref(root);
}

TEST_HARNESS_MAIN
