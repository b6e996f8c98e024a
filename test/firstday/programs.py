# SPDX-License-Identifier: Apache-2.0
"""Programs for the users here. Tests communicate with their ranks through two named pipes, without timing."""

import os
import select

# tell(text): sends one line to the test, in one write, so that lines of several ranks do not mix.
# wait_for_test(): waits until the test releases one rank, or ends.
PREAMBLE = """\
import os, signal, sys
rank = os.environ["MUSTER_RANK"]
def tell(text):
    with open(os.environ["TOLD"], "w") as pipe:
        pipe.write(text + "\\n")
def wait_for_test():
    os.read(os.open(os.environ["GATE"] + rank, os.O_RDONLY), 1)
"""

# Reports that it works, then waits.
WORK = PREAMBLE + """\
print("works", rank)
tell(f"works {rank} attempt {os.environ['MUSTER_ATTEMPT']}")
wait_for_test()
print("has ended")
"""

# The same, and saves its work when it is stopped.
SAVING = PREAMBLE + """\
def save(number, frame):
    print("saved", flush=True)
    tell(f"saved {rank}")
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
""" + WORK.removeprefix(PREAMBLE)


class Ranks:
    """The test's end of the pipes of up to `count` ranks."""

    def __init__(self, folder, count=4):
        self.variables = {"TOLD": f"{folder}/told", "GATE": f"{folder}/gate"}
        self._paths = [self.variables["TOLD"]] + [f"{folder}/gate{rank}" for rank in range(count)]
        self._text = ""

    def __enter__(self):
        for path in self._paths:
            os.mkfifo(path)
        self._told, *self._gates = (os.open(path, os.O_RDWR) for path in self._paths)
        return self

    def __exit__(self, *_):
        for pipe in (self._told, *self._gates):
            os.close(pipe)

    def let_go(self, count=1, times=1):
        """Releases ranks 0 to count-1 from `times` waits."""
        for gate in self._gates[:count]:
            os.write(gate, b"x" * times)

    def told(self, within=30):
        """The next line that a rank sent."""
        while "\n" not in self._text:
            assert select.select([self._told], [], [], within)[0], f"no rank told anything more; so far: {self._text!r}"
            self._text += os.read(self._told, 65536).decode()
        line, self._text = self._text.split("\n", 1)
        return line

    def all_told(self, count):
        return sorted(self.told() for _ in range(count))
