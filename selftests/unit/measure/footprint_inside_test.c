// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does a process outside the set map its shared memory?  The test defines the processes and
 * their mappings.
 */
#include "measure/footprint_inside.h"

#include <errno.h>
#include <stdlib.h>

#include "acquire/procfs.h"
#include "acquire/shmem.h"
#include "support/unit.h"

#define DEVICE 1
#define NR 4
#define PID 10

/**
 * struct fake - a process; the first two are the set
 * @device: of the file that it maps
 * @inode: of this file
 * @open: error of opening it
 * @memory: the same for its type
 * @maps: the same for its mappings
 * @nr_fails: how often @maps is returned; 0: always
 * @reopen: error of opening it again
 */
static struct fake {
	uint64_t device, inode;
	int open, memory, maps, reopen;
	unsigned int nr_fails, nr_maps, nr_open, nr_closed;
} fakes[NR];

static struct ptu_process processes[2];
static struct ptu_footprint_report report = {
	.base = { .processes = processes, .nr_processes = 2 },
};
static struct ptu_footprint_ask ask;
static struct ptu_footprint_files files;
static const char *hides;
static int device_error, list_error, group_error;
static size_t nr_group, left_out;
static pid_t nr_ended;

int ptu_shmem_internal(uint64_t *ret)
{
	*ret = DEVICE;
	return device_error;
}

const char *ptu_proc_hides(void)
{
	return hides;
}

/* List @nr processes from @first, without the one that @not is the number of. */
static int list(pid_t **pids, size_t nr, pid_t first, size_t not )
{
	*pids = calloc(nr, sizeof(**pids));
	for (size_t i = 0; i < nr; i++)
		(*pids)[i] = first + (pid_t)(i + (i >= not ));
	return 0;
}

int ptu_proc_list(pid_t **pids, size_t *nr_pids, struct ptu_err *err)
{
	*nr_pids = NR;
	return list_error ? list_error : list(pids, NR, PID, NR);
}

static int list_group(const void *arg, pid_t **pids, size_t *nr_pids)
{
	*nr_pids = *(const size_t *)arg;
	return group_error ? group_error :
			     list(pids, *nr_pids, PID - nr_ended, left_out);
}

static struct fake *fake_of(const struct ptu_proc *proc)
{
	return &fakes[proc->pid - PID];
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	*ret = (struct ptu_proc){ .pid = pid };
	fake_of(ret)->nr_open += !fake_of(ret)->open;
	return fake_of(ret)->open;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	fake_of(proc)->nr_closed++;
}

int ptu_proc_has_memory(const struct ptu_proc *proc, struct ptu_err *err)
{
	return fake_of(proc)->memory;
}

int ptu_proc_reopen(struct ptu_proc *proc)
{
	return proc->reopened++ < 2 ? fake_of(proc)->reopen : -ESTALE;
}

/* A mapping without a file, and then that of the file. */
int ptu_proc_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		  struct ptu_err *err)
{
	struct fake *fake = fake_of(proc);

	if (fake->maps && (!fake->nr_fails || fake->nr_maps++ < fake->nr_fails))
		return fake->maps;
	*ret = (struct ptu_vmas){ .vmas = calloc(2, sizeof(*ret->vmas)),
				  .nr_vmas = 2 };
	ret->vmas[1].device = fake->device;
	ret->vmas[1].inode = fake->inode;
	return 0;
}

static void map(uint64_t device, uint64_t inode)
{
	const struct ptu_vma vma = { .device = device, .inode = inode };
	bool is_internal;

	CHECK_EQ(ptu_footprint_files_add(&files, &vma, &is_internal), 0);
	CHECK_EQ(is_internal, device == DEVICE && !device_error);
}

/* The set maps three files of the mount; the processes outside map others. */
static void set_up(void)
{
	memset(fakes, 0, sizeof(fakes));
	for (size_t i = 0; i < 2; i++)
		processes[i] = (struct ptu_process){ .pid = PID + (pid_t)i };
	hides = NULL;
	device_error = list_error = group_error = 0;
	left_out = SIZE_MAX;
	nr_ended = 0;
	ask = (struct ptu_footprint_ask){ .arg = &nr_group };
	/* differs from a file of the set in the upper half */
	fakes[2] = (struct fake){ .device = DEVICE,
				  .inode = (UINT64_C(1) << 32) + 7 };
	fakes[3] = (struct fake){ .device = DEVICE + 1, .inode = 7 };
	ptu_footprint_files_begin(&files);
	map(DEVICE, 9);
	map(DEVICE, 9);
	map(DEVICE, 7);
	map(DEVICE + 1, 8);
	map(DEVICE, 0);
}

static void tear_down(void)
{
	ptu_footprint_files_deinit(&files);
}

static bool is_inside(void)
{
	return ptu_footprint_files_inside(&report, &ask, &files);
}

UNIT_TEST(a_file_is_noted_once_for_neighbouring_mappings)
{
	CHECK_EQ(files.nr, 3);
	tear_down();
	device_error = -EPERM;
	ptu_footprint_files_begin(&files);
	map(DEVICE, 9);
	CHECK_EQ(files.nr, 0);
	CHECK(!is_inside());
}

UNIT_TEST(other_files_of_others_do_not_matter)
{
	CHECK(is_inside());
	/* the set itself was not read again */
	CHECK_EQ(fakes[0].nr_open + fakes[1].nr_open, 0);
	CHECK_EQ(fakes[2].nr_closed, 1);
	CHECK_EQ(fakes[3].nr_closed, 1);
}

UNIT_TEST(each_file_of_the_set_is_looked_for)
{
	static const uint64_t inodes[] = { 0, 7, 9 };

	for (size_t i = 0; i < 3; i++) {
		fakes[3].device = DEVICE;
		fakes[3].inode = inodes[i];
		CHECK(!is_inside());
	}
	CHECK_EQ(fakes[3].nr_closed, 3);
}

UNIT_TEST(process_without_memory_maps_nothing)
{
	static const struct fake cases[] = {
		{ .device = DEVICE, .inode = 7, .open = -ESRCH },
		{ .device = DEVICE, .inode = 7, .memory = -EINVAL },
		{ .device = DEVICE, .inode = 7, .maps = -ESRCH },
		/* it ended while it was read */
		{ .device = DEVICE,
		  .inode = 7,
		  .maps = -ESTALE,
		  .reopen = -ESRCH },
	};

	for (size_t i = 0; i < 4; i++) {
		fakes[2] = cases[i];
		CHECK(is_inside());
		CHECK_EQ(fakes[2].nr_open, fakes[2].nr_closed);
	}
}

UNIT_TEST(unread_process_may_map_the_files)
{
	static const struct fake cases[] = {
		{ .open = -EMFILE },
		{ .maps = -EACCES },
		{ .maps = -ESTALE },
	};

	for (size_t i = 0; i < 3; i++) {
		fakes[2] = cases[i];
		CHECK(!is_inside());
		CHECK_EQ(fakes[2].nr_open, fakes[2].nr_closed);
	}
}

/* A thread that ends, or an exec(): another reading shows what the process maps. */
UNIT_TEST(process_is_read_again)
{
	static const int errors[] = { -ESTALE, -EAGAIN };

	for (size_t i = 0; i < 4; i++) {
		fakes[2] = (struct fake){ .device = DEVICE,
					  .inode = i / 2 ? 7 : 8,
					  .maps = errors[i % 2],
					  .nr_fails = 2 };
		CHECK_EQ(is_inside(), i < 2);
		CHECK_EQ(fakes[2].nr_maps, 3);
		CHECK_EQ(fakes[2].nr_open, fakes[2].nr_closed);
	}
}

UNIT_TEST(all_processes_must_be_known)
{
	hides = "hidden";
	CHECK(!is_inside());
	hides = NULL;
	list_error = -EMFILE;
	CHECK(!is_inside());
	list_error = 0;
	ask.list = list_group;
	group_error = -ESRCH;
	CHECK(!is_inside());
	CHECK_EQ(fakes[3].nr_open, 0);
}

UNIT_TEST(new_process_of_a_group_is_in_the_set)
{
	fakes[2].inode = 7;
	ask.list = list_group;
	nr_group = 2;
	CHECK(!is_inside());
	nr_group = 3;
	CHECK(is_inside());
	/* others of the group have ended meanwhile */
	nr_ended = 2;
	nr_group = 5;
	CHECK(is_inside());
	nr_ended = 0;
	nr_group = 3;
	/* the group has another one instead of it */
	left_out = 2;
	CHECK(!is_inside());
	left_out = SIZE_MAX;
	/* a process that could not be measured counts as outside the set */
	fakes[1] = fakes[2];
	processes[1].status = PTU_STATUS_FAILED;
	CHECK(!is_inside());
}

UNIT_MAIN_WITH(set_up, tear_down)
