#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: kernel-faults.sh [--build-only] [FAULT...]
#
# Checks that scripts/vm-ci finds faults in the kernel's page-table code. Builds Debian's Linux
# 6.12 and 7.3 with a small configuration (scripts/debug/config), and again with one fault at a
# time in mm/; runs vm-ci on each, and compares its exit status and output with the line of the
# fault below. `bisect` lets `git bisect run` find the commit that planted a fault. Needs 4 GB in
# build/kernel-faults, which are kept for the next run. The first build of each kernel takes ten
# minutes on two idle CPUs, each fault some minutes. --build-only boots nothing. The last line is
# `N passed, N failed`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
passed=0 failed=0 build_only='' prepared=()

# A fault is a line `NAME STATUS PATTERN`, then lines `FILE EXPRESSION`; an empty line ends it. A
# line of the output has to match PATTERN. EXPRESSION is for sed, and must change FILE. NAME@KERNEL
# is a fault of that kernel, the others are of 6.12.
faults() {
	cat <<-'END'
		sound 0 ok [0-9]* counters_test

		# The table is removed from the tree and from VmPTE, but not freed.
		pte_table_leaked 1 [ ]*not ok [0-9]* counters.pte.each_freed_table_is_given_back
		mm/memory.c /^static void free_pte_range/,/^}/s/^\tpte_free_tlb(tlb, token, addr);$/\t(void)token;/

		# The table is not freed, and VmPTE still counts it. The test may free up to 9 other tables while it measures.
		pte_table_leaked_in_counter 1 .*level pte: .* freed them: tree -511, VmPTE [+-][0-9],.*
		mm/memory.c /^static void free_pte_range/,/^}/s/^\tpte_free_tlb(tlb, token, addr);$/\t(void)token;/
		mm/memory.c /^static void free_pte_range/,/^}/s/^\tmm_dec_nr_ptes(tlb->mm);$//

		# The table is neither freed nor removed from the tree.
		pte_table_left_in_tree 1 .*level pte: .* freed them: tree [+-][0-9]*, VmPTE [+-][0-9],.*
		mm/memory.c /^static void free_pte_range/,/^}/s/^\tpgtable_t token = .*/\treturn;/
		mm/memory.c /^static void free_pte_range/,/^}/s/^\tpmd_clear(pmd);$//
		mm/memory.c /^static void free_pte_range/,/^}/s/^\tpte_free_tlb(tlb, token, addr);$//

		pte_table_counted_twice 1 .*level pte: .*: tree +511, VmPTE +1022,.*
		mm/memory.c /^void pmd_install/,/^}/s/^\t\tmm_inc_nr_ptes(mm);$/&\n&/

		pmd_table_counted_twice 1 [ ]*not ok [0-9]* counters.pmd.each_made_table_is_counted_once
		mm/memory.c /^int __pmd_alloc/,/^}/s/^\t\tmm_inc_nr_pmds(mm);$/&\n&/

		# The PTE table deposited for a huge page is withdrawn, but not freed.
		deposited_table_leaked 1 .*level pte, fault of 60 huge pages and munmap: .* VmPTE +0, PageTables +[56][0-9]
		mm/huge_memory.c /^static inline void zap_deposited_table/,/^}/s/^\tpte_free(mm, pgtable);$//

		# munmap() keeps the table of the first page if no other mapping is in its reach.
		table_left_by_munmap 1 .*level pte, munmap in the middle of 511 PTE tables: .* VmPTE +511,.*
		mm/vma.c /^static inline void vms_clear_ptes/,/^}/s/vms->unmap_start,/vms->start,/

		# A table is allocated for a huge page, and a userfaultfd refuses the fault.
		refused_table_leaked 1 .*level pte, SIGBUS instead of 60 huge pages: .* PageTables +[56][0-9]
		mm/huge_memory.c /^static vm_fault_t __do_huge_pmd_anonymous_page/,/^}/s/^\t\t\tpte_free(vma->vm_mm, pgtable);$//

		# fork() splits a pinned huge page, and does not free the table that it allocated for the child.
		pinned_table_leaked 1 .*level pte, fork with 60 pinned huge pages and munmap: .* PageTables +[56][0-9]
		mm/huge_memory.c /Page maybe pinned: split/,/return -EAGAIN/s/^\t\tpte_free(dst_mm, pgtable);$//

		# UFFDIO_MOVE moves a huge page, but not its deposited table: munmap() crashes.
		deposited_table_not_moved_by_uffd 1 .* did not end: changed_by.uffd_move_of_huge_pages.every_table_is_counted_once
		mm/huge_memory.c s/^\tsrc_pgtable = pgtable_trans_huge_withdraw(mm, src_pmd);$/\tsrc_pgtable = NULL;/
		mm/huge_memory.c s/^\tpgtable_trans_huge_deposit(mm, dst_pmd, src_pgtable);$//

		# A shared PMD table of hugetlb is taken out of the tree, and VmPTE still counts it.
		shared_table_left_in_counter 1 .*level pmd, fault in 200 mappings .*hugetlb and munmap: .* VmPTE +199,.*
		mm/hugetlb.c /^static int __huge_pmd_unshare/,/^}/s/^\tmm_dec_nr_pmds(mm);$//

		# mremap() moves a huge page, but not its deposited table: munmap() crashes.
		deposited_table_not_moved 1 .* did not end: changed_by.mremap_of_huge_pages.every_table_is_counted_once
		mm/huge_memory.c /^bool move_huge_pmd/,/^}/s/^\t\tif (pmd_move_must_withdraw(.*/\t\tif (0) {/

		does_not_boot 125 Bail out! vm-ci: the kernel did not boot as far as the tests
		mm/memory.c /^static int __init init_zero_pfn/,/^}/s/^{$/{\n\tpanic("planted");/

		sound@7.3 0 ok [0-9]* counters_test

		# MADV_DONTNEED removes the table from the tree and from VmPTE, but does not free it.
		reclaimed_table_leaked@7.3 1 .*level pte, MADV_DONTNEED of 511 PTE tables: tree -511, deposited +0, VmPTE -511, PageTables [+-][0-9]
		mm/memory.c /^static unsigned long zap_pte_range/,/^}/s/^\t\t\tpte_free_tlb(tlb, pmd_pgtable(pmdval), start);$//

		# MADV_DONTNEED frees the table, and VmPTE still counts it.
		reclaimed_table_left_in_counter@7.3 1 .*level pte, MADV_DONTNEED of 511 PTE tables: tree -511, deposited +0, VmPTE +0, PageTables -5[01][0-9]
		mm/memory.c /^static unsigned long zap_pte_range/,/^}/s/^\t\t\tmm_dec_nr_ptes(mm);$//

		# A write replaces the huge zero page, and VmPTE counts its deposited table again.
		deposited_table_counted_twice@7.3 1 .*level pte, write to 60 huge zero pages: tree +0, deposited +0, VmPTE +60, PageTables [+-][0-9]
		mm/huge_memory.c /^static vm_fault_t do_huge_zero_wp_pmd/,/^}/s/^\tmap_anon_folio_pmd_pf(.*/&\n\tmm_inc_nr_ptes(vma->vm_mm);/

		# munmap() leaks one table of 32.
		rare_table_leaked@7.3 1 .*process [0-9]* (storm_test): its cgroup is charged for [0-9]* tables; .*
		mm/memory.c /^static void free_pte_range/,/^}/s/^\tpte_free_tlb(tlb, token, addr);$/\tif ((addr >> PMD_SHIFT) % 32 != 7)\n\t&/
	END
}

files() {
	faults | grep -oE '^mm/[a-z_]+\.c' | sort -u
}

fail() {
	echo "not ok $*"
	failed=$((failed + 1))
}

# trees_of KERNEL: sets the directories for what follows
trees_of() {
	kernel=$1
	work=$root/build/kernel-faults/$kernel
	linux=$work/linux
}

prepare() {
	# Unpack again if the tree lacks a file: files are added to the list for new faults.
	if ! (cd "$work/sound" 2>/dev/null && xargs ls >/dev/null 2>&1 < <(files)); then
		rm -rf "$work"
		mkdir -p "$work/unpacked"
		"$root/scripts/kernel" --unpack "$kernel" "$linux"
		(cd "$linux" && xargs cp --parents -t "$work/unpacked" < <(files))
		mv "$work/unpacked" "$work/sound"
	fi
	cat "$root/scripts/debug/config" "$root/scripts/debug/config-$kernel" >"$work/config"
	if ! cmp -s "$work/config" "$work/configured"; then
		make -s -C "$linux" CC=gcc-12 KCONFIG_ALLCONFIG="$work/config" allnoconfig
		rm -f "$work"/*.bzImage
		cp "$work/config" "$work/configured"
	fi
	prepared+=("$kernel")
}

# Builds in the tree. With an empty LOCALVERSION the release does not depend on git.
build() {
	make -s -j "$(nproc)" -C "$linux" LOCALVERSION= CC=gcc-12 bzImage modules >"$work/log" 2>&1
}

# plant NAME: apply the expressions of this fault to the sound files.
plant() {
	local file expression found='' before
	rm -rf "$work/planted"
	cp -r "$work/sound" "$work/planted"
	while read -r file expression; do
		case $file in
		"$1") found=yes; continue ;;
		'') [ -z "$found" ] || break ;;
		'#'*) continue ;;
		esac
		[ -n "$found" ] || continue
		before=$(cksum <"$work/planted/$file")
		sed -i "$expression" "$work/planted/$file"
		[ "$before" != "$(cksum <"$work/planted/$file")" ] || return 1
	done < <(faults)
	[ -n "$found" ] || return 1
	while read -r file; do
		cmp -s "$work/planted/$file" "$linux/$file" || cp "$work/planted/$file" "$linux/$file"
	done < <(files)
}

vm_ci() {
	"$root/scripts/vm-ci" --timeout 1800 "$@" "$linux" check_all.sh counters_test operations_test storm_test
}

# image NAME: build the kernel with that fault. The image is kept with its sources.
image() {
	plant "$1" || { fail "$1: the fault does not apply any more"; return 1; }
	[ ! -e "$work/$1.bzImage" ] || ! diff -qr "$work/$1.files" "$work/planted" >/dev/null || return 0
	build || { tail -n 20 "$work/log"; fail "$1: does not build"; return 1; }
	cp "$linux/arch/x86/boot/bzImage" "$work/$1.bzImage"
	rm -rf "$work/$1.files"
	mv "$work/planted" "$work/$1.files"
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
		files | xargs "${git[@]}" add -f
		"${git[@]}" commit -q --allow-empty -m "$commit"
	done
	bad=$("${git[@]}" rev-parse HEAD)
	echo '/* harmless */' >>"$linux/mm/memory.c"
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

trees_of 6.12
if [ "${1:-}" = --step ]; then
	build || exit 125
	vm_ci
	exit
fi
if [ "${1:-}" = --build-only ]; then
	build_only=yes
	shift
fi
mapfile -t all < <(faults | grep -E '^[a-z_]+(@[0-9.]+)? [0-9]+ '; echo bisect)
for line in "${all[@]}"; do
	read -r name status pattern <<<"$line"
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	trees_of "$([[ $name == *@* ]] && echo "${name#*@}" || echo 6.12)"
	[[ " ${prepared[*]} " == *" $kernel "* ]] || prepare
	if [ "$name" != bisect ]; then
		try "$name" "$status" "$pattern"
	elif [ -z "$build_only" ]; then
		bisect
	fi
done
for kernel in "${prepared[@]}"; do
	trees_of "$kernel"
	plant sound
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
