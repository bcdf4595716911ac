# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The library: compile the layers below cmd and render a second time, position-independent.
# The top Makefile includes this file.

libdir     ?= $(prefix)/lib
includedir ?= $(prefix)/include

# Leave out files that only commands need. -z defs makes the link fail if the library needs one.
lib_without := $(addprefix acquire/,cgroup child collapse frames kcore kcore_tables modfile page_caps pages \
		pagetables record record_dir record_frames redact scan_pages shmem spaces tree unit) base/parse base/signals \
	$(addprefix compare/,cow footprint footprint_tables frame_table frames growth page_causes \
		page_flags page_kinds page_rows score set system system_cgroups whatif whatif_sum whatif_unmap) \
	$(addprefix measure/,change cow export flags footprint footprint_inside footprint_read footprint_recount frames \
		page_walk pages processes reclaim score system top top_look view watch watch_group watched whatif) \
	$(addprefix model/,frame_set kernel_frames meminfo page_flags range) \
	$(addprefix report/,change cow export flags frames growth map_strip pages score system top whatif)
lib_sources := $(wildcard user/lib/*.c) $(filter-out user/cmd/% user/render/% \
	$(lib_without:%=user/%.c),$(sources))
lib_objects := $(lib_sources:user/%.c=build/lib/%.o)
# Objects of the library for its test with threads (ThreadSanitizer).
lib_tsan_objects := $(lib_sources:user/%.c=build/lib-tsan/%.o)
lib_compile = $(CC) $(CPPFLAGS) -Iuser -I. -Ibuild/user/bpf -DPTU_IN_LIBRARY -std=gnu11 $(warnings) \
	-MMD -MP -c -o $@ $<
soname := libptaudit.so.0

.PHONY: lib lib-tsan install-lib check-lib

lib: build/lib/libptaudit.so

build/lib/$(soname): $(lib_objects) user/lib/libptaudit.map
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -shared -pthread -Wl,-soname,$(soname) -Wl,-z,defs \
		-Wl,--version-script=user/lib/libptaudit.map -o $@ $(lib_objects) -lz -ldl

build/lib/libptaudit.so: build/lib/$(soname)
	@ln -sf $(soname) $@

build/lib/%.o: user/%.c Makefile user/lib/lib.mk
	$(call say,CC)
	@mkdir -p $(@D)
	$Q$(lib_compile) $(CFLAGS) -fPIC -fvisibility=hidden

lib-tsan: build/lib-tsan/libptaudit.a

build/lib-tsan/libptaudit.a: $(lib_tsan_objects)
	$(call say,AR)
	@rm -f $@
	$Q$(AR) rcs $@ $^

build/lib-tsan/%.o: user/%.c Makefile user/lib/lib.mk
	$(call say,CC)
	@mkdir -p $(@D)
	$Q$(lib_compile) -O0 -g -fsanitize=thread

build/lib/acquire/bpf_run.o build/lib-tsan/acquire/bpf_run.o: build/user/bpf/walk.skel.h

-include $(lib_objects:.o=.d) $(lib_tsan_objects:.o=.d)

check-lib:
	$(MAKE) -C selftests/lib run

# Print the directory in which Python looks for modules: that of the interpreter if make PYTHON= names
# it; else one below the prefix.
PYTHON ?= python3
define find_python :=
import sys, sysconfig
lib = sys.argv[1] + "/lib/python"
below = [p for p in sys.path if p.startswith(lib) and p.endswith("-packages")]
print(sysconfig.get_path("purelib") if sys.argv[2] == "command line" else (below + [lib + "3/dist-packages"])[0])
endef
# Say so if the interpreter does not find the installed module. It must not look in the directory of make.
define check_python :=
import importlib.util, os, sys
sys.path = [p for p in sys.path if p]
found = importlib.util.find_spec("ptaudit")
if not found or not found.origin or not os.path.samefile(found.origin, sys.argv[2]):
    print("note:", sys.argv[1], "does not look for modules in", os.path.dirname(sys.argv[2]) + ": see libptaudit(3), Python")
endef
install-lib: export find_python := $(find_python)
install-lib: export check_python := $(check_python)

install: install-lib

# Each function has a man page. If a page describes several functions, the others are links to it.
install-lib: lib
	$(INSTALL) -d '$(DESTDIR)$(libdir)/pkgconfig' '$(DESTDIR)$(includedir)' '$(DESTDIR)$(mandir)/man3'
	$(INSTALL) -m 755 build/lib/$(soname) '$(DESTDIR)$(libdir)/$(soname)'
	ln -sf $(soname) '$(DESTDIR)$(libdir)/libptaudit.so'
	$(INSTALL) -m 644 user/lib/ptaudit.h '$(DESTDIR)$(includedir)/ptaudit.h'
	version=$$(sed -n 's/^#define PTU_VERSION "\(.*\)"$$/\1/p' user/base/version.h) && \
		sed "s,@prefix@,$(prefix),; s,@libdir@,$(libdir),; s,@includedir@,$(includedir),; s,@version@,$$version," \
		user/lib/libptaudit.pc.in >'$(DESTDIR)$(libdir)/pkgconfig/libptaudit.pc'
	for page in user/man/*.3; do \
		$(INSTALL) -m 644 "$$page" '$(DESTDIR)$(mandir)/man3/' || exit; \
		for name in $$(sed -n 's/^\.Nm \([a-z_]*\).*/\1/p' "$$page"); do \
			[ "$$name.3" = "$${page##*/}" ] || \
				ln -sf "$${page##*/}" "$(DESTDIR)$(mandir)/man3/$$name.3" || exit; \
		done; \
	done
	python=$$('$(PYTHON)' -c "$$find_python" '$(prefix)' '$(origin PYTHON)') && \
		$(INSTALL) -d "$(DESTDIR)$$python" && \
		$(INSTALL) -m 644 user/python/ptaudit.py "$(DESTDIR)$$python/ptaudit.py" && \
		{ [ '$(DESTDIR)' ] || '$(PYTHON)' -c "$$check_python" '$(PYTHON)' "$$python/ptaudit.py"; }
