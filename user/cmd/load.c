// SPDX-License-Identifier: LGPL-2.1-or-later
/* The only user of libkmod, which is loaded on demand.  Must not look at processes. */
#define _GNU_SOURCE
#include "cmd/load.h"

#include <errno.h>

#ifdef PTU_HAVE_LIBKMOD

#include <dlfcn.h>
#include <libkmod.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syslog.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "acquire/modfile.h"

#define MODULE_NAME "ptaudit"

/* The libkmod functions in use, checked against its header. */
#define KMOD_FUNCTIONS(F)              \
	F(kmod_new)                    \
	F(kmod_unref)                  \
	F(kmod_set_log_priority)       \
	F(kmod_module_new_from_name)   \
	F(kmod_module_new_from_path)   \
	F(kmod_module_new_from_lookup) \
	F(kmod_module_get_module)      \
	F(kmod_module_get_path)        \
	F(kmod_module_get_initstate)   \
	F(kmod_module_insert_module)   \
	F(kmod_module_remove_module)   \
	F(kmod_module_unref)           \
	F(kmod_module_unref_list)

struct libkmod {
	void *handle;
	struct kmod_ctx *ctx;
#define DECLARE(name) __typeof__(&name) name;
	KMOD_FUNCTIONS(DECLARE)
#undef DECLARE
};

static int libkmod_open(struct libkmod *ret, struct ptu_err *err)
{
	struct libkmod kmod = { .handle = NULL };

	kmod.handle = dlopen("libkmod.so.2", RTLD_NOW | RTLD_LOCAL);
	if (!kmod.handle)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "loading modules needs libkmod.so.2, which is not installed; install the package libkmod2");
#define FIND(name)                                                \
	kmod.name = (__typeof__(&name))dlsym(kmod.handle, #name); \
	if (!kmod.name)                                           \
		goto incomplete;
	KMOD_FUNCTIONS(FIND)
#undef FIND
	kmod.ctx = kmod.kmod_new(NULL, NULL);
	if (!kmod.ctx) {
		dlclose(kmod.handle);
		return ptu_err_set(err, -ENOMEM, "cannot initialize libkmod");
	}
	/* errors are reported by return values; only main.c prints */
	kmod.kmod_set_log_priority(kmod.ctx, LOG_EMERG);
	*ret = kmod;
	return 0;

incomplete:
	dlclose(kmod.handle);
	return ptu_err_set(err, -EOPNOTSUPP,
			   "libkmod.so.2 lacks functions that ptaudit needs; a newer package libkmod2 has them");
}

static void libkmod_close(struct libkmod *kmod)
{
	kmod->kmod_unref(kmod->ctx);
	dlclose(kmod->handle);
}

/* Is a module of this name in the kernel? */
static bool is_loaded(const struct libkmod *kmod)
{
	struct kmod_module *module;
	int state;

	if (kmod->kmod_module_new_from_name(kmod->ctx, MODULE_NAME, &module) <
	    0)
		return false;
	state = kmod->kmod_module_get_initstate(module);
	kmod->kmod_module_unref(module);
	return state >= 0;
}

/* Find the module that depmod knows. */
static int find_module(const struct libkmod *kmod, char **ret,
		       struct ptu_err *err)
{
	struct kmod_list *list = NULL;
	struct kmod_module *module = NULL;
	const char *path = NULL;
	int error;

	error = kmod->kmod_module_new_from_lookup(kmod->ctx, MODULE_NAME,
						  &list);
	if (error >= 0 && list) {
		module = kmod->kmod_module_get_module(list);
		path = kmod->kmod_module_get_path(module);
	}
	error = path ? ptu_modfile_check(path, ret, err) :
		       ptu_err_set(err, -ENOENT,
				   "no module ptaudit is installed; build one with `make module` and name it with --module FILE");
	if (module)
		kmod->kmod_module_unref(module);
	if (list)
		kmod->kmod_module_unref_list(list);
	return error;
}

static int load_error(int error, const char *name, struct ptu_err *err)
{
	struct utsname kernel;

	switch (-error) {
	case EPERM:
		if (geteuid())
			return ptu_err_set(err, error,
					   "loading a module needs root");
		return ptu_err_set(err, error,
				   "the kernel refuses %s even to root: it may be locked down, require signed modules, or have kernel.modules_disabled set; or this is a container",
				   name);
	case EACCES:
		return ptu_err_set(err, error, "no permission to read %s",
				   name);
	case ENOEXEC:
		return ptu_err_set(err, error,
				   "%s is not a module for the running kernel %s; build it with `make module` against that kernel's headers",
				   name, uname(&kernel) ? "" : kernel.release);
	case ENOSYS:
		return ptu_err_set(err, error,
				   "the running kernel does not support modules; use a kernel that does, for example in a VM");
	case EKEYREJECTED:
	case ENOKEY:
	case EBADMSG:
		return ptu_err_set(err, error,
				   "the kernel accepts only signed modules, and %s has no signature that it trusts (secure boot?); sign it with an enrolled key",
				   name);
	case ENOENT:
		return ptu_err_set(err, error,
				   "the running kernel lacks a symbol that %s needs",
				   name);
	default:
		return ptu_err_set(err, error, "loading %s failed: %s", name,
				   strerror(-error));
	}
}

int ptu_modctl_load(const char *file, bool *already, struct ptu_err *err)
{
	struct kmod_module *module;
	struct libkmod kmod;
	char *path = NULL;
	int error;

	error = libkmod_open(&kmod, err);
	if (error)
		return error;
	*already = is_loaded(&kmod);
	if (*already)
		goto close;
	error = file ? ptu_modfile_check(file, &path, err) :
		       find_module(&kmod, &path, err);
	if (error)
		goto close;
	error = kmod.kmod_module_new_from_path(kmod.ctx, path, &module);
	if (!error) {
		error = kmod.kmod_module_insert_module(module, 0, NULL);
		kmod.kmod_module_unref(module);
	}
	if (error == -EEXIST) {
		*already = true; /* another process has loaded it meanwhile */
		error = 0;
	} else if (error) {
		load_error(error, path, err);
	}
close:
	free(path);
	libkmod_close(&kmod);
	return error;
}

int ptu_modctl_unload(bool *already, struct ptu_err *err)
{
	struct kmod_module *module;
	struct libkmod kmod;
	int error;

	error = libkmod_open(&kmod, err);
	if (error)
		return error;
	*already = !is_loaded(&kmod);
	if (*already)
		goto close;
	error = kmod.kmod_module_new_from_name(kmod.ctx, MODULE_NAME, &module);
	if (error) {
		ptu_err_set(err, error, "no memory for the module");
		goto close;
	}
	error = kmod.kmod_module_remove_module(module, 0);
	kmod.kmod_module_unref(module);
	if (error == -ENOENT) {
		*already = true;
		error = 0;
	} else if (error == -EPERM && geteuid()) {
		ptu_err_set(err, error, "unloading a module needs root");
	} else if (error == -EAGAIN || error == -EBUSY) {
		error = ptu_err_set(err, -EBUSY,
				    "the module is in use: a program has one of its files open");
	} else if (error) {
		ptu_err_set(err, error, "unloading the module failed: %s",
			    strerror(-error));
	}
close:
	libkmod_close(&kmod);
	return error;
}

#else /* PTU_HAVE_LIBKMOD */

static int not_built(struct ptu_err *err)
{
	return ptu_err_set(err, -EOPNOTSUPP,
			   "this ptaudit was built without libkmod's headers (libkmod-dev); use insmod and rmmod");
}

int ptu_modctl_load(const char *file, bool *already, struct ptu_err *err)
{
	(void)file;
	(void)already;
	return not_built(err);
}

int ptu_modctl_unload(bool *already, struct ptu_err *err)
{
	(void)already;
	return not_built(err);
}

#endif
