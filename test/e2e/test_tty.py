# SPDX-License-Identifier: Apache-2.0
"""`--tty RANK`: a pseudo-terminal for one rank, connected to the user's terminal (docs/design/output.md)."""

import pexpect

from terminals import ended
from waiting import PATIENCE


def test_the_rank_has_a_terminal_and_the_others_have_none(muster, terminal):
    script = "import sys, os; sys.stdout.write('rank %s %s %s\\n' % (os.environ['MUSTER_RANK'], sys.stdin.isatty(), sys.stdout.isatty()))"
    child = terminal("run", "-n", "2", "--tty", "0", "--", "python3", "-c", script)
    assert ended(child) == 0
    shown = child.before
    assert "rank 0 True True" in shown
    assert "rank 1 False False" in shown


def test_typing_reaches_the_rank(muster, terminal):
    child = terminal("run", "--tty", "0", "--", "python3", "-c", "name = input('who? '); print('hello', name[::-1])")
    child.expect_exact("who? ")
    child.sendline("muster")
    child.expect_exact("hello retsum")
    assert ended(child) == 0


def test_the_window_has_the_terminals_size(muster, terminal):
    script = "until test $(stty size | cut -d' ' -f2) = $0; do sleep 0.05; done; stty size; test $0 = 120 || exec sh -c \"$(cat script)\" 120"
    muster.write("script", script)
    child = terminal("run", "--tty", "0", "--", "sh", "-c", script, "100")
    child.expect_exact("30 100")
    child.setwinsize(40, 120)
    child.expect_exact("40 120")
    assert ended(child) == 0


def test_ctrl_c_belongs_to_the_rank(muster, terminal):
    child = terminal("run", "--tty", "0", "--", "sh", "-c", "trap 'echo interrupted; exit 0' INT; echo ready; while :; do sleep 0.05; done")
    child.expect_exact("ready")
    child.sendintr()
    child.expect_exact("interrupted")
    assert ended(child) == 0


def test_leaving_and_coming_back(muster, terminal):
    child = terminal("run", "--name", "shell", "--tty", "0", "--", "python3", "-c", "print('first', input()); print('second', input())")
    child.expect_exact("detaches")
    muster.wait_for_ranks("shell")
    child.sendline("one")
    child.expect_exact("first one")
    child.send("\x10\x11")  # Ctrl-P Ctrl-Q
    child.expect_exact("continues")
    ended(child)
    assert muster.job("shell")["state"] == "running"
    back = terminal("attach", "shell")
    back.expect_exact("detaches")
    back.sendline("two")
    back.expect_exact("second two")
    assert ended(back) == 0


def test_the_terminal_is_as_it_was(muster, terminal):
    words = f"stty -a | sha1sum; {muster.binary} run -q --tty 0 -- true; stty -a | sha1sum; echo end"
    child = pexpect.spawn("sh", ["-c", words], env=muster.env, cwd=str(muster.work), timeout=PATIENCE, encoding="utf-8")
    child.expect_exact("end\r\n")
    sums = [line for line in child.before.splitlines() if line.endswith(" -")]
    child.close()
    assert len(sums) == 2 and sums[0] == sums[1]


def test_run_tty_without_a_terminal_is_refused(muster):
    muster.write("job.yaml", "command: [cat]\ntty: 0\n")
    for words in (["--tty", "0", "--", "cat"], ["job.yaml"], ["job.yaml", "-o", "json"], ["--standalone", "job.yaml"]):
        done = muster("run", *words)
        assert (done.code, done.out) == (2, ""), done
        assert "needs a terminal as stdin and stderr of this command; run it at one, or add -d" in done.err
    assert muster.ok("ps", "-a", "-o", "json").json()["jobs"] == []


def test_submit_tty_without_a_terminal_gives_the_rank_one(muster):
    muster.ok("submit", "--tty", "0", "--name", "a", "--", "sh", "-c", "test -t 1 && echo terminal")
    muster.ok("run", "-d", "--tty", "0", "--name", "b", "--", "sh", "-c", "test -t 1 && echo terminal")
    for name in ("a", "b"):
        assert muster("wait", name).code == 0
        assert muster.ok("logs", name).out.splitlines() == ["terminal"]


def test_a_hang_up_detaches(muster, terminal):
    child = terminal("run", "--name", "kept", "--tty", "0", "--", "sh", "-c", "echo ready; until test -e go; do sleep 0.05; done")
    child.expect_exact("ready")
    child.ptyproc.fileobj.close()
    (muster.work / "go").write_text("")
    assert muster("wait", "kept").code == 0
