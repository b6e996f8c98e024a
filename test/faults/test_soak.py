# SPDX-License-Identifier: Apache-2.0
"""The short form of soak.py: a job that restarts 300 times, and 60 jobs with random kills. Nothing accumulates."""

import pytest

import soak

SEED = 56


@pytest.mark.row(56, "a job restarts 300 times")
def test_restarts_leave_nothing(muster, fault):
    both = fault.inject(soak.restart, muster, 300, every=6)
    fault.note = "; ".join(f"{samples.what} {first:g} → {last:g} KiB" for samples in both for first, last in [samples.tenths()["anonymous_kib"]])
    fault.note += f"; {both[0].taken[-1].seconds:.0f} s"
    soak.judge(*both)


@pytest.mark.row(56, "60 jobs, of each something is killed")
def test_jobs_under_attack_leave_nothing(muster, fault):
    samples = soak.attack(muster, 60, SEED)
    first, last = samples.tenths()["anonymous_kib"]
    fault.note = f"controller {first:g} → {last:g} KiB; {samples.taken[-1].seconds:.0f} s"
    soak.judge(samples)


@pytest.mark.row(56, "a job restarts 1,100 times before somebody's eyes")
def test_restarts_are_all_shown(muster, fault):
    words = ["run", "--name", "seen", "--restarts", 1100, "--set", "restarts.backoff.then=1ms..1ms", "--set", "restarts.crash_loop=0", "--",
             "sh", "-c", "echo attempt $MUSTER_ATTEMPT; exit 1"]
    done = fault.inject(muster.start, *words).end(300)  # seconds; a dozen on an idle machine
    assert done.lines() == [f"attempt {number}" for number in range(1, 1102)]
    assert "in attempt 1101 of 1101" in done.err
    for number in (1, 600, 1101):
        assert muster.ok("logs", "seen", "--attempt", number).lines() == [f"attempt {number}"]
    fault.note = "no line lost; each attempt's output is found afterwards"
