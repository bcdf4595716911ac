# SPDX-License-Identifier: GPL-2.0-only
"""Tries faults of the module in a VM. A fault that crashes or hangs the kernel counts as found."""
import os

import boots
import faults

# The programs that are likely to find a fault in a file run first; the others follow, the quick
# ones first.
FIRST = {
    "debugfs.c": ["debugfs_test", "session_test"],
    "entry.c": ["range_test", "vma_test"],
    "kpagemap.c": ["kpagemap_test", "kpagemap_tool_test"],
    "orphans.c": ["orphans_test"],
    "pages.c": ["pagesfile_test", "pagesfile_shared_test", "pagesfile_moving_test"],
    "store.c": ["budget_test", "debugfs_test"],
    "target.c": ["session_test", "debugfs_test", "vanish_test"],
    "vma.c": ["vma_test", "pagesfile_test", "shared_test", "signals_test"],
    "walk.c": ["range_test", "pfn_test", "pagesfile_shared_test"],
}
THEN = ["range_test", "edges_test", "vma_test", "huge_test", "gigantic_test", "hugetlb_test",
        "shared_test", "debugfs_test", "session_test", "pagesfile_test", "orphans_test",
        "kpagemap_test"]


class Module(boots.Boots):
    """Calls note(fault, verdict, by, seconds) for each fault."""

    def __init__(self, root, work, sources, note):
        super().__init__(root, work, boots.Machine("6.1"))
        self.sources, self.note = sources, note

    def check_sound(self, programs):
        """Check that all programs pass without a fault. Return: the time that each takes."""
        self.build_programs()
        self.prepare()
        began, took, last = 0, {}, None
        for when, _, word, *rest in self.boot(["sound:" + ",".join(programs)]):
            if last:
                took[last] = when - began
            last, began = (rest[0].strip() if word == "run" else None), when
            if word == "found":
                raise faults.Error(f"{rest[0]} fails with a module without a fault")
            if word == "survived":
                print("# seconds of a program:",
                      ", ".join(f"{name} {seconds:.0f}" for name, seconds in took.items()))
                return took
        raise faults.Error("the VM with the unchanged module did not end as it should")

    def try_all(self, some):
        """Give every fault a verdict."""
        names = {f"fault{i}": fault for i, fault in enumerate(some)}
        wanted = {name: list(dict.fromkeys(FIRST.get(os.path.basename(fault.path), []) + THEN))
                  for name, fault in names.items()}
        took = self.check_sound(list(dict.fromkeys(p for ps in wanted.values() for p in ps)))
        specs, texts = {}, {name: (fault.path, fault.text(self.sources[fault.path])) for name, fault in names.items()}
        for name, built in self.build_all(texts):
            fault = names[name]
            if built:
                first = FIRST.get(os.path.basename(fault.path), [])
                rest = sorted(set(wanted[name]) - set(first), key=lambda p: took[p])
                specs[name] = ",".join(first + rest)
            else:
                self.note(fault, "does not compile", "", 0)

        def judge(name, verdict, text, seconds):
            if verdict == "ended":
                verdict, text = "found", f"{text}: the VM ended or hung"
            self.note(names[name], verdict, text, seconds)
        self.run(specs, judge)
