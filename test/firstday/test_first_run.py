# SPDX-License-Identifier: Apache-2.0
"""The first `muster run`: starts what it needs, shows output while the program runs, and ends with one line."""

import re

from programs import PREAMBLE
from terminal import BOLD, GREEN, PLAIN

HELLO = PREAMBLE + """\
print("hello from", rank)
tell("said")
wait_for_test()
print("bye")
"""


def test_output_comes_while_the_program_runs(user, ranks):
    user.write("hello.py", HELLO)
    screen = user.muster("run", "-n", "2", "--", "python3", "hello.py")
    ranks.all_told(2)  # both ranks wait now, so the following is shown while they run
    screen.shows("hello from [01]")
    screen.shows("hello from [01]")
    ranks.let_go(2)
    assert screen.ends() == 0
    first, *middle, last = screen.lines[:-1]
    name = first.split()[0]
    assert re.fullmatch(r"hello-[a-z0-9]+  2 ranks on this machine( · .+)?", first)
    assert sorted(middle) == ["[0] bye", "[0] hello from 0", "[1] bye", "[1] hello from 1"]
    assert re.fullmatch(name + r"  succeeded in [0-9.]+ m?s( \(.*\))?", last)


def test_colours_on_a_terminal(user):
    screen = user.muster("run", "-n", "2", "--", "echo", "hi")
    assert screen.ends() == 0
    assert "\x1b[36m[0] " + PLAIN + "hi\r\n" in screen.raw
    assert "\x1b[33m[1] " + PLAIN + "hi\r\n" in screen.raw
    assert BOLD + "echo-" in screen.raw
    assert GREEN + "succeeded" + PLAIN in screen.raw


def test_one_rank_has_no_prefix(user):
    screen = user.muster("run", "--", "echo", "hi")
    assert screen.ends() == 0
    assert "hi" in screen.lines


def test_an_unfinished_line_is_shown(user, ranks):
    user.write("ask.py", PREAMBLE + "print('loading … ', end='')\ntell('said')\nwait_for_test()\nprint('done')\n")
    screen = user.muster("run", "-n", "2", "--", "python3", "ask.py")
    ranks.all_told(2)
    screen.shows("loading … ")
    ranks.let_go(2)
    assert screen.ends() == 0
    assert sorted(screen.lines[1:3]) == ["[0] loading … done", "[1] loading … done"]


def test_the_controller_is_started_once(user):
    assert user.controllers() == []
    assert user.muster("run", "--", "true").ends() == 0
    first = user.controller().pid
    assert user.muster("run", "--", "true").ends() == 0
    assert user.controller().pid == first
