# SPDX-License-Identifier: Apache-2.0
"""Sides that start torch ranks: muster without a running controller, and torchrun of the same torch."""

import contextlib
import time
from pathlib import Path

from sides import Muster, environment, read_report, report_folder, run

PROGRAM = Path(__file__).with_name("torch_first.py")
STEPS = Path(__file__).with_name("torch_steps.py")
# Without it torchrun's ranks may read addresses of the previous attempt and wait forever: this is torchrun's best mode.
GOOD_MODE = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
AT_ONCE = ("--restarts", 99, "--set", "restarts.backoff.first=0s", "--set", "restarts.backoff.then=1ms..1ms")


def muster_words(here, ranks, *flags):
    return [here.muster, "run", "-q", "--standalone", "--framework", "torch", "-n", ranks, *flags, "--", here.torch, PROGRAM]


def torchrun_words(here, ranks, *flags, program=PROGRAM):
    return [here.torch, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", ranks, *flags, program]


def drop_in_words(here, ranks, *flags, program=PROGRAM):
    """muster torchrun in place of torchrun; PYTHON_EXEC names its interpreter."""
    return [here.muster, "torchrun", "--standalone", "--nproc-per-node", ranks, *flags, program]


@contextlib.contextmanager
def new_state(here):
    """An environment with an unused state folder."""
    muster = Muster(here)
    try:
        yield muster.env
    finally:
        muster.end()


def launched_into(folder, words, ranks, env):
    """Seconds from the start of the command until all have passed the first collective, from the last import of torch until then, and until
    the end."""
    began = time.monotonic_ns()
    run([*words, folder], env)
    ended = time.monotonic_ns()
    reports = [read_report(folder / f"0-{rank}") for rank in range(ranks)]
    passed = max(report.passed for report in reports)
    imported = max(report.calls["imported"][0] for report in reports)
    return (passed - began) / 1e9, (passed - imported) / 1e9, (ended - began) / 1e9


def launched(words, ranks, env):
    with report_folder() as folder:
        return launched_into(folder, words, ranks, env)


def launched_by_muster(here, ranks, around=()):
    with new_state(here) as env:
        return launched([*around, *muster_words(here, ranks)], ranks, env)


def launched_beside_a_warm_agent(here, ranks, user):
    """`user`: a Muster. Except for the first run, its agent has run the same command before."""
    words = [here.muster, "run", "-q", "--framework", "torch", "-n", ranks, "--set", "warm=auto", "--", here.torch, PROGRAM]
    folder = Path(user.state) / f"reports-of-{ranks}"
    folder.mkdir(exist_ok=True)
    for report in folder.iterdir():
        report.unlink()
    return launched_into(folder, words, ranks, user.env)


def launched_by_torchrun(here, ranks, around=()):
    return launched([*around, *torchrun_words(here, ranks)], ranks, environment())
