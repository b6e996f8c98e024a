# SPDX-License-Identifier: Apache-2.0
"""The terminal is closed: the job continues, and can be followed from another terminal."""

from programs import WORK


def test_the_job_goes_on(user, ranks):
    user.write("train.py", WORK)
    window = user.muster("run", "-n", "2", "--", "python3", "train.py")
    assert ranks.all_told(2) == ["works 0 attempt 1", "works 1 attempt 1"]
    window.shows("works")
    window.close()
    shell = user.shell()
    shell.types("muster ps\n")
    shell.shows(r"NAME +STATE")
    shell.shows(r"train-[a-z0-9]+.*running.* 1 +2 +0 ")
    shell.types("muster attach @last; echo code $?\n")
    shell.shows("2 ranks on this machine")
    shell.shows("works [01]")
    shell.shows("works [01]")
    ranks.let_go(2)
    shell.shows("has ended")
    shell.shows("succeeded")
    shell.shows("code 0")
    shell.types("exit\n")
    assert shell.ends() == 0


def test_the_shell_is_closed_with_its_children(user, ranks):
    """The window of a shell is closed: the shell ends, and its background job gets SIGHUP too."""
    user.write("train.py", WORK)
    window = user.shell()
    window.types("muster run -- python3 train.py &\n")
    assert ranks.told() == "works 0 attempt 1"
    window.close()
    ranks.let_go()
    assert user.piped("muster", "wait", "@last").returncode == 0


def test_ctrl_c_while_watching_only_leaves(user, ranks):
    user.write("train.py", WORK)
    assert user.piped("muster", "submit", "--", "python3", "train.py").returncode == 0
    assert ranks.told() == "works 0 attempt 1"
    for words in (["attach", "@last"], ["logs", "-f", "@last"]):
        window = user.muster(*words)
        window.shows("works 0")
        window.ctrl_c()
        assert window.ends() == 130
        assert window.line(r"continues\.  muster attach ")
        window = user.muster(*words)
        window.shows("works 0")
        window.ctrl_c()
        window.ctrl_c()  # leaves as well; the terminal drops what it has not shown by then
        assert window.ends() in (130, -2)
    ranks.let_go()
    assert user.piped("muster", "wait", "@last").returncode == 0


def test_ctrl_z_stops_nothing(user, ranks):
    """A suspended muster shows nothing; the job continues, and `fg` shows the rest."""
    user.write("train.py", WORK)
    shell = user.shell()
    shell.types("muster run -- python3 train.py\n")
    shell.shows("works 0")
    shell.types("\x1a")
    shell.shows("Stopped")
    shell.shows(r"\$ ")
    assert ranks.told() == "works 0 attempt 1"
    ranks.let_go()
    assert user.piped("muster", "wait", "@last").returncode == 0
    shell.types("fg\n")
    shell.shows("has ended")
    shell.shows("succeeded")
    shell.types("exit\n")
    assert shell.ends() == 0
