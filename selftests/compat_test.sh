#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: compat_test.sh [KERNEL...]
#
# Checks that the build stops for a kernel that compat.h does not know. For each KERNEL (default
# 6.1 and 7.3) and each of its symbols for which module/compat.kbuild probes, a copy asks for the
# symbol under another name, as if the kernel had renamed it. Also checks that the module builds
# for the oldest kernel, which CI does not boot. The last line is `N passed, N failed`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=/dev/null
. "$(dirname "$0")/result.sh"
show_on_failure "$tmp/log"

# build KERNEL: build the copy; the output goes to a log
build() {
	built=yes
	"$root/scripts/kernel" --module "$1" "$tmp/out" "$tmp/copy" >"$tmp/log" 2>&1 || built=no
}

copy() {
	rm -rf "$tmp/copy" "$tmp/out"
	mkdir "$tmp/copy"
	cp -R "$root/Kbuild" "$root/module" "$tmp/copy"
	# The files that include compat.h and arch/x86.h suffice.
	sed -i '/^ptaudit-y/,/[^\\]$/c ptaudit-y := module/pages.o module/entry.o' "$tmp/copy/Kbuild"
}

# rename LINE: the symbol at its start, in the copy's probes
rename() {
	sed -i "s/\b${1%% *}\b/&_renamed/" "$tmp/copy/module/compat.kbuild"
}

# stops KERNEL NAME PATTERN: the copy was built; it must not build, and the log must match PATTERN
stops() {
	local status=0
	[ "$built" = no ] && grep -Eq "$3" "$tmp/log" || status=1
	result $status "$1: $2"
}

# The probed symbols of each kernel, and what the compiler prints if their probes fail: a message of
# compat.h, or an error in the code for kernels without the symbol.
symbols() {
	case $1 in
	6.1) cat <<-'END'
		is_pte_marker_entry types of entries that ptaudit does not know
		PG_anon_exclusive does not know how this kernel marks exclusive pages
		pt_share_count does not know how this kernel counts sharers
		END
		;;
	7.2 | 7.3) cat <<-'END'
		softleaf_from_pte error:
		_entire_mapcount error:.*compound_mapcount_ptr
		PG_anon_exclusive does not know how this kernel marks exclusive pages
		pmd_special does not know how this kernel marks special PMD leaves
		ptdesc_pmd_pts_count does not know how this kernel counts sharers
		flags[.]f error:
		END
		;;
	esac
}

[ $# -gt 0 ] || set -- 6.1 7.3
for kernel; do
	mapfile -t lines < <(symbols "$kernel")
	# Those with a message in one build: no message depends on another.
	copy
	for line in "${lines[@]}"; do
		[[ $line = *' error:'* ]] || rename "$line"
	done
	# Pretend that the kernel has mshare, whose page tables belong to another mm.
	echo 'ccflags-y += -DVM_MSHARE=1' >>"$tmp/copy/Kbuild"
	build "$kernel"
	stops "$kernel" mshare_stops_the_build 'does not know mshare'
	for line in "${lines[@]}"; do
		[[ $line = *' error:'* ]] ||
			stops "$kernel" "renamed_${line%% *}_stops_the_build" "${line#* }"
	done
	for line in "${lines[@]}"; do
		[[ $line = *' error:'* ]] || continue
		copy
		rename "$line"
		build "$kernel"
		stops "$kernel" "renamed_${line%% *}_stops_the_build" "${line#* }"
	done
done
status=0
"$root/scripts/kernel" --module 5.10 >"$tmp/log" 2>&1 || status=$?
result $status '5.10: the module builds'
finish
