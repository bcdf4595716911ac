// SPDX-License-Identifier: GPL-2.0-only
/* Sizes of the header's structs and its constants, for languages that declare them again. */
#include <ptaudit.h>
#include <stdio.h>

int main(void)
{
	printf("%zu %zu %zu %zu %zu %zu %zu %zu\n",
	       sizeof(struct ptaudit_options), sizeof(struct ptaudit_ask),
	       sizeof(struct ptaudit_process_row),
	       sizeof(struct ptaudit_level_row),
	       sizeof(struct ptaudit_mapping_row),
	       sizeof(struct ptaudit_cause_row),
	       sizeof(struct ptaudit_difference_row),
	       sizeof(struct ptaudit_table_row));
	printf("%d %d %d %d %d %d %d %d %d\n", PTAUDIT_LEVEL_PTE,
	       PTAUDIT_LEVEL_PMD, PTAUDIT_LEVEL_PUD, PTAUDIT_LEVEL_P4D,
	       PTAUDIT_LEVEL_PGD, PTAUDIT_TRUTH_ANY, PTAUDIT_TRUTH_MODULE,
	       PTAUDIT_TRUTH_BPF, PTAUDIT_TRUTH_BOTH);
	printf("%u %u %u %u %u %u\n", PTAUDIT_ASK_FILL, PTAUDIT_ASK_KERNEL,
	       PTAUDIT_TABLE_HUGE_PAGE, PTAUDIT_TABLE_SHARED,
	       PTAUDIT_TABLE_POSSIBLE, PTAUDIT_TABLE_COUNTED);
	return 0;
}
