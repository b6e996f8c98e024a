"""The short form of soak.py: a job that restarts 300 times, and 60 jobs of which anything may be killed. Nothing piles up."""

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
