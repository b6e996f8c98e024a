# SPDX-License-Identifier: Apache-2.0
"""Unusual ways to start things: folders with spaces, loops over a file, scripts with a #! line, a folder that was removed."""


def test_a_folder_with_spaces(user):
    user.write("my train.py", "import os\nprint('ran in', os.getcwd())\n")
    screen = user.terminal("bash", "-c", "mkdir 'a b ü'; cd 'a b ü'; cp '../my train.py' .; muster run -- python3 'my train.py'", columns=250)
    assert screen.ends() == 0
    assert screen.line("ran in") == f"ran in {user.project}/a b ü"


def test_a_loop_keeps_its_input(user):
    """`muster run` does not read the input of the loop around it."""
    screen = user.terminal("bash", "-c", "printf 'a\\nb\\n' | while read x; do muster run -q -- echo said $x; done")
    assert screen.ends() == 0
    assert screen.lines == ["said a", "said b", ""]


def test_a_script_finds_the_interpreter_of_the_environment(user):
    user.write("train.py", "#!/usr/bin/env python3\nimport sys\nprint(sys.executable)\n").chmod(0o755)
    done = user.piped("muster", "run", "--", "./train.py")
    assert done.stdout == f"{user.conda}/bin/python3\n", done.stderr


def test_a_removed_folder(user):
    screen = user.terminal("bash", "-c", "mkdir gone; cd gone; rmdir ../gone; muster run -- pwd")
    assert screen.ends() == 2
    assert "/" not in screen.lines


def test_windows_line_ends(user):
    user.write("train.sh", "#!/bin/sh\r\necho hi\r\n").chmod(0o755)
    done = user.piped("muster", "run", "--", "./train.sh")
    assert done.returncode != 0
    assert r"`/bin/sh\r`" in done.stderr


def test_a_home_that_is_no_folder(user):
    user.environment["HOME"] = str(user.project / "nowhere" / "else")
    (user.project / "nowhere").write_text("")
    done = user.piped("muster", "run", "--", "true")
    assert done.returncode == 0
    assert "jobs are kept in " in done.stderr and f"{user.project}/nowhere" in done.stderr
