# SPDX-License-Identifier: Apache-2.0
"""Duration of a fault by phase: until muster notices it, until it names the cause, until the job continues.

fault.inject(os.kill, pid, signal.SIGSEGV)          records the time of the injection
fault.read(muster, "job", named="rank 1 was …")     reads the other times from the job's journal

`python3 phases.py faults.json PAGE.md` writes the table of a run into a page, between its two marks.
"""

import json
import pathlib
import sys
import time

PHASES = ("detect", "name", "recover")
BEGIN, END = "<!-- phases: begin -->", "<!-- phases: end -->"


def journal_lines(muster, job):
    """The lines of a job's journal as values; each has `t`, its time in ns."""
    text = (muster.folder(job) / "journal").read_text()
    return [json.loads(line.split(" ", 2)[2]) for line in text.splitlines()]


def moments(muster, job):
    """(ns, sentence) of all sentences in the journal, and (ns, "") of each rank's end as its agent saw it."""
    lines = journal_lines(muster, job)
    for event in muster.ok("events", job, "-o", "json").json_lines():
        line = lines[event["sequence"] - 1]
        if "t" in line:
            yield line["t"], event["sentence"]
        for rank in line["ranks"] if line["k"] == "reported" else []:
            if "ended" in rank:
                yield rank["ended"], ""


class Fault:
    """One row of the table. Times are in ns of the wall clock; a phase that was not reached stays empty."""

    def __init__(self, number, what):
        self.number, self.what, self.note = number, what, ""
        self.began, self.at = 0, {}

    def inject(self, action, *arguments, **options):
        self.began = time.time_ns()
        return action(*arguments, **options)

    def injected_at(self, ns):
        """Sets the injection time of a fault that a rank causes and records itself."""
        self.began = int(ns)

    def reached(self, *names, at=None):
        """Records that these phases were reached now, or at `at` (ns)."""
        for name in names:
            assert name in PHASES
            self.at.setdefault(name, at or time.time_ns())

    def read(self, muster, job, named, recovered="running again after"):
        """Reads the phases from the journal: its first sentence after the injection, and the first with these words."""
        told = sorted(moment for moment in moments(muster, job) if moment[0] >= self.began)
        words = {"detect": "", "name": named} | ({"recover": recovered} if recovered else {})
        for phase, text in words.items():
            found = [moment for moment, sentence in told if text in sentence]
            assert found, f"nothing after the injection says `{text}`: {muster.sentences(job)}"
            self.reached(phase, at=found[0])

    def ms(self, phase):
        return max(0, self.at[phase] - self.began) / 1e6 if phase in self.at else None

    def row(self):
        return {"row": self.number, "fault": self.what, **{phase: self.ms(phase) for phase in PHASES}, "note": self.note}


def humane(ms):
    if ms is None:
        return "–"
    if ms < 10:
        return f"{ms:.1f} ms"
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def table(rows):
    words = [["row", "fault", *PHASES, ""], ["---"] * 6]
    words += [[str(row["row"]), row["fault"], *(humane(row[phase]) for phase in PHASES), row["note"]] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in words)


def write(rows, path):
    path.with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n")
    path.with_suffix(".md").write_text(table(rows) + "\n")


def put_into(page, rows):
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    assert rest and after, f"the page has no {BEGIN} … {END}"
    return f"{before}{BEGIN}\n\n{table(rows)}\n\n{END}{after}"


if __name__ == "__main__":
    measured, page = map(pathlib.Path, sys.argv[1:])
    page.write_text(put_into(page.read_text(), json.loads(measured.read_text())))
