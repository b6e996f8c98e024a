# SPDX-License-Identifier: Apache-2.0
"""jax_launch, tensorflow_launch: ranks of a framework, from the command until the last has passed its first collective."""

import json
import time
from pathlib import Path

from sides import environment, in_turns, median, muster_of, read_report, report_folder, run
from table import Row, Table, duration
from torch_sides import new_state

COLD, WARM = 1.0, 0.3
FIRST_PORT = 23_400  # of the shell loop, which leases none


def jax_line(ranks, command):
    return f"for i in $(seq 0 {ranks - 1}); do {command} 127.0.0.1:{FIRST_PORT} {ranks} $i & done; wait"


def tensorflow_line(ranks, command):
    """TF_CONFIG of each task, as its user writes it by hand."""
    cluster = json.dumps({"worker": [f"127.0.0.1:{FIRST_PORT + i}" for i in range(ranks)]})
    config = f"'{{\"cluster\": {cluster}, \"task\": {{\"type\": \"worker\", \"index\": '$i'}}}}'"
    return f"for i in $(seq 0 {ranks - 1}); do TF_CONFIG={config} {command} & done; wait"


class Launch:
    """A figure: `measure(here, say)`."""

    def __init__(self, framework, counts, line):
        self.framework, self.counts, self.line = framework, counts, line
        self.program = Path(__file__).with_name(f"{framework}_first.py")

    def words(self, here, ranks, *flags):
        return [here.muster, "run", "-q", *flags, "-n", ranks, "--", here.frameworks[self.framework], self.program]

    def passed(self, folder, words, ranks, env):
        """Seconds from the start of the command until all have passed the first collective."""
        began = time.monotonic_ns()
        run(words, env)
        return (max(read_report(folder / str(rank)).passed for rank in range(ranks)) - began) / 1e9

    def cold(self, here, ranks):
        with new_state(here) as env, report_folder() as folder:
            return self.passed(folder, [*self.words(here, ranks, "--standalone"), folder], ranks, env)

    def by_shell(self, here, ranks):
        with report_folder() as folder:
            command = f"{here.frameworks[self.framework]} {self.program} {folder}"
            return self.passed(folder, ["bash", "-c", self.line(ranks, command)], ranks, environment())

    def warm(self, here, ranks, user):
        """Except for the first two runs, the agent has imported what the program imports."""
        folder = Path(user.state) / f"reports-of-{ranks}"
        folder.mkdir(exist_ok=True)
        for report in folder.iterdir():
            report.unlink()
        return self.passed(folder, [*self.words(here, ranks), folder], ranks, user.env)

    def rows(self, here, ranks, rounds, say):
        with muster_of(here) as user:
            sides = {"muster": lambda: self.cold(here, ranks), "shell": lambda: self.by_shell(here, ranks),
                     "warm": lambda: self.warm(here, ranks, user)}
            in_turns(2, sides, lambda text: say("twice unmeasured"))
            found = {side: median(times) for side, times in in_turns(rounds, sides, lambda text: say(f"{ranks} ranks, {text}")).items()}
        yield Row(f"{ranks} ranks: past the first collective", found["muster"], found["shell"], duration, COLD, True)
        yield Row(f"{ranks} ranks, a warm agent waits: past the first collective", found["warm"], found["shell"], duration, WARM, True)

    def measure(self, here, say):
        if self.framework not in here.frameworks:
            return f"{self.framework}_launch: no {self.framework} here, so there is nothing to launch"
        rounds = here.rounds or 5
        found = [row for ranks in self.counts for row in self.rows(here, ranks, rounds, say)]
        return Table(f"{self.framework}_launch: from the command; medians of {rounds}\n"
                     "  rival: the same program in a shell loop with fixed ports; nothing of muster runs before, but where an agent waits", found)


JAX = Launch("jax", (2, 8), jax_line)
TENSORFLOW = Launch("tensorflow", (2,), tensorflow_line)
