# SPDX-License-Identifier: Apache-2.0
"""The table of docs/reference/tested-frameworks.md: what was run, with which version, and the result."""

import os
import re
import subprocess
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "tested-frameworks.md"
OLD_PYTHON = os.environ.get("MUSTER_OLD_TORCH") or "/usr/bin/python3"  # Debian's python3, if its torch 1.13 is installed
BEGIN, END = "<!-- results: scripts/test frameworks -->\n", "<!-- end of results -->"
WORST = ("passed", "skipped", "failed")


def note(rows, key, report):
    """Records one phase of a test: a row has the worst result of its tests."""
    if report.when != "call" and report.outcome == "passed":
        return
    reason = report.longrepr[2].removeprefix("Skipped: ") if report.outcome == "skipped" else ""
    if WORST.index(report.outcome) >= WORST.index(rows.get(key, ("passed", ""))[0]):
        rows[key] = (report.outcome, reason)


def version(python, package):
    said = subprocess.run([python, "-c", f"import importlib.metadata as m; print(m.version('{package}'))"], capture_output=True, text=True,
                          check=False)
    return said.stdout.strip() or "none"


def version_of(package):
    """`debian:torch` is torch of Debian's python3."""
    if package.startswith("debian:"):
        return version(OLD_PYTHON, package.partition(":")[2])
    return version(os.environ["MUSTER_FRAMEWORKS_PYTHON"], package)


def line(key, outcome, reason):
    framework, package, what = key
    return f"| {framework} | {version_of(package)} | {what} | {outcome}{': ' + reason if reason else ''} |\n"


def rewrite(rows):
    """Rewrites the table; rows of tests that did not run stay unchanged."""
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    lines = {key_of(text): text for text in old.splitlines(keepends=True)[2:]}
    lines |= {key_of(text): text for text in (line(key, *end) for key, end in rows.items())}
    head = "| framework | version | what runs | result |\n|---|---|---|---|\n"
    PAGE.write_text(before + BEGIN + head + "".join(lines.values()) + END + after)


def key_of(text):
    cells = [cell.strip() for cell in text.split("|")]
    return cells[1], cells[3]


def versions_on_the_page():
    """{(framework, what): version} of the page's table."""
    table = PAGE.read_text().split(BEGIN)[1].split(END)[0]
    return {(cells[0], cells[2]): cells[1] for cells in (re.split(r" \| ", text.strip("| \n")) for text in table.splitlines()[2:])}
