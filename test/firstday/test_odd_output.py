# SPDX-License-Identifier: Apache-2.0
"""Unusual output of programs: progress bars, long lines, other alphabets, binary data."""

from programs import PREAMBLE
from screen import Screen

BAR = PREAMBLE + """\
for step in range(5):
    sys.stderr.write(f"\\rrank {rank}: {20 * step:3d}%|" + "█" * 10 * step)
    sys.stderr.flush()
    tell(f"drawn {step}")
    wait_for_test()
sys.stderr.write(f"\\rrank {rank}: 100%|" + "█" * 50 + "\\n")
"""
DONE = "█" * 50


def test_progress_bars_of_two_ranks(user, ranks):
    user.write("train.py", BAR)
    screen = user.muster("run", "-n", "2", "--", "python3", "train.py")
    for step in range(5):
        assert ranks.all_told(2) == [f"drawn {step}"] * 2
        screen.shows(rf"rank [01]: +{20 * step}%")  # shown while it grows
        screen.becomes(lambda lines: len(lines) == 2 and lines[1].startswith("["))  # in place, one line
        ranks.let_go(2)
    assert screen.ends() == 0
    assert sorted(screen.lines[1:-2]) == [f"[{rank}] rank {rank}: 100%|{DONE}" for rank in (0, 1)]


def test_bars_of_a_redirected_run(user, ranks):
    user.write("train.py", BAR)
    screen = user.terminal("bash", "-c", "muster run -n 2 -- python3 train.py >log")
    ranks.all_told(2)
    ranks.let_go(2)
    ranks.all_told(2)
    screen.shows(r"rank [01]:  20%\|█")
    assert "…" not in screen.raw
    ranks.let_go(2, times=4)
    assert screen.ends() == 0


def test_one_rank_draws_for_itself(user, ranks):
    user.write("train.py", BAR)
    ranks.let_go(1, times=5)
    screen = user.muster("run", "--", "python3", "train.py")
    assert screen.ends() == 0
    assert screen.lines[1:-2] == [f"rank 0: 100%|{DONE}"]


def test_a_long_line_wraps(user):
    screen = user.muster("run", "-n", "2", "--", "python3", "-c", "print('0123456789' * 20)")
    assert screen.ends() == 0
    text = "".join(screen.lines)
    assert text.count("0123456789" * 20) == 2
    assert "…" not in text


def test_a_long_unfinished_line_takes_one_row(user, ranks):
    user.write("ask.py", PREAMBLE + "print('0123456789' * 20, end='')\ntell('said')\nwait_for_test()\nprint(end='!\\n')\n")
    screen = user.muster("run", "-n", "2", "--", "python3", "ask.py")
    ranks.all_told(2)
    screen.shows("…")
    screen.becomes(lambda lines: len(lines) == 2 and "…" in lines[1])
    ranks.let_go(2)
    assert screen.ends() == 0
    assert "".join(screen.lines).count("0123456789" * 20 + "!") == 2


def test_other_alphabets(user):
    screen = user.muster("run", "-n", "2", "--", "echo", "grüß dich 你好 🚀 e\u0301")
    assert screen.ends() == 0
    assert sorted(screen.lines[1:-2]) == [f"[{rank}] grüß dich 你好 🚀 e" for rank in (0, 1)]


RUBBISH = r"\033]0;title\007\033[2J\033[?1049h\033(0\016\377\376\000\010\033c\033[41m red\n"


def test_rubbish_of_two_ranks_is_written_out(user):
    screen = user.muster("run", "-n", "2", "--", "printf", RUBBISH)
    assert screen.ends() == 0
    assert Screen(80).write(screen.raw).strange == []
    assert any(r"\x1b]0;title" in line for line in screen.lines)
    assert "\x1b[0m\r\n" in screen.raw  # the red ends with its line


def test_muster_is_not_red_after_one_rank_was(user):
    """One rank writes to the terminal directly; muster's own output after it starts with default colours."""
    screen = user.muster("run", "--", "printf", r"\033[41m red\n")
    assert screen.ends() == 0
    red, rest = screen.raw.split("red\r\n")
    assert "\x1b[41m" in red
    assert rest.startswith("\x1b[0m")
