// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMAs that BPF lists for an mm, compared with /proc/PID/maps.  Needs no module and changes
 * no setting.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "acquire/bpf_run.h"
#include "host.h"

#define MAX_VMAS 1000

static unsigned int nr_tests, nr_failed;

static void result(bool good, const char *name)
{
	nr_tests++;
	nr_failed += !good;
	printf("%s %u %s\n", good ? "ok" : "not ok", nr_tests, name);
}

static void *wait_forever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static int two_threads(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, wait_forever, NULL);
}

/* The other thread of a child with two threads. */
static pid_t thread_of(pid_t child)
{
	char command[64];
	pid_t tid = 0;
	FILE *out;

	snprintf(command, sizeof(command), "ls /proc/%d/task", (int)child);
	out = popen(command, "re");
	while (out && (!tid || tid == child))
		if (fscanf(out, "%d", &tid) != 1)
			break;
	if (out)
		pclose(out);
	return tid;
}

/* Read the mappings of user space. Return their number. */
static size_t read_maps(pid_t pid, struct ptu_bpf_vma *vmas)
{
	char path[32], line[512];
	size_t nr = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	while (file && nr < MAX_VMAS && fgets(line, sizeof(line), file))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &vmas[nr].start,
			   &vmas[nr].end) == 2 &&
		    !(vmas[nr].start >> 63))
			nr++;
	if (file)
		fclose(file);
	return nr;
}

/* Does BPF list the mappings of @child for @pid and @mm? */
static bool lists(struct ptu_bpf_run *run, pid_t pid, uint64_t mm, pid_t child)
{
	static struct ptu_bpf_vma expected[MAX_VMAS];
	const size_t nr_expected = read_maps(child, expected);
	struct ptu_err err = { "" };
	struct ptu_bpf_vma *vmas;
	size_t nr_vmas, i = 0;

	if (!nr_expected ||
	    ptu_bpf_run_vmas(run, pid, mm, &vmas, &nr_vmas, &err))
		return false;
	while (i < nr_vmas && i < nr_expected &&
	       vmas[i].start == expected[i].start &&
	       vmas[i].end == expected[i].end)
		i++;
	free(vmas);
	if (i == nr_vmas && i == nr_expected)
		return true;
	printf("# BPF lists %zu VMAs, maps %zu; %zu are equal\n", nr_vmas,
	       nr_expected, i);
	return false;
}

int main(void)
{
	struct ptu_bpf_task leader, thread;
	struct ptu_err err = { "" };
	struct ptu_bpf_vma *vmas;
	struct ptu_bpf_run *run;
	size_t nr_vmas;
	pid_t child, tid;

	/* prints a skipped plan if there is no BPF here */
	ptu_bpf_close(host_open());
	printf("1..4\n");
	if (ptu_bpf_run_open(&run, &err) || host_child(two_threads, &child)) {
		printf("Bail out! no child or no BPF: %s\n", err.text);
		return 1;
	}
	tid = thread_of(child);
	if (tid == child || ptu_bpf_run_find(run, child, &leader, &err) ||
	    ptu_bpf_run_find(run, tid, &thread, &err)) {
		printf("Bail out! threads are not found: %s\n", err.text);
		return 1;
	}
	result(lists(run, child, leader.mm, child),
	       "vmas_of_a_process_are_those_of_maps");
	result(lists(run, tid, thread.mm, child),
	       "vmas_of_a_thread_are_those_of_its_process");
	/*
	 * The iterator of our own task shows no VMA of this mm, as that of a thread does on
	 * some kernels: then the iterator of all tasks has to find it.
	 */
	result(lists(run, getpid(), thread.mm, child),
	       "vmas_are_found_by_their_mm_among_all_tasks");
	result(ptu_bpf_run_vmas(run, getpid(), leader.mm + 1, &vmas, &nr_vmas,
				&err) == -EAGAIN,
	       "an_mm_that_no_task_has_is_no_empty_list");
	host_end(child);
	ptu_bpf_run_close(run);
	return nr_failed ? 1 : 0;
}
