#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds modules with one fault each, and sees that the comparison with the
# guest's memory finds every one. Prints KTAP, as run.sh does.
#
# usage: faults.sh [BOOT...]    default: 7.2:5:off 6.12:4:on, with the layouts that matter
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
export PYTHONDONTWRITEBYTECODE=1
layouts=thp,sparse,ldt,hugetlb,random.1.0,random.1.2
[ $# -gt 0 ] || set -- "7.2:5:off:$layouts,huge1g" "6.12:4:on:$layouts"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "not ok 1 $*"
	echo '0 passed, 1 failed'
	exit 1
}

# fault KERNEL NAME FILE LINE INSTEAD: the file's only such line becomes another
fault() {
	local kernel=$1 name=$2 file=$3 line=$4 instead=$5 copy=$tmp/copy
	rm -rf "$copy"
	mkdir -p "$copy" "$tmp/$kernel"
	cp -R "$root/Kbuild" "$root/module" "$copy"
	python3 - "$copy/module/$file" "$line" "$instead" <<-'END' || fail "$name: $file has no such line, or several"
		import sys
		path, line, instead = sys.argv[1:]
		text = open(path).read()
		if text.count(line) != 1:
		    sys.exit(1)
		open(path, "w").write(text.replace(line, instead))
	END
	"$root/scripts/kernel" --module "$kernel" "$tmp/out" "$copy" >/dev/null 2>"$tmp/log" || {
		cat "$tmp/log" >&2
		fail "$name does not build"
	}
	mv "$tmp/out/ptaudit.ko" "$tmp/$kernel/$name.ko"
}

build() {
	local kernel=$1
	fault "$kernel" sound main.c 'MODULE_LICENSE(' 'MODULE_LICENSE('
	fault "$kernel" lost-pte-table walk.c 'walk->counts->tables[PTAUDIT_PTE]++;' \
		'if (entry.pfn % 8 == 3) return 0; walk->counts->tables[PTAUDIT_PTE]++;'
	fault "$kernel" wrong-pfn walk.c 'ptes.pfn = entry.pfn;' 'ptes.pfn = entry.pfn ^ 1;'
	fault "$kernel" one-entry-more entry.c 'nr_present++;' 'nr_present += 1 + !i;'
	fault "$kernel" one-deposit-less entry.c 'nr = 1;' 'nr = 0;'
	fault "$kernel" last-vma-left-out walk.c 'vma->vm_start >= walk->end)' \
		'vma->vm_start >= walk->end || !find_vma(walk->mm, vma->vm_end))'
	fault "$kernel" no-pud-leaf entry.c '} else if (pta_pud_leaf(pud)) {
			entry.kind = PTAUDIT_K_LEAF;' '} else if (pta_pud_leaf(pud)) {
			entry.kind = PTAUDIT_K_OTHER;'
	fault "$kernel" swap-is-a-marker entry.c 'pta_count_entry(table, pta_pte_kind(pte));' \
		'pta_count_entry(table, pta_pte_kind(pte) == PTAUDIT_K_SWAP ? PTAUDIT_K_UFFD_WP : pta_pte_kind(pte));'
	fault "$kernel" no-sharer visit.c 'table->sharers = pta_pmd_sharers(pfn_to_page(pfn));' ''
	fault "$kernel" leaf-in-a-run-of-tables store.c 'record->kind = kind;' \
		'record->kind = kind == PTAUDIT_K_LEAF ? PTAUDIT_K_CHILD : kind;'
	fault "$kernel" no-ldt walk.c 'if (!pta_pti() || !PTA_LDT_BASE || request->end != pta_user_end())' 'if (1)'
}

make -s -C "$root" user >&2 || fail 'the tool does not build'
for boot; do
	[ -d "$tmp/${boot%%:*}" ] || build "${boot%%:*}"
done
python3 "$here/witness.py" --faults "$tmp" "$root/user/ptaudit" "$@"
