# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in a terminal asks what to do, so no job is lost by accident."""


def test_the_question_fits_the_window(ranks, running):
    question = running.asked()
    assert question.lstrip().startswith("d detach"), question
    assert "s or Ctrl-C stop (30 s to save)" in question
    assert "[d in 5 s]" in question
    ranks.let_go(2)
    assert running.ends() == 0


def assert_goes_on(user, ranks, screen):
    name = screen.lines[0].split()[0]
    assert screen.line("continues\\.") == f"{name}  continues.  muster attach {name} · muster stop {name}"
    assert user.piped("muster", "stop", name).returncode == 0
    assert ranks.all_told(2) == ["saved 0", "saved 1"]


def test_d_detaches(user, ranks, running):
    running.asked()
    running.types("d")
    assert running.ends() == 130
    assert_goes_on(user, ranks, running)


def test_nobody_answers(user, ranks, running):
    running.asked()
    assert running.ends() == 130
    assert_goes_on(user, ranks, running)


def test_s_lets_the_ranks_save(ranks, running):
    running.asked()
    running.types("s")
    assert ranks.all_told(2) == ["saved 0", "saved 1"]
    assert running.ends() == 130
    assert sorted(line for line in running.lines if "saved" in line) == ["[0] saved", "[1] saved"]
    assert "cancelled" in running.lines[-2]


def test_k_kills(running):
    running.asked()
    running.types("k")
    assert running.ends() == 130
    assert not any("saved" in line for line in running.lines)
    assert "cancelled" in running.lines[-2]
