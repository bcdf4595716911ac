#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: examples.sh [--here]
#
# Runs each example of the manual pages; PID 4242 is replaced by a process with known memory.
# Each example has an expectation, computed or a property of the output. An example without an
# expectation fails, and so does an expectation without an example. --here: run only the examples
# that need neither root nor the module. The others run in a VM. Examples that are similar to others
# run only with --here.
set -u

root=$(cd "$(dirname "$0")/../../.." && pwd)
tool=${PTAUDIT_TOOL:-$root/user/ptaudit}
pages_dir=$root/user/man
here=${1:-}
buffer_kb=262144
slots=$((buffer_kb / 2048)) # each has a PTE table, or a huge page with a deposited table
pages=$((buffer_kb / 4))
tmp=$(mktemp -d) || exit 1
target='' mapper=''

# shellcheck disable=SC2317 # called by trap
cleanup() {
	for pid in $target $mapper; do
		kill -KILL "$pid" 2>/dev/null
	done
	rm -rf "$tmp"
}
trap cleanup EXIT

# shellcheck source=/dev/null
. "$root/selftests/result.sh"
show_on_failure "$tmp/out" "$tmp/err"

# Start a process that has filled its buffer and blocks: it has begun to write the buffer to a
# pipe.
start_target() {
	mkfifo "$tmp/pipe" && exec 3<>"$tmp/pipe" || return
	dd if=/dev/zero of="$tmp/pipe" bs=${buffer_kb}k count=1 2>/dev/null &
	target=$!
	head -c 1 <&3 >"$tmp/out"
	kill -STOP "$target" || return
	until grep -q '^State:[[:blank:]]*T' "/proc/$target/status"; do
		sleep 0.1
	done
}

# Start a process that maps a file of 4 MiB. So it has a PTE table that munmap() of the file frees.
start_mapper() {
	mkfifo "$tmp/ready" && head -c 4194304 /dev/zero >"$tmp/mapped" || return
	/usr/bin/python3 -c 'import mmap, sys, time
with open(sys.argv[1], "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0)
print(sum(memory[::4096]), flush=True)
time.sleep(3600)' "$tmp/mapped" >"$tmp/ready" &
	mapper=$!
	read -r _ <"$tmp/ready"
}

# An estimator that always reports one table, at the first mapping of the PID in its argument.
write_formula() {
	cat >"$tmp/formula.py" <<-'END'
		#!/bin/sh
		read -r range _ <"/proc/$1/maps"
		echo "pte ${range%%-*}"
	END
	# rounds down, unlike user/examples/formula-rss.sh
	cat >"$tmp/formula-rss.sh" <<-'END'
		#!/bin/sh
		awk '/^VmRSS:/ { print "pte count " int($2 / 2048) }' "/proc/$1/status"
	END
	chmod 755 "$tmp/formula.py" "$tmp/formula-rss.sh"
}

# row FILE FIRST-WORD: the sum of the numbers in a row
row() {
	awk -v first="$2" '$1 == first { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+$/) n += $i } END { print n + 0 }' "$1"
}

closes() {
	grep -q '^tree .* = VmPTE .*, to the byte$' "$tmp/out" &&
		grep -Eq 'agree on every table|each is accounted for' "$tmp/out"
}

expect_witnesses() {
	[ "$status" -eq 0 ] && closes && grep -q '^kernel ' "$tmp/out" && grep -q '^naive ' "$tmp/out" &&
		grep -q '^pagemap ' "$tmp/out"
}

# The numbers ascend, and the largest is not below the target's.
expect_ranking() {
	[ "$(wc -l <"$tmp/out")" -le 10 ] && sort -nc "$tmp/out" 2>>"$tmp/err" &&
		[ "$(tail -n 1 "$tmp/out" | cut -d ' ' -f 1)" -ge $((slots * 4096)) ]
}

# The buffer of 256 MiB has 128 PTE tables. The program and its libraries have a few more.
expect_buffer() {
	tables=$(awk '$1 == "pte" { print $2 }' "$tmp/out")
	deposited=$(sed -n 's/^tree .* + deposited \([0-9]*\) KiB = VmPTE.*/\1/p' "$tmp/out")
	[ "$status" -eq 0 ] && closes && [ $((tables + deposited / 4)) -ge 128 ] &&
		[ $((tables + deposited / 4)) -le 160 ]
}

# The estimator reports one table: all others are unexplained.
expect_formula() {
	[ "$status" -eq 1 ] && [ "$(awk '$1 == "./formula.py" { print $NF }' "$tmp/out")" -eq \
		$(($(row "$tmp/out" kernel) - 1)) ] && grep -q '^naive ' "$tmp/out"
}

# The buffer has one table or huge page per slot.
expect_rss() {
	rss=$(awk '/^VmRSS:/ { print int($2 / 2048) }' "/proc/$target/status")
	[ "$status" -eq 0 ] && awk -v rss="$rss" 'NR == 1 && $1 == "pte" && $2 > 0 && $3 == rss { n++ }
		END { exit n != 1 }' "$tmp/out" && [ "$rss" -ge "$slots" ]
}

# The formula is wrong for the target, and naive is a built-in estimator.
expect_scores() {
	[ "$status" -eq 0 ] && grep -q '^\./formula-rss.sh: .* wrong (counts' "$tmp/out" &&
		grep -q '^naive: .* processes, ' "$tmp/out"
}

# All pages of the buffer belong to the process alone; malloc() adds few.
expect_copies() {
	copied=$(tail -n 1 "$tmp/out" | cut -d ' ' -f 1)
	[ "$copied" -ge "$pages" ] && [ "$copied" -le $((pages + 1024)) ]
}

expect_flags() {
	[ "$status" -eq 0 ] && grep -q '^DIRTY ' "$tmp/out" &&
		awk 'NF != 4 || $4 != 0 { bad = 1 } END { exit bad }' "$tmp/out"
}

# The tables or huge pages of the buffer, and the tables of the program and its libraries.
expect_map() {
	in_rows=$(awk '{ n += $1 + $2 } END { print n + 0 }' "$tmp/out")
	[ "$status" -eq 0 ] && [ "$in_rows" -ge "$slots" ] && [ "$in_rows" -le $((slots + 32)) ]
}

expect_emptiest() {
	[ -s "$tmp/out" ] && [ "$(wc -l <"$tmp/out")" -le 10 ] && sort -nck 3 "$tmp/out" 2>>"$tmp/err" &&
		! grep -v '^pte ' "$tmp/out"
}

# Any number: processes come and go here, and some kernels do not show their own tables, which
# can be most of PageTables on an idle machine. system_test expects 0.
expect_remainder() {
	[ "$status" -eq 0 ] && grep -qxE -- '-?[0-9]+' "$tmp/out"
}

expect_recorded() {
	[ "$status" -eq 0 ] && [ -s "$tmp/case/$target/maps" ] && [ -s "$tmp/case/$target/tables-after" ]
}

expect_recorded_pages() {
	[ "$status" -eq 0 ] && [ -s "$tmp/memory/kpagecount" ] && [ -s "$tmp/memory/page-caps" ]
}

expect_recorded_before() {
	[ "$status" -eq 0 ] && [ -s "$tmp/before/$target/maps" ]
}

# reclaim ends with status 2 on a kernel without MADV_COLLAPSE (5.10) or without huge pages (PREEMPT_RT).
expect_nothing_done() {
	grep -q '^predicted 0 tables, freed 0;' "$tmp/out" || status=$((status - 2))
	[ "$status" -eq 0 ] && grep -q '^predicted 0\|this kernel has no MADV_COLLAPSE\|this kernel makes no huge pages' "$tmp/out" "$tmp/err"
}

expect_redacted() {
	[ "$status" -eq 0 ] && grep -q ' /redacted/1$' "$tmp/report/$target/maps"
}

expect_replayed() {
	[ "$status" -eq 0 ] && awk -v pid="$target" '$1 == pid && $NF == "ok" { n++ } END { exit n != 1 }' "$tmp/out"
}

# The pages of the buffer, and those that malloc() and the stack add.
expect_anonymous() {
	anonymous=$(awk '{ n += $1 } END { print n + 0 }' "$tmp/out")
	[ "$anonymous" -ge "$pages" ] && [ "$anonymous" -le $((pages + 1024)) ]
}

# The buffer is not shared. The output has one line, the row of the set.
expect_footprint() {
	[ "$status" -eq 0 ] && awk -v bytes=$((buffer_kb * 1024)) -v tables=$((slots * 4096)) '
		$1 >= bytes && $1 <= bytes + 4194304 && $2 >= tables && $2 <= tables + 131072 { n++ }
		END { exit n != 1 || NR != 1 }' "$tmp/out"
}

expect_largest() {
	[ "$status" -eq 0 ] && [ "$(wc -l <"$tmp/out")" -eq 1 ] &&
		[ "$(cut -d ' ' -f 1 "$tmp/out")" -ge $((slots * 4096)) ]
}

expect_metrics() {
	[ "$status" -eq 0 ] && grep -Eqx 'ptaudit_processes\{comm="dd"\} [1-9][0-9]*' "$tmp/out"
}

expect_loaded() {
	[ "$status" -eq 0 ] && [ -d /sys/module/ptaudit ]
}

# The process has no shared memory, and its tables are all in use.
expect_nothing_back() {
	[ "$status" -eq 0 ] && grep -q '^shared memory: 0 PTE tables' "$tmp/out" &&
		! grep -q '^empty PTE tables: [1-9]' "$tmp/out"
}

expect_nothing_recorded() {
	[ "$status" -eq 0 ] && grep -q '^shared memory: not known' "$tmp/out" &&
		! grep -q '^empty PTE tables: [1-9]' "$tmp/out"
}

# The second column is SIZE, and the largest is first; there is at least the mapper's row. Other
# processes of the machine may change all the time.
expect_most_back() {
	{ [ "$status" -eq 0 ] || grep -q 'its mappings changed' "$tmp/err"; } && awk '
		NF < 8 || $2 != int($2) || (NR > 1 && $2 > last) { bad = 1 }
		{ last = $2 }
		END { exit bad || NR < 1 || NR > 5 }' "$tmp/out"
}

# The process is stopped, so nothing changes.
expect_no_difference() {
	[ "$status" -eq 0 ] && grep -Eq '^pte tables: .*: 0 came, 0 went$' "$tmp/out"
}

# The process is stopped: a heading, the start, and three intervals without growth.
expect_no_growth() {
	[ "$status" -eq 0 ] && [ "$(sed '/^$/q' "$tmp/out" | wc -l)" -eq 6 ] &&
		grep -q "^process $target .* had most page tables" "$tmp/out" &&
		[ "$(awk -v pid="$target" 'NR > 2 && $2 == pid && $4 == 0' "$tmp/out" | wc -l)" -eq 3 ]
}

expect_peak() {
	[ "$status" -eq 0 ] && grep -q '^process [0-9]* (dd) had most page tables ' "$tmp/out"
}

# The shell alone, or with its child.
expect_peak_of_all() {
	[ "$status" -eq 0 ] && grep -q '^the group had most page tables .*, processes: [12]$' "$tmp/out"
}

# The start, and two intervals whose growth is the difference of the sums.
expect_sums() {
	[ "$status" -eq 0 ] && awk '
		NR == 1 && $2 != "-" || NR > 1 && $1 - last != $2 + 0 { bad = 1 }
		{ last = $1 }
		END { exit bad || NR != 3 || !last }' "$tmp/out"
}

# Without root it is VmPTE alone.
expect_accounted() {
	[ "$status" -eq 0 ] && grep -q '^PageTables is [0-9]* KiB, [0-9]* KiB of it accounted for; ' "$tmp/out"
}

# The heading, at most 10 rows, a blank line and the sum.
expect_top_ten() {
	[ "$status" -eq 0 ] && [ "$(wc -l <"$tmp/out")" -le 13 ] &&
		tail -n 1 "$tmp/out" | grep -Eqx '[0-9]+ of [0-9]+ processes; VmPTE of all: .*'
}

# One of the mappings is the buffer.
expect_top_mapping() {
	[ "$status" -eq 0 ] && head -n 1 "$tmp/out" | grep -q "^PID $target (dd): VmPTE " &&
		grep -q ' \[anon\]$' "$tmp/out"
}

expect_units() {
	[ "$status" -eq 0 ] && awk 'NR == 1 && $5 == "NAME" { n++ } END { exit n != 1 }' "$tmp/out" &&
		tail -n 1 "$tmp/out" | grep -q ' groups\{0,1\}; VmPTE of all: '
}

expect_all_back() {
	{ [ "$status" -eq 0 ] || grep -q 'its mappings changed' "$tmp/err"; } &&
		head -n 1 "$tmp/out" | grep -Eq '^[0-9]+ process(es)?, [0-9]+ PTE tables '
}

# The heading, the start, two intervals, an empty line, and the peak with three processes.
expect_group() {
	[ "$status" -eq 0 ] && [ "$(wc -l <"$tmp/out")" -eq 9 ] &&
		sed -n 6p "$tmp/out" | grep -q '^the group had most page tables '
}

# EXAMPLE, its requirements, its expectation
expectations() {
	cat <<-'END'
		ptaudit system|here|accounted
		ptaudit top -N 10|here|top_ten
		ptaudit top --by unit|here|units
		ptaudit top 4242|here|top_mapping
		ptaudit whatif --all|here|all_back
		ptaudit watch --all -c 2|here|group
		ptaudit check --estimator all 4242|module|witnesses
		ptaudit estimate --all -rnb -o SIZE,PID,COMM \| sort -n \| tail|nothing|ranking
		ptaudit -- dd if=/dev/zero of=/dev/null bs=256M count=1|module|buffer
		ptaudit check -e ./formula.py,naive,pagemap 4242|module|formula
		ptaudit score -rn -o LEVEL,KERNEL,ESTIMATE ./formula-rss.sh -- 4242|module|rss
		ptaudit score ./formula-rss.sh naive -- --all|module|scores
		ptaudit cow -rn -o COPIED,SHARED,PATH 4242 \| sort -n \| tail|nothing|copies
		ptaudit kpagemap -rn -o FLAG,PG,BIT,UNEXPLAINED|module|flags
		ptaudit system -rnb -o PART,SIZE \| awk '/remainder/ { print $2 }'|nothing|remainder
		ptaudit map -rn -o TABLES,HUGE,NAME 4242|nothing|map
		ptaudit map --tables -rn 4242 \| grep ^pte \| sort -nk 3 \| head|nothing|emptiest
		ptaudit watch -i 1 -c 3 --over 1M 4242|nothing|no_growth
		ptaudit watch -rnb -c 2 -o VMPTE,GROWTH --all|nothing|sums
		ptaudit watch -i .01 -- dd if=/dev/zero of=/dev/null bs=99M count=9|nothing|peak
		ptaudit watch -i 0.01 --tree -- sh -c 'sleep 0.3; true'|nothing|peak_of_all
		ptaudit flags -rn -o PAGES,FLAGS 4242 \| grep ANON|root|anonymous
		ptaudit footprint -rnb -o USS-ANON,TABLES 4242 \| tail -n 1|root|footprint
		ptaudit top -rnb -N 1 -o TOTAL,PID|nothing|largest
		ptaudit whatif 4242|nothing|nothing_back
		ptaudit whatif --all -rnb --sort SIZE -N 5|nothing|most_back
		ptaudit reclaim 4242|nothing|nothing_back
		ptaudit reclaim --do 4242|root|nothing_done
		ptaudit export --openmetrics - \| grep 'comm="dd"'|nothing|metrics
		ptaudit load --module ptaudit.ko|module|loaded
		ptaudit record --to before 4242|nothing|recorded_before
		ptaudit diff before 4242|nothing|no_difference
		ptaudit record --to case 4242|module|recorded
		ptaudit check --from case|module|replayed
		ptaudit whatif --from case|module|nothing_recorded
		ptaudit record --pages --to memory 4242|root|recorded_pages
		ptaudit footprint -rnb -o USS-ANON,TABLES --from memory \| tail -n 1|root|footprint
		ptaudit record --redact --to report 4242|nothing|redacted
	END
}

# As the reader sees them: \e is a backslash, \& is empty, and the quotes around an argument go.
for page in "$pages_dir"/*; do
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl //p' "$page"
done | sed 's/ "\([^"]*\)"/ \1/g; s/\\&//g; s/\\e/\\/g' >"$tmp/examples"
expectations | sed 's/\\|/\a/g' | awk -F '|' '{ gsub("\a", "|", $1); print $1 > names; print $2, $3 > what }' \
	names="$tmp/names" what="$tmp/what"

echo "KTAP version 1"
mkdir "$tmp/bin"
cp "$tool" "$tmp/bin/ptaudit" || exit 1
PATH=$tmp/bin:$PATH
cd "$tmp" || exit 1
: >"$tmp/out"
: >"$tmp/err"
write_formula
if ! start_target || ! start_mapper; then
	echo "Bail out! the process with the buffer does not stop, or that with the file does not start"
	exit 1
fi

# Sort both lists: the pages are read in the order of their names.
sort "$tmp/names" >"$tmp/names.sorted"
sort "$tmp/examples" | diff "$tmp/names.sorted" - >"$tmp/out"
result $? each_example_of_the_manual_has_an_expectation

# A display is indented by 11 of 78 columns. A longer example breaks, and a part of it could be run.
! grep -E '^.{68}' "$tmp/examples" >"$tmp/out"
result $? each_example_fits_on_a_line

# These pages need no example: they describe files, keys and options, or commands without an
# argument. unload would remove the module that other examples need.
for page in "$pages_dir"/*.8; do
	case ${page##*/} in
	ptaudit-help.8 | ptaudit-unload.8) ;;
	*) grep -q '^\.Dl ' "$page" || echo "no example in ${page##*/}" ;;
	esac
done >"$tmp/out"
[ ! -s "$tmp/out" ]
result $? each_page_of_a_command_has_an_example
while IFS= read -r example; do
	line=$(grep -nxF -e "$example" "$tmp/names" | cut -d : -f 1)
	[ -n "$line" ] || continue # reported above
	read -r needs expected <<-END
		$(sed -n "${line}p" "$tmp/what")
	END
	case $needs$here in
	here--here | nothing*) ;;
	here)
		echo "# runs only with --here: $example"
		continue
		;;
	*--here)
		echo "# runs only in a VM, because it needs $needs: $example"
		continue
		;;
	esac
	sh -c "$(printf '%s' "$example" | sed "s/\\b4242\\b/$target/g")" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	"expect_$expected"
	result $? "example_has_the_expected_output: $(printf '%s' "$example" | tr '#' ' ')"
done <"$tmp/examples"

# shellcheck disable=SC2154 # from result.sh
echo "1..$((passed + failed))"
finish
