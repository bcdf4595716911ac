// SPDX-License-Identifier: GPL-2.0-only
/* The sizes of the header's structs, for languages that declare them again. */
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
	return 0;
}
