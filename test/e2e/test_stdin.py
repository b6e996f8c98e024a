# SPDX-License-Identifier: Apache-2.0
"""What ranks get of the command's stdin and terminal: `muster torchrun`, and `run --stdin` (docs/guide/output.md)."""

import hashlib
import socket

import pytest

from terminals import ended

TERMINALS = "import os; print('terminals', [os.isatty(fd) for fd in range(3)], os.get_terminal_size() if os.isatty(1) else '', flush=True)\n"
ASK = TERMINALS + "name = input('who? '); print('hello', name[::-1])\n"
READ = "import os, sys; print(os.environ['MUSTER_RANK'], repr(sys.stdin.read()))\n"


def test_torchrun_one_rank_reads_a_pipe(muster):
    data = b"".join(b"%d\n" % number for number in range(200_000))
    done = muster.ok("torchrun", "--no-python", "sha256sum", stdin=data)
    assert done.out == muster.shell("seq 0 199999 | sha256sum").out


def test_torchrun_of_several_only_rank_0_reads(muster):
    muster.write("read.py", READ)
    done = muster.ok("torchrun", "--nproc-per-node", "2", "read.py", stdin=b"typed")
    assert sorted(done.lines()) == ["0 'typed'", "1 ''"]


def test_torchrun_continues_a_file_where_the_shell_stands(muster):
    muster.write("input", "first\nsecond\n")
    done = muster.shell(f"(read line; {muster.binary} torchrun --no-python cat) < input")
    assert done.out == "second\n"


def test_torchrun_next_attempt_reads_on(muster):
    muster.write("line.py", "import os, sys\nprint(os.read(0, 4).decode().strip(), flush=True)\nsys.exit(os.environ['TORCHELASTIC_RESTART_COUNT'] == '0')\n")
    done = muster.ok("torchrun", "--max-restarts", "1", "line.py", stdin=b"one\ntwo\n")
    assert done.lines() == ["one", "two"]


def test_torchrun_reads_a_socket(muster):
    theirs, ours = socket.socketpair()
    with theirs, ours:
        running = muster.start("torchrun", "--no-python", "sha256sum", stdin=theirs)
        data = b"x" * 1_000_000
        ours.sendall(data)
        ours.shutdown(socket.SHUT_WR)
        assert running.end().out.split()[0] == hashlib.sha256(data).hexdigest()


def test_torchrun_restart_at_a_terminal_draws_no_dead_bar(muster, terminal):
    bar = ("import os, sys, signal\nif os.environ['TORCHELASTIC_RESTART_COUNT'] == '1': sys.exit()\n"
           "if os.environ['RANK'] == '1':\n    while not os.path.exists('drawn'): pass\n    sys.exit(3)\n"
           "def more(*_):\n    sys.stderr.write('\\r 99%'); sys.stderr.flush(); sys.exit(4)\n"
           "signal.signal(signal.SIGTERM, more)\nsys.stderr.write('\\r 42%'); sys.stderr.flush(); open('drawn', 'w')\nsignal.pause()\n")
    muster.write("bar.py", bar)
    child = terminal("torchrun", "--nproc-per-node", "2", "--max-restarts", "1", "bar.py")
    child.expect_exact("restarting")
    assert "42%" in child.before
    assert ended(child) == 0
    assert "%" not in child.before


def test_torchrun_endless_writer_ends_with_the_job(muster):
    done = muster.shell(f"yes | {muster.binary} torchrun --no-python head -n 1; echo end")
    assert done.lines() == ["y", "end"]


def test_torchrun_single_rank_has_the_terminal(muster, terminal):
    muster.write("ask.py", ASK)
    child = terminal("torchrun", "ask.py")
    child.expect_exact("terminals [True, True, True] os.terminal_size(columns=100, lines=30)")
    child.expect_exact("who? ")
    child.sendline("muster")
    child.expect_exact("hello retsum")
    assert ended(child) == 0


def test_torchrun_debugger(muster, terminal):
    muster.write("debug.py", "value = 41\nbreakpoint()\nprint('end', value)\n")
    child = terminal("torchrun", "debug.py")
    child.expect_exact("(Pdb)")
    child.sendline("value += 1")
    child.expect_exact("(Pdb)")
    child.sendline("c")
    child.expect_exact("end 42")
    assert ended(child) == 0


def test_torchrun_rank_0_of_several_reads_the_terminal(muster, terminal):
    muster.write("ask.py", "import os\nif os.environ['RANK'] == '0': print('hello', input('who? ')[::-1])\n")
    child = terminal("torchrun", "--nproc-per-node", "2", "ask.py")
    child.expect_exact("who? ")
    child.sendline("muster")
    child.expect_exact("hello retsum")
    assert ended(child) == 0


def test_torchrun_pipe_in_and_terminal_out(muster, terminal):
    muster.write("ask.py", ASK)
    child = terminal("-c", f"echo muster | {muster.binary} torchrun ask.py", program="sh")
    child.expect_exact("terminals [False, True, True]")
    child.expect_exact("hello retsum")
    assert ended(child) == 0


@pytest.mark.parametrize("redirection", ["| cat", "2> errors"])
def test_torchrun_output_elsewhere_is_no_terminal(muster, terminal, redirection):
    muster.write("tell.py", TERMINALS)
    child = terminal("-c", f"{muster.binary} torchrun tell.py {redirection}", program="sh")
    child.expect_exact("terminals [True, False, False]")
    ended(child)


def test_torchrun_ctrl_c_stops_and_leaves_the_terminal_as_it_was(muster, terminal):
    muster.write("wait.py", "import signal\nprint('ready', flush=True)\nsignal.pause()\n")
    child = terminal("-c", f"trap : INT; stty -a > before; {muster.binary} torchrun wait.py; echo code $?; stty -a > after; cmp before after && echo same", program="bash")
    child.expect_exact("ready")
    child.sendintr()
    child.expect_exact("code 1")
    child.expect_exact("same")
    assert ended(child) == 0


def test_torchrun_traceback_of_a_rank_with_a_terminal(muster, terminal):
    muster.write("fail.py", "print('before')\nraise ValueError('too much')\n")
    child = terminal("torchrun", "fail.py")
    assert ended(child) == 1
    shown = child.before
    assert shown.index("before") < shown.index("Traceback")
    assert shown.count("ValueError: too much") <= 2
    assert "too much" in muster.ok("why").out


def test_run_single_rank_has_the_terminal_for_output(muster, terminal):
    child = terminal("run", "--", "python3", "-c", TERMINALS)
    child.expect_exact("terminals [False, True, True] os.terminal_size(columns=100, lines=30)")
    assert ended(child) == 0
    assert muster.output_of().read_bytes().startswith(b"terminals") and b"\r" not in muster.output_of().read_bytes()


def test_run_several_ranks_have_none(muster, terminal):
    child = terminal("run", "-n", "2", "--", "python3", "-c", TERMINALS)
    assert ended(child) == 0
    for rank in (0, 1):
        assert f"[{rank}] terminals [False, False, False]" in child.before


def test_run_stdin_at_a_terminal(muster, terminal):
    child = terminal("run", "--stdin", "0", "--", "python3", "-c", ASK)
    child.expect_exact("terminals [True, True, True]")
    child.expect_exact("who? ")
    child.sendline("muster")
    child.expect_exact("hello retsum")
    assert ended(child) == 0


def test_run_the_window_vanishes_and_the_job_goes_on(muster, terminal):
    child = terminal("run", "--name", "kept", "--", "sh", "-c", "echo ready; until test -e go; do sleep 0.05; done; echo end")
    child.expect_exact("ready")
    child.ptyproc.fileobj.close()
    (muster.work / "go").write_text("")
    assert muster("wait", "kept").code == 0
    assert muster.ok("logs", "kept").lines() == ["ready", "end"]


def test_run_a_changed_window_is_told(muster, terminal):
    child = terminal("run", "--", "sh", "-c", "stty size < /dev/fd/1; until test \"$(stty size < /dev/fd/2)\" = '40 120'; do sleep 0.05; done; echo changed")
    child.expect_exact("30 100")
    child.setwinsize(40, 120)
    child.expect_exact("changed")
    assert ended(child) == 0


@pytest.mark.parametrize("which, lines", [("1", ["0 ''", "1 'typed'"]), ("all", ["0 'typed'", "1 'typed'"]), ("none", ["0 ''", "1 ''"])])
def test_run_stdin_goes_to_the_chosen_ranks(muster, which, lines):
    done = muster.ok("run", "-q", "-n", "2", "--stdin", which, "--", "python3", "-c", READ, stdin=b"typed")
    assert sorted(line.split("] ", 1)[1] for line in done.lines()) == lines


@pytest.mark.parametrize("words, sentence", [
    (["--stdin", "some"], "--stdin needs the number of a rank, all or none, not `some`"),
    (["--stdin", "1"], "--stdin: there is no rank 1, the job has 1 rank"),
    (["--stdin", "0", "--tty", "0"], "choose one of --tty and --stdin"),
    (["--stdin", "0", "--detach"], "choose one"),
])
def test_run_stdin_that_is_not_possible(muster, words, sentence):
    done = muster("run", *words, "--", "true", stdin=b"x")
    assert done.code != 0 and sentence in done.err


def test_run_names_the_data_that_no_rank_got_if_the_job_fails(muster):
    note = "no rank got the data on stdin; --stdin 0 sends it to rank 0"
    ask = ["run", "-n", "2", "--", "python3", "-c", "print(input())"]
    assert muster(*ask, stdin=b"typed\n").err.count(note) == 1
    assert note not in muster(*ask).err, "stdin is empty"
    assert note not in muster.ok("run", "--", "true", stdin=b"typed\n").err, "the job succeeded"
    assert note not in muster("run", "--stdin", "none", "--", "false", stdin=b"typed\n").err, "the user chose this"
    muster.write("input", "typed\n")
    assert note in muster.shell(f"{muster.binary} run -- false < input").err
    assert note not in muster.shell(f"{muster.binary} run -- false < /dev/null").err


def test_why_suggests_only_flags_of_the_command(muster):
    muster.write("ask.py", "input()\n")
    assert muster("torchrun", "ask.py").code == 1
    assert "--tty" not in muster.ok("why").out and "--stdin" not in muster.ok("why").out
    assert muster("run", "--", "python3", "ask.py").code == 1
    advice = muster.ok("why").out
    assert "--stdin RANK" in advice
    muster.ok("run", "--stdin", "0", "--", "python3", "ask.py", stdin=b"typed\n")


def test_the_question_stays_on_the_screen_under_a_live_bar(muster, terminal):
    bar = "import sys, os\nwhile not os.path.exists('go'):\n    sys.stderr.write('\\rbar %d%%' % (len(os.listdir('.')) % 7)); sys.stderr.flush()\n"
    child = terminal("run", "--name", "bar", "--", "python3", "-c", bar)
    child.expect_exact("bar ")
    child.sendintr()
    child.expect_exact("[d in 5 s]")
    child.expect_exact("[d in 4 s]")
    between = child.before
    assert "bar " not in between, "the bar overdraws the question"
    child.send("d")
    child.expect_exact("continues.")
    assert ended(child) == 130
    muster.ok("stop", "bar")


def test_shell_scripts_and_entry_points_show_lines_when_they_are_written(muster):
    muster.write("tool", "#!/usr/bin/env python3\nimport os, signal\nprint('line')\nsignal.pause()\n").chmod(0o755)
    running = muster.start("run", "--name", "tool", "--", "sh", "-c", "./tool")
    running.says("line")
    muster.ok("stop", "tool")
    running.end()


def test_own_value_of_pythonunbuffered_counts(muster):
    tell = ["--", "python3", "-c", "import os; print(os.environ['PYTHONUNBUFFERED'])"]
    for value in ("0", "x", ""):
        assert muster.ok("run", "-q", *tell, env={"PYTHONUNBUFFERED": value}).out == value + "\n"
    assert muster.ok("run", "-q", *tell).out == "1\n"
    assert muster.ok("run", "-q", "-e", "PYTHONUNBUFFERED=0", *tell).out == "0\n"
