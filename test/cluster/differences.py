# SPDX-License-Identifier: Apache-2.0
"""What Kubeflow Trainer and muster make of the same TrainJob, compared field by field with the tables of two pages."""

import json
import re
from pathlib import Path

PAGES = [Path(__file__).parents[2] / "docs" / "reference" / f"kubeflow-{name}.md" for name in ("trainer", "trainer-variables")]
NOTHING = "–"
# Fields that the cluster writes, and where a pod runs: they differ between any two runs.
WRITTEN = ("creationTimestamp", "finalizers", "generation", "managedFields", "resourceVersion", "selfLink", "status", "nodeName", "uid")
# Parts of values that differ from run to run.
VARYING = ((r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID"), (r"\b[0-9a-f]{40}\b", "HASH"), (r"\b10\.100\.\d+\.\d+\b", "ADDRESS"),
           (r"kube-api-access-\w{5}", "kube-api-access"), (r"(JOB-\w+-0-\d)-\w{5}\b", r"\1"))


def plain(value, name, space):
    """A value without what differs between two runs. `name` and `space`: of the job, which become JOB and NAMESPACE."""
    if isinstance(value, dict):
        return {plain(key, name, space): plain(each, name, space) for key, each in value.items() if key not in WRITTEN}
    if isinstance(value, list):
        return [plain(each, name, space) for each in value]
    if not isinstance(value, str):
        return value
    value = re.sub(rf"\b{name}\b", "JOB", re.sub(rf"\b{space}\b", "NAMESPACE", value))
    for pattern, word in VARYING:
        value = re.sub(pattern, word, value)
    return value


def members(value):
    """The members of a map, or the items of a list: by their names if each has one, else by their places."""
    if isinstance(value, dict):
        return value
    for key in ("name", "mountPath", "key"):
        names = [each.get(key) for each in value if isinstance(each, dict)]
        if value and len(names) == len(value) and None not in names and len(set(names)) == len(names):
            return dict(zip(names, value))
    return {str(number): each for number, each in enumerate(value)}


def differences(theirs, ours, path=""):
    """(path, Trainer's value, muster's value) of each difference, as texts. A part that only one of them has is one difference."""
    if theirs == ours:
        return
    if isinstance(theirs, (dict, list)) and isinstance(ours, type(theirs)):
        theirs, ours = members(theirs), members(ours)
        for key in [*theirs, *(key for key in ours if key not in theirs)]:
            yield from differences(theirs.get(key, NOTHING), ours.get(key, NOTHING), f"{path}.{key}".lstrip("."))
    else:
        yield path, shown(theirs), shown(ours)


def shown(value):
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


class Row:
    """A row of a table: what differs, and why. A `*` in a cell is any text; a cell may have several fields."""

    def __init__(self, cells):
        self.patterns = ["|".join(re.escape(each).replace(r"\*", ".*") for each in cell.split("`, `")) for cell in cells[:3]]
        self.text = " | ".join(cells)
        self.used = False

    def explains(self, difference):
        return all(re.fullmatch(pattern, text, re.DOTALL) for pattern, text in zip(self.patterns, difference))


class Tables:
    """The tables of the pages, by heading."""

    def __init__(self, text=None):
        self.rows = {}
        heading = ""
        for line in ("".join(page.read_text() for page in PAGES) if text is None else text).splitlines():
            if line.startswith("## "):
                heading = line[3:]
            elif line.startswith("| ") and not line.startswith("| field "):
                cells = [cell.strip().strip("`") for cell in line.strip("| ").split(" | ")]
                self.rows.setdefault(heading, []).append(Row(cells))

    def unexplained(self, heading, theirs, ours):
        """The differences for which the table has no row, as rows that could be added."""
        left = []
        for difference in differences(theirs, ours):
            rows = [row for row in self.rows.get(heading, []) if row.explains(difference)]
            for row in rows[:1]:
                row.used = True
            if not rows:
                left.append("| `" + "` | `".join(difference) + "` |  |")
        return left

    def unused(self):
        """Rows that explained nothing: what they say is not so any more."""
        return [f"{heading}: {row.text}" for heading, rows in self.rows.items() for row in rows if not row.used]
