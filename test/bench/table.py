# SPDX-License-Identifier: Apache-2.0
"""A figure's table: rows with muster, the rival, the comparison and the target. Text for people, a document for programs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`of`: what the target limits: the "ratio" ours / theirs, ours "beyond" theirs, or "itself" (theirs is None). `again`: the rival
    measured a second time in the same turns, which shows the noise. Numbers are in the unit of `show`: seconds for duration,
    bytes for size."""
    what: str
    ours: float
    theirs: float
    show: callable        # formats a number with its unit
    target: float = None  # None: reported only
    at_most: bool = False
    of: str = "ratio"
    again: float = None

    @property
    def value(self):
        if self.of == "itself":
            return self.ours
        return self.ours - self.theirs if self.of == "beyond" else self.ours / self.theirs

    @property
    def met(self):
        return self.value <= self.target if self.at_most else self.value >= self.target

    def compared(self):
        if self.of == "ratio":
            return f"{self.value:.{3 if self.value < 0.1 else 2}f}"
        return "" if self.of == "itself" else ("+" if self.value >= 0 else "-") + self.show(abs(self.value))

    def verdict(self):
        if self.target is None:
            return "reported"
        wanted = f"{self.target:g}" if self.of == "ratio" else ("+" if self.of == "beyond" else "") + self.show(self.target)
        noise = "" if self.again is None else f" (rival to itself {self.again / self.theirs:.2f})"
        return f"{'≤' if self.at_most else '≥'} {wanted} {'met' if self.met else 'MISSED'}{noise}"

    def document(self):
        facts = {"what": self.what, "muster": self.ours, "rival": self.theirs, "compared": self.of, "value": self.value}
        if self.again is not None:
            facts["rival_again"] = self.again
        return facts if self.target is None else facts | {"at_most" if self.at_most else "at_least": self.target, "met": self.met}


def rate(unit):
    return lambda value: f"{value:,.0f} {unit}"


def share(value):
    return f"{value * 100:.2g} %"


def size(count):
    for factor, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if count >= 10 * factor:
            return f"{count / factor:,.0f} {unit}"
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count:,.0f} B"


def duration(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


@dataclass(frozen=True)
class Table:
    """`lines`: text below the rows, for what a row cannot show."""
    title: str
    rows: list
    lines: tuple = ()

    def __str__(self):
        cells = [("", "muster", "rival", "compared", "target")]
        cells += [(row.what, row.show(row.ours), "" if row.theirs is None else row.show(row.theirs), row.compared(), row.verdict())
                  for row in self.rows]
        widths = [max(len(cell) for cell in column) for column in zip(*cells)]
        lines = [self.title]
        for what, *numbers, target in cells:
            right = "  ".join(f"{number:>{width}}" for number, width in zip(numbers, widths[1:]))
            lines.append(f"  {what:<{widths[0]}}  {right}  {target}")
        return "\n".join([*lines, *self.lines])

    def document(self):
        return {"title": self.title, "rows": [row.document() for row in self.rows], "remarks": list(self.lines)}
