#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds modules with one fault each in how they count pages, and sees that the
# tests of `pages` and `check --pages` find every one: a figure that is not the
# one worked out by hand, and exit status 1 of the tool. `sound` has none, and nothing
# may be found. One boot; prints KTAP.
#
# usage: pages-faults.sh [KERNEL [FAULT...]]    default: 7.2, all
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
out=$root/build/selftests/live
work=$root/build/selftests/pages-faults

# In the VM: --guest NAME:PROGRAM...
if [ "${1:-}" = --guest ]; then
	shift
	cp "$PTAUDIT_TOOL" /tmp/ptaudit
	export PTAUDIT_TOOL=/tmp/ptaudit
	cd "$here/live"
	for fault; do
		rmmod ptaudit
		insmod "$work/${fault%:*}.ko"
		echo "### begin ${fault%:*}"
		timeout -k 5 1800 "$out/${fault#*:}" 2>&1 || :
		echo
	done
	echo '### done'
	exit
fi

kernel=${1:-7.2}
shift || :
asked=("$@") tried=()

fail() {
	echo "not ok 1 $*"
	echo '0 passed, 1 failed'
	exit 1
}

# fault NAME PROGRAM WHAT INSTEAD: a module in which the only such place of pages.c
# is another, for the program to find
fault() {
	local name=$1 program=$2 copy=$work/copy
	[ ${#asked[@]} = 0 ] || [[ " ${asked[*]} " == *" $name "* ]] || return 0
	rm -rf "$copy"
	mkdir -p "$copy"
	cp -R "$root/Kbuild" "$root/module" "$copy"
	python3 - "$copy/module/pages.c" "$3" "$4" <<-'END' || fail "$name: pages.c has no such place, or several"
		import sys
		path, what, instead = sys.argv[1:]
		text = open(path).read()
		if text.count(what) != 1:
		    sys.exit(1)
		open(path, "w").write(text.replace(what, instead))
	END
	"$root/scripts/kernel" --module "$kernel" "$work/built" "$copy" >/dev/null 2>"$work/log" || {
		cat "$work/log" >&2
		fail "$name does not build"
	}
	mv "$work/built/ptaudit.ko" "$work/$name.ko"
	tried+=("$name:$program")
}

vars=$("$root/scripts/kernel" "$kernel")
eval "$vars"
rm -rf "$work"
mkdir -p "$work"
make -s -C "$root" user >&2
KSELFTEST_DIR=${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}
make -s -C "$here/live" KSELFTEST_DIR="$KSELFTEST_DIR" >&2

private=pagesfile_test shared=pagesfile_shared_test
fault sound $private 'void pta_pages_upper(' 'void pta_pages_upper('
fault leaf_as_one_page $private 'to = (min(end, pages->end) - addr) >> PAGE_SHIFT;' 'to = from + 1;'
fault zero_page_as_anon $private 'if (is_zero_pfn(pfn)) {
		count(pages, PTAUDIT_P_ZERO, 1);' 'if (is_zero_pfn(pfn)) {
		count(pages, PTAUDIT_P_ANON, 1);'
fault huge_zero_page_as_special $private 'if (is_huge_zero(page)) {' \
	'if (is_huge_zero(page))
		goto special;
	if (0) {'
fault anon_always_exclusive $private 'if (anon && pta_anon_exclusive(first)) {' 'if (anon) {'
fault two_mappings_are_one $private '} else if (pta_page_mapcount(page, head, false) == 1) {' \
	'} else if (pta_page_mapcount(page, head, false) <= 2) {'
fault swap_as_migration $private 'count(pages, PTAUDIT_P_SWAP, nr);' 'count(pages, PTAUDIT_P_MIGRATION, nr);'
fault merged_not_counted $private 'count(pages, PTAUDIT_P_KSM, 1);' ';'
fault one_page_behind_the_range $private 'at >= pages->end ||' 'at > pages->end ||'
fault shmem_as_file $shared 'count(pages, PTAUDIT_P_SHMEM, 1);' 'count(pages, PTAUDIT_P_FILE, 1);'
fault copy_as_file $shared 'bool anon = mapping & FOLIO_MAPPING_ANON;' \
	'bool anon = mapping & FOLIO_MAPPING_ANON && large;'
fault hugetlb_never_anon $shared 'count(pages, PTAUDIT_P_HUGETLB_ANON, nr);' ';'
fault markers_of_hugetlb_as_others $shared 'entry->kind == PTAUDIT_K_UFFD_WP ?' 'entry->kind == PTAUDIT_K_GUARD ?'
[ ${#tried[@]} -gt 0 ] || fail 'there are no such faults'

# shellcheck disable=SC2154 # release: from scripts/kernel
"$root/scripts/vm" --kernel "$kernel" --memory 3G --timeout 7200 \
	--qemu-arg -device --qemu-arg pci-testdev,membar=16M \
	--append "pti=off nokaslr hugepagesz=1G hugepages=1" -- \
	env PTAUDIT_EXPECT_RELEASE="$release" PTAUDIT_EXPECT_LEVELS=4 PTAUDIT_EXPECT_PTI=off \
	PTAUDIT_TOOL="$root/user/ptaudit" "$here/pages-faults.sh" --guest "${tried[@]}" >"$work/output" 2>&1 ||
	fail "the VM failed: $(tail -n 1 "$work/output")"

# Each has to be found by both: the figures, and the tool, by its own verdict.
awk '
	function judge() {
		if (!name)
			return
		if (name == "sound" ? ran && !(exact + tool + verdict) : exact && tool && verdict) {
			print "ok " ++nr " " name ": " exact " figures, " tool " checks"
			passed++
		} else {
			print "not ok " ++nr " " name ": " exact + 0 " figures, " tool + 0 " checks, " verdict + 0 " verdicts"
			failed++
		}
	}
	/^### (begin|done)/ { judge(); name = $3; ran = exact = tool = verdict = 0 }
	/^ok .*tool_agrees/ { ran++ }
	/^not ok .*(module_is_exact|ranges)/ { exact++ }
	/^not ok .*tool_agrees/ { tool++ }
	/Expected 0 \(0\) == self->run.status \(1\)/ { verdict++ }
	END {
		print "1.." nr + 0
		print passed + 0 " passed, " failed + 0 " failed"
		exit failed || !passed
	}
' "$work/output"
