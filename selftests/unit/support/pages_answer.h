/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of the module's file `pages` that count pages. */
#ifndef PAGES_ANSWER_H
#define PAGES_ANSWER_H

#define PAGES_OF_ANSWER                                                                      \
	"present 15\nanon 5\nfile 4\nshmem 3\nzero 2\nspecial 1\n"                           \
	"pte_pages 14\npmd_pages 1\npud_pages 0\nzero_pmd 0\nspecial_pmd 0\nprotnone_pmd 0\n" \
	"ksm 1\nmapped_once 6\nanon_once 2\ninexact 0\nexclusive 2\n"                        \
	"exclusive_pmd 0\nexclusive_large 1\nswap 20\nmigration 21\n"                        \
	"device 22\nhwpoison 23\nuffd_wp 24\nguard 25\npoison 26\nother 27\nabsent_pmd 28\n" \
	"hugetlb 6\nhugetlb_pmd 4\nhugetlb_pud 2\nhugetlb_anon 5\n"                          \
	"hugetlb_once 4\nhugetlb_anon_once 3\nhugetlb_exclusive 1\n"                         \
	"hugetlb_uffd_wp 30\nhugetlb_other 31\n"

#endif
