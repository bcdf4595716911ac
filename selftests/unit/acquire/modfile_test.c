// SPDX-License-Identifier: GPL-2.0-only
/* Module files are refused if other users can write them. */
#define _GNU_SOURCE
#include "acquire/modfile.c"

#include "support/tree.h"
#include "support/unit.h"

#define NOBODY 65534u
#define ALICE 1234u

/* In the temporary directory: directory `d`, file `d/f` and link `l`. */
static void set_up(void)
{
	tree_make();
	tree_write("d/f", "");
	if (chdir(tree) || symlink("d/f", "l"))
		abort();
}

static void tear_down(void)
{
	if (chdir("/"))
		abort();
	tree_remove();
}

/* Check @file after setting the modes of d/f and d.  Return: the result of the check. */
static int check(const char *file, mode_t file_mode, mode_t dir_mode,
		 struct ptu_err *err)
{
	char *path = NULL;
	int error;

	err->text[0] = '\0';
	chmod("d/f", file_mode);
	chmod("d", dir_mode);
	error = ptu_modfile_check(file, &path, err);
	if (!error && strcmp(path + strlen(path) - 4, "/d/f"))
		error = -EXDEV;
	free(path);
	return error;
}

UNIT_TEST(a_file_of_ones_own_is_taken)
{
	struct ptu_err err;

	CHECK_EQ(check("d/f", 0644, 0755, &err), 0);
	CHECK_EQ(check("l", 0600, 0700, &err), 0);
}

UNIT_TEST(file_that_others_may_write_is_refused)
{
	struct ptu_err err;

	CHECK_EQ(check("d/f", 0646, 0755, &err), -EPERM);
	CHECK(strstr(err.text, "others may write"));
	CHECK_EQ(check("d/f", 0664, 0755, &err), -EPERM);
	CHECK_EQ(check("d/f", 0644, 0777, &err), -EPERM);
	CHECK_EQ(check("l", 0644, 0775, &err), -EPERM);
	CHECK_EQ(check("d/f", 0644, 01777, &err), 0);
	CHECK_EQ(check("d/f", 01666, 0755, &err), -EPERM);
}

UNIT_TEST(missing_file_and_irregular_file_are_refused)
{
	struct ptu_err err;

	CHECK_EQ(check("d/g", 0644, 0755, &err), -ENOENT);
	CHECK_STR(err.text, "d/g: there is no such file");
	CHECK_EQ(check("d", 0644, 0755, &err), -EINVAL);
	CHECK_EQ(check("/dev/null", 0644, 0755, &err), -EINVAL);
}

UNIT_TEST(owners_are_root_and_the_caller)
{
	struct stat st = { .st_mode = S_IFREG | 0644 };

	CHECK(!others_may_write(&st));
	st.st_uid = geteuid();
	CHECK(!others_may_write(&st));
	st.st_uid = geteuid() == NOBODY ? ALICE : NOBODY;
	CHECK(others_may_write(&st));
	/* the sticky bit does not keep the owner from writing to the directory */
	st.st_mode = S_IFDIR | 01755;
	CHECK(others_may_write(&st));
}

UNIT_TEST(caller_of_sudo_counts_as_the_owner)
{
	struct stat st = { .st_mode = S_IFREG | 0644, .st_uid = ALICE };
	bool by_root = !geteuid();

	setenv("SUDO_UID", "1234", 1);
	CHECK_EQ(others_may_write(&st), !by_root);
	setenv("SUDO_UID", "12345", 1);
	CHECK(others_may_write(&st));
	unsetenv("SUDO_UID");
	CHECK(others_may_write(&st));
}

UNIT_MAIN_WITH(set_up, tear_down)
