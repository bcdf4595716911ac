// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Compare page frames.  Must not know how they are read, nor why a frame changed:
 * the caller tells which frames were stable.
 */
#include "compare/frames.h"

#include <errno.h>
#include <string.h>

#include "compare/page_flags.h"
#include "model/page_flags.h"

/* Source: include/uapi/linux/kernel-page-flags.h (5.10 to 7.3) */
#define KPF_NOPAGE_BIT 20
#define KPF_BUDDY (UINT64_C(1) << 10)
#define KPF_COMPOUND_HEAD (UINT64_C(1) << 15)
#define KPF_COMPOUND_TAIL (UINT64_C(1) << 16)

/* Compound pages are at most 16 GiB. */
#define MAX_ORDER_BITS 22

void ptu_kpagemap_init(struct ptu_kpagemap *kpm,
		       const struct ptu_kpagemap_names *names)
{
	unsigned int bit;

	memset(kpm, 0, sizeof(*kpm));
	ptu_kpagemap_flags(names, kpm->flags);
	for (bit = 0; bit < PTU_KPAGEMAP_BITS; bit++) {
		const struct ptu_kpagemap_flag *flag = &kpm->flags[bit];

		kpm->rules[flag->rule] |= UINT64_C(1) << bit;
		if (flag->bits || flag->reason)
			kpm->known |= UINT64_C(1) << bit;
	}
}

bool ptu_kpagemap_is_tail(const struct ptu_frame *page)
{
	return page->kpf & KPF_COMPOUND_TAIL;
}

bool ptu_kpagemap_is_head(const struct ptu_frame *page)
{
	return page->kpf & KPF_COMPOUND_HEAD && !ptu_kpagemap_is_tail(page);
}

bool ptu_kpagemap_head_candidate(uint64_t pfn, unsigned int nr, uint64_t *ret)
{
	unsigned int order;

	for (order = 1; order <= MAX_ORDER_BITS; order++) {
		uint64_t size = UINT64_C(1) << order;

		/* skip sizes that lead to the same address as the previous size */
		if (!(pfn & size / 2))
			continue;
		if (nr--)
			continue;
		*ret = pfn & ~(size - 1);
		return true;
	}
	return false;
}

/* Return the flags that kpageflags should show for this flags word. */
static uint64_t translate(const struct ptu_kpagemap *kpm, uint64_t word)
{
	uint64_t ret = 0;
	unsigned int bit;

	for (bit = 0; bit < PTU_KPAGEMAP_BITS; bit++) {
		uint64_t bits = kpm->flags[bit].bits;

		if (bits && (word & bits) == bits)
			ret |= UINT64_C(1) << bit;
	}
	return ret;
}

static bool is_hole(const struct ptu_frame *page)
{
	return page->flags == PTU_KPAGEMAP_HOLE &&
	       page->count == PTU_KPAGEMAP_HOLE;
}

static void judge_flags(const struct ptu_kpagemap *kpm,
			const struct ptu_frame *page, uint64_t head_flags,
			struct ptu_kpagemap_verdict *ret)
{
	const uint64_t *rules = kpm->rules;
	const uint64_t own = translate(kpm, page->flags);
	const uint64_t all = kpm->known & ~rules[PTU_KPAGEMAP_LEFT_OUT];
	uint64_t head, copied = rules[PTU_KPAGEMAP_COPY], expected;

	ret->compared = all;
	if (!ptu_kpagemap_is_tail(page)) {
		ret->differ = (page->kpf ^ own) & all;
		return;
	}
	ret->compared = all & ~rules[PTU_KPAGEMAP_NOT_TAIL];
	head = translate(kpm, head_flags);
	if (page->kpf & PTU_KPF_HUGE)
		copied |= rules[PTU_KPAGEMAP_OWN];
	expected = own & (rules[PTU_KPAGEMAP_OWN] | rules[PTU_KPAGEMAP_EITHER]);
	expected |= head &
		    (rules[PTU_KPAGEMAP_HEAD] | rules[PTU_KPAGEMAP_EITHER]);
	if (kpm->tails == PTU_KPAGEMAP_TAILS_HEAD)
		expected = (expected & ~copied) | (head & copied);
	else
		expected |= own & copied;
	ret->differ = (page->kpf ^ expected) & ret->compared;
	if (kpm->tails == PTU_KPAGEMAP_TAILS_UNKNOWN)
		ret->differ |= (own ^ head) & copied;
	ret->head = (own ^ expected) & ret->compared;
}

static void judge_count(const struct ptu_frame *page,
			const struct ptu_frame *head,
			struct ptu_kpagemap_verdict *ret)
{
	bool holds[PTU_KPAGEMAP_NR_COUNTS];
	unsigned int i;

	ret->applies = (unsigned int)(page->mapcount != 0)
			       << PTU_KPAGEMAP_MAPPED |
		       (unsigned int)((page->kpf & KPF_BUDDY) != 0)
			       << PTU_KPAGEMAP_BUDDY |
		       (unsigned int)ptu_kpagemap_is_tail(page)
			       << PTU_KPAGEMAP_TAIL;
	ret->broken = 0;
	holds[PTU_KPAGEMAP_MAPPED] = page->count >= page->mapcount;
	holds[PTU_KPAGEMAP_BUDDY] = !page->count;
	holds[PTU_KPAGEMAP_TAIL] = page->count == head->count;
	for (i = 0; i < PTU_KPAGEMAP_NR_COUNTS; i++) {
		if (ret->applies >> i & 1 && !holds[i])
			ret->broken |= 1u << i;
	}
}

void ptu_kpagemap_judge(const struct ptu_kpagemap *kpm,
			const struct ptu_frame *page,
			const struct ptu_frame *head,
			struct ptu_kpagemap_verdict *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (is_hole(page)) {
		ret->is_hole = true;
		ret->hole = (page->kpf && page->kpf != PTU_KPF_NOPAGE) ||
			    page->mapcount;
		return;
	}
	if (page->kpf & PTU_KPF_NOPAGE) {
		ret->hole = true;
		return;
	}
	judge_flags(kpm, page, head->flags, ret);
	judge_count(page, head, ret);
}

bool ptu_kpagemap_agrees(const struct ptu_kpagemap_verdict *verdict)
{
	return !verdict->differ && !verdict->hole && !verdict->broken;
}

/* Count the flags of @nr frames as agreed, except those with another result. */
static void tally_flags(struct ptu_kpagemap *kpm, uint64_t kpf,
			const struct ptu_kpagemap_verdict *verdict,
			uint64_t otherwise, uint64_t nr)
{
	uint64_t looked_at = verdict->compared | kpf;
	unsigned int bit;

	kpm->unknown |= kpf & ~kpm->known;
	for (; looked_at; looked_at &= looked_at - 1) {
		struct ptu_kpagemap_tally *tally;
		uint64_t mask;

		bit = (unsigned int)__builtin_ctzll(looked_at);
		mask = UINT64_C(1) << bit;
		tally = &kpm->by_flag[bit];
		if (kpf & mask)
			tally->set += nr;
		if (verdict->head & mask & ~otherwise)
			tally->head += nr;
		if (verdict->compared & mask & ~otherwise)
			tally->ends[PTU_KPAGEMAP_AGREED] += nr;
	}
	if (verdict->head & ~otherwise)
		kpm->head_frames += nr;
}

static void end_run(struct ptu_kpagemap *kpm)
{
	if (kpm->run.nr)
		tally_flags(kpm, kpm->run.page.kpf, &kpm->run.verdict, 0,
			    kpm->run.nr);
	kpm->run.nr = 0;
}

static void tally_counts(struct ptu_kpagemap *kpm,
			 const struct ptu_kpagemap_verdict *verdict,
			 unsigned int otherwise)
{
	unsigned int i;

	for (i = 0; i < PTU_KPAGEMAP_NR_COUNTS; i++) {
		if (!(verdict->applies >> i & 1))
			continue;
		kpm->by_count[i].set++;
		if (!(otherwise >> i & 1))
			kpm->by_count[i].ends[PTU_KPAGEMAP_AGREED]++;
	}
}

static void tally_hole(struct ptu_kpagemap *kpm, uint64_t kpf)
{
	if (kpf) {
		kpm->by_flag[KPF_NOPAGE_BIT].set++;
		kpm->holes_marked++;
	} else {
		kpm->holes_silent++;
	}
}

/* Is it the same as the previous frame, apart from the counts? */
static bool as_before(const struct ptu_kpagemap *kpm,
		      const struct ptu_frame *page, uint64_t head_flags)
{
	return kpm->run.nr && page->flags == kpm->run.page.flags &&
	       page->kpf == kpm->run.page.kpf &&
	       head_flags == kpm->run.head_flags;
}

bool ptu_kpagemap_take(struct ptu_kpagemap *kpm, const struct ptu_frame *page,
		       const struct ptu_frame *head,
		       struct ptu_kpagemap_verdict *ret)
{
	if (as_before(kpm, page, head->flags) && !is_hole(page)) {
		*ret = kpm->run.verdict;
		judge_count(page, head, ret);
	} else {
		ptu_kpagemap_judge(kpm, page, head, ret);
	}
	if (!ptu_kpagemap_agrees(ret))
		return false;
	kpm->frames++;
	kpm->ends[PTU_KPAGEMAP_AGREED]++;
	if (ret->is_hole) {
		kpm->by_hole.set++;
		kpm->by_hole.ends[PTU_KPAGEMAP_AGREED]++;
		tally_hole(kpm, page->kpf);
		return true;
	}
	if (!as_before(kpm, page, head->flags)) {
		end_run(kpm);
		kpm->run.page = *page;
		kpm->run.head_flags = head->flags;
		kpm->run.verdict = *ret;
	}
	kpm->run.nr++;
	tally_counts(kpm, ret, 0);
	return true;
}

void ptu_kpagemap_learn(struct ptu_kpagemap *kpm, const struct ptu_frame *page,
			const struct ptu_frame *head)
{
	const uint64_t copied = kpm->rules[PTU_KPAGEMAP_COPY];
	uint64_t of_page, of_head;

	if (kpm->tails != PTU_KPAGEMAP_TAILS_UNKNOWN ||
	    !ptu_kpagemap_is_tail(page) || !ptu_kpagemap_is_head(head))
		return;
	of_page = translate(kpm, page->flags) & copied;
	of_head = translate(kpm, head->flags) & copied;
	if (of_page == of_head)
		return;
	if ((page->kpf & copied) == of_head)
		kpm->tails = PTU_KPAGEMAP_TAILS_HEAD;
	else if ((page->kpf & copied) == of_page)
		kpm->tails = PTU_KPAGEMAP_TAILS_OWN;
}

static bool same_way(const struct ptu_kpagemap_verdict *a,
		     const struct ptu_kpagemap_verdict *b)
{
	return a->differ == b->differ && a->hole == b->hole &&
	       a->broken == b->broken;
}

bool ptu_kpagemap_look(struct ptu_kpagemap_bracket *bracket, bool held,
		       const struct ptu_kpagemap_verdict *verdict,
		       enum ptu_kpagemap_end *ret)
{
	bracket->looks++;
	if (held) {
		bracket->same = bracket->same && same_way(&bracket->last,
							  verdict) ?
					bracket->same + 1 :
					1;
		bracket->last = *verdict;
		if (ptu_kpagemap_agrees(verdict)) {
			*ret = PTU_KPAGEMAP_CHANGED;
			return true;
		}
		if (bracket->same == PTU_KPAGEMAP_SAME) {
			*ret = PTU_KPAGEMAP_UNEXPLAINED;
			return true;
		}
	}
	if (bracket->looks < PTU_KPAGEMAP_LOOKS)
		return false;
	*ret = PTU_KPAGEMAP_IN_FLUX;
	return true;
}

/* Increment the result for each bit in @mask. */
static void tally_ends(struct ptu_kpagemap_tally *tallies, uint64_t mask,
		       enum ptu_kpagemap_end end)
{
	for (; mask; mask &= mask - 1)
		tallies[__builtin_ctzll(mask)].ends[end]++;
}

void ptu_kpagemap_settle(struct ptu_kpagemap *kpm, const struct ptu_frame *page,
			 const struct ptu_kpagemap_verdict *first,
			 const struct ptu_kpagemap_verdict *last,
			 enum ptu_kpagemap_end end)
{
	bool changed = end == PTU_KPAGEMAP_CHANGED;
	/* a difference that has disappeared counts as changed */
	uint64_t still = changed ? 0 : last->differ;
	uint64_t gone = first->differ & ~still & last->compared;
	unsigned int broken = changed ? 0 : last->broken;
	unsigned int mended = first->broken & ~broken & last->applies;

	kpm->frames++;
	kpm->ends[end]++;
	if (last->is_hole || first->hole || last->hole) {
		kpm->by_hole.set++;
		kpm->by_hole.ends[end]++;
	}
	if (last->is_hole || last->hole)
		return;
	end_run(kpm);
	tally_flags(kpm, page->kpf, last, still | gone, 1);
	tally_ends(kpm->by_flag, still, end);
	tally_ends(kpm->by_flag, gone, PTU_KPAGEMAP_CHANGED);
	tally_counts(kpm, last, broken | mended);
	tally_ends(kpm->by_count, broken, end);
	tally_ends(kpm->by_count, mended, PTU_KPAGEMAP_CHANGED);
}

void ptu_kpagemap_finish(struct ptu_kpagemap *kpm)
{
	end_run(kpm);
	if (!kpm->holes_marked || !kpm->holes_silent)
		return;
	kpm->by_hole.ends[PTU_KPAGEMAP_AGREED] -= kpm->holes_silent;
	kpm->by_hole.ends[PTU_KPAGEMAP_UNEXPLAINED] += kpm->holes_silent;
	kpm->ends[PTU_KPAGEMAP_AGREED] -= kpm->holes_silent;
	kpm->ends[PTU_KPAGEMAP_UNEXPLAINED] += kpm->holes_silent;
}

bool ptu_kpagemap_would_not_hold(const struct ptu_kpagemap *kpm)
{
	uint64_t limit = kpm->frames / 20;

	return kpm->ends[PTU_KPAGEMAP_IN_FLUX] > (limit > 8 ? limit : 8);
}
