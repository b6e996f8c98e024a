# SPDX-License-Identifier: Apache-2.0
"""Adds up JUnit files of ctest and pytest: `junit_sum.py [--total] FILE…`.

Prints each failed and each skipped test with its reason; with --total only one line: "N passed, N failed, N skipped". A file that is
missing, invalid or has no tests counts as one failure. Exit status: 0 if all tests passed, 1 if one failed or none ran.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def name_of(case):
    place = case.get("classname") or ""
    name = case.get("name") or "?"
    return name if place in ("", name) else f"{place}.{name}"


def first_line(text):
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    return lines[0] if lines else ""


def skip_reason(case, skipped):
    """pytest stores the reason as message; GoogleTest prints it after "FILE:LINE: Skipped", and ctest stores that output."""
    output = case.findtext("system-out") or ""
    printed = re.search(r"^\S+:\d+: Skipped\n(.+?)^\[ ", output, re.MULTILINE | re.DOTALL)
    if printed and first_line(printed.group(1)):
        return first_line(printed.group(1))
    return first_line(skipped.get("message")) or first_line(skipped.text) or "no reason given"


def judge(case):
    """("passed" | "failed" | "skipped", reason)"""
    for tag in ("failure", "error"):
        found = case.find(tag)
        if found is not None:
            return "failed", first_line(found.get("message")) or first_line(found.text)
    skipped = case.find("skipped")
    if skipped is not None:
        return "skipped", skip_reason(case, skipped)
    if case.get("status") in ("notrun", "disabled"):
        return "skipped", "not run"
    return "passed", ""


def cases_of(path):
    """[(name, verdict, reason)]; a file without results is one failure."""
    try:
        cases = [(name_of(case), *judge(case)) for case in ElementTree.parse(path).iter("testcase")]
    except (OSError, ElementTree.ParseError):
        return [(pathlib.Path(path).stem, "failed", "it wrote no report of its tests")]
    return cases or [(pathlib.Path(path).stem, "failed", "no test ran")]


def main(arguments):
    total = "--total" in arguments
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for path in [argument for argument in arguments if argument != "--total"]:
        for name, verdict, reason in cases_of(path):
            counts[verdict] += 1
            if verdict != "passed" and not total:
                print(f"  {verdict}  {name}" + (f": {reason}" if reason else ""))
    if total:
        print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()), flush=True)
    return 0 if counts["passed"] and not counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
