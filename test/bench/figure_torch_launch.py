"""torch_launch: ranks of torch, from the command to the last one past its first collective, and to the command's end."""

from sides import in_turns, median
from table import Row, duration, table
from torch_sides import launched_by_muster, launched_by_torchrun

TARGETS = {2: (0.55, 0.75), 8: (0.85, 0.9)}  # ranks: until the collective, until the end


def rows(ranks, results):
    passed, ended = TARGETS[ranks]
    for what, index, target in (("past the first collective", 0, passed), ("last import → past it", 1, None), ("command ended", 2, ended)):
        ours, theirs = (median([times[index] for times in results[side]]) for side in ("muster", "torchrun"))
        yield Row(f"{ranks} ranks: {what}", ours, theirs, duration, target, True)


def measure(here, say):
    if not here.torch:
        return "torch_launch: no torch 2.15 here, so there is nothing to launch"
    rounds, found = here.rounds or 5, []
    for ranks in TARGETS:
        sides = {"muster": lambda n=ranks: launched_by_muster(here, n), "torchrun": lambda n=ranks: launched_by_torchrun(here, n)}
        in_turns(1, sides, lambda text: say("once unmeasured"))
        found += rows(ranks, in_turns(rounds, sides, lambda text, n=ranks: say(f"{n} ranks, {text}")))
    return table(f"torch_launch: gloo, from the command; medians of {rounds}\n"
                 "  rival: torchrun --standalone of the same torch; nothing of either runs before", found)
