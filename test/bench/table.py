"""A figure's table: rows of muster, rival, ratio and target."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    what: str
    ours: float
    theirs: float
    show: callable        # of a number, with its unit
    target: float = None  # of ours / theirs; None: reported only
    at_most: bool = False

    @property
    def ratio(self):
        return self.ours / self.theirs

    def verdict(self):
        if self.target is None:
            return "reported"
        met = self.ratio <= self.target if self.at_most else self.ratio >= self.target
        return f"{'≤' if self.at_most else '≥'} {self.target:g} {'met' if met else 'MISSED'}"


def rate(unit):
    return lambda value: f"{value:,.0f} {unit}"


def size(count):
    return f"{count / 1e6:,.0f} MB"


def duration(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def table(title, rows):
    """Text: the title, and one line for each row."""
    cells = [("", "muster", "rival", "ratio", "target")]
    cells += [(row.what, row.show(row.ours), row.show(row.theirs), f"{row.ratio:.{3 if row.ratio < 0.1 else 2}f}", row.verdict()) for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(*cells)]
    lines = [title]
    for what, *numbers, target in cells:
        right = "  ".join(f"{number:>{width}}" for number, width in zip(numbers, widths[1:]))
        lines.append(f"  {what:<{widths[0]}}  {right}  {target}")
    return "\n".join(lines)
