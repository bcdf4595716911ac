// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choosing a side, and the errors of a walk: the task that was opened has ended, or it has no mm.
 */
#define _GNU_SOURCE
#include "acquire/kernel_side.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "acquire/module.h"
#include "support/child.h"
#include "support/unit.h"

static struct ptu_proc proc;
static struct ptu_err err;

/* What each walk returns, and what the two sides say to being opened. */
static int walk_error, module_error, bpf_error;

int ptu_truth_ready(const struct ptu_geometry *geo, struct ptu_err *why)
{
	return module_error ? ptu_err_set(why, module_error, "no module") : 0;
}

int ptu_bpf_open(const struct ptu_geometry *geo, struct ptu_bpf **ret,
		 struct ptu_err *why)
{
	*ret = bpf_error ? NULL : (struct ptu_bpf *)&proc;
	return bpf_error ? ptu_err_set(why, bpf_error, "no BPF") : 0;
}

/* An answer that is no walk, unless there is an error. */
static int answer(char **bytes, size_t *nr_bytes, struct ptu_err *why)
{
	if (walk_error)
		return ptu_err_set(why, walk_error, "it was not walked");
	*nr_bytes = 1;
	*bytes = calloc(1, 1);
	return 0;
}

int ptu_bpf_walk(struct ptu_bpf *bpf, pid_t pid, uint64_t start, uint64_t end,
		 char **bytes, size_t *nr_bytes, struct ptu_err *why)
{
	return answer(bytes, nr_bytes, why);
}

int ptu_truth_read(const struct ptu_proc *of, uint64_t start, uint64_t end,
		   enum ptu_walk walk, const struct ptu_geometry *geo,
		   struct ptu_snapshot *ret, struct ptu_err *why)
{
	return ptu_err_set(why, walk_error, "%d was not walked", of->pid);
}

int ptu_truth_fetch(pid_t pid, uint64_t start, uint64_t end, char **bytes,
		    size_t *nr_bytes, struct ptu_err *why)
{
	return answer(bytes, nr_bytes, why);
}

static int walk_by_bpf(bool by_bpf)
{
	const struct ptu_kernel_side side = {
		.which = by_bpf ? PTU_SIDE_BPF : PTU_SIDE_MODULE,
		.bpf = (struct ptu_bpf *)&proc,
	};
	struct ptu_snapshot snapshot;

	ptu_err_clear(&err);
	return ptu_side_read(&side, &proc, 0, 0, PTU_WALK_AFTER, &snapshot,
			     &err);
}

static char *fetched;

static int fetch_by_bpf(bool by_bpf)
{
	const struct ptu_kernel_side side = { .bpf = (struct ptu_bpf *)&proc };
	size_t nr_bytes;

	ptu_err_clear(&err);
	return ptu_side_fetch(&side, &proc, by_bpf, &fetched, &nr_bytes, &err);
}

/* Each way to walk the process that was opened must fail with @error and @message. */
static void check_walks(int error, const char *message)
{
	for (int by_bpf = 0; by_bpf < 2; by_bpf++) {
		CHECK_EQ(walk_by_bpf(by_bpf), error);
		CHECK(strstr(err.text, message));
		CHECK_EQ(fetch_by_bpf(by_bpf), error);
		CHECK(strstr(err.text, message));
	}
}

static void *store_tid(void *tid)
{
	*(pid_t *)tid = (pid_t)syscall(SYS_gettid);
	return NULL;
}

UNIT_TEST(a_thread_that_has_ended_is_not_the_end_of_the_process)
{
	pthread_t thread;
	pid_t tid;

	CHECK_EQ(pthread_create(&thread, NULL, store_tid, &tid), 0);
	pthread_join(thread, NULL);
	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		;
	CHECK_EQ(ptu_proc_open(getpid(), &proc, &err), 0);
	proc.tid = tid;
	walk_error = -ESRCH;
	check_walks(-ESTALE, "other threads still run");
	/* the process has memory: it is not the reason */
	walk_error = -EINVAL;
	check_walks(-EINVAL, "was not walked");
	walk_error = -EAGAIN;
	check_walks(-EAGAIN, "was not walked");
	ptu_proc_close(&proc);
}

UNIT_TEST(a_process_without_an_mm_has_ended)
{
	const pid_t child = child_fork();
	char ended[32];

	while (!child)
		pause();
	snprintf(ended, sizeof(ended), "process %d ended", child);
	CHECK_EQ(ptu_proc_open(child, &proc, &err), 0);
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, &(siginfo_t){ .si_pid = 0 },
	       WEXITED | WNOWAIT);
	walk_error = -EINVAL;
	check_walks(-ESRCH, ended);
	child_end(child);
	check_walks(-ESRCH, ended);
	walk_error = -ESRCH;
	check_walks(-ESRCH, ended);
	ptu_proc_close(&proc);
}

/* Walk the process that was opened by BPF, and fetch its walk from both sides. */
static void check_answers(int read_error, int fetch_error, const char *message)
{
	CHECK_EQ(walk_by_bpf(true), read_error);
	CHECK(strstr(err.text, message));
	for (int by_bpf = 0; by_bpf < 2; by_bpf++) {
		CHECK_EQ(fetch_by_bpf(by_bpf), fetch_error);
		CHECK(!fetch_error || strstr(err.text, message));
		if (!fetch_error)
			free(fetched);
	}
}

UNIT_TEST(a_walk_of_a_pid_that_may_be_reused_is_no_answer)
{
	const pid_t child = child_fork();

	while (!child)
		pause();
	CHECK_EQ(ptu_proc_open(child, &proc, &err), 0);
	walk_error = 0;
	/* a walk has more than one byte */
	check_answers(-EBADMSG, 0, "answer");
	child_end(child);
	check_answers(-ESRCH, -ESRCH, "ended");
	ptu_proc_close(&proc);
}

static const struct {
	const char *name;
	enum ptu_side_choice choice;
	int module_error, bpf_error;
	int error;
	const char *side; /* its name, or the message */
} sides[] = {
	{ "module", PTU_SIDE_AUTO, 0, 0, 0, "module" },
	{ "no module", PTU_SIDE_AUTO, -ENOENT, 0, 0, "bpf" },
	{ "no right to use it", PTU_SIDE_AUTO, -EPERM, 0, 0, "bpf" },
	{ "no access", PTU_SIDE_AUTO, -EACCES, 0, 0, "bpf" },
	{ "another ABI", PTU_SIDE_AUTO, -EPROTO, 0, -EPROTO, "no module" },
	{ "neither", PTU_SIDE_AUTO, -ENOENT, -EPERM, -ENOENT,
	  "no module; without the module: no BPF" },
	{ "only module", PTU_SIDE_MODULE, -EPERM, 0, -EPERM, "no module" },
	{ "only BPF", PTU_SIDE_BPF, -EPERM, 0, 0, "bpf" },
	{ "both", PTU_SIDE_BOTH, 0, 0, 0, "both" },
	{ "both but BPF", PTU_SIDE_BOTH, 0, -EPERM, -EPERM, "no BPF" },
};

UNIT_CASES(side_is_the_one_that_can_be_used, sides, one)
{
	struct ptu_kernel_side side = { 0 };

	ptu_err_clear(&err);
	module_error = one->module_error;
	bpf_error = one->bpf_error;
	CHECK_EQ(ptu_side_open(one->choice, NULL, &side, &err), one->error);
	CHECK_STR(one->error ? err.text : ptu_side_name(&side), one->side);
}

UNIT_MAIN
