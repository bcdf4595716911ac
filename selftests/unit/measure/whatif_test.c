// SPDX-License-Identifier: GPL-2.0-only
/* The file of a place is opened through any process that still maps it. */
#include "measure/whatif.c"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "support/unit.h"

#define NAME "/ptaudit-whatif-test"
#define BYTES 4096

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
	const int fd = shm_open(NAME, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct ptu_whatif_mm mms[2] = {
		{ .pid = ended_process(), .start_time = 1 }, { .pid = getpid() }
	};
	struct ptu_whatif_file files[2] = { { .path = "/dev/shm" NAME } };
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
	int error;
	char *at;

	CHECK(fd >= 0 && !ftruncate(fd, BYTES) && !fstat(fd, &file));
	at = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(at != MAP_FAILED);
	CHECK_EQ(ptu_proc_open(getpid(), &self, NULL), 0);
	mms[1].start_time = self.start_time;
	ptu_proc_close(&self);
	files[0].device = (uint64_t)major(file.st_dev) << 32 |
			  minor(file.st_dev);
	files[0].inode = file.st_ino;
	places[1].vma_start = (uintptr_t)at;
	places[1].vma_end = (uintptr_t)at + BYTES;

	/* in a chroot /dev/shm may be on another file system */
	error = ptu_whatif_open_file(&report, &places[1], &shmem);
	CHECK(!error || error == -EMEDIUMTYPE);
	if (!error)
		ptu_shmem_close(&shmem);
	CHECK_EQ(open_through_any(&report, 0, &shmem), error);
	if (!error) {
		CHECK_EQ(shmem.size_bytes, BYTES);
		ptu_shmem_close(&shmem);
	}
	report.nr_places = 1;
	CHECK_EQ(open_through_any(&report, 0, &shmem), -ESRCH);
	/* the place behind it is one of another file */
	report.nr_places = 2;
	places[1].file = 1;
	CHECK_EQ(open_through_any(&report, 0, &shmem), -ESRCH);
	munmap(at, BYTES);
	close(fd);
	shm_unlink(NAME);
}

UNIT_MAIN
