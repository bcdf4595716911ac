// SPDX-License-Identifier: GPL-2.0-only
/* The nearest name; the edit distances were counted by hand. */
#include "base/nearest.h"

#include <string.h>

#include "support/check.h"

static const char *nearest(const char *word, size_t length)
{
	static const char *const names[] = { "check", "estimate", "cow",
					     "flags", "load",	  "unload",
					     NULL };
	struct ptu_nearest nearest = { .word = word, .length = length };

	for (size_t i = 0; names[i]; i++)
		ptu_nearest_try(&nearest, names[i]);
	return nearest.name ? nearest.name : "";
}

static bool meant(const char *word, const char *name)
{
	const char *found = nearest(word, strlen(word));

	if (!strcmp(found, name))
		return true;
	printf("# the name nearest to %s is '%s', not '%s'\n", word, found,
	       name);
	return false;
}

int main(void)
{
	static const char *const otherwise = "see --help";
	char hint[PTU_NEAREST_HINT];
	char long_word[4 * PTU_NEAREST_LEN];

	check(meant("estmate", "estimate"), "a_missing_letter_is_one_edit");
	check(meant("esttimate", "estimate"), "a_letter_too_many_is_one_edit");
	check(meant("fkags", "flags"), "a_wrong_letter_is_one_edit");
	check(meant("folags", "flags"), "an_inserted_letter_is_one_edit");
	/* two edits are too many for three letters */
	check(meant("ocw", "cow"), "two_swapped_letters_are_one_edit");
	check(meant("CHECK", "check"), "case_does_not_count");
	check(meant("etsimaet", "estimate"),
	      "two_edits_of_eight_letters_are_near");
	check(meant("xxximate", ""), "three_edits_of_eight_letters_are_far");
	check(meant("cxy", ""), "two_edits_of_three_letters_are_far");
	check(meant("", ""), "nothing_is_near_to_the_empty_word");
	/* one edit from load, three from unload */
	check(meant("lod", "load"), "the_nearest_of_two_is_taken");
	/* one edit from load, one from unload */
	check(meant("nload", "load"), "the_first_of_equally_near_names_stays");
	check(!strcmp(nearest("cowANDMORE", 3), "cow"),
	      "a_word_ends_at_its_length");
	memset(long_word, 'a', sizeof(long_word));
	check(!*nearest(long_word, sizeof(long_word)),
	      "a_word_longer_than_any_name_is_not_compared");

	check(!strcmp(ptu_nearest_hint(&(struct ptu_nearest){ .name = "cow" },
				       otherwise, hint),
		      "did you mean 'cow'?"),
	      "the_hint_names_the_nearest");
	check(ptu_nearest_hint(&(struct ptu_nearest){ 0 }, otherwise, hint) ==
		      otherwise,
	      "without_a_near_name_there_is_another_hint");
	return check_end();
}
