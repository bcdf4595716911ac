// SPDX-License-Identifier: GPL-2.0-only
/* Finds tables in kernel memory, which is a file made by the test. */
#define _GNU_SOURCE
#include "acquire/kcore_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/build.h"
#include "support/unit.h"

#define PAGE UINT64_C(4096)
#define TEXT UINT64_C(0xffffffff81000000)
#define RAM UINT64_C(0xffff888000000000)
#define VMEMMAP UINT64_C(0xffffea0000000000)
#define FRAMES 32
#define PRESENT 1
#define LEAF 0x80

/* The file has two pages of kernel data, FRAMES pages of RAM, and their struct pages. */
struct memory {
	struct ptu_kcore kcore;
	struct ptu_kcore_segment segments[3];
	struct ptu_geometry geo;
	unsigned int nr_found[PTAUDIT_NR_LEVELS];
	uint64_t found[64];
	unsigned int nr;
};

static void store(struct memory *m, uint64_t offset, uint64_t word)
{
	if (pwrite(m->kcore.fd, &word, sizeof(word), (off_t)offset) !=
	    sizeof(word))
		UNIT_FAIL("cannot write to the memory");
}

static void store_frame(struct memory *m, uint64_t pfn, unsigned int index,
			uint64_t entry)
{
	store(m, 2 * PAGE + pfn * PAGE + index * 8, entry);
}

static uint64_t to(uint64_t pfn)
{
	return pfn << 12 | PRESENT | 0x62;
}

/* @next, @prev: 0 means the head of the list */
static void store_page(struct memory *m, uint64_t pfn, uint64_t next,
		       uint64_t prev, uint64_t mm)
{
	uint64_t at = (2 + FRAMES) * PAGE + pfn * 64;

	store(m, at + 8, next ? VMEMMAP + next * 64 + 8 : m->kcore.pgd_list);
	store(m, at + 16, prev ? VMEMMAP + prev * 64 + 8 : m->kcore.pgd_list);
	store(m, at + 32, mm);
}

static void memory_init(struct memory *m, unsigned int nr_levels)
{
	struct build b;

	memset(m, 0, sizeof(*m));
	build_init(&b, nr_levels, false);
	m->geo = b.geo;
	build_deinit(&b);
	m->kcore.fd = memfd_create("kcore", 0);
	if (ftruncate(m->kcore.fd, (3 + FRAMES) * PAGE))
		UNIT_FAIL("cannot set the size of the memory");
	m->segments[0] = (struct ptu_kcore_segment){ TEXT, TEXT + 2 * PAGE, 0,
						     UINT64_MAX };
	m->segments[1] = (struct ptu_kcore_segment){ RAM, RAM + FRAMES * PAGE,
						     2 * PAGE, 0 };
	m->segments[2] = (struct ptu_kcore_segment){ VMEMMAP, VMEMMAP + PAGE,
						     (2 + FRAMES) * PAGE,
						     UINT64_MAX };
	m->kcore.segments = m->segments;
	m->kcore.nr_segments = 3;
	m->kcore.init_pgd = TEXT;
	m->kcore.pgd_list = TEXT + PAGE;
	m->kcore.text_poke_mm = TEXT + PAGE + 16;
	m->kcore.vmemmap_base = TEXT + PAGE + 24;
	store(m, PAGE + 16, 0xabc0);
	store(m, PAGE + 24, VMEMMAP);
}

static int take(void *arg, unsigned int level, uint64_t pfn)
{
	struct memory *m = arg;

	for (unsigned int i = 0; i < m->nr; i++) {
		if (m->found[i] == pfn)
			return 1;
	}
	m->found[m->nr++] = pfn;
	m->nr_found[level]++;
	return 0;
}

static void end(struct memory *m)
{
	close(m->kcore.fd);
}

/* A PUD table in frame 1, PMD tables in 2 and 3, PTE tables in 4 and 5; and leaves. */
static void store_tree(struct memory *m)
{
	store_frame(m, 1, 0, to(2));
	store_frame(m, 1, 511, to(3));
	store_frame(m, 1, 5, to(9) | LEAF);
	store_frame(m, 2, 7, to(4));
	store_frame(m, 2, 8, to(16) | LEAF);
	store_frame(m, 3, 0, to(5));
	store_frame(m, 3, 1, 6 << 12); /* not present */
	/* bit 7 of a PTE does not mean a leaf, and a PTE points to no table */
	store_frame(m, 4, 0, to(10) | LEAF);
	store_frame(m, 4, 1, to(11));
}

UNIT_TEST(the_kernel_half_is_walked)
{
	struct memory m;

	memory_init(&m, 4);
	store_tree(&m);
	store(&m, 256 * 8, to(1));
	store(&m, 511 * 8, to(1));  /* referenced twice, but walked once */
	store(&m, 255 * 8, to(12)); /* belongs to the other half */
	CHECK_EQ(ptu_kcore_kernel_half(&m.kcore, &m.geo, take, &m), 0);
	CHECK_EQ(m.nr_found[PTAUDIT_PUD], 1);
	CHECK_EQ(m.nr_found[PTAUDIT_PMD], 2);
	CHECK_EQ(m.nr_found[PTAUDIT_PTE], 2);
	CHECK_EQ(m.nr, 5);
	end(&m);
}

UNIT_TEST(the_user_half_of_five_levels_is_walked)
{
	struct memory m;

	memory_init(&m, 5);
	store_tree(&m);
	store_frame(&m, 20, 255, to(21));
	store_frame(&m, 20, 256, to(22)); /* belongs to the kernel */
	store_frame(&m, 21, 3, to(1));
	CHECK_EQ(ptu_kcore_user_half(&m.kcore, &m.geo, 20, take, &m), 0);
	CHECK_EQ(m.nr_found[PTAUDIT_P4D], 1);
	CHECK_EQ(m.nr_found[PTAUDIT_PUD], 1);
	CHECK_EQ(m.nr_found[PTAUDIT_PMD], 2);
	CHECK_EQ(m.nr_found[PTAUDIT_PTE], 2);
	end(&m);
}

UNIT_TEST(table_outside_of_memory_is_an_error)
{
	struct memory m;

	memory_init(&m, 4);
	store(&m, 256 * 8, to(FRAMES));
	CHECK_EQ(ptu_kcore_kernel_half(&m.kcore, &m.geo, take, &m), -EFAULT);
	end(&m);
}

UNIT_TEST(pgds_are_found_by_their_list)
{
	struct ptu_kcore_pgd *pgds = NULL;
	uint64_t text_poke = 0;
	struct memory m;
	size_t nr = 0;

	memory_init(&m, 4);
	store(&m, PAGE, VMEMMAP + 6 * 64 + 8);
	store_page(&m, 6, 8, 0, 0x1230);
	store_page(&m, 8, 0, 6, 0xabc0);
	CHECK_EQ(ptu_kcore_pgds(&m.kcore, &pgds, &nr, &text_poke), 0);
	CHECK_EQ(nr, 2);
	CHECK_EQ(pgds[0].pfn, 6);
	CHECK_EQ(pgds[0].mm, 0x1230);
	CHECK_EQ(pgds[1].pfn, 8);
	CHECK_EQ(text_poke, 0xabc0);
	free(pgds);
	/* an entry just removed from the list still points on, but none points to it */
	store_page(&m, 8, 0, 7, 0xabc0);
	CHECK_EQ(ptu_kcore_pgds(&m.kcore, &pgds, &nr, &text_poke), -EAGAIN);
	/* the address is not that of a struct page */
	store(&m, PAGE, VMEMMAP + 6 * 64 + 16);
	CHECK_EQ(ptu_kcore_pgds(&m.kcore, &pgds, &nr, &text_poke), -EAGAIN);
	m.kcore.pgd_list = 0;
	CHECK_EQ(ptu_kcore_pgds(&m.kcore, &pgds, &nr, &text_poke), -ENOENT);
	end(&m);
}

UNIT_MAIN
