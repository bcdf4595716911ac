// SPDX-License-Identifier: GPL-2.0-only
/* Detects changed mappings with PROCMAP_QUERY; the test takes the place of the kernel. */
#include <sys/ioctl.h>

static int answer(int fd, unsigned long request, void *arg);
#define ioctl answer
#include "acquire/maps_query.c"
#undef ioctl

#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define PAGE UINT64_C(4096)

/* The mappings that the kernel currently has. */
static struct procmap_query_abi kernel[4];
static size_t nr_kernel, nr_asked;
static int failure;

static int answer(int fd, unsigned long request, void *arg)
{
	struct procmap_query_abi *query = arg;

	nr_asked++;
	/* the numbers are those of include/uapi/linux/fs.h (6.12) */
	if (fd != 7 || request != 0xc0686611 || query->size != 104 ||
	    query->query_flags != 0x10 || query->vma_name_size ||
	    query->build_id_size)
		failure = EINVAL;
	for (size_t i = 0; !failure && i < nr_kernel; i++)
		if (kernel[i].vma_end > query->query_addr) {
			query->vma_start = kernel[i].vma_start;
			query->vma_end = kernel[i].vma_end;
			query->vma_flags = kernel[i].vma_flags;
			query->inode = kernel[i].inode;
			query->vma_offset = kernel[i].vma_offset;
			return 0;
		}
	errno = failure ? failure : ENOENT;
	return -1;
}

static struct ptu_vma vmas[4];
static struct ptu_vmas were;
static const struct ptu_vmas nothing;

/* Two mappings, one of a file, and [vsyscall], which the ioctl does not report. */
static void scene(void)
{
	vmas[0] = (struct ptu_vma){
		.start = A, .end = A + PAGE, .inode = 5, .perms = "r-xp"
	};
	vmas[1] = (struct ptu_vma){ .start = A + 4 * PAGE,
				    .end = A + 6 * PAGE,
				    .perms = "rw-s" };
	vmas[2] = (struct ptu_vma){ .start = UINT64_C(0xffffffffff600000),
				    .end = UINT64_C(0xffffffffff601000),
				    .perms = "--xp" };
	were = (struct ptu_vmas){ .vmas = vmas, .nr_vmas = 3 };
	memset(kernel, 0, sizeof(kernel));
	kernel[0].vma_start = A;
	kernel[0].vma_end = A + PAGE;
	kernel[0].vma_flags = 0x01 | 0x04;
	kernel[0].inode = 5;
	kernel[1].vma_start = A + 4 * PAGE;
	kernel[1].vma_end = A + 6 * PAGE;
	kernel[1].vma_flags = 0x01 | 0x02 | 0x08;
	nr_kernel = 2;
	nr_asked = 0;
	failure = 0;
}

/* Mappings that have changed are stored, all of them; unchanged ones are not. */
static int query_again(void)
{
	struct ptu_vmas got;
	int changed = ptu_maps_query(7, &were, &got);

	if (changed < 0)
		return changed;
	if (got.nr_vmas != (changed ? nr_kernel : 0))
		UNIT_FAIL("%zu mappings are stored", got.nr_vmas);
	for (size_t i = 0; i < got.nr_vmas; i++)
		if (got.vmas[i].start != kernel[i].vma_start ||
		    got.vmas[i].end != kernel[i].vma_end ||
		    got.vmas[i].inode != kernel[i].inode)
			UNIT_FAIL("mapping %zu is wrong", i);
	ptu_vmas_deinit(&got);
	return changed;
}

UNIT_TEST(mappings_come_as_of_maps_but_for_their_names)
{
	struct ptu_vmas got;

	kernel[0].vma_offset = 3 * PAGE;
	CHECK_EQ(ptu_maps_query(7, &nothing, &got), 1);
	CHECK_EQ(got.nr_vmas, 2);
	CHECK_EQ(got.names_bytes, 0);
	CHECK_EQ(got.vmas[0].offset_bytes, 3 * PAGE);
	for (size_t i = 0; i < 2; i++) {
		CHECK_EQ(got.vmas[i].start, vmas[i].start);
		CHECK_EQ(got.vmas[i].end, vmas[i].end);
		CHECK_EQ(got.vmas[i].inode, vmas[i].inode);
		CHECK(!strcmp(got.vmas[i].perms, vmas[i].perms));
		CHECK(!got.vmas[i].has_flags && !got.vmas[i].has_smaps);
	}
	ptu_vmas_deinit(&got);
	scene();
	nr_kernel = 0;
	CHECK_EQ(ptu_maps_query(7, &nothing, &got), 0);
	CHECK_EQ(got.nr_vmas, 0);
	scene();
	failure = ENOTTY;
	CHECK_EQ(ptu_maps_query(7, &nothing, &got), -ENOTTY);
}

UNIT_TEST(unchanged_mappings_agree_with_the_query)
{
	CHECK_EQ(query_again(), 0);
	CHECK_EQ(nr_asked, 3);
}

UNIT_TEST(query_without_mappings_agrees_with_none)
{
	were.nr_vmas = 0;
	nr_kernel = 0;
	CHECK_EQ(query_again(), 0);
}

UNIT_TEST(added_mapping_is_seen_below_between_and_above)
{
	const uint64_t starts[] = { A - PAGE, A + 2 * PAGE, A + 6 * PAGE };
	size_t i, k;

	for (i = 0; i < 3; i++) {
		scene();
		for (k = nr_kernel++; k > i; k--)
			kernel[k] = kernel[k - 1];
		kernel[i].vma_start = starts[i];
		kernel[i].vma_end = starts[i] + PAGE;
		CHECK_EQ(query_again(), 1);
	}
}

UNIT_TEST(removed_mapping_is_seen)
{
	nr_kernel = 1;
	CHECK_EQ(query_again(), 1);
	scene();
	kernel[0] = kernel[1];
	nr_kernel = 1;
	CHECK_EQ(query_again(), 1);
}

UNIT_TEST(another_start_end_or_inode_is_seen)
{
	kernel[1].vma_start -= PAGE;
	CHECK_EQ(query_again(), 1);
	scene();
	kernel[1].vma_end -= PAGE;
	CHECK_EQ(query_again(), 1);
	scene();
	kernel[1].vma_end += PAGE;
	CHECK_EQ(query_again(), 1);
	scene();
	kernel[0].inode = 6;
	CHECK_EQ(query_again(), 1);
}

UNIT_TEST(each_permission_is_compared)
{
	unsigned int bit;

	for (bit = 1; bit <= 8; bit <<= 1) {
		scene();
		kernel[0].vma_flags ^= bit;
		CHECK_EQ(query_again(), 1);
		scene();
		kernel[1].vma_flags ^= bit;
		CHECK_EQ(query_again(), 1);
	}
}

UNIT_TEST(flags_other_than_permissions_are_not_compared)
{
	kernel[0].vma_flags |= 0x20 | 0x1000;
	CHECK_EQ(query_again(), 0);
}

UNIT_TEST(failed_query_is_no_agreement)
{
	failure = ENOTTY;
	CHECK_EQ(query_again(), -ENOTTY);
	CHECK_EQ(nr_asked, 1);
	scene();
	failure = ESRCH;
	CHECK_EQ(query_again(), -ESRCH);
}

UNIT_MAIN_WITH(scene, NULL)
