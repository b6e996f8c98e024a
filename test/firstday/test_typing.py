# SPDX-License-Identifier: Apache-2.0
"""--tty RANK: an interactive program in a rank, and the state of the terminal afterwards."""


def settings(shell):
    """Output of stty. The marker after it is computed, so the echo of the typed command does not match it."""
    shell.types("stty -a; echo the-$((40 + 2))-end\n")
    return shell.shows(r"(?s)(speed .*)the-42-end").group(1)


def test_typing_into_python(user):
    shell = user.shell()
    before = settings(shell)
    shell.types("muster run --tty 0 -- python3 -q\n")
    shell.shows(">>> ")
    shell.types("6 * 7\r")
    shell.shows(r"\b42\b")
    shell.shows(">>> ")
    shell.types("import os; os.get_terminal_size()\r")
    shell.shows(r"columns=80, lines=50")
    shell.shows(">>> ")
    shell.ctrl_c()
    shell.shows("KeyboardInterrupt")
    shell.shows(">>> ")
    shell.types("exit()\r")
    shell.shows("succeeded")
    shell.shows(r"\$ ")
    assert settings(shell) == before
    shell.types("exit\n")
    assert shell.ends() == 0


def test_leaving_and_coming_back(user):
    shell = user.shell()
    before = settings(shell)
    shell.types("muster run --tty 0 -- python3 -q\n")
    shell.shows(">>> ")
    shell.types("x = 6\r")
    shell.shows(">>> ")
    shell.types("\x10\x11")  # Ctrl-P Ctrl-Q
    shell.shows(r"continues\.")
    shell.shows(r"\$ ")
    assert settings(shell) == before
    shell.types("muster attach @last\n")
    shell.shows("Ctrl-P Ctrl-Q detaches")
    shell.types("x * 7\r")
    shell.shows(r"\b42\b")
    shell.types("exit()\r")
    shell.shows("succeeded")
    shell.shows(r"\$ ")
    assert settings(shell) == before
    shell.types("muster attach @last; echo code $?\n")  # ended: no process reads the keyboard
    shell.shows("succeeded")
    shell.shows("code 0")
    assert shell.raw.count("keyboard input goes to") == 2
    shell.types("exit\n")
    assert shell.ends() == 0


def test_the_rank_follows_the_window(user):
    screen = user.muster("run", "--tty", "0", "--", "python3", "-q")
    screen.shows(">>> ")
    screen.child.setwinsize(40, 100)
    screen.types("import os; os.get_terminal_size()\r")
    screen.shows("columns=100, lines=40")
    screen.types("exit()\r")
    assert screen.ends() == 0


def test_the_question_leaves_the_terminal_as_it_was(user):
    shell = user.shell()
    before = settings(shell)
    shell.types("muster run -- sleep 60\n")
    shell.shows("1 rank")
    shell.asked()
    shell.types("k")
    shell.shows("cancelled")
    shell.shows(r"\$ ")
    assert settings(shell) == before
    shell.types("exit\n")
    assert shell.ends() == 0


def test_tty_without_a_terminal_is_refused(user):
    done = user.piped("muster", "run", "--tty", "0", "--", "tty")
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "needs a terminal" in done.stderr
