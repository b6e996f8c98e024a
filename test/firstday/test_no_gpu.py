# SPDX-License-Identifier: Apache-2.0
"""A laptop without a GPU: jobs run on its CPUs, and muster says so without an error."""

import pathlib

import pytest


@pytest.fixture
def cpu_only(user):
    """Hides the GPUs of this machine."""
    if pathlib.Path("/proc/driver/nvidia").exists() or pathlib.Path("/dev/nvidiactl").exists():
        user.environment["CUDA_VISIBLE_DEVICES"] = ""
    return user


def test_auto_is_one_rank(cpu_only):
    screen = cpu_only.muster("run", "-n", "auto", "--", "echo", "hi")
    assert screen.ends() == 0
    assert "1 rank on this machine" in screen.lines[0]
    assert "no GPU seen" in screen.lines[0]


def test_a_gpu_is_refused(cpu_only):
    screen = cpu_only.muster("run", "--gpus", "1", "--", "echo", "hi")
    assert screen.ends() == 8
    text = "".join(screen.lines)
    assert "has none" in text
    assert "--gpus" in text  # what to do, in the words that were typed
    assert "hi" not in screen.lines
    assert cpu_only.piped("muster", "ps", "-a").stdout == ""


def test_doctor_has_no_complaint(cpu_only):
    screen = cpu_only.muster("doctor")
    assert screen.ends() == 0
    line = screen.line("gpus")
    assert line.split()[0] in ("ok", "note")
    assert "none found; jobs run on CPUs" in line
    assert screen.lines[-2].startswith("0 problems")
