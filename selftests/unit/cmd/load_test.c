// SPDX-License-Identifier: GPL-2.0-only
/* The messages of `load` and `unload` for each error. The test replaces libkmod. */
#if __has_include(<libkmod.h>)
#define PTU_HAVE_LIBKMOD
#endif
#include <dlfcn.h>
#include <unistd.h>

#define geteuid fake_geteuid

static uid_t user;

static uid_t fake_geteuid(void)
{
	return user;
}

#ifdef PTU_HAVE_LIBKMOD

#define dlopen fake_dlopen
#define dlsym fake_dlsym
#define dlclose fake_dlclose

/* libkmod: it may not be installed, or lack a function. */
static int libkmod;
static const char *lacks;
static unsigned int nr_open;

static void *fake_dlopen(const char *name, int flags)
{
	nr_open += libkmod;
	return libkmod ? &libkmod : NULL;
}

static void *fake_dlsym(void *handle, const char *name);

static int fake_dlclose(void *handle)
{
	nr_open--;
	return 0;
}

#endif

#include "cmd/load.c"

#include "support/unit.h"

#ifdef PTU_HAVE_LIBKMOD

/* What the kernel says about the module, and when it is to be removed. */
static int state, removal;
static unsigned int nr_refs, nr_removed;

static struct kmod_ctx *fake_new(const char *directory,
				 const char *const *configuration)
{
	nr_refs++;
	return (struct kmod_ctx *)&state;
}

static struct kmod_ctx *fake_unref(struct kmod_ctx *ctx)
{
	nr_refs--;
	return NULL;
}

static void fake_set_log_priority(struct kmod_ctx *ctx, int priority)
{
}

static int fake_from_name(struct kmod_ctx *ctx, const char *name,
			  struct kmod_module **ret)
{
	if (strcmp(name, "ptaudit") != 0)
		abort();
	nr_refs++;
	*ret = (struct kmod_module *)&removal;
	return 0;
}

static struct kmod_module *fake_module_unref(struct kmod_module *module)
{
	nr_refs--;
	return NULL;
}

static int fake_state(const struct kmod_module *module)
{
	return state;
}

static int fake_remove(struct kmod_module *module, unsigned int flags)
{
	nr_removed++;
	return removal;
}

static void *fake_dlsym(void *handle, const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {
		{ "kmod_new", fake_new },
		{ "kmod_unref", fake_unref },
		{ "kmod_set_log_priority", fake_set_log_priority },
		{ "kmod_module_new_from_name", fake_from_name },
		{ "kmod_module_unref", fake_module_unref },
		{ "kmod_module_get_initstate", fake_state },
		{ "kmod_module_remove_module", fake_remove },
	};

	if (lacks && !strcmp(name, lacks))
		return NULL;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!strcmp(name, functions[i].name))
			return functions[i].function;
	}
	/* not called by these tests */
	return abort;
}

static int unload(bool *already, struct ptu_err *err)
{
	err->text[0] = '\0';
	nr_removed = 0;
	libkmod = 1;
	return ptu_modctl_unload(already, err);
}

UNIT_TEST(each_error_of_unloading_has_its_reason)
{
	static const struct {
		int error;
		uid_t user;
		int returns;
		bool already;
		const char *says;
	} cases[] = {
		{ 0, 0, 0, false, "" },
		{ -ENOENT, 0, 0, true, "" },
		{ -EPERM, 1000, -EPERM, false,
		  "unloading a module needs root" },
		{ -EPERM, 0, -EPERM, false,
		  "unloading the module failed: Operation not permitted" },
		{ -EAGAIN, 0, -EBUSY, false,
		  "the module is in use: a program has one of its files open" },
		{ -EBUSY, 0, -EBUSY, false,
		  "the module is in use: a program has one of its files open" },
		{ -EIO, 0, -EIO, false,
		  "unloading the module failed: Input/output error" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ptu_err err;
		bool already;

		user = cases[i].user;
		removal = cases[i].error;
		if (unload(&already, &err) != cases[i].returns)
			UNIT_FAIL("error %d is not returned", -cases[i].error);
		CHECK_STR(err.text, cases[i].says);
		CHECK_EQ(already, cases[i].already);
		CHECK_EQ(nr_removed, 1);
		CHECK_EQ(nr_refs + nr_open, 0);
	}
}

UNIT_TEST(module_that_is_not_loaded_is_not_unloaded)
{
	struct ptu_err err;
	bool already;

	state = -ENOENT;
	CHECK_EQ(unload(&already, &err), 0);
	state = 0;
	CHECK(already);
	CHECK_EQ(nr_removed, 0);
	CHECK_EQ(nr_refs + nr_open, 0);
}

UNIT_TEST(libkmod_may_be_missing_or_incomplete)
{
	struct ptu_err err = { "" };
	bool already;

	libkmod = 0;
	CHECK_EQ(ptu_modctl_unload(&already, &err), -EOPNOTSUPP);
	CHECK(strstr(err.text, "which is not installed"));
	lacks = "kmod_module_unref_list";
	CHECK_EQ(unload(&already, &err), -EOPNOTSUPP);
	lacks = NULL;
	CHECK(strstr(err.text, "lacks functions that ptaudit needs"));
	CHECK_EQ(nr_open, 0);
}

#endif

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

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
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
