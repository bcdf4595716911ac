// SPDX-License-Identifier: LGPL-2.1-or-later
/* Add up pages; must not know how they are read or shown. */
#include "compare/footprint.h"

#include <errno.h>
#include <string.h>

#include "compare/page_flags.h"
#include "model/absent.h"
#include "model/page_flags.h"
#include "model/pagemap.h"

/* ptu_frame.flags; the two lowest bits are the kind */
#define FRAME_KIND 0x3u
#define FRAME_LARGE 0x4u
#define FRAME_KSM 0x8u
#define FRAME_OUTSIDE 0x10u
#define FRAME_UNKNOWN 0x20u
/* only for the process that is being read */
#define FRAME_SHARED 0x40u
/* its count of mappings rose after a process of the set was read */
#define FRAME_GREW 0x80u
/* shared memory, in a file of the kernel's internal mount */
#define FRAME_INTERNAL 0x100u

void ptu_footprint_init(struct ptu_footprint *footprint, uint64_t page_bytes,
			bool may_round)
{
	memset(footprint, 0, sizeof(*footprint));
	footprint->page_bytes = page_bytes;
	footprint->may_round = may_round;
}

void ptu_footprint_deinit(struct ptu_footprint *footprint)
{
	ptu_frame_uses_deinit(&footprint->frames);
	ptu_frame_uses_deinit(&footprint->swap);
}

int ptu_footprint_begin(struct ptu_footprint *footprint)
{
	if (footprint->process == PTU_FRAME_USES_PROCESSES)
		return -E2BIG;
	footprint->process++;
	footprint->migrating_bytes += footprint->sum.migrating_bytes;
	memset(&footprint->sum, 0, sizeof(footprint->sum));
	return 0;
}

/* Add @share / @of bytes, and keep the fraction of a byte. */
static void add_quotient(uint64_t *bytes, uint64_t *rest, uint64_t share,
			 uint64_t of)
{
	*bytes += share / of;
	/* the remainder is below @of, which fits in 32 bits */
	*rest += (share % of << 32) / of;
	*bytes += *rest >> 32;
	*rest &= UINT32_MAX;
}

/* Add a page with @times of its @of mappings here. */
static void add_share(struct ptu_footprint_sum *sum, unsigned int flags,
		      uint64_t bytes, uint64_t times, uint64_t of)
{
	unsigned int kind = flags & FRAME_KIND;

	if (kind == PTU_FOOTPRINT_HUGETLB)
		return;
	add_quotient(&sum->pss_bytes, &sum->pss_rest, bytes * times, of);
	add_quotient(&sum->pss_kinds[kind], &sum->pss_rests[kind],
		     bytes * times, of);
}

static enum ptu_footprint_kind kind_of(uint64_t flags)
{
	if (flags & PTU_KPF_HUGE)
		return PTU_FOOTPRINT_HUGETLB;
	if (flags & PTU_KPF_ANON)
		return PTU_FOOTPRINT_ANON;
	return flags & PTU_KPF_SWAPBACKED ? PTU_FOOTPRINT_SHMEM :
					    PTU_FOOTPRINT_FILE;
}

static unsigned int frame_flags(const struct ptu_page *page, unsigned int how)
{
	const unsigned int kind = kind_of(page->flags);
	unsigned int flags = kind;

	if (kind != PTU_FOOTPRINT_HUGETLB &&
	    page->flags & (PTU_KPF_COMPOUND_HEAD | PTU_KPF_COMPOUND_TAIL))
		flags |= FRAME_LARGE;
	if (page->flags & PTU_KPF_KSM)
		flags |= FRAME_KSM;
	if (how & PTU_FOOTPRINT_OUTSIDE)
		flags |= FRAME_OUTSIDE;
	if (how & PTU_FOOTPRINT_UNKNOWN)
		flags |= FRAME_UNKNOWN;
	if (how & PTU_FOOTPRINT_SHARED)
		flags |= FRAME_SHARED;
	if (how & PTU_FOOTPRINT_INTERNAL && kind == PTU_FOOTPRINT_SHMEM)
		flags |= FRAME_INTERNAL;
	return flags;
}

/* Have all mappings been seen?  @not: flags that rule this out */
static bool is_alone(const struct ptu_frame_use *frame, uint32_t seen,
		     unsigned int not )
{
	return seen && seen >= frame->count && !(frame->flags & not );
}

static bool is_alone_in_process(const struct ptu_frame_use *frame)
{
	return is_alone(frame, frame->in_process,
			FRAME_OUTSIDE | FRAME_UNKNOWN | FRAME_SHARED);
}

static bool is_alone_in_set(const struct ptu_frame_use *frame)
{
	return is_alone(frame, frame->in_set, FRAME_OUTSIDE | FRAME_UNKNOWN);
}

static bool is_rounded(const struct ptu_footprint *footprint,
		       unsigned int flags)
{
	return footprint->may_round && flags & FRAME_LARGE;
}

static void add_kind(const struct ptu_footprint *footprint,
		     struct ptu_footprint_sum *sum, unsigned int flags,
		     uint64_t bytes)
{
	unsigned int kind = flags & FRAME_KIND;

	sum->kinds[kind] += bytes;
	if (kind != PTU_FOOTPRINT_HUGETLB)
		sum->rss_bytes += bytes;
	else if (flags & FRAME_UNKNOWN)
		sum->hugetlb_unknown_bytes += bytes;
	if (flags & FRAME_LARGE)
		sum->large_bytes += bytes;
	if (is_rounded(footprint, flags))
		sum->rounded_bytes += bytes;
	if (flags & FRAME_KSM)
		sum->ksm_bytes += bytes;
}

/* Add or remove a page that is mapped only here. */
static void move_uss(struct ptu_footprint_sum *sum, unsigned int flags,
		     uint64_t bytes, bool more)
{
	unsigned int kind = flags & FRAME_KIND;

	if (!more)
		bytes = -bytes;
	sum->uss_kinds[kind] += bytes;
	if (kind != PTU_FOOTPRINT_HUGETLB)
		sum->uss_bytes += bytes;
}

/* Assign the frame to the current process, unless it is already. */
static void claim(const struct ptu_footprint *footprint,
		  struct ptu_frame_use *frame)
{
	if (frame->process == footprint->process)
		return;
	frame->process = footprint->process;
	frame->in_process = 0;
	frame->flags &= ~FRAME_SHARED;
}

static uint32_t clamp(uint64_t count)
{
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

static int add_present(struct ptu_footprint *footprint,
		       const struct ptu_page *page, unsigned int how)
{
	uint64_t bytes = footprint->page_bytes;
	struct ptu_footprint_sum *sum = &footprint->sum;
	struct ptu_frame_use *frame;
	/* a shared table is one mapping: its pages were counted at its first place */
	bool is_new = !(how & PTU_FOOTPRINT_AGAIN);

	if (page->zero || page->flags & PTU_KPF_ZERO_PAGE || !page->count)
		return 0;
	frame = ptu_frame_uses_get(&footprint->frames,
				   page->word & PTU_PM_PFN_MASK);
	if (!frame)
		return -ENOMEM;
	claim(footprint, frame);
	if (is_alone_in_process(frame))
		move_uss(sum, frame->flags, bytes, false);
	if (frame->in_set && page->count > frame->count)
		frame->flags |= FRAME_GREW;
	frame->flags = frame_flags(page, how) |
		       (frame->flags & (FRAME_OUTSIDE | FRAME_UNKNOWN |
					FRAME_SHARED | FRAME_GREW));
	frame->count = clamp(page->count);
	frame->in_process += is_new;
	frame->in_set += is_new;
	add_kind(footprint, sum, frame->flags, bytes);
	add_share(sum, frame->flags, bytes, 1, frame->count);
	if (is_alone_in_process(frame))
		move_uss(sum, frame->flags, bytes, true);
	return 0;
}

static int add_swap(struct ptu_footprint *footprint,
		    const struct ptu_page *page)
{
	enum ptu_absent kind = ptu_absent_kind(page->word);
	uint64_t type = page->word & PTU_PM_TYPE_MASK;
	struct ptu_frame_use *slot;

	if (kind == PTU_ABSENT_MOVING)
		footprint->sum.migrating_bytes += footprint->page_bytes;
	if (kind != PTU_ABSENT_SWAP)
		return 0;
	/* map consecutive offsets of one swap type to adjacent slots */
	slot = ptu_frame_uses_get(&footprint->swap,
				  (page->word & PTU_PM_PFN_MASK) >> 5 |
					  type << 50);
	if (!slot)
		return -ENOMEM;
	claim(footprint, slot);
	slot->in_process++;
	slot->in_set++;
	footprint->sum.swap_bytes += footprint->page_bytes;
	return 0;
}

int ptu_footprint_add(struct ptu_footprint *footprint,
		      const struct ptu_page *page, unsigned int how)
{
	if (page->word & PTU_PM_PRESENT)
		return add_present(footprint, page, how);
	if (page->word & PTU_PM_SWAP)
		return add_swap(footprint, page);
	return 0;
}

static uint64_t flags_of_kind(unsigned int kind)
{
	switch (kind) {
	case PTU_FOOTPRINT_HUGETLB:
		return PTU_KPF_HUGE;
	case PTU_FOOTPRINT_ANON:
		return PTU_KPF_ANON;
	case PTU_FOOTPRINT_SHMEM:
		return PTU_KPF_SWAPBACKED;
	default:
		return 0;
	}
}

void ptu_footprint_recall(struct ptu_footprint *footprint,
			  struct ptu_page *page)
{
	const struct ptu_frame_use *frame;
	unsigned int kind;

	/* mapped once: no earlier process showed the page, or the page was freed since */
	if (!(page->word & PTU_PM_PRESENT) || page->word & PTU_PM_EXCLUSIVE)
		return;
	frame = ptu_frame_uses_find(&footprint->frames,
				    page->word & PTU_PM_PFN_MASK);
	if (!frame || !frame->in_set || frame->count < 2)
		return;
	kind = frame->flags & FRAME_KIND;
	/* the page frame was freed and is used for something else */
	if ((kind == PTU_FOOTPRINT_ANON) == !!(page->word & PTU_PM_FILE))
		return;
	page->flags = flags_of_kind(kind);
	if (frame->flags & FRAME_LARGE)
		page->flags |= PTU_KPF_COMPOUND_HEAD;
	if (frame->flags & FRAME_KSM)
		page->flags |= PTU_KPF_KSM;
	page->count = frame->count;
}

bool ptu_footprint_may_have_grown(const struct ptu_frame_use *frame)
{
	return frame->in_set > 1 && frame->in_set >= frame->count;
}

void ptu_footprint_recount(struct ptu_frame_use *frame, uint64_t count)
{
	if (!ptu_footprint_may_have_grown(frame) || count <= frame->count)
		return;
	frame->count = clamp(count);
	frame->flags |= FRAME_GREW;
}

static void forget_frame(void *arg, struct ptu_frame_use *frame)
{
	const struct ptu_footprint *footprint = arg;

	if (frame->process != footprint->process)
		return;
	frame->in_set -= frame->in_process;
	frame->in_process = 0;
}

void ptu_footprint_forget(struct ptu_footprint *footprint)
{
	ptu_frame_uses_each(&footprint->frames, forget_frame, footprint);
	ptu_frame_uses_each(&footprint->swap, forget_frame, footprint);
	memset(&footprint->sum, 0, sizeof(footprint->sum));
}

struct adding {
	const struct ptu_footprint *footprint;
	struct ptu_footprint_sum sum;
};

static void add_frame(void *arg, struct ptu_frame_use *frame)
{
	struct adding *adding = arg;
	struct ptu_footprint_sum *sum = &adding->sum;
	uint64_t bytes = adding->footprint->page_bytes;

	if (!frame->in_set)
		return;
	add_kind(adding->footprint, sum, frame->flags, bytes);
	if (adding->footprint->internal_is_inside &&
	    frame->flags & FRAME_INTERNAL) {
		/* the counts, which may be of different moments, do not matter */
		move_uss(sum, frame->flags, bytes, true);
		add_share(sum, frame->flags, bytes, 1, 1);
		return;
	}
	if (is_alone_in_set(frame))
		move_uss(sum, frame->flags, bytes, true);
	else if (frame->flags & FRAME_GREW)
		sum->grown_bytes += bytes;
	if (frame->in_set <= frame->count) {
		add_share(sum, frame->flags, bytes, frame->in_set,
			  frame->count);
		return;
	}
	add_share(sum, frame->flags, bytes, 1, 1);
	if ((frame->flags & FRAME_KIND) != PTU_FOOTPRINT_HUGETLB &&
	    !is_rounded(adding->footprint, frame->flags))
		sum->over_bytes += bytes;
}

static void add_slot(void *arg, struct ptu_frame_use *slot)
{
	struct adding *adding = arg;

	if (slot->in_set)
		adding->sum.swap_bytes += adding->footprint->page_bytes;
}

void ptu_footprint_set(const struct ptu_footprint *footprint,
		       struct ptu_footprint_sum *ret)
{
	struct adding adding = { .footprint = footprint };

	ptu_frame_uses_each(&footprint->frames, add_frame, &adding);
	ptu_frame_uses_each(&footprint->swap, add_slot, &adding);
	adding.sum.migrating_bytes = footprint->migrating_bytes +
				     footprint->sum.migrating_bytes;
	*ret = adding.sum;
}
