# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the tool and the module, and runs the tests.  Kbuild describes the
# module to the kernel's own build; this file must not.

prefix     ?= /usr/local
sbindir    ?= $(prefix)/sbin
mandir     ?= $(prefix)/share/man
docdir     ?= $(prefix)/share/doc/ptaudit
bashdir    ?= $(prefix)/share/bash-completion/completions
zshdir     ?= $(prefix)/share/zsh/site-functions
fishdir    ?= $(prefix)/share/fish/vendor_completions.d
DESTDIR    ?=

CC         ?= cc
AR         ?= ar
CFLAGS     ?= -O2 -g
PKG_CONFIG ?= pkg-config
INSTALL    ?= install

# The output has one line for each file.  V=1 shows the commands, -s shows nothing.
Q   := $(if $(filter 1,$(V)),,@)
say  = $(if $Q,$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-7s %s\n' $1 '$@'))

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes

# The kernel's make inherits W= and C=.  Pass CC= on only if the caller set it.
kernel_flags := $(if $(filter command line environment,$(origin CC)),CC=$(CC))

KDIR ?= /lib/modules/$(shell uname -r)/build
# Not every shell expands the ~ of KDIR=~/linux, and make does not.
kdir = $(abspath $(patsubst ~/%,$(HOME)/%,$(KDIR)))

# Without clang, bpftool or libbpf-dev the tool has no BPF, and acquire/bpf_absent.c prints the
# reason. The walk by BPF knows only x86-64.
CLANG   ?= clang
BPFTOOL ?= $(or $(shell command -v bpftool),$(wildcard /usr/sbin/bpftool))
bpf_ready := $(shell command -v $(CLANG) >/dev/null && \
	[ -n '$(BPFTOOL)' ] && [ -e /usr/include/bpf/libbpf.h ] && \
	$(CC) -dumpmachine | grep -q '^x86_64' && echo yes)
bpf_sources := $(filter-out user/acquire/bpf_absent.c,$(wildcard user/acquire/bpf_*.c))

# Without libncurses-dev top prints tables even on a terminal; render/tui/absent.c has the message.
tui_ready := $(shell $(PKG_CONFIG) --exists ncursesw 2>/dev/null && echo yes)
tui_sources := user/render/tui/draw.c user/render/tui/tui.c

# Without esbuild or the D3 packages, page_absent.c is built instead of the page, and --html fails.
ESBUILD ?= esbuild
node_modules := /usr/share/nodejs
html_ready := $(if $(shell command -v $(ESBUILD)),$(if $(wildcard $(node_modules)/d3-zoom),\
	$(if $(wildcard $(node_modules)/d3-scale),$(wildcard $(node_modules)/d3-selection))))

sources := $(filter-out user/bpf/% $(if $(bpf_ready),user/acquire/bpf_absent.c,$(bpf_sources))\
	$(if $(tui_ready),user/render/tui/absent.c,$(tui_sources))\
	user/render/html/page_$(if $(html_ready),absent,built).c user/lib/%,\
	$(wildcard user/*/*.c user/render/*/*.c))
objects := $(sources:user/%.c=build/user/%.o)

.PHONY: user module check check-unit check-replay check-schema check-examples \
	check-host check-vm check-all check-debug check-planted coverage mutants bench vm-bench lint deb kselftest-install demo test ci nightly install module_install \
	clean help

user: user/ptaudit

help:
	@echo 'make user [V=1]        build user/ptaudit; needs no kernel headers. V=1: show commands'
	@echo 'make lib               build build/lib/libptaudit.so, the code below the commands as a library'
	@echo 'make module [KDIR=DIR] build ptaudit.ko for the kernel built in DIR'
	@echo 'make check             tests that need neither root nor the module'
	@echo 'make check-host        the walk by BPF on this machine; root, no module'
	@echo 'make check-vm KERNELS="6.1 ..."  tests in VMs with these kernels'
	@echo '                       PROGRAMS="edges_test ...": only these, one boot per kernel'
	@echo 'make check-all         the same for each kernel, number of levels and KPTI setting'
	@echo 'make check-debug       the same under a debug kernel, and more; see user/doc/hacking.md'
	@echo 'make check-planted     plant faults in the module, which the tests must find'
	@echo 'make coverage          the share of lines of user/ that the tests without root and VM run'
	@echo 'make mutants           plant faults in single lines, which the tests must find; 90 minutes'
	@echo 'make lint              format, static checks, layers, manual pages'
	@echo 'make kselftest-install DIR=TREE/tools/testing/selftests/ptaudit'
	@echo '                       the tests for the kselftest runner of a kernel tree'
	@echo 'make demo              show the main job in a VM'
	@echo 'make test              check, and all tests with one kernel in VMs'
	@echo 'make ci                the same with 6.1, 6.12 and 7.2, less with 7.3; what .ci/run calls'
	@echo 'make nightly           everything; about a day; PARTS="debug ...": only these parts'
	@echo 'make install           into $$(DESTDIR)$$(prefix): tool, manual pages, completion, documents'
	@echo 'make deb               Debian packages in build/deb'
	@echo 'make module_install    the module, for the kernel in KDIR; INSTALL_MOD_PATH= as in the kernel'
	@echo 'make clean             remove what was built'
	@echo 'make bench             compare the times of the tool and of other tools, on this machine'
	@echo 'make vm-bench          compare the module with /proc, in VMs; BENCH_KERNELS="6.1 ..."'

# The tool.

ifneq ($(filter-out module module_install lint deb demo check test ci nightly clean help,$(or $(MAKECMDGOALS),user)),)
need := libjansson-dev libsmartcols-dev zlib1g-dev pkg-config
ifneq ($(shell $(PKG_CONFIG) --exists smartcols jansson zlib && echo yes),yes)
$(error building the tool needs libsmartcols, jansson and zlib (packages $(need)))
endif
lib_cflags := $(shell $(PKG_CONFIG) --cflags smartcols jansson zlib)
lib_libs := $(shell $(PKG_CONFIG) --libs smartcols jansson zlib)
ifeq ($(tui_ready),yes)
tui_cflags := $(shell $(PKG_CONFIG) --cflags ncursesw)
# Loading the shared libraries would take 0.15 ms at each start.  Set it to nothing for a distribution.
NCURSES_ARCHIVES ?= $(filter /%,$(foreach name,ncursesw tinfo,$(shell $(CC) -print-file-name=lib$(name).a)))
lib_libs += $(if $(word 2,$(NCURSES_ARCHIVES)),$(NCURSES_ARCHIVES),$(shell $(PKG_CONFIG) --libs ncursesw))
endif
# libkmod is loaded at run time, by cmd/load.c alone; its header gives the types.
ifeq ($(shell $(PKG_CONFIG) --exists libkmod && echo yes),yes)
kmod_cflags := -DPTU_HAVE_LIBKMOD $(shell $(PKG_CONFIG) --cflags libkmod)
endif
endif

# All of the tool except main(); the unit tests are linked with it, too.
library := build/user/libptaudit.a
$(library): $(filter-out build/user/cmd/main.o,$(objects))
	$(call say,AR)
	$Qrm -f $@
	$Q$(AR) rcs $@ $^

user/ptaudit: build/user/cmd/main.o $(library)
	$(call say,LD)
	$Q$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(lib_libs) -ldl

build/user/render/tui/%.o: private lib_cflags += $(tui_cflags)
build/user/cmd/load.o: private lib_cflags += $(kmod_cflags)

# The BPF programs, and a header with their bytes and their variables.
build/user/bpf/%.bpf.o: user/bpf/%.bpf.c user/bpf/shared.h Makefile
	$(call say,CLANG)
	@mkdir -p $(@D)
	$Q$(CLANG) -g -O2 -target bpf -Wall -Wextra \
		-I/usr/include/$(shell $(CC) -dumpmachine) -c -o $@ $<

build/user/bpf/walk.skel.h: build/user/bpf/walk.bpf.o
	$(call say,BPFTOOL)
	$Q$(BPFTOOL) gen skeleton $< name ptu_bpf_walk >$@.new
	$Qmv $@.new $@

build/user/acquire/bpf_run.o: private lib_cflags += -Ibuild/user/bpf
build/user/acquire/bpf_run.o: build/user/bpf/walk.skel.h

# The page of map --html is the template with its scripts, which esbuild puts into one file.
build/user/html/map.js: user/render/html/map.js Makefile
	$(call say,ESBUILD)
	@mkdir -p $(@D)
	$QNODE_PATH=$(node_modules) $(ESBUILD) $< --bundle --minify --format=iife --charset=ascii \
		--legal-comments=none --log-level=warning --outfile=$@
	$Q! grep -qiE '</script|<!--|@DATA@' $@

build/user/html/page.inc: user/render/html/map.html build/user/html/map.js
	$(call say,PAGE)
	$Qsed -e '/^@BUNDLE@$$/{' -e 'r build/user/html/map.js' -e 'd' -e '}' $< | \
		od -An -v -tx1 | sed 's/ \(..\)/0x\1,/g' >$@.new
	$Qmv $@.new $@

build/user/render/html/page_built.o: private lib_cflags += -Ibuild/user/html
build/user/render/html/page_built.o: build/user/html/page.inc

build/user/%.o: user/%.c Makefile
	$(call say,CC)
	@mkdir -p $(@D)
	$Q$(CC) $(CPPFLAGS) -Iuser -I. $(lib_cflags) -std=gnu11 $(warnings) $(CFLAGS) \
		-MMD -MP -c -o $@ $<

-include $(objects:.o=.d)

include user/lib/lib.mk

# The module.

module:
	@[ -e '$(kdir)/Makefile' ] || { \
		echo 'make module: no kernel build directory at $(kdir);' \
			'install the linux-headers package or pass KDIR=' >&2; exit 1; }
	$(MAKE) -C '$(kdir)' M='$(CURDIR)' $(kernel_flags) modules

# The tests.

check test ci nightly:
	scripts/run-tests $@

check-unit: user
	$(MAKE) -C selftests/unit run

check-replay:
	$(MAKE) -C selftests/replay run

check-host: user
	$(MAKE) -C selftests/host run

check-schema: user
	selftests/schema_test.py user/ptaudit

# The examples in the manual pages that need neither root nor the module.
check-examples: user
	selftests/live/tool/examples.sh --here

KERNELS ?= $(shell scripts/kernel --names)
check-vm:
	PTAUDIT_PROGRAMS='$(PROGRAMS)' selftests/run-vm.sh $(KERNELS)

check-all: KERNELS = $(shell scripts/kernel --names all)
check-all:
	selftests/run-vm.sh --all $(KERNELS)

# A kernel that is not in the cache is built from source, which takes minutes.
DEBUG_KERNELS ?= 7.3-debug
check-debug:
	PTAUDIT_PROGRAMS='$(PROGRAMS)' selftests/run-vm.sh $(DEBUG_KERNELS)

check-planted:
	selftests/debug/planted.py

coverage:
	selftests/coverage.py

# selftests/mutants/mutants.py describes these variables.
export MUTANTS_SEED MUTANTS_FILES MUTANTS_DRAWN
mutants:
	selftests/mutants/mutants.py

# DIR: tools/testing/selftests/ptaudit of a kernel tree. KDIR: where that was built, if elsewhere.
kselftest-install: user
	selftests/kselftest/install.sh '$(DIR)' $(if $(filter command line environment,$(origin KDIR)),'$(kdir)')

deb:
	scripts/packaging/deb

demo:
	scripts/demo

lint:
	scripts/lint

# BENCH_FLAGS: for selftests/bench/bench.py, see its --help.
bench: user
	$(MAKE) -C selftests/bench run

# BENCH_KERNELS: kernels to boot.  BENCH_VM_FLAGS: for selftests/bench/module.py.
vm-bench: user
	selftests/bench/vm.sh $(BENCH_KERNELS)

# $(call install_tree,FROM,TO): install all files below FROM, except Python's cache.
define install_tree
cd '$1' && find . -name __pycache__ -prune -o -type f -print | while read -r file; do \
	mode=644; [ ! -x "$$file" ] || mode=755; \
	$(INSTALL) -D -m $$mode "$$file" '$(DESTDIR)$2'/"$$file" || exit; \
done
endef

install: user/ptaudit
	$(INSTALL) -D -m 755 user/ptaudit '$(DESTDIR)$(sbindir)/ptaudit'
	$(INSTALL) -D -m 644 user/completion/ptaudit.bash '$(DESTDIR)$(bashdir)/ptaudit'
	$(INSTALL) -D -m 644 user/completion/_ptaudit '$(DESTDIR)$(zshdir)/_ptaudit'
	$(INSTALL) -D -m 644 user/completion/ptaudit.fish '$(DESTDIR)$(fishdir)/ptaudit.fish'
	for page in user/man/*; do \
		$(INSTALL) -D -m 644 "$$page" "$(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/}" || exit; \
	done
	$(INSTALL) -D -m 644 README.md '$(DESTDIR)$(docdir)/README.md'
	$(call install_tree,user/doc,$(docdir))
	$(call install_tree,user/examples,$(docdir)/examples)

module_install: module
	$(MAKE) -C '$(kdir)' M='$(CURDIR)' $(kernel_flags) modules_install

clean:
	rm -rf build user/ptaudit
	if [ -e '$(kdir)' ]; then \
		$(MAKE) -C '$(kdir)' M='$(CURDIR)' clean; fi
