// SPDX-License-Identifier: GPL-2.0-only
/* Which processes and files are read, and what is kept of them. */
#define _GNU_SOURCE
#include "measure/whatif.c"
#include "measure/whatif_tables.c"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "measure/choose.h"
#include "support/build.h"
#include "support/child.h"
#include "support/unit.h"

#define BYTES 4096

/* A file of shared memory; its path can be opened without privilege, also in a chroot. */
struct shared_file {
	int fd;
	char path[32];
};

static void make_file(struct shared_file *ret, size_t bytes)
{
	ret->fd = memfd_create("whatif_test", MFD_CLOEXEC);
	CHECK(ret->fd >= 0 && !ftruncate(ret->fd, (off_t)bytes));
	snprintf(ret->path, sizeof(ret->path), "/proc/self/fd/%d", ret->fd);
}

/* PID of a process that has ended; no process has the start time 1. */
static pid_t ended_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

UNIT_TEST(a_file_is_opened_through_a_process_that_still_maps_it)
{
	struct shared_file shared;
	struct ptu_whatif_mm mms[2] = {
		{ .pid = ended_process(), .start_time = 1 }, { .pid = getpid() }
	};
	struct ptu_whatif_file files[2] = { { .path = shared.path } };
	struct ptu_whatif_place places[2] = { { .mm = 0 }, { .mm = 1 } };
	struct ptu_whatif_report report = { .mms = mms,
					    .nr_mms = 2,
					    .files = files,
					    .nr_files = 2,
					    .places = places,
					    .nr_places = 2 };
	struct ptu_shmem shmem;
	struct ptu_proc self;
	struct stat file;
	char *at;

	make_file(&shared, BYTES);
	CHECK(!fstat(shared.fd, &file));
	at = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, shared.fd, 0);
	CHECK(at != MAP_FAILED);
	CHECK_EQ(ptu_proc_open(getpid(), &self, NULL), 0);
	mms[1].start_time = self.start_time;
	ptu_proc_close(&self);
	files[0].device = (uint64_t)major(file.st_dev) << 32 |
			  minor(file.st_dev);
	files[0].inode = file.st_ino;
	places[1].vma_start = (uintptr_t)at;
	places[1].vma_end = (uintptr_t)at + BYTES;

	CHECK_EQ(ptu_whatif_open_file(&report, &places[1], &shmem), 0);
	ptu_shmem_close(&shmem);
	CHECK_EQ(open_through_any(&report, 0, &shmem), 0);
	CHECK_EQ(shmem.size_bytes, BYTES);
	ptu_shmem_close(&shmem);
	report.nr_places = 1;
	CHECK_EQ(open_through_any(&report, 0, &shmem), -ESRCH);
	/* the place behind it is one of another file */
	report.nr_places = 2;
	places[1].file = 1;
	CHECK_EQ(open_through_any(&report, 0, &shmem), -ESRCH);
	munmap(at, BYTES);
	close(shared.fd);
}

/* The file has pages 0 to 2, and a hole behind them. */
UNIT_TEST(pages_of_a_file_are_counted_in_the_range)
{
	struct shared_file shared;
	static const char pages[3 * BYTES] = "data";
	struct ptu_shmem shmem;
	struct ptu_proc self;
	struct ptu_vma vma;
	struct stat file;
	uint64_t data;
	char *at;

	make_file(&shared, 4 * BYTES);
	CHECK_EQ(pwrite(shared.fd, pages, sizeof(pages), 0), sizeof(pages));
	CHECK(!fstat(shared.fd, &file));
	at = mmap(NULL, 4 * BYTES, PROT_READ, MAP_SHARED, shared.fd, 0);
	CHECK(at != MAP_FAILED);
	vma = (struct ptu_vma){ .start = (uintptr_t)at,
				.end = (uintptr_t)at + 4 * BYTES,
				.device = (uint64_t)major(file.st_dev) << 32 |
					  minor(file.st_dev),
				.inode = file.st_ino };
	CHECK_EQ(ptu_proc_open(getpid(), &self, NULL), 0);
	CHECK_EQ(ptu_shmem_open(&self, &vma, shared.path, &shmem), 0);
	CHECK_EQ(shmem.size_bytes, 4 * BYTES);
	CHECK_EQ(shmem.used_bytes, 3 * BYTES);
	CHECK_EQ(ptu_shmem_data(&shmem, 0, 2 * BYTES, &data), 0);
	CHECK_EQ(data, 2 * BYTES);
	CHECK_EQ(ptu_shmem_data(&shmem, 2 * BYTES, 2 * BYTES, &data), 0);
	CHECK_EQ(data, BYTES);
	ptu_shmem_close(&shmem);
	ptu_proc_close(&self);
	munmap(at, 4 * BYTES);
	close(shared.fd);
}

UNIT_TEST(a_marker_blocks_all_tables_of_its_mapping)
{
	struct ptu_whatif_place places[] = {
		{ .vma_start = 1, .block = PTU_BLOCK_MARKERS },
		{ .vma_start = 1 },
		{ .vma_start = 1, .block = PTU_BLOCK_UNALIGNED },
		{ .vma_start = 2 },
		{ .vma_start = 3 },
		{ .vma_start = 3, .block = PTU_BLOCK_MARKERS },
	};

	spread_markers(places, 6);
	CHECK_EQ(places[0].block, PTU_BLOCK_MARKERS);
	CHECK_EQ(places[1].block, PTU_BLOCK_MARKERS);
	CHECK_EQ(places[2].block, PTU_BLOCK_UNALIGNED);
	CHECK_EQ(places[3].block, PTU_BLOCK_NONE);
	CHECK_EQ(places[4].block, PTU_BLOCK_MARKERS);
}

UNIT_TEST(an_attempt_that_failed_leaves_nothing)
{
	struct ptu_whatif_report report = { 0 }, before;

	for (unsigned int i = 0; i < 3; i++) {
		struct ptu_whatif_empty *empty =
			ptu_whatif_room(&report.empties, i, sizeof(*empty));
		struct ptu_whatif_unmap *unmap =
			ptu_whatif_room(&report.unmaps, i, sizeof(*unmap));
		struct ptu_whatif_doubled *doubled =
			ptu_whatif_room(&report.doubled, i, sizeof(*doubled));

		empty->path = strdup("a");
		unmap->path = strdup("b");
		doubled->path = strdup("c");
		report.nr_empties = report.nr_unmaps = report.nr_doubled =
			report.nr_places = i + 1;
		if (!i)
			before = report;
	}
	take_back(&report, &before);
	CHECK_EQ(report.nr_empties, 1);
	CHECK_EQ(report.nr_unmaps, 1);
	CHECK_EQ(report.nr_doubled, 1);
	CHECK_EQ(report.nr_places, 1);
	ptu_whatif_report_deinit(&report);
}

/* The second of two PTE tables is in a mapping that changed; a process keeps its PGD. */
UNIT_TEST(tables_are_doubted_where_mappings_changed)
{
	struct ptu_spans changed = { 0 };
	struct ptu_tables tables;
	struct build b;

	build_init(&b, 4, false);
	ptu_tables_init(&tables, &b.geo);
	CHECK_EQ(ptu_tables_add(&tables, PTAUDIT_PTE, GIB, PTU_CERTAIN), 0);
	CHECK_EQ(ptu_tables_add(&tables, PTAUDIT_PTE, GIB + 2 * MIB,
				PTU_CERTAIN),
		 0);
	CHECK_EQ(ptu_spans_add(&changed, GIB + 3 * MIB, GIB + 4 * MIB), 0);
	CHECK_EQ(doubt(&tables, &changed), 3);
	CHECK_EQ(tables.tables[0].level, PTAUDIT_PGD);
	CHECK_EQ(tables.tables[0].claim, PTU_CERTAIN);
	CHECK_EQ(tables.tables[3].claim, PTU_CERTAIN);
	CHECK_EQ(tables.tables[4].claim, PTU_MAYBE);
	ptu_spans_deinit(&changed);
	ptu_tables_deinit(&tables);
	build_deinit(&b);
}

UNIT_TEST(only_shared_mappings_count_as_unopened)
{
	struct ptu_whatif_report report = { 0 };
	struct looking l = { .report = &report };
	struct ptu_vma vma = {
		.start = 4096, .end = 8192, .inode = 1, .perms = "rw-p"
	};
	struct ptu_proc self;

	CHECK_EQ(ptu_proc_open(getpid(), &self, NULL), 0);
	CHECK_EQ(add_file(&l, &self, &vma, "/nowhere"), 0);
	CHECK_EQ(report.nr_unopened, 0);
	vma.perms[3] = 's';
	CHECK_EQ(add_file(&l, &self, &vma, "/nowhere"), 0);
	CHECK_EQ(report.nr_unopened, 1);
	CHECK_EQ(report.nr_files, 0);
	ptu_proc_close(&self);
}

/* A process, and one in vfork() that has the same memory. */
static pid_t begin_sharing(volatile pid_t *other)
{
	pid_t pid = child_fork();

	if (!pid && !vfork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		*other = getpid();
		for (;;)
			pause();
	}
	while (!*other)
		usleep(1000);
	return pid;
}

static int only_the_pgd(const struct ptu_evidence *evidence,
			struct ptu_tables *ret, struct ptu_err *err)
{
	return ptu_tables_add_pgd(ret);
}

UNIT_TEST(processes_with_the_same_memory_count_once)
{
	volatile pid_t *pids = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ptu_whatif_report report = { 0 };
	/* needs no pagemap: without PAGEMAP_SCAN, all of the shadow memory would be read */
	const struct ptu_estimator estimator = { .name = "pgd",
						 .estimate = only_the_pgd };
	struct ptu_proc_status status;
	struct ptu_geometry geo;
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	struct ptu_whatif_ask ask = { .geo = &geo,
				      .estimator = &estimator,
				      .pids = (const pid_t *)pids,
				      .nr_pids = 2,
				      .is_group = true };

	CHECK(pids != MAP_FAILED);
	pids[0] = begin_sharing(&pids[1]);
	CHECK_EQ(ptu_proc_geometry(&geo, &err), 0);
	CHECK_EQ(ptu_whatif_measure(&ask, &report, &err), 0);
	CHECK_EQ(ptu_proc_open(pids[0], &proc, &err), 0);
	CHECK_EQ(ptu_proc_status(&proc, &status, &err), 0);
	ptu_proc_close(&proc);
	CHECK_EQ(report.base.nr_processes, 1);
	CHECK_EQ(report.base.nr_sharing, 1);
	CHECK_EQ(report.mms[0].pid, pids[0]);
	CHECK_EQ(report.mms[0].vmpte_bytes, status.vmpte_bytes);
	/* only the estimator written sees empty tables */
	CHECK(!report.empties_known);
	ptu_whatif_report_deinit(&report);
	child_end(pids[0]);
	munmap((void *)pids, 4096);
}

UNIT_MAIN
