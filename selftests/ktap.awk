# SPDX-License-Identifier: GPL-2.0-only
#
# Judges the output of live/guest.sh in one VM. Every test of every plan counts as passed,
# failed, or skipped for the reason in the list; a test that is not proven to be one of these has
# failed. A line `* *` of the list accepts its reason for any test. Set with -v: boot (a name for the
# output), programs (all that must have run), chosen (not empty if they were chosen by name), skips
# (the list, a file), levels, pti, totals (a file to write).
# Programs print how many complete answers of the module they have read. A sum of 0 is a failure,
# unless programs were chosen: some of them read none. The file totals gets: passed, failed, skipped,
# answers.

function pass(what) { passed++; print "ok " boot " " what }
function fail(what) { failed++; print "not ok " boot " " what }

function end_of_program(why,    test) {
	if (why != "")
		fail(program ": " why)
	else if (plan == "")
		fail(program ": printed no plan")
	else if (plan == 0 || nr != plan)
		fail(program ": printed " nr " results, but planned " plan)
	else if ((status == 0) != (nr_bad == 0))
		fail(program ": the exit status is " status ", but " nr_bad " tests failed")
	for (test in listed)
		if (index(test, program " ") == 1 && !(test in skipped_so))
			fail(test " ran, but the list says that it is skipped here: " listed[test])
	program = ""
}

BEGIN {
	passed = failed = skipped = answers = 0
	while ((got = (getline line < skips)) > 0) {
		if (line ~ /^(#|$)/)
			continue
		split(line, word, " ")
		if ((word[1] == levels || word[1] == "*") && (word[2] == pti || word[2] == "*")) {
			reason = line
			for (i = 0; i < 4; i++)
				sub(/^[^ ]+ +/, "", reason)
			if (word[4] == "*")
				of_any[reason]
			else
				listed[word[3] " " word[4]] = reason
		}
	}
	if (got < 0)
		fail("there is no list of expected skips: " skips)
	nr_wanted = split(programs, wanted, " ")
}

/^### begin / {
	if (program != "")
		end_of_program("did not end")
	program = $3
	plan = test = ""
	nr = nr_bad = 0
	delete skipped_so
	began[program]++
	next
}

/^### end / && program != "" && $3 == program {
	status = $4
	if (NF > 4)
		print "# " boot " " program ": " $5 " s"
	end_of_program(status == 124 || status == 137 ? "timed out" : "")
	next
}

/^### done$/ { done = 1; next }

program == "" { print "# " $0; next }

/^1\.\.[0-9]+$/ {
	if (plan != "")
		fail(program ": printed a second plan")
	plan = substr($0, 4) + 0
	next
}

# Only this line of the harness names a skipped test.
/^# +RUN +/ { test = $3; next }

/^(not )?ok [0-9]+( |$)/ {
	good = $1 == "ok"
	number = good ? $2 : $3
	if (number != ++nr)
		fail(program ": result " number " came instead of result " nr)
	# A script names the test in the result line.
	if (test == "") {
		test = $0
		sub(/^(not )?ok [0-9]+ (- )?/, "", test)
		sub(/ *# SKIP.*/, "", test)
		$0 = (good ? "ok " : "not ok ") nr " " test (match($0, /# SKIP.*/) ? " " substr($0, RSTART) : "")
	}
	name = program " " test
	if (!good) {
		nr_bad++
		fail(name)
	} else if (match($0, /# SKIP/)) {
		reason = substr($0, RSTART + 7)
		sub(/^needs /, "", reason)
		if ((name in listed && listed[name] == reason) || reason in of_any) {
			skipped++
			skipped_so[name] = 1
			print "skip " boot " " name ": needs " reason
		} else {
			skipped_so[name] = 1
			fail(name " was skipped for a reason that is not in the list: " reason)
		}
	} else if ($0 != "ok " nr " " test) {
		fail(name ": the next result belongs to another test: " $0)
	} else {
		pass(name)
	}
	test = ""
	next
}

/^TAP version |^# +(OK|SKIP) |^# (Starting|PASSED|Totals)/ { next }

/^# answers [0-9]+$/ { answers += $3; next }

# Other output of the programs.
/^$/ { next }
/^#/ { print; next }
{ print "# " $0 }

END {
	if (program != "")
		end_of_program("did not end")
	for (i = 1; i <= nr_wanted; i++)
		if (began[wanted[i]] != 1)
			fail(wanted[i] ": was started " began[wanted[i]] + 0 " times instead of once")
	if (!done)
		fail("the script in the guest did not end")
	if (!answers && chosen == "")
		fail("no answer of the module was complete")
	print passed, failed, skipped, answers > totals
}
