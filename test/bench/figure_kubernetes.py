# SPDX-License-Identifier: Apache-2.0
"""kubernetes: jobs of 4 pods on a real cluster with 2 nodes (test/cluster), compared with Kubeflow's TrainJob and a plain JobSet on it."""

import os
import signal
import time

import pod_memory
import pod_requests
from pod_sides import JobSet, Muster, TrainJob, gang, pid_of, pod_of
from pods import AGAIN, PODS, cluster_of, place_in
from sides import Failed, in_turns, median
from table import Row, Table, duration, rate, size
from torch_sides import PROGRAM

ROUNDS = 3
KILLS = 3
LIVED = 12  # seconds of a gang before one of its pods is killed: a Job delays the replacement of younger pods


def launch(side):
    with gang(side) as (took, _):
        return took


def kills(side):
    """Seconds for each, from the kill of the last rank until all have met again."""
    took = []
    with gang(side) as (_, met):
        for _ in range(KILLS):
            pid, killed = pid_of(met[str(PODS - 1)]), time.monotonic_ns()
            os.kill(pid, signal.SIGKILL)
            seconds, met = side.place.next_meeting(killed)
            took.append(seconds)
    return took


def deletion(side):
    with gang(side):
        met = time.monotonic()
        side.place.wait_for("the gang to have lived", lambda: time.monotonic() > met + LIVED, AGAIN)
        pod, deleted = pod_of(side, PODS - 1), time.monotonic_ns()
        side.place.namespace.kubectl("delete", "pod", pod, "--wait=false")
        return side.place.next_meeting(deleted)[0]


def all_of(rounds):
    return median([seconds for each in rounds for seconds in each])


def programs(here, place):
    """(command of muster and plain pods, command after torchrun's own arguments). The programs run until they are killed."""
    meet = [str(here.programs / "meet"), str(place.reports)]
    return meet, [here.torch, str(PROGRAM), str(place.reports), "idle"]


def launches(here, place, rounds, say):
    meet, torch = programs(here, place)
    sides = {"plain": lambda: launch(Muster(place, [*meet, "stay"])), "plain TrainJob": lambda: launch(TrainJob(place, [*meet, "stay"]))}
    if here.torch:
        sides |= {"torch": lambda: launch(Muster(place, torch)), "torch TrainJob": lambda: launch(TrainJob(place, torch, "torchrun"))}
    in_turns(1, sides, lambda text: say(f"warm-up, {text}"))  # warms the file cache, kubectl's discovery and the controllers' caches
    took = {side: median(times) for side, times in in_turns(rounds, sides, lambda text: say(f"launch, {text}")).items()}
    if here.torch:
        yield Row("torch, submit → past the first collective, against a TrainJob with torchrun", took["torch"], took["torch TrainJob"], duration, 1.0, True)
    yield Row("a plain program, submit → all have met, against a TrainJob of it", took["plain"], took["plain TrainJob"], duration, 1.0, True)


def restarts(here, place, rounds, say):
    meet, torch = programs(here, place)
    meet.append("stay")
    sides = {"plain": lambda: kills(Muster(place, meet)), "TrainJob": lambda: kills(TrainJob(place, meet))}
    if here.torch:
        sides |= {"torchrun": lambda: kills(TrainJob(place, [here.torch, *meet], "torchrun restarts no-python")),
                  "torch": lambda: kills(Muster(place, torch)), "torch torchrun": lambda: kills(TrainJob(place, torch, "torchrun restarts")),
                  "torch TrainJob": lambda: kills(TrainJob(place, torch, "torchrun"))}
    took = {side: all_of(times) for side, times in in_turns(rounds, sides, lambda text: say(f"kills, {text}")).items()}
    yield Row("a plain rank killed → all have met again, against a TrainJob's pods anew", took["plain"], took["TrainJob"], duration, 0.1, True)
    if here.torch:
        yield Row("the same, against torchrun --max-restarts in a TrainJob", took["plain"], took["torchrun"], duration, 0.1, True)
        yield Row("a rank of torch killed, against a TrainJob's pods anew", took["torch"], took["torch TrainJob"], duration)
        yield Row("the same, against torchrun --max-restarts in a TrainJob", took["torch"], took["torch torchrun"], duration)


def deletions(here, place, rounds, say):
    meet = [*programs(here, place)[0], "stay"]
    sides = {"ours": lambda: deletion(Muster(place, meet)), "theirs": lambda: deletion(JobSet(place, meet))}
    took = {side: median(times) for side, times in in_turns(rounds, sides, lambda text: say(f"pod deleted, {text}")).items()}
    yield Row("a pod deleted → all have met again, against a plain JobSet's restart", took["ours"], took["theirs"], duration, 0.8, True)


def requests(here, place, say):
    """A row, and the clients that made the requests."""
    meet = programs(here, place)[0]
    say("requests of a job")
    ours, theirs = pod_requests.of_a_job(Muster(place, meet)), pod_requests.of_a_job(TrainJob(place, meet))
    row = Row("requests of the API server, submit to the job's end, against a TrainJob", sum(ours.values()), sum(theirs.values()), rate("requests"), 1.0,
              True)
    return row, "\n".join(pod_requests.table(ours, theirs))


def memory(here, place, rounds, say):
    say("memory")
    side = Muster(place, [*programs(here, place)[0], "stay"])
    with gang(side):
        coordinator, agent = pod_memory.of_gang(side.name)
    yield Row(f"coordinator's own memory with {PODS} agents (resident with its file: {size(coordinator[1])})", coordinator[0], None, size, 64 << 20, True, "itself")
    yield Row(f"an agent's own memory (resident with its file: {size(agent[1])})", agent[0], None, size, 16 << 20, True, "itself")
    took = pod_memory.render(here, place.namespace.folder, rounds)
    yield Row(f"render for {pod_memory.NODES:,} nodes", took, None, duration, 0.1, True, "itself")


def measure(here, say):
    rounds, rows, lines = here.rounds or ROUNDS, [], []
    with cluster_of(here) as cluster, place_in(cluster, "bench", here) as place:
        parts = {"launch": lambda: launches(here, place, rounds, say), "restart": lambda: restarts(here, place, rounds, say),
                 "deletion": lambda: deletions(here, place, rounds, say), "memory": lambda: memory(here, place, rounds, say)}
        for name, part in parts.items():
            try:
                rows += part()
            except (Failed, AssertionError) as error:  # the other rows can still be measured
                lines.append(f"  {name}: could not be measured: {error}")
        row, line = requests(here, place, say)
    return Table(f"kubernetes: {PODS} pods on the 2 nodes of test/cluster, images there; medians of {rounds}, {KILLS} kills each", [*rows, row], (*lines, line))
