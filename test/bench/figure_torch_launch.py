# SPDX-License-Identifier: Apache-2.0
"""torch_launch: torch ranks, from the command until the last has passed its first collective, and until the command's end."""

from sides import in_turns, median, muster_of
from table import Row, Table, duration
from torch_sides import launched_beside_a_warm_agent, launched_by_muster, launched_by_torchrun

TARGETS = {2: (0.55, 0.75), 8: (0.85, 0.9)}  # ranks: until the collective, until the end
WARM = 0.03  # until the collective, with a waiting agent that has run the same before


def rows(ranks, results):
    passed, ended = TARGETS[ranks]
    for what, index, target in (("past the first collective", 0, passed), ("last import → past it", 1, None), ("command ended", 2, ended)):
        ours, theirs = (median([times[index] for times in results[side]]) for side in ("muster", "torchrun"))
        yield Row(f"{ranks} ranks: {what}", ours, theirs, duration, target, True)
    warm, theirs = (median([times[0] for times in results[side]]) for side in ("muster, warm agent", "torchrun"))
    yield Row(f"{ranks} ranks, a warm agent waits: past the first collective", warm, theirs, duration, WARM, True)


def measure(here, say):
    if not here.torch:
        return "torch_launch: no torch 2.15 here, so there is nothing to launch"
    rounds, found = here.rounds or 5, []
    for ranks in TARGETS:
        with muster_of(here) as user:
            sides = {"muster": lambda n=ranks: launched_by_muster(here, n), "torchrun": lambda n=ranks: launched_by_torchrun(here, n),
                     "muster, warm agent": lambda n=ranks, u=user: launched_beside_a_warm_agent(here, n, u)}
            in_turns(1, sides, lambda text: say("once unmeasured"))
            found += rows(ranks, in_turns(rounds, sides, lambda text, n=ranks: say(f"{n} ranks, {text}")))
    return Table(f"torch_launch: gloo, from the command; medians of {rounds}\n"
                 "  rival: torchrun --standalone of the same torch; nothing of either runs before, but where an agent waits", found)
