// SPDX-License-Identifier: GPL-2.0-only
/*
 * A signal ends a long read of kpagemap.  The read returns the bytes copied so far;
 * without any it fails with EINTR, because 0 would mean end of file.  The signals
 * arrive at fixed points, so a correct module passes whatever the timing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "fixtures/signals.h"

#define KPAGEMAP LIVE_DEBUGFS "kpagemap"

struct long_read {
	int fd;
	size_t bytes;
	ssize_t got;
};

static void *read_all(void *data)
{
	struct long_read *all = data;

	all->got = pread(all->fd, (void *)FAR, all->bytes, 0);
	return NULL;
}

#define NR_PRESENT 16

/* The signal comes while the reader waits for the page after the present ones. */
TEST(signal_ends_a_read)
{
	const struct sigaction action = { .sa_handler = handle };
	struct long_read all = { .fd = open(KPAGEMAP, O_RDONLY) };
	struct uffdio_zeropage zero = { .range = { FAR + NR_PRESENT * PAGE,
						   PAGE } };
	struct uffd_msg fault;
	int uffd;
	pthread_t thread;

	ASSERT_LE(0, all.fd);
	all.bytes = (size_t)lseek(all.fd, 0, SEEK_END);
	ASSERT_LT(100 * NR_PRESENT * PAGE, all.bytes);
	live_map_small(FAR, (all.bytes / HUGE + 1) * HUGE);
	live_touch(FAR, FAR + NR_PRESENT * PAGE);
	uffd = absent_page(FAR + NR_PRESENT * PAGE);
	ASSERT_LE(0, uffd);
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));

	ASSERT_EQ(0, pthread_create(&thread, NULL, read_all, &all));
	ASSERT_EQ(sizeof(fault), read(uffd, &fault, sizeof(fault)));
	ASSERT_EQ(0, pthread_kill(thread, SIGUSR1));
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_ZEROPAGE, &zero));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	/* The read returns the bytes copied, which are far less than the file. */
	EXPECT_LE((ssize_t)(NR_PRESENT * PAGE), all.got);
	EXPECT_GE((ssize_t)(2 * NR_PRESENT * PAGE), all.got);
	close(uffd);
	close(all.fd);
}

/* The signal comes while the read waits for the lock of the file position. */
TEST(signal_before_a_read_is_no_end_of_the_file)
{
	struct reply *reply = mmap(NULL, sizeof(*reply), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = open(KPAGEMAP, O_RDONLY), status = 0;
	pid_t blocker, reader;

	ASSERT_LE(0, fd);
	ASSERT_NE(MAP_FAILED, (void *)reply);
	blocker = start_blocker(fd, SYS_read);
	ASSERT_LT(0, blocker);
	ASSERT_TRUE(live_sleeps_in(blocker, SYS_read));
	reader = start_call(fd, SYS_read, NULL, reply);
	ASSERT_LT(0, reader);
	ASSERT_TRUE(live_sleeps_in(reader, SYS_read));
	ASSERT_EQ(0, kill(reader, SIGUSR1));
	usleep(200000);
	ASSERT_EQ(0, waitpid(reader, NULL, WNOHANG));
	ASSERT_EQ(0, kill(blocker, SIGKILL));
	ASSERT_TRUE(live_ends(blocker, &status));
	EXPECT_TRUE(WIFSIGNALED(status));
	ASSERT_TRUE(live_ends(reader, &status));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(-1, reply->got);
	EXPECT_EQ(EINTR, reply->err);
	EXPECT_EQ(1, reply->nr_handled);

	/* The next read returns the bytes that this one did not. */
	EXPECT_EQ(0, lseek(fd, 0, SEEK_CUR));
	EXPECT_EQ((ssize_t)sizeof(reply->data),
		  read(fd, reply->data, sizeof(reply->data)));
	close(fd);
}

TEST_HARNESS_MAIN
