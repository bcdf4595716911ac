/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that share memory as they are told, and what `ptaudit footprint` says
 * of some of them.  Included once by each program.
 */
#ifndef LIVE_SETS_H
#define LIVE_SETS_H

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib.h"

#define NR_MEMBERS 4
#define MAX_KINDS 4

enum op {
	SMALL,
	SHARED,
	MAP_FD,
	MAP_HUGE,
	TOUCH,
	READ,
	UNMAP,
	PAGEOUT,
	MERGE,
	ADVISE,
	FORK,
	CLONE,
	BECOME
};

struct order {
	enum op op;
	uint64_t addr, bytes;
	uint64_t extra; /* MAP_FD: the file; ADVISE: advice; FORK, CLONE: who; BECOME: UID */
};

/* The processes; orders go down one pipe of each, answers come up the other. */
struct member {
	pid_t pid;
	int down[2], up[2];
};

static struct member members[NR_MEMBERS];

static void __attribute__((noreturn)) serve(unsigned int who);

static int serve_cloned(void *who)
{
	serve((unsigned int)(uintptr_t)who);
}

static pid_t obey(const struct order *o)
{
	static char stack[64 * KIB] __attribute__((aligned(16)));
	char *map;
	pid_t pid;

	switch (o->op) {
	case SMALL:
		live_map_small(o->addr, o->bytes);
		break;
	case SHARED:
		live_map_fd(o->addr, o->bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1);
		break;
	case MAP_FD:
		live_map_fd(o->addr, o->bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_NORESERVE, (int)o->extra);
		break;
	case MAP_HUGE:
		map = live_map(o->addr, o->bytes, 0);
		live_must(madvise(map, o->bytes, MADV_HUGEPAGE));
		break;
	case TOUCH:
		live_touch(o->addr, o->addr + o->bytes);
		break;
	case READ:
		for (uint64_t at = o->addr; at < o->addr + o->bytes; at += PAGE)
			(void)*(volatile char *)at;
		break;
	case UNMAP:
		live_must(munmap((void *)o->addr, o->bytes));
		break;
	case PAGEOUT:
		live_page_out(o->addr, o->addr + o->bytes);
		break;
	case MERGE:
		memset((void *)o->addr, 0x5a, o->bytes);
		live_merge(o->addr, o->addr + o->bytes, o->bytes / PAGE);
		break;
	case ADVISE:
		live_must(madvise((void *)o->addr, o->bytes, (int)o->extra));
		break;
	case FORK:
		pid = fork();
		live_must(pid);
		if (!pid)
			serve((unsigned int)o->extra);
		return pid;
	case CLONE:
		pid = clone(serve_cloned, stack + sizeof(stack),
			    CLONE_VM | SIGCHLD, (void *)(uintptr_t)o->extra);
		live_must(pid);
		return pid;
	case BECOME:
		live_must(syscall(SYS_setresuid, o->extra, o->extra, o->extra));
		break;
	}
	return 0;
}

static void __attribute__((noreturn)) serve(unsigned int who)
{
	struct order order;

	while (read(members[who].down[0], &order, sizeof(order)) ==
	       sizeof(order)) {
		pid_t answer = obey(&order);

		if (write(members[who].up[1], &answer, sizeof(answer)) !=
		    sizeof(answer))
			break;
	}
	_exit(0);
}

/* What the member answered, or -1: it did not do as told, and has ended. */
static pid_t tell(unsigned int who, enum op op, uint64_t addr, uint64_t bytes,
		  uint64_t extra)
{
	const struct order order = { op, addr, bytes, extra };
	pid_t answer;

	if (write(members[who].down[1], &order, sizeof(order)) !=
		    sizeof(order) ||
	    read(members[who].up[0], &answer, sizeof(answer)) != sizeof(answer))
		return -1;
	return answer;
}

/* So that nothing that they do later is done for the first time. */
static int warm_up(unsigned int who)
{
	const uint64_t there = FAR + 512 * GIB;

	for (int i = 0; i < 2; i++) {
		if (tell(who, SMALL, there, PAGE, 0) ||
		    tell(who, TOUCH, there, PAGE, 0) ||
		    tell(who, READ, there, PAGE, 0) ||
		    tell(who, UNMAP, there, PAGE, 0))
			return -1;
	}
	return 0;
}

/* Where a member finds its ends of the pipes. */
#define DOWN(who) (100 + 2 * (int)(who))
#define UP(who) (101 + 2 * (int)(who))

/*
 * The first member is this program once more, so that it shares no anonymous page
 * with the test, which goes on to write to its own.
 */
__attribute__((constructor)) static void become_member(int argc, char *argv[])
{
	cpu_set_t cpu;

	if (argc != 2 || strcmp(argv[1], "member") != 0)
		return;
	for (unsigned int i = 0; i < NR_MEMBERS; i++) {
		members[i].down[0] = DOWN(i);
		members[i].up[1] = UP(i);
	}
	signal(SIGCHLD, SIG_IGN);
	/* pages that wait in another CPU's batch would not go out to swap */
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		_exit(1);
	serve(0);
}

static void __attribute__((noreturn)) exec_member(void)
{
	for (unsigned int i = 0; i < NR_MEMBERS; i++) {
		dup2(members[i].down[0], DOWN(i));
		dup2(members[i].up[1], UP(i));
	}
	/* who holds the other ends alone ends the members by closing them */
	execl("/proc/self/exe", "member", "member", NULL);
	_exit(1);
}

/* Member 0 is ours, the others are its children, in the order they are made. */
static int start_first(void)
{
	for (unsigned int i = 0; i < NR_MEMBERS; i++) {
		if (pipe2(members[i].down, O_CLOEXEC) ||
		    pipe2(members[i].up, O_CLOEXEC))
			return -errno;
	}
	members[0].pid = fork();
	if (members[0].pid < 0)
		return -errno;
	if (!members[0].pid)
		exec_member();
	/* an answer that cannot come is to be an end, not a wait */
	for (unsigned int i = 0; i < NR_MEMBERS; i++)
		close(members[i].up[1]);
	return warm_up(0);
}

static int start_next(unsigned int who, enum op how)
{
	members[who].pid = tell(0, how, 0, 0, who);
	if (members[who].pid <= 0 || warm_up(who))
		return -1;
	/* its pages were shared again: to be written to before, not between, looks */
	return warm_up(0);
}

static void stop_all(void)
{
	for (unsigned int i = 0; i < NR_MEMBERS; i++) {
		if (members[i].pid > 0)
			kill(members[i].pid, SIGKILL);
		close(members[i].down[0]);
		close(members[i].down[1]);
		close(members[i].up[0]);
	}
	if (members[0].pid > 0)
		waitpid(members[0].pid, NULL, 0);
	memset(members, 0, sizeof(members));
}

/*
 * What the tool says of one process, or of the set.  Of PSS and USS the part of
 * files is left out: others map the same files, and may come and go.
 */
struct figures {
	int64_t rss, pss, uss, swap, tables, inside, outside;
	int64_t anon, file, shmem, hugetlb, uss_hugetlb;
	int64_t large, ksm, huge;
};

static int64_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : INT64_MIN;
}

static void take_figures(const json_t *object, struct figures *f)
{
	const json_t *rss = json_object_get(object, "rss");
	const json_t *pss = json_object_get(object, "pss");
	const json_t *uss = json_object_get(object, "uss");

	*f = (struct figures){
		.rss = number(object, "rss_bytes"),
		.pss = number(pss, "anon_bytes") + number(pss, "shmem_bytes"),
		.uss = number(uss, "anon_bytes") + number(uss, "shmem_bytes"),
		.swap = number(object, "swap_bytes"),
		.tables = number(object, "tables_bytes"),
		.inside = number(object, "tables_inside_bytes"),
		.outside = number(object, "tables_outside_bytes"),
		.anon = number(rss, "anon_bytes"),
		.file = number(rss, "file_bytes"),
		.shmem = number(rss, "shmem_bytes"),
		.hugetlb = number(rss, "hugetlb_bytes"),
		.uss_hugetlb = number(uss, "hugetlb_bytes"),
		.large = number(object, "large_bytes"),
		.ksm = number(object, "ksm_bytes"),
		.huge = number(object, "huge_bytes"),
	};
}

/* What the tool says, with these arguments; NULL, with a note, if it fails. */
static json_t *ask(char *const arguments[])
{
	char *argv[16] = { (char *)live_tool(), "footprint", "--json" };
	struct tool_run run = { 0 };
	json_t *root = NULL;
	unsigned int i;

	for (i = 0; arguments[i] && i + 4 < 16; i++)
		argv[i + 3] = arguments[i];
	if (live_run(argv, &run))
		return NULL;
	if (!run.status)
		root = json_loads(run.out, 0, NULL);
	if (!root)
		live_note("exit status %d: %s%s", run.status, run.out, run.err);
	live_run_deinit(&run);
	return root;
}

/* @ret: [nr + 1], the last one is the set's */
static int __attribute__((unused))
measure(const unsigned int *who, unsigned int nr, struct figures *ret)
{
	char pids[NR_MEMBERS][16], *arguments[NR_MEMBERS + 1] = { NULL };
	json_t *root, *processes;

	for (unsigned int i = 0; i < nr; i++) {
		snprintf(pids[i], sizeof(pids[i]), "%d", members[who[i]].pid);
		arguments[i] = pids[i];
	}
	root = ask(arguments);
	processes = json_object_get(root, "processes");
	if (!root || json_array_size(processes) != nr)
		return -1;
	for (unsigned int i = 0; i < nr; i++)
		take_figures(json_array_get(processes, i), &ret[i]);
	take_figures(json_object_get(root, "set"), &ret[nr]);
	ret[nr].huge = 0;
	json_decref(root);
	return 0;
}

static int differs(const char *who, const char *key, int64_t is,
		   int64_t expected, int64_t bound)
{
	if (is >= expected - bound && is <= expected + bound)
		return 0;
	live_note("%s: %s is %lld, not %lld", who, key, (long long)is,
		  (long long)expected);
	return 1;
}

#define START (FAR + 8 * GIB)
#define P ((int64_t)PAGE)
#define H ((int64_t)HUGE)
/* Each sum of shares drops what is less than a byte. */
#define PSS_BOUND 2

static const unsigned int set[] = { 0, 1 };

#endif
