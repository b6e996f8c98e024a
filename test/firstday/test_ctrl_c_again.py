# SPDX-License-Identifier: Apache-2.0
"""Answers to the question other than its options: repeated Ctrl-C, other keys, SIGTERM, and a job that ends meanwhile."""

import signal

from programs import WORK


def test_a_second_ctrl_c_stops(ranks, running):
    running.asked()
    running.ctrl_c()
    assert ranks.all_told(2) == ["saved 0", "saved 1"]
    assert running.ends() == 130


def test_a_third_ctrl_c_kills(user, ranks):
    user.write("stubborn.py", "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + WORK)
    screen = user.muster("run", "--", "python3", "stubborn.py")
    assert ranks.told() == "works 0 attempt 1"
    screen.shows("works 0")
    screen.asked()
    screen.ctrl_c()
    screen.shows("stopping")
    screen.ctrl_c()
    assert screen.ends() == 130
    assert [line for line in screen.lines if "stubborn-" in line and not line.startswith("stubborn-")] == []


def test_another_key_is_no_answer(ranks, running):
    running.asked()
    running.types("xyz\x1b[A")
    running.types("s")
    assert running.ends() == 130
    assert ranks.all_told(2) == ["saved 0", "saved 1"]


def test_the_job_ends_while_the_question_stands(ranks, running):
    running.asked()
    ranks.let_go(2)
    assert running.ends() == 0
    assert "succeeded" in running.lines[-2]


def test_sigterm_stops_without_a_question(ranks, running):
    running.signal(signal.SIGTERM)
    assert ranks.all_told(2) == ["saved 0", "saved 1"]
    assert running.ends() == 143
    assert "detach" not in running.raw
