// SPDX-License-Identifier: GPL-2.0-only
/* `whatif` and `reclaim` as JSON: each member, in both commands. */
#include <jansson.h>
#include <stdlib.h>

#include "support/whatif_report.h"

/* Compare @root, without its head, to the text in @expected. */
static void compare(json_t *root, const char *expected)
{
	json_error_t error;
	json_t *wanted = json_loads(expected, JSON_REJECT_DUPLICATES, &error);
	const char *key;
	json_t *value;

	if (!root || !wanted) {
		UNIT_FAIL("cannot parse: %s", error.text);
		return;
	}
	if (!json_object_get(root, "ptaudit"))
		UNIT_FAIL("there is no head");
	json_object_del(root, "ptaudit");
	json_object_foreach(root, key, value)
	{
		json_t *other = json_object_get(wanted, key);
		char *text = json_dumps(value, JSON_COMPACT);

		if (!other || !json_equal(value, other))
			UNIT_FAIL("%s is %s, which is not expected", key, text);
		free(text);
	}
	json_object_foreach(wanted, key, value) if (!json_object_get(root, key))
		UNIT_FAIL("the member %s is missing", key);
	json_decref(wanted);
}

static void check_json(struct ptu_render_options options, const char *expected)
{
	json_error_t error = { .text = "" };
	json_t *root = json_loads(text_with(true, options),
				  JSON_REJECT_DUPLICATES, &error);

	compare(root, expected);
	json_decref(root);
}

static struct ptu_process processes[] = {
	{ .pid = 61, .comm = "a\tb", .error = "not shown" },
	{ .pid = 90,
	  .comm = "lost",
	  .status = PTU_STATUS_GONE,
	  .error = "it has ended" },
};
static struct ptu_whatif_unmap unmaps[] = {
	{ .device = (2ull << 32) | 0x1f,
	  .inode = 55,
	  .nr_mms = 3,
	  .tables = 9,
	  .madvise_tables = 8,
	  .upper_tables = 2,
	  .path = heap },
	{ .nr_mms = 1, .path = nothing },
};
static struct ptu_whatif_doubled doubled[] = {
	{ .mm = 1,
	  .start = 0,
	  .end = 0x3000,
	  .kept_start = 0x9000,
	  .tables = 3,
	  .upper_tables = 1,
	  .path = file_path },
	{ .start = 0x1000, .end = 0, .path = nothing },
};

static void set_up(void)
{
	whatif_begin();
	report.base.processes = processes;
	report.base.nr_processes = 2;
	mms[1].named = false;
	mms[1].shared_tables = 4;
	mms[1].changed_tables = 5;
	report.nr_empties = 2;
	empties[0].start = 0;
	empties[1].end = 0;
	report.unmaps = unmaps;
	report.nr_unmaps = 2;
	report.doubled = doubled;
	report.nr_doubled = 2;
	/* the first file has the hole 0, the second one that from 0x1000 to 0x1800 */
	report.nr_holes = 2;
	files[1].device = (3ull << 32) | 0x2e;
	files[1].hugetlb_tables = 12;
}

#define PROCESSES                                                 \
	"\"processes\": ["                                        \
	"{\"pid\": 61, \"comm\": \"a\\tb\", \"status\": \"ok\"}," \
	"{\"pid\": 90, \"comm\": \"lost\", \"status\": \"gone\"," \
	" \"error\": \"it has ended\"}],"                         \
	"\"tables_by\": \"scan\", \"shmem_enabled\": \"never\","  \
	"\"unopened_mappings\": 4, \"unread_processes\": 1, \"unread_pids\": [70],"

/* The file with more tables comes first. 4 MiB and 8 MiB are 2 and 4 hugetlb pages. */
#define SHARED                                                                \
	"\"shared\": ["                                                       \
	"{\"path\": \"\", \"device\": \"3:2e\", \"inode\": 77,"               \
	" \"knob\": \"shmem_enabled\", \"processes\": 2, \"tables\": 6,"      \
	" \"empty_tables\": 2, \"huge_pages\": 3, \"fill_bytes\": 40960,"     \
	" \"swapped_bytes\": 12288, \"hugetlb_tables\": 12,"                  \
	" \"hugetlb_pages\": 4,"                                              \
	" \"holes\": [{\"start\": \"0x1000\", \"end\": \"0x1800\"}],"         \
	" \"stays\": []},"                                                    \
	"{\"path\": \"/dev/shm/x\", \"device\": \"0:0\", \"inode\": 0,"       \
	" \"knob\": \"huge=\", \"processes\": 1, \"tables\": 0,"              \
	" \"empty_tables\": 0, \"huge_pages\": 0, \"fill_bytes\": 0,"         \
	" \"swapped_bytes\": 0, \"hugetlb_tables\": 0, \"hugetlb_pages\": 2," \
	" \"holes\": [{\"start\": \"0x0\", \"end\": \"0x0\"}],"               \
	" \"stays\": ["                                                       \
	"{\"reason\": \"unaligned\", \"tables\": 3, \"sentence\": \"%s\"},"   \
	"{\"reason\": \"userfaultfd\", \"tables\": 1, \"sentence\": \"%s\"}]}],"

/* Fill in the sentences of the reasons, which other tests check. */
static const char *with_sentences(const char *text)
{
	static char whole[1 << 13];

	snprintf(whole, sizeof(whole), text,
		 ptu_whatif_block_sentence(PTU_BLOCK_UNALIGNED),
		 ptu_whatif_block_sentence(PTU_BLOCK_UFFD));
	return whole;
}

#define SUMS                                                          \
	"\"empty_tables\": 12, \"sealed_tables\": 3,"                 \
	"\"shared_tables\": 6, \"predicted_tables\": 18,"             \
	"\"empties_known\": true, \"madvise_frees\": false,"          \
	"\"shared_known\": true,"                                     \
	"\"anonymous\": {\"tables\": 20, \"predicted_tables\": 0,"    \
	" \"why\": \"deposit\", \"counted_tables\": 0,"               \
	" \"entries\": 0, \"dense_tables\": 0, \"marker_tables\": 0," \
	" \"zero_tables\": 0},"

#define SPACES                                                                   \
	"\"address_spaces\": ["                                                  \
	"{\"pid\": 61, \"comm\": \"a\\tb\", \"named\": true,"                    \
	" \"pte_tables\": 50, \"empty_tables\": 14, \"shared_tables\": 0,"       \
	" \"changed_tables\": 0, \"unseen_tables\": 0, \"vmpte_bytes\": 40960}," \
	"{\"pid\": 62, \"comm\": \"other\", \"named\": false,"                   \
	" \"pte_tables\": 7, \"empty_tables\": 0, \"shared_tables\": 4,"         \
	" \"changed_tables\": 5, \"unseen_tables\": 0, \"vmpte_bytes\": 8192}]"

UNIT_TEST(json_of_whatif_has_each_way_to_free_tables)
{
	report.madvise_frees = false;
	check_json((struct ptu_render_options){ .raw = false },
		   with_sentences(
			   "{" PROCESSES SHARED SUMS "\"empty\": ["
			   "{\"pid\": 61, \"start\": \"0x0\", \"end\": \"0x1800000\","
			   " \"tables\": 11, \"bytes\": 45056, \"call\": \"madvise\","
			   " \"perms\": \"rw-p\", \"path\": \"[heap]\"},"
			   "{\"pid\": 61, \"start\": \"0x40000000\","
			   " \"end\": \"0x10000000000000000\", \"tables\": 1,"
			   " \"bytes\": 4096, \"call\": \"munmap\","
			   " \"perms\": \"rw-p\", \"path\": \"\"}],"
			   "\"unmap\": ["
			   "{\"path\": \"[heap]\", \"device\": \"2:1f\", \"inode\": 55,"
			   " \"processes\": 3, \"tables\": 9, \"madvise_tables\": 8,"
			   " \"upper_tables\": 2},"
			   "{\"path\": \"\", \"device\": \"0:0\", \"inode\": 0,"
			   " \"processes\": 1, \"tables\": 0, \"madvise_tables\": 0,"
			   " \"upper_tables\": 0}],"
			   "\"mapped_twice\": ["
			   "{\"pid\": 62, \"start\": \"0x0\", \"end\": \"0x3000\","
			   " \"same_as\": \"0x9000\", \"tables\": 3,"
			   " \"upper_tables\": 1, \"path\": \"/dev/shm/x\"},"
			   "{\"pid\": 61, \"start\": \"0x1000\","
			   " \"end\": \"0x10000000000000000\", \"same_as\": \"0x0\","
			   " \"tables\": 0, \"upper_tables\": 0, \"path\": \"\"}]," SPACES
			   "}"));
}

/* A file that no table maps is left out. */
UNIT_TEST(json_of_reclaim_is_about_shared_memory)
{
	report.is_reclaim = true;
	report.reclaim.max_fill_bytes = 65536;
	files[1].nr_mms = 0;
	report.nr_files = 1;
	check_json((struct ptu_render_options){ .raw = false },
		   "{" PROCESSES "\"shared\": [],"
		   "\"address_spaces\": ["
		   "{\"pid\": 61, \"comm\": \"a\\tb\", \"named\": true,"
		   " \"pte_tables\": 50, \"shared_tables\": 0,"
		   " \"changed_tables\": 0, \"vmpte_bytes\": 40960},"
		   "{\"pid\": 62, \"comm\": \"other\", \"named\": false,"
		   " \"pte_tables\": 7, \"shared_tables\": 4,"
		   " \"changed_tables\": 5, \"vmpte_bytes\": 8192}],"
		   "\"done\": false, \"max_fill_bytes\": 65536,"
		   "\"predicted_tables\": 0, \"returned_tables\": 0,"
		   "\"more_tables\": 0, \"predicted_fill_bytes\": 0,"
		   "\"filled_bytes\": 0, \"huge_pages\": 0,"
		   "\"failed_huge_pages\": 0, \"took_ns\": 0}");
}

UNIT_TEST(json_of_reclaim_has_its_results)
{
	report.is_reclaim = report.is_acting = true;
	report.reclaim = (struct ptu_reclaim_result){
		.done = true,
		.returned_tables = 5,
		.more_tables = 2,
		.windows = 3,
		.failed_windows = 1,
		.filled_bytes = 36864,
		.took_ns = 1250000000,
	};
	check_json((struct ptu_render_options){ .raw = false },
		   with_sentences(
			   "{" PROCESSES SHARED "\"address_spaces\": ["
			   "{\"pid\": 61, \"comm\": \"a\\tb\", \"named\": true,"
			   " \"pte_tables\": 50, \"shared_tables\": 0,"
			   " \"changed_tables\": 0, \"vmpte_bytes\": 40960,"
			   " \"vmpte_after_bytes\": 16384},"
			   "{\"pid\": 62, \"comm\": \"other\", \"named\": false,"
			   " \"pte_tables\": 7, \"shared_tables\": 4,"
			   " \"changed_tables\": 5, \"vmpte_bytes\": 8192,"
			   " \"vmpte_after_bytes\": 8192}],"
			   "\"done\": true, \"max_fill_bytes\": 0,"
			   "\"predicted_tables\": 6, \"returned_tables\": 5,"
			   "\"more_tables\": 2, \"predicted_fill_bytes\": 40960,"
			   "\"filled_bytes\": 36864, \"huge_pages\": 3,"
			   "\"failed_huge_pages\": 1, \"took_ns\": 1250000000}"));
}

UNIT_TEST(each_option_for_rows_prints_the_ways_as_rows)
{
	report.madvise_frees = false;
	report.nr_unmaps = report.nr_doubled = 0;
	report.nr_empties = 1;
	/* of 11 + 6 tables */
	check_json((struct ptu_render_options){ .columns = "TABLES" },
		   "{" PROCESSES "\"empty_tables\": 11, \"sealed_tables\": 3,"
		   "\"shared_tables\": 6, \"predicted_tables\": 17,"
		   "\"empties_known\": true, \"madvise_frees\": false,"
		   "\"shared_known\": true,"
		   "\"anonymous\": {\"tables\": 20, \"predicted_tables\": 0,"
		   " \"why\": \"deposit\", \"counted_tables\": 0,"
		   " \"entries\": 0, \"dense_tables\": 0, \"marker_tables\": 0,"
		   " \"zero_tables\": 0},"
		   "\"ways\": [{\"tables\": 12}, {\"tables\": 11}, {\"tables\": 6}]," SPACES
		   "}");
	CHECK(strstr(text_with(true, (struct ptu_render_options){ .limit = 1 }),
		     "\"ways\": ["));
	CHECK(strstr(text_with(true,
			       (struct ptu_render_options){ .sort = "SIZE" }),
		     "\"ways\": ["));
	CHECK(!strstr(text_of(true), "\"ways\": ["));
}

UNIT_TEST(the_head_has_command_and_columns)
{
	CHECK(strstr(text_of(true), "\"command\": \"whatif\""));
	CHECK(strstr(text_with(true,
			       (struct ptu_render_options){
				       .columns = "TABLES,PID" }),
		     "\"output\": \"TABLES,PID\""));
	report.is_reclaim = true;
	CHECK(strstr(text_of(true), "\"command\": \"reclaim\""));
}

UNIT_TEST(an_unknown_column_is_refused)
{
	const struct ptu_render_options options = { .columns = "NONE" };
	struct ptu_err err;
	int error;

	CHECK_STR(OUTPUT_OF(error = ptu_render_whatif_json(&report, &options,
							   out, &err)),
		  "");
	CHECK_EQ(error, -EINVAL);
}

UNIT_MAIN_WITH(set_up, NULL)
