// SPDX-License-Identifier: GPL-2.0-only
/* What `load` says for each error of the kernel. */
#if __has_include(<libkmod.h>)
#define PTU_HAVE_LIBKMOD
#endif
#include <unistd.h>

#define geteuid fake_geteuid

static uid_t user;

static uid_t fake_geteuid(void)
{
	return user;
}

#include "cmd/load.c"

#include "support/unit.h"

UNIT_TEST(each_error_of_the_kernel_has_its_reason)
{
#ifdef PTU_HAVE_LIBKMOD
	static const struct {
		int error;
		uid_t user;
		const char *says;
	} cases[] = {
		{ -EPERM, 1000, "loading a module needs root" },
		{ -EPERM, 0, "the kernel refuses x.ko even to root" },
		{ -EACCES, 0, "no permission to read x.ko" },
		{ -ENOEXEC, 0, "x.ko is not a module for the running kernel" },
		{ -ENOSYS, 0, "does not support modules" },
		{ -EKEYREJECTED, 0, "x.ko has no signature" },
		{ -ENOKEY, 0, "x.ko has no signature" },
		{ -EBADMSG, 0, "x.ko has no signature" },
		{ -ENOENT, 0, "lacks a symbol that x.ko needs" },
		{ -EINVAL, 0, "loading x.ko failed: Invalid argument" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ptu_err err = { "" };

		user = cases[i].user;
		CHECK_EQ(load_error(cases[i].error, "x.ko", &err),
			 cases[i].error);
		if (!strstr(err.text, cases[i].says))
			UNIT_FAIL("%s", err.text);
	}
#else
	struct ptu_err err = { "" };
	bool already;

	CHECK_EQ(ptu_modctl_load("x.ko", &already, &err), -EOPNOTSUPP);
	CHECK_EQ(ptu_modctl_unload(&already, &err), -EOPNOTSUPP);
#endif
}

UNIT_MAIN
