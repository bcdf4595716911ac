// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's array of page frames: its layout, its content for known pages, and who
 * may read it.
 */
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sched.h>

#include "fixtures/frames.h"

#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

TEST_F(frames, header_has_byte_order_and_sizes)
{
	const uint16_t one = 1;
	uint8_t bytes[16];

	ASSERT_EQ(16, pread(self->kpagemap, bytes, 16, 0));
	EXPECT_EQ(*(const uint8_t *)&one, bytes[0]);
	EXPECT_EQ(12, bytes[1]);
	EXPECT_EQ(8, bytes[2]);
	EXPECT_EQ(16, bytes[3]);
	for (unsigned int i = 4; i < 16; i++)
		EXPECT_EQ(0, bytes[i]);
}

TEST_F(frames, file_ends_behind_the_last_frame)
{
	const off_t size = 16 + 16 * (off_t)self->nr;
	struct entry last[3];

	EXPECT_EQ(size, lseek(self->kpagemap, 0, SEEK_END));
	EXPECT_EQ(0, read(self->kpagemap, last, sizeof(last)));
	EXPECT_EQ(size - 16, lseek(self->kpagemap, -16, SEEK_CUR));
	/* a read at the last entry returns this entry only */
	EXPECT_EQ(16, read(self->kpagemap, last, sizeof(last)));
	EXPECT_EQ(16, pread(self->kpagemap, last, sizeof(last), size - 16));
	EXPECT_EQ(1, pread(self->kpagemap, last, sizeof(last), size - 1));
	EXPECT_EQ(0, pread(self->kpagemap, last, sizeof(last), size));
	EXPECT_EQ(0, pread(self->kpagemap, last, sizeof(last), size + 7));
	EXPECT_EQ(0, pread(self->kpagemap, last, sizeof(last), 1L << 60));
	EXPECT_EQ(-1, pread(self->kpagemap, last, sizeof(last), -1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, lseek(self->kpagemap, size + 1, SEEK_SET));
	EXPECT_EQ(EINVAL, errno);
	/* kpageflags extends to the end of the memory section */
	EXPECT_EQ((off_t)((self->nr + SECTION - 1) / SECTION * SECTION), ({
			  uint64_t at = self->nr;

			  while (pread(self->kpageflags, last, 8,
				       (off_t)at * 8) == 8)
				  at++;
			  (off_t) at;
		  }));
}

/* Source: include/linux/page-flags.h, enum pageflags, of each kernel */
TEST_F(frames, names_have_the_bits_of_this_kernel)
{
	static const struct {
		const char *name;
		int v5, v6_12, v7; /* bit numbers: up to 6.1, in 6.12, in 7.2 */
	} some[] = {
		{ "locked", 0, 0, 0 },		{ "writeback", 15, 1, 1 },
		{ "referenced", 1, 2, 2 },	{ "uptodate", 2, 3, 3 },
		{ "dirty", 3, 4, 4 },		{ "lru", 4, 5, 5 },
		{ "head", 16, 6, 6 },		{ "active", 5, 8, 8 },
		{ "owner_priv_1", 10, 10, 10 }, { "swapcache", 10, 10, 10 },
		{ "slab", 9, -1, -1 },		{ "error", 8, -1, -1 },
		{ "arch_1", 11, 12, 12 },	{ "reserved", 12, 13, 13 },
		{ "private", 13, 14, 14 },	{ "reclaim", 18, 16, 16 },
		{ "swapbacked", 19, 17, 17 },	{ "unevictable", 20, 18, 18 },
		{ "dropbehind", -1, -1, 19 },	{ "mlocked", 21, 19, 20 },
		{ "mappedtodisk", 17, 11, 11 },
	};
	const unsigned int version = live_system()->version;
	FILE *file = fopen(LIVE_DEBUGFS "kpagemap_flags", "r");
	unsigned int bit, last = 0, nr = 0;
	char line[80], name[80], rest;

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		int expected = version >= 7000 ? some[i].v7 :
			       version >= 6012 ? some[i].v6_12 :
						 some[i].v5;

		EXPECT_EQ(expected < 0 ? 0 : 1UL << expected,
			  flag(some[i].name))
		{
			TH_LOG("%s", some[i].name);
		}
	}
	ASSERT_NE(NULL, file);
	while (fgets(line, sizeof(line), file)) {
		rest = '\0';
		ASSERT_EQ(3,
			  sscanf(line, "%u %79[a-z0-9_]%c", &bit, name, &rest));
		EXPECT_EQ('\n', rest);
		EXPECT_GE(bit, last);
		EXPECT_GT(64, bit);
		last = bit;
		nr++;
	}
	EXPECT_LT(30, nr);
	fclose(file);
}

/* At first the page belongs to this process alone.  Then a child shares it. */
TEST_F_TIMEOUT(frames, locked_page_has_its_flags_and_count, 120)
{
	const uint64_t set = flag("uptodate") | flag("swapbacked") |
			     flag("mlocked");
	const uint64_t unset = flag("locked") | flag("writeback") |
			       flag("reserved") | flag("head");
	char *page = live_map(FAR, PAGE, 0);
	struct entry found;
	int status;
	pid_t child;

	live_must(mlock(page, PAGE));
	page[0] = 1;
	ASSERT_NE(0, pfn_of(page));
	EXPECT_EQ(1, wait_for_count(self->kpagemap, page, 1));
	found = entry(self->kpagemap, pfn_of(page));
	EXPECT_EQ(set, found.flags & set);
	EXPECT_EQ(0, found.flags & unset);
	EXPECT_EQ(1, word(self->kpagecount, pfn_of(page)));

	child = live_fork(FAR, FAR);
	EXPECT_EQ(2, wait_for_count(self->kpagemap, page, 2));
	EXPECT_EQ(2, word(self->kpagecount, pfn_of(page)));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	EXPECT_EQ(1, wait_for_count(self->kpagemap, page, 1));
	/* the flag goes when the per-CPU lists are empty */
	live_must(munlock(page, PAGE));
	for (unsigned int i = 0; i < 600; i++) {
		found = entry(self->kpagemap, pfn_of(page));
		if (!(found.flags & flag("mlocked")))
			break;
		empty_lists();
		pause_ms(50);
	}
	EXPECT_EQ(0, found.flags & flag("mlocked"));
}

TEST_F(frames, reserved_pages_have_their_flag_and_count)
{
	volatile char *zero = live_map(FAR, PAGE, 0);
	const uint64_t reserved = flag("reserved");
	struct entry found;

	for (uint64_t i = 0; i < NR_RESERVED; i++) {
		found = entry(self->kpagemap, RESERVED_PFN + i);
		EXPECT_EQ(reserved, found.flags & reserved);
		EXPECT_EQ(1, found.count);
		EXPECT_NE(0, word(self->kpageflags, RESERVED_PFN + i) &
				     KPF_RESERVED);
	}
	/* the zero page is reserved */
	EXPECT_EQ(0, zero[0]);
	found = entry(self->kpagemap, pfn_of((void *)zero));
	EXPECT_EQ(reserved, found.flags & reserved);
	EXPECT_LE(1, (int64_t)found.count);
}

/*
 * Each frame must show the reference count of the compound page.  Only the frame of the head
 * has PG_head.
 */
static int check_compound(int kpagemap, int kpageflags, uint64_t head,
			  uint64_t nr_pages, uint64_t count, uint64_t kpf)
{
	const uint64_t pg_head = flag("head");
	int failures = 0;

	for (uint64_t i = 0; i < nr_pages; i++) {
		const struct entry found = entry(kpagemap, head + i);
		const uint64_t shown = word(kpageflags, head + i);

		if (found.count != count ||
		    !(found.flags & pg_head) != (i != 0) || !(shown & kpf) ||
		    !(shown & (i ? KPF_TAIL : KPF_HEAD))) {
			live_note("page %lu: flags %lx, count %ld, kpageflags %lx",
				  i, found.flags, (long)found.count, shown);
			failures++;
		}
	}
	return failures;
}

TEST_F_TIMEOUT(frames, each_frame_of_a_hugetlb_page_has_its_count, 120)
{
	char before[32], *page;

	live_file(NR_HUGE, before, sizeof(before));
	ASSERT_EQ(0, live_set(NR_HUGE, "4"));
	page = live_map(FAR, HUGE, MAP_HUGETLB | 21 << MAP_HUGE_SHIFT);
	page[5 * PAGE] = 1;
	ASSERT_EQ(0, pfn_of(page) % 512);
	EXPECT_EQ(1, wait_for_count(self->kpagemap, page, 1));
	EXPECT_EQ(0, check_compound(self->kpagemap, self->kpageflags,
				    pfn_of(page), 512, 1, KPF_HUGE));
	munmap(page, HUGE);
	EXPECT_EQ(0, live_set(NR_HUGE, before));
}

TEST_F_TIMEOUT(frames, each_frame_of_a_thp_has_its_count, 120)
{
	char *page;

	if (live_thp_missing())
		SKIP(return, "needs %s", live_thp_missing());
	ASSERT_EQ(0, live_set(THP "enabled", "madvise"));
	page = live_map(FAR, HUGE, 0);
	live_must(madvise(page, HUGE, MADV_HUGEPAGE));
	page[0] = 1;
	ASSERT_EQ(HUGE / KIB,
		  live_smaps_kib(getpid(), "AnonHugePages", FAR, FAR + HUGE));
	EXPECT_EQ(1, wait_for_count(self->kpagemap, page, 1));
	EXPECT_EQ(0, check_compound(self->kpagemap, self->kpageflags,
				    pfn_of(page), 512, 1, KPF_THP));
}

/* Check pages that kpageflags shows as free both before and after the read. */
TEST_F_TIMEOUT(frames, free_pages_have_no_count_and_no_flag_of_use, 120)
{
	const uint64_t in_use = flag("locked") | flag("lru") | flag("dirty") |
				flag("writeback") | flag("reserved") |
				flag("swapbacked") | flag("mlocked");
	unsigned int nr = 0;

	for (uint64_t pfn = SECTION; pfn < self->nr; pfn += 61) {
		struct entry found;

		if (!(word(self->kpageflags, pfn) & KPF_BUDDY))
			continue;
		found = entry(self->kpagemap, pfn);
		if (!(word(self->kpageflags, pfn) & KPF_BUDDY))
			continue;
		/* the page may have been allocated and freed between the reads */
		for (unsigned int i = 0; i < 20 && found.count; i++)
			found = entry(self->kpagemap, pfn);
		EXPECT_EQ(0, found.count);
		EXPECT_EQ(0, found.flags & in_use);
		nr++;
	}
	EXPECT_LT(100, nr);
}

/* The content of the file does not depend on offset and length of the reads. */
TEST_F(frames, content_is_the_same_for_any_offset_and_length)
{
	const off_t start = 16 + RESERVED_PFN * 16;
	const size_t bytes = NR_RESERVED * 16;
	static const size_t lengths[] = { 1, 3, 7, 8, 15, 16, 17, 100, 1000 };
	char whole[NR_RESERVED * 16], parts[NR_RESERVED * 16];
	char headed[64];

	ASSERT_EQ((ssize_t)bytes, pread(self->kpagemap, whole, bytes, start));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t done = 0;

		memset(parts, 0x55, bytes);
		ASSERT_EQ(start, lseek(self->kpagemap, start, SEEK_SET));
		while (done < bytes) {
			size_t length = bytes - done < lengths[i] ?
						bytes - done :
						lengths[i];

			ASSERT_EQ((ssize_t)length,
				  read(self->kpagemap, parts + done, length));
			done += length;
		}
		EXPECT_EQ(0, memcmp(whole, parts, bytes));
		EXPECT_EQ(start + (off_t)bytes,
			  lseek(self->kpagemap, 0, SEEK_CUR));
	}
	/* a read across the end of the header */
	ASSERT_EQ(64, pread(self->kpagemap, headed, 64, 0));
	ASSERT_EQ(40, pread(self->kpagemap, parts, 40, 5));
	EXPECT_EQ(0, memcmp(headed + 5, parts, 11));
	EXPECT_EQ(0, pread(self->kpagemap, parts, 0, start));
	/* if the buffer is not mapped completely, only the mapped part is filled */
	EXPECT_EQ(-1, pread(self->kpagemap, (void *)FAR, 16, start));
	EXPECT_EQ(EFAULT, errno);
	live_map(FAR, PAGE, 0);
	EXPECT_EQ(4096, pread(self->kpagemap, (void *)FAR, 3 * PAGE, 0));
	/* the next read continues there */
	ASSERT_EQ(0, lseek(self->kpagemap, 0, SEEK_SET));
	EXPECT_EQ(4096, read(self->kpagemap, (void *)FAR, 3 * PAGE));
	EXPECT_EQ(4096, lseek(self->kpagemap, 0, SEEK_CUR));
	ASSERT_EQ(start, lseek(self->kpagemap, start, SEEK_SET));
	EXPECT_EQ(-1, read(self->kpagemap, (void *)(FAR + PAGE), bytes));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ((ssize_t)bytes, read(self->kpagemap, parts, bytes));
	EXPECT_EQ(0, memcmp(whole, parts, bytes));
	EXPECT_EQ(-1, write(self->kpagemap, parts, 16));
}

TEST_F(frames, open_and_read_need_privilege)
{
	static const char *const paths[] = { LIVE_DEBUGFS "kpagemap",
					     LIVE_DEBUGFS "kpagemap_flags" };
	char byte;

	for (unsigned int i = 0; i < 2; i++) {
		int fd = open(paths[i], O_RDONLY);
		struct stat st;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, fstat(fd, &st));
		EXPECT_EQ(0400, st.st_mode & 07777);
		EXPECT_EQ(0, ERRNO_OF(, open(paths[i], O_RDONLY)));
		EXPECT_EQ(EACCES, ERRNO_OF(live_must(setuid(65534)),
					   open(paths[i], O_RDONLY)));
		EXPECT_EQ(EPERM, ERRNO_OF(live_drop_capabilities(),
					  open(paths[i], O_RDONLY)));
		/* opened with the privilege, read without it */
		EXPECT_EQ(0, ERRNO_OF(, read(fd, &byte, 1)));
		EXPECT_EQ(EPERM, ERRNO_OF(live_must(setuid(65534)),
					  read(fd, &byte, 1)));
		EXPECT_EQ(EPERM, ERRNO_OF(live_drop_capabilities(),
					  read(fd, &byte, 1)));
		EXPECT_EQ(EPERM, ERRNO_OF(live_must(unshare(CLONE_NEWUSER)),
					  read(fd, &byte, 1)));
		close(fd);
	}
}

/* Read the whole file in pieces of @piece bytes.  Return: 0 if it is correct. */
static int read_all(uint64_t nr, size_t piece)
{
	int fd = open(LIVE_DEBUGFS "kpagemap", O_RDONLY);
	const uint64_t reserved = flag("reserved");
	char *buffer = malloc(piece);
	uint64_t done = 0;
	ssize_t n = 0;

	while (fd >= 0 && buffer && (n = read(fd, buffer, piece)) > 0) {
		for (ssize_t at = 0; at + 16 <= n; at += 16) {
			const struct entry *e = (void *)(buffer + at);
			const uint64_t pfn = (done + (uint64_t)at) / 16 - 1;

			if (pfn >= RESERVED_PFN &&
			    pfn < RESERVED_PFN + NR_RESERVED &&
			    (!(e->flags & reserved) || e->count != 1))
				return 1;
		}
		done += (uint64_t)n;
	}
	free(buffer);
	close(fd);
	return n || done != 16 + nr * 16 ? 2 : 0;
}

TEST_F_TIMEOUT(frames, readers_at_the_same_time_read_all_frames, 240)
{
	static const size_t pieces[] = { 512, 4096, 65536, 1 << 20 };
	pid_t readers[4];

	for (unsigned int i = 0; i < 4; i++) {
		readers[i] = fork();
		if (!readers[i])
			_exit(read_all(self->nr, pieces[i]));
	}
	for (unsigned int i = 0; i < 4; i++) {
		int status = -1;

		EXPECT_EQ(readers[i], waitpid(readers[i], &status, 0));
		EXPECT_EQ(0, status);
	}
}

TEST_HARNESS_MAIN
