// SPDX-License-Identifier: LGPL-2.1-or-later
/* Distinguish copies from originals; must not know how pages are read or shown. */
#include "compare/cow.h"

#include <string.h>

#include "compare/page_flags.h"
#include "model/absent.h"
#include "model/page_flags.h"
#include "model/pagemap.h"

/*
 * For a page of a large folio, pagemap may report whether the whole folio, or its
 * first page, is mapped elsewhere; kpagecount reports it for each page.
 */
static bool is_large(const struct ptu_page *page)
{
	return page->flags & (PTU_KPF_HUGE | PTU_KPF_THP);
}

/* Memory of the kernel or of a device. */
static bool is_special(const struct ptu_page *page)
{
	return !page->flags ||
	       page->flags & (PTU_KPF_NOPAGE | PTU_KPF_RESERVED);
}

static enum ptu_cow_kind kind_by_flags(const struct ptu_page *page)
{
	if (page->flags & PTU_KPF_ZERO_PAGE)
		return PTU_COW_ORIGINAL;
	if (page->flags & PTU_KPF_ANON)
		return page->count > 1 ? PTU_COW_SHARED : PTU_COW_COPIED;
	return PTU_COW_ORIGINAL;
}

static bool is_copy(enum ptu_cow_kind kind)
{
	return kind == PTU_COW_COPIED || kind == PTU_COW_SHARED;
}

/* Compare pagemap's view of a page with the flags of its page frame. */
static void compare(const struct ptu_page *page,
		    struct ptu_cow_verdict *verdict)
{
	bool zero = page->flags & PTU_KPF_ZERO_PAGE;

	verdict->by_flags = kind_by_flags(page);
	/* neither file-backed nor exclusive: the flags may decide */
	if (verdict->kind == PTU_COW_SHARED &&
	    (zero ? verdict->maybe_zero : is_special(page)))
		verdict->kind = PTU_COW_ORIGINAL;
	verdict->maybe_zero = false;
	if (is_copy(verdict->kind) && is_copy(verdict->by_flags) &&
	    is_large(page)) {
		verdict->kind = verdict->by_flags;
		return;
	}
	verdict->disagree = verdict->kind != verdict->by_flags ||
			    (page->zero && !zero);
}

static void judge_present(const struct ptu_page *page,
			  const struct ptu_cow_known *known,
			  struct ptu_cow_verdict *verdict)
{
	if (page->word & PTU_PM_FILE) {
		verdict->kind = PTU_COW_ORIGINAL;
	} else if (page->word & PTU_PM_EXCLUSIVE) {
		verdict->kind = PTU_COW_COPIED;
	} else if (page->zero || known->special) {
		verdict->kind = PTU_COW_ORIGINAL;
	} else {
		verdict->kind = PTU_COW_SHARED;
		verdict->maybe_zero = !known->pfnzero;
	}
	if (known->flags)
		compare(page, verdict);
}

/* Classify a page whose entry is not present. */
static void judge_swap(const struct ptu_page *page,
		       const struct ptu_cow_known *known,
		       struct ptu_cow_verdict *verdict)
{
	if (page->word & PTU_PM_GUARD) {
		verdict->marker = true;
	} else if (page->word & PTU_PM_FILE) {
		verdict->kind = PTU_COW_ORIGINAL; /* under migration */
	} else if (!known->types) {
		verdict->kind = PTU_COW_SWAPPED;
		verdict->maybe_marker = page->word & PTU_PM_UFFD_WP;
	} else {
		enum ptu_absent kind = ptu_absent_kind(page->word);

		if (kind == PTU_ABSENT_SWAP)
			verdict->kind = PTU_COW_SWAPPED;
		else if (kind == PTU_ABSENT_MOVING)
			verdict->kind = PTU_COW_COPIED;
		else
			verdict->marker = true;
	}
}

struct ptu_cow_verdict ptu_cow_judge(const struct ptu_page *page,
				     const struct ptu_cow_known *known)
{
	struct ptu_cow_verdict verdict = { .kind = PTU_COW_UNTOUCHED };

	if (page->word & PTU_PM_PRESENT)
		judge_present(page, known, &verdict);
	else if (page->word & PTU_PM_SWAP)
		judge_swap(page, known, &verdict);
	else
		verdict.marker = page->word & (PTU_PM_UFFD_WP | PTU_PM_GUARD);
	return verdict;
}

void ptu_cow_begin(struct ptu_cow_count *count, uint64_t pages)
{
	memset(count, 0, sizeof(*count));
	count->pages = pages;
	count->kinds[PTU_COW_UNTOUCHED] = pages;
}

void ptu_cow_add(struct ptu_cow_count *count,
		 const struct ptu_cow_verdict *verdict)
{
	count->kinds[PTU_COW_UNTOUCHED]--;
	count->kinds[verdict->kind]++;
	count->maybe_zero += verdict->maybe_zero;
	count->maybe_markers += verdict->maybe_marker;
	count->markers += verdict->marker;
	count->disagree += verdict->disagree;
}

void ptu_cow_sum(struct ptu_cow_count *total, const struct ptu_cow_count *count)
{
	unsigned int kind;

	total->pages += count->pages;
	for (kind = 0; kind < PTU_NR_COW_KINDS; kind++)
		total->kinds[kind] += count->kinds[kind];
	total->maybe_zero += count->maybe_zero;
	total->maybe_markers += count->maybe_markers;
	total->markers += count->markers;
	total->disagree += count->disagree;
}
