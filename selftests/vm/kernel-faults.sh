#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: kernel-faults.sh [--build-only] [FAULT...]
#
# Checks that scripts/vm-ci finds faults in the kernel's page-table code. Builds Debian's Linux
# 6.12 with a small configuration (scripts/debug/config), and again with one fault at a time in
# mm/; runs vm-ci on each, and compares its exit status and output with the line of the fault
# below. `bisect` lets `git bisect run` find the commit that planted a fault. Needs 2 GB in
# build/kernel-faults, which are kept for the next run. The first build takes ten minutes on two
# idle CPUs, each fault some minutes. --build-only boots nothing. The last line is `N passed, N
# failed`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/kernel-faults
linux=$work/linux
file=mm/memory.c
passed=0 failed=0 build_only=

# NAME STATUS PATTERN, then sed expressions for $file up to an empty line. PATTERN is a line of
# the output. Every expression must change the file.
faults() {
	cat <<-'END'
		sound 0 ok [0-9]* counters_test

		# The table is removed from the tree and from VmPTE, but not freed.
		pte_table_leaked 1 [ ]*not ok [0-9]* counters.pte.each_freed_table_is_given_back
		/^static void free_pte_range/,/^}/s/^\tpte_free_tlb(tlb, token, addr);$/\t(void)token;/

		# The same, and VmPTE still counts it.
		pte_table_leaked_in_counter 1 .*level pte: .* freed them: tree -511, VmPTE -0,.*
		/^static void free_pte_range/,/^}/s/^\tpte_free_tlb(tlb, token, addr);$/\t(void)token;/
		/^static void free_pte_range/,/^}/s/^\tmm_dec_nr_ptes(tlb->mm);$//

		# The table is neither freed nor removed from the tree.
		pte_table_left_in_tree 1 .*level pte: .* freed them: tree -[0-9]*, VmPTE -0,.*
		/^static void free_pte_range/,/^}/s/^\tpgtable_t token = .*/\treturn;/
		/^static void free_pte_range/,/^}/s/^\tpmd_clear(pmd);$//
		/^static void free_pte_range/,/^}/s/^\tpte_free_tlb(tlb, token, addr);$//

		pte_table_counted_twice 1 .*level pte: .*: tree +511, VmPTE +1022,.*
		/^void pmd_install/,/^}/s/^\t\tmm_inc_nr_ptes(mm);$/&\n&/

		pmd_table_counted_twice 1 [ ]*not ok [0-9]* counters.pmd.each_made_table_is_counted_once
		/^int __pmd_alloc/,/^}/s/^\t\tmm_inc_nr_pmds(mm);$/&\n&/

		does_not_boot 125 Bail out! vm-ci: the kernel did not come to the tests
		/^static int __init init_zero_pfn/,/^}/s/^{$/{\n\tpanic("planted");/
	END
}

fail() {
	echo "not ok $*"
	failed=$((failed + 1))
}

prepare() {
	if [ ! -e "$work/unpacked" ]; then
		rm -rf "$work"
		mkdir -p "$work"
		"$root/scripts/kernel" --unpack 6.12 "$linux"
		cp "$linux/$file" "$work/sound.c"
		touch "$work/unpacked"
	fi
	cat "$root/scripts/debug/config" "$root/scripts/debug/config-6.12" >"$work/config"
	if ! cmp -s "$work/config" "$work/configured"; then
		make -s -C "$linux" CC=gcc-12 KCONFIG_ALLCONFIG="$work/config" allnoconfig
		rm -f "$work"/*.bzImage
		cp "$work/config" "$work/configured"
	fi
}

# Builds in the tree. With an empty LOCALVERSION the release does not depend on git.
build() {
	make -s -j "$(nproc)" -C "$linux" LOCALVERSION= CC=gcc-12 bzImage modules >"$work/log" 2>&1
}

# plant NAME: make the faulty file; the expressions come from faults().
plant() {
	local expression found='' before
	cp "$work/sound.c" "$work/planted.c"
	while IFS= read -r expression; do
		case $expression in
		"$1 "*) found=yes; continue ;;
		'') [ -z "$found" ] || break ;;
		'#'*) continue ;;
		esac
		[ -n "$found" ] || continue
		before=$(cksum <"$work/planted.c")
		sed -i "$expression" "$work/planted.c"
		[ "$before" != "$(cksum <"$work/planted.c")" ] || return 1
	done < <(faults)
	[ -n "$found" ] || return 1
	cmp -s "$work/planted.c" "$linux/$file" || cp "$work/planted.c" "$linux/$file"
}

vm_ci() {
	"$root/scripts/vm-ci" --timeout 1800 "$@" "$linux" check_all.sh counters_test
}

# image NAME: build the kernel with that fault. The image is kept with its sources.
image() {
	plant "$1" || { fail "$1: does not apply to $file any more"; return 1; }
	[ ! -e "$work/$1.bzImage" ] || ! cmp -s "$work/$1.c" "$work/planted.c" || return 0
	build || { tail -n 20 "$work/log"; fail "$1: does not build"; return 1; }
	cp "$linux/arch/x86/boot/bzImage" "$work/$1.bzImage"
	cp "$work/planted.c" "$work/$1.c"
}

try() {
	local name=$1 wanted=$2 pattern=$3 status=0
	image "$name" || return 0
	if [ -n "$build_only" ]; then
		echo "ok $name is built"
		passed=$((passed + 1))
		return
	fi
	vm_ci --image "$work/$name.bzImage" >"$work/$name.ktap" 2>&1 || status=$?
	if [ "$status" = "$wanted" ] && grep -qx -- "$pattern" "$work/$name.ktap"; then
		echo "ok $name: status $status; $(grep -x -m 1 -- "$pattern" "$work/$name.ktap")"
		passed=$((passed + 1))
	else
		sed 's/^/# /' "$work/$name.ktap"
		fail "$name: status $status, or no line: $pattern"
	fi
}

# Five commits: the kernel of the second does not boot, the fourth plants the fault.
bisect() {
	local git=(git -C "$linux" -c user.name=test -c user.email=test@localhost) commit bad output
	rm -rf "$linux/.git"
	"${git[@]}" init -q
	for commit in sound does_not_boot sound pte_table_counted_twice; do
		plant "$commit" || { fail "bisect: $commit does not apply"; return; }
		"${git[@]}" add -f "$file"
		"${git[@]}" commit -q --allow-empty -m "$commit"
	done
	bad=$("${git[@]}" rev-parse HEAD)
	echo '/* harmless */' >>"$linux/$file"
	"${git[@]}" commit -q -a -m harmless
	"${git[@]}" bisect start HEAD HEAD~4 >/dev/null
	output=$("${git[@]}" bisect run "$here/kernel-faults.sh" --step 2>&1) || :
	"${git[@]}" bisect log | sed 's/^/# /'
	if grep -qx "$bad is the first bad commit" <<<"$output"; then
		echo 'ok bisect: git bisect run finds the commit'
		passed=$((passed + 1))
	else
		echo "$output" | tail -n 60 | sed 's/^/# /'
		fail 'bisect: git bisect run does not find the commit'
	fi
	rm -rf "$linux/.git"
}

if [ "${1:-}" = --step ]; then
	build || exit 125
	vm_ci
	exit
fi
if [ "${1:-}" = --build-only ]; then
	build_only=yes
	shift
fi
mapfile -t all < <(faults | grep -E '^[a-z_]+ [0-9]+ ')
prepare
for line in "${all[@]}"; do
	read -r name status pattern <<<"$line"
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	try "$name" "$status" "$pattern"
done
if [ -z "$build_only" ] && { [ $# -eq 0 ] || [[ " $* " == *' bisect '* ]]; }; then
	bisect
fi
plant sound
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
