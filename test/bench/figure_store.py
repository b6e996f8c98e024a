# SPDX-License-Identifier: Apache-2.0
"""store: synchronous set, get and add with 1 and 16 clients."""

from sides import environment, in_turns, median, muster_of, per_second, percentile, report_folder, reports_in, run
from table import Row, Table, duration, rate

COUNTS = {1: 20000, 16: 3000}  # clients: operations of each
# Our operation: the rival's operation that it is compared with. TCPStore does not acknowledge a set.
PAIRS = (("set", "set+get", 1.0), ("set", "set", None), ("get", "get", 1.0), ("add", "add", 1.0))


def ours(here, muster, clients):
    with report_folder() as folder:
        muster.run(clients, here.programs / "store_muster", folder, COUNTS[clients])
        return reports_in(folder, clients)


def theirs(here, clients):
    with report_folder() as folder:
        run([here.torch, here.root / "test/bench/store_torch.py", folder, clients, COUNTS[clients]], environment())
        return reports_in(folder, clients)


def rows(clients, results):
    def rates(side, name):
        return median([per_second(reports, name) for reports in results[side]])

    def p99(side, name):
        return median([percentile(reports, name, 0.99) for reports in results[side]])
    label = f"{clients} client{'s' if clients > 1 else ''}"
    for mine, other, target in PAIRS:
        against = f"{mine}" if mine == other and target else f"{mine} / their {other}" + ("" if target else " alone")
        yield Row(f"{label}: {against}", rates("ours", mine), rates("theirs", other), rate("op/s"), target)
    for mine, other, target in PAIRS:
        if target:
            yield Row(f"{label}: {mine} p99", p99("ours", mine), p99("theirs", other), duration)


def measure(here, say):
    if not here.torch:
        return "store: no torch 2.15 here, so there is nothing to compare with"
    rounds, found = here.rounds or 5, []
    with muster_of(here) as muster:
        for clients in COUNTS:
            sides = {"ours": lambda n=clients: ours(here, muster, n), "theirs": lambda n=clients: theirs(here, n)}
            found += rows(clients, in_turns(rounds, sides, lambda text, n=clients: say(f"{n} clients, {text}")))
    return Table(f"store: synchronous calls, values of 100 B; medians of {rounds}\n"
                 "  rival: torch 2.15 TCPStore (libuv), its C++ client called from Python; ours is called from C++\n"
                 "  TCPStore does not acknowledge a set: set+get is one that is, set alone fills a pipe", found)
