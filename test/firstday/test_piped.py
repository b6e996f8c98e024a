# SPDX-License-Identifier: Apache-2.0
"""Output to a file or to `head`, with and without colours."""

import pytest

BYTES = b"a\x00b\xff\r\nlast"


def test_a_file_gets_data_only(user):
    screen = user.terminal("bash", "-c", "muster run -n 2 -- sh -c 'echo out; echo err >&2' >file")
    assert screen.ends() == 0
    assert sorted((user.project / "file").read_text().splitlines()) == ["[0] out", "[1] out"]
    assert "succeeded" in screen.lines[-2]
    assert "[0] err" in screen.lines


def test_one_ranks_bytes_are_untouched(user):
    user.write("bytes.py", f"import sys\nsys.stdout.buffer.write({BYTES!r})\n")
    assert user.terminal("bash", "-c", "muster run -- python3 bytes.py >file").ends() == 0
    assert (user.project / "file").read_bytes() == BYTES


def test_head_ends_silently(user):
    user.write("much.py", "for i in range(100000): print(i)\n")
    screen = user.terminal("bash", "-c", "muster run -q -- python3 much.py | head -1")
    assert screen.ends() == 0
    assert screen.lines[0] == "0"
    assert [line for line in screen.lines[1:-1] if "continues" not in line] == []
    assert user.piped("muster", "wait", "@last").returncode == 0


def test_logs_head_ends_silently(user):
    user.write("much.py", "for i in range(100000): print(i)\n")
    assert user.piped("muster", "run", "-q", "--", "python3", "much.py").returncode == 0
    screen = user.terminal("bash", "-c", "muster logs @last | head -1")
    assert screen.ends() == 0
    assert screen.lines == ["0", ""]


@pytest.mark.parametrize(("variables", "coloured"), [
    ({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"CLICOLOR_FORCE": "1"}, True)])
def test_colours_on_a_terminal(user, variables, coloured):
    screen = user.muster("run", "-n", "2", "--", "echo", "hi", **variables)
    assert screen.ends() == 0
    assert ("\x1b[" in screen.raw.replace("\x1b[K", "")) == coloured


def test_colours_in_a_pipe(user):
    assert "\x1b" not in user.piped("muster", "run", "-n", "2", "--", "echo", "hi").stdout
    user.environment["CLICOLOR_FORCE"] = "1"
    assert "\x1b[36m[0] \x1b[0mhi" in user.piped("muster", "run", "-n", "2", "--", "echo", "hi").stdout


def test_a_full_disk_behind_the_redirection(user):
    screen = user.terminal("bash", "-c", "muster run -- echo hi >/dev/full; echo code $?")
    assert screen.ends() == 0
    assert screen.line("stdout").startswith("error: cannot write to stdout: ")
    assert screen.line("code") != "code 0"
