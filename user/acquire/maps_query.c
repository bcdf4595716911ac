// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The ioctl PROCMAP_QUERY.  Must not draw conclusions about tables.
 *
 * Source: fs/proc/task_mmu.c, do_procmap_query() (6.12, 7.2).
 */
#include "acquire/maps_query.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "base/array.h"

/*
 * The headers of Debian 12 lack this ioctl.  Layout and numbers:
 * include/uapi/linux/fs.h (6.12).
 */
struct procmap_query_abi {
	uint64_t size;
	uint64_t query_flags;
	uint64_t query_addr;
	uint64_t vma_start;
	uint64_t vma_end;
	uint64_t vma_flags;
	uint64_t vma_page_size;
	uint64_t vma_offset;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t vma_name_size;
	uint32_t build_id_size;
	uint64_t vma_name_addr;
	uint64_t build_id_addr;
};

#define PROCMAP_QUERY_ABI _IOWR('f', 17, struct procmap_query_abi)

#define READABLE 0x01u
#define WRITABLE 0x02u
#define EXECUTABLE 0x04u
#define SHARED 0x08u
#define COVERING_OR_NEXT 0x10u

/* Return: 1 and the first mapping that ends above @addr; 0 if there is none; -errno. */
static int query(int fd, uint64_t addr, struct procmap_query_abi *ret)
{
	int error;

	*ret = (struct procmap_query_abi){
		.size = sizeof(*ret),
		.query_flags = COVERING_OR_NEXT,
		.query_addr = addr,
	};
	do
		error = ioctl(fd, PROCMAP_QUERY_ABI, ret);
	while (error && errno == EINTR);
	if (!error)
		return 1;
	return errno == ENOENT ? 0 : -errno;
}

static struct ptu_vma to_vma(const struct procmap_query_abi *found)
{
	const uint64_t flags = found->vma_flags;
	struct ptu_vma vma = {
		.start = found->vma_start,
		.end = found->vma_end,
		.offset_bytes = found->vma_offset,
		.device = (uint64_t)found->dev_major << 32 | found->dev_minor,
		.inode = found->inode,
	};

	vma.perms[0] = flags & READABLE ? 'r' : '-';
	vma.perms[1] = flags & WRITABLE ? 'w' : '-';
	vma.perms[2] = flags & EXECUTABLE ? 'x' : '-';
	vma.perms[3] = flags & SHARED ? 's' : 'p';
	return vma;
}

static int add(struct ptu_vmas *vmas, size_t *capacity,
	       const struct ptu_vma *vma)
{
	if (ptu_array_grow(&vmas->vmas, vmas->nr_vmas, capacity,
			   sizeof(*vmas->vmas)))
		return -ENOMEM;
	vmas->vmas[vmas->nr_vmas++] = *vma;
	return 0;
}

/* Store mappings that did not have to be stored before. */
static int add_same(struct ptu_vmas *vmas, size_t *capacity,
		    const struct ptu_vma *same, size_t nr_same)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr_same; i++)
		error = add(vmas, capacity, &same[i]);
	return error;
}

int ptu_maps_query(int maps_fd, const struct ptu_vmas *known,
		   struct ptu_vmas *ret)
{
	struct procmap_query_abi found;
	struct ptu_vmas vmas = { 0 };
	size_t capacity = 0, nr_same = 0;
	bool differ = false;
	uint64_t addr = 0;
	int nr, error = 0;

	while (!error && (nr = query(maps_fd, addr, &found)) > 0) {
		const struct ptu_vma vma = to_vma(&found);

		addr = vma.end;
		if (!differ && nr_same < known->nr_vmas &&
		    ptu_vma_same(&known->vmas[nr_same], &vma)) {
			nr_same++;
			continue;
		}
		if (!differ)
			error = add_same(&vmas, &capacity, known->vmas,
					 nr_same);
		differ = true;
		if (!error)
			error = add(&vmas, &capacity, &vma);
	}
	if (!error)
		error = nr;
	/* the last ones may be missing now */
	if (!error && !differ && nr_same < known->nr_vmas &&
	    known->vmas[nr_same].start < PTU_KERNEL_HALF) {
		differ = true;
		error = add_same(&vmas, &capacity, known->vmas, nr_same);
	}
	if (error) {
		ptu_vmas_deinit(&vmas);
		return error;
	}
	*ret = vmas;
	return differ;
}
