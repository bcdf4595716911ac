// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording whose files fit its manifest can still be incomplete: some files belong together,
 * and mappings must be in the user half.
 */
#include "acquire/recording.c"

#include "acquire/temp_recording.h"
#include "support/build.h"

/* The files of these recordings are empty. */
int ptu_scan_calibrate(struct ptu_scan_caps *ret, struct ptu_err *scan_err)
{
	return 1;
}

/* A manifest that fits the files does not make a recording complete. */
UNIT_TEST(files_that_each_recording_has_are_required)
{
	static const struct {
		const char *name, *message;
	} all[] = {
#define REQUIRED(name) { name, "the recording is damaged: " name " is missing" }
		REQUIRED("about"),     REQUIRED("cpuinfo"),
		REQUIRED("7/stat"),    REQUIRED("7/status"),
		REQUIRED("7/maps"),    REQUIRED("7/smaps"),
		REQUIRED("7/pagemap"), REQUIRED("sys/kernel/random/boot_id"),
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		end_recording();
		begin_recording();
		drop(all[i].name);
		make();
		REFUSED(-EBADMSG, all[i].message);
	}
}

static const char *const sets[][3] = {
	{ "scan-caps", "7/scan" },
	{ "geometry", "7/tables-before", "7/tables-after" },
	{ "geometry-bpf", "7/tables-bpf-before", "7/tables-bpf-after" },
};

UNIT_TEST(files_that_belong_together_are_recorded_together)
{
	size_t i, j, without;

	for (i = 0; i < 3; i++)
		for (without = 0; without <= 3; without++) {
			end_recording();
			begin_recording();
			for (j = 0; j < 3; j++)
				if (j != without && sets[i][j])
					add(sets[i][j], "");
			make();
			if (without == 3 || !sets[i][without]) {
				CHECK_EQ(use(), 0);
				continue;
			}
			CHECK_EQ(use(), -EBADMSG);
			CHECK(strstr(err.text, without ? " is missing" :
							 " exists, but "));
			CHECK(strstr(err.text, sets[i][without ? without : 1]));
		}
}

UNIT_TEST(the_files_of_the_pages_are_recorded_together)
{
	add("kpageflags", "");
	make();
	CHECK_EQ(use(), 0);
	add("kpagecount", "");
	make();
	DAMAGED("page-caps is missing");
	add("page-caps", "");
	make();
	CHECK_EQ(use(), 0);
	drop("kpagecount");
	unlinkat(tree_fd, "kpagecount", 0);
	make();
	DAMAGED("kpagecount is missing");
	drop("kpageflags");
	unlinkat(tree_fd, "kpageflags", 0);
	make();
	DAMAGED("kpageflags is missing");
}

/* Older recordings have neither of them. */
UNIT_TEST(meminfo_is_recorded_before_and_after)
{
	add("meminfo", "");
	make();
	DAMAGED("meminfo-after is missing");
	add("meminfo-after", "");
	make();
	CHECK_EQ(use(), 0);
}

/* They would be read as process 7 once more, or as no process. */
UNIT_TEST(the_directory_of_a_process_has_the_name_of_a_pid)
{
	static const struct {
		const char *names[5], *message;
	} all[] = {
#define DIRECTORY(pid)                                              \
	{ { pid "/maps", pid "/pagemap", pid "/smaps", pid "/stat", \
	    pid "/status" },                                        \
	  "the recording is damaged: " pid                          \
	  "/maps is in a directory whose name is not a PID" }
		DIRECTORY("07"),
		DIRECTORY("0"),
		DIRECTORY("7x"),
		DIRECTORY("2147483648"),
		DIRECTORY("18446744073709551623"),
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		end_recording();
		begin_recording();
		for (size_t k = 0; k < 5; k++)
			add(all[i].names[k], "");
		make();
		REFUSED(-EBADMSG, all[i].message);
	}
}

/* "7/" comes before "70/" and "8/". */
UNIT_TEST(each_process_is_complete)
{
	static const char *const names[] = {
		"70/stat", "70/status", "70/maps", "70/smaps", "70/pagemap",
		"8/stat",  "8/status",	"8/maps",  "8/smaps",  "8/pagemap",
	};

	/* no process: a file without a directory, and a directory without a number */
	add("12", "");
	add("a7/b", "");
	for (size_t i = 0; i < 10; i++)
		add(names[i], "");
	make();
	CHECK_EQ(use(), 0);
	unlinkat(tree_fd, "8/stat", 0);
	drop("8/stat");
	make();
	DAMAGED("8/stat is missing");
	unlinkat(tree_fd, "70/smaps", 0);
	drop("70/smaps");
	make();
	DAMAGED("70/smaps is missing");
}

UNIT_TEST(a_recording_has_a_process)
{
	nr_files = 3;
	add("12", "");
	add("kpageflags", "");
	make();
	DAMAGED("there is no process in it");
}

/* The user half of four levels has 2^47 bytes; the last page is not used. */
#define USER_END UINT64_C(0x800000000000)
#define VSYSCALL_PAGE UINT64_C(0xffffffffff600000)

static int check_mapping(uint64_t start, uint64_t end, bool with_another)
{
	struct ptu_vma all[] = { { .start = start, .end = end },
				 { .start = 0x1000, .end = 0x2000 } };
	struct ptu_vmas vmas = { .vmas = all, .nr_vmas = 1 + with_another };

	err.text[0] = '\0';
	return ptu_recording_vmas(&vmas, &four_levels, &err);
}

UNIT_TEST(mappings_are_in_the_user_half)
{
	CHECK_EQ(check_mapping(USER_END - 0x1000, USER_END, false), 0);
	CHECK_EQ(check_mapping(USER_END - 0x1000, USER_END + 0x1000, true),
		 -EBADMSG);
	CHECK_STR(err.text,
		  "the recording is damaged: maps has a mapping beyond the user half of the addresses");
}

UNIT_TEST(vsyscall_is_one_page_and_no_mapping_of_the_process)
{
	CHECK_EQ(check_mapping(VSYSCALL_PAGE, VSYSCALL_PAGE + 0x1000, true), 0);
	CHECK_EQ(check_mapping(VSYSCALL_PAGE, VSYSCALL_PAGE + 0x2000, true),
		 -EBADMSG);
	CHECK_EQ(check_mapping(VSYSCALL_PAGE - 0x1000, VSYSCALL_PAGE + 0x1000,
			       true),
		 -EBADMSG);
	CHECK_EQ(check_mapping(VSYSCALL_PAGE, VSYSCALL_PAGE + 0x1000, false),
		 -EBADMSG);
	CHECK_STR(err.text, "the recording is damaged: maps has no mapping");
}

UNIT_TEST(a_process_has_a_mapping)
{
	struct ptu_vmas none = { 0 };

	CHECK_EQ(ptu_recording_vmas(&none, &four_levels, &err), -EBADMSG);
	CHECK_STR(err.text, "the recording is damaged: maps has no mapping");
}

UNIT_MAIN_WITH(begin_recording, end_recording)
