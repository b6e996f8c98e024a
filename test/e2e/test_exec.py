# SPDX-License-Identifier: Apache-2.0
"""`muster exec`: a program or a shell beside a rank of a running job."""

import hashlib
import os
import re
import signal
import subprocess

import pexpect
import pytest

from processes import alive, all_pids, command_line, parent, words_of
from waiting import PATIENCE, wait_for

WAITS = "echo > ready$MUSTER_RANK; until test -e go; do sleep 0.05; done"
MANY = 50 << 20


pytestmark = pytest.mark.usefixtures("no_job_left")


@pytest.fixture
def job(muster):
    """A job of two ranks that wait for the file `go`."""
    name = muster.submit("-n", "2", "--name", "llm", "--", "sh", "-c", WAITS)
    muster.wait_for_ranks(name)
    return name


@pytest.fixture
def terminal(muster):
    """Starts muster in a terminal of 100 columns and 30 rows."""
    children = []

    def start(*arguments, env=None):
        words = [str(word) for word in arguments]
        child = pexpect.spawn(muster.binary, words, env=muster.env | (env or {}), cwd=str(muster.home), dimensions=(30, 100), timeout=PATIENCE, encoding="utf-8")
        children.append(child)
        return child
    yield start
    for child in children:
        child.close(force=True)


def code_of(child):
    child.expect(pexpect.EOF)
    child.wait()  # close() would signal it after 0.1 s
    child.close()
    return child.exitstatus


def pids_with(mark):
    """Programs that an exec started and whose environment has this mark."""
    return [pid for pid in all_pids() if f"MARK={mark}" in words_of(pid, "environ") and command_line(pid)[1:2] != ["exec"]]


def test_its_environment_and_folder_are_the_ranks(muster, job):
    rank = muster.job(job)["ranks"][1]
    done = muster.ok("exec", job, "--rank", "1", "--", "env", "-0")
    assert sorted(done.raw.decode().split("\0")[:-1]) == sorted(words_of(rank["pid"], "environ"))
    assert muster.ok("exec", job, "--", "pwd").lines() == [str(muster.work)]


def test_a_secret_reaches_it_and_no_command_line(muster):
    secret = "correct-horse-battery"
    (muster.work / "token").write_text(secret + "\n")
    muster.job_file(name="spy", command=["sh", "-c", WAITS], env={"TOKEN": {"from": "file:token"}})
    muster.ok("submit", "-q", "job.yaml")
    muster.wait_for_ranks("spy")
    exec_ = muster.start("exec", "spy", "--", "sh", "-c", "echo $TOKEN | tr a-z A-Z; until test -e go; do sleep 0.05; done")
    exec_.says(secret.upper())
    assert not [pid for pid in all_pids() if secret.encode() in b"\0".join(word.encode() for word in command_line(pid))]


def test_it_runs_as_a_child_of_the_agent_on_the_ranks_cpus(muster, job):
    rank = muster.job(job)["ranks"][0]["pid"]
    agent = muster.agent_of(rank)[0]
    done = muster.ok("exec", job, "--", "sh", "-c", "echo $PPID; grep Cpus_allowed_list /proc/self/status; cat /proc/self/cgroup")
    lines = done.lines()
    assert int(lines[0]) == agent == parent(rank)
    assert lines[1].split()[1] == next(line.split()[1] for line in open(f"/proc/{rank}/status") if line.startswith("Cpus_allowed_list"))
    assert "\n".join(lines[2:]) == open(f"/proc/{rank}/cgroup").read().rstrip("\n")


def test_variables_and_a_folder_of_its_own(muster, job):
    (muster.work / "sub").mkdir()
    done = muster.ok("exec", job, "-w", "sub", "-e", "A=1 2", "-e", "OURS", "--", "sh", "-c", "pwd; echo $A $OURS", env={"OURS": "here"})
    assert done.lines() == [str(muster.work / "sub"), "1 2 here"]


def test_bytes_go_in_and_out_and_none_is_lost(muster, job):
    bytes_ = os.urandom(1 << 20) * (MANY >> 20)
    done = muster.ok("exec", job, "--", "cat", stdin=bytes_)
    assert hashlib.sha256(done.raw).digest() == hashlib.sha256(bytes_).digest()
    done = muster.ok("exec", job, "--", "sha256sum", stdin=bytes_)
    assert done.out.split()[0] == hashlib.sha256(bytes_).hexdigest()


def test_a_file_and_nothing_are_inputs_too(muster, job):
    file = muster.write("input", "from a file\n")
    for redirected, expected in ((f"< {file}", ["from a file"]), ("< /dev/null", [])):
        assert muster.shell(f"{muster.binary} exec {job} -- cat {redirected}").lines() == expected
    assert muster.ok("exec", job, "-n", "--", "cat", stdin=b"ours").out == ""


def test_closed_descriptors_are_empty_ones(muster, job):
    """Libraries open descriptors before main() runs; these must not get the numbers of closed standard streams."""
    script = '"$0" exec "$1" -- sh -c "cat; echo said" <&-'
    done = subprocess.run(["sh", "-c", script, muster.binary, job], env=muster.env, cwd=muster.work, capture_output=True, timeout=PATIENCE)
    assert (done.stdout, done.returncode) == (b"said\n", 0)


def test_both_streams_are_kept_apart(muster, job):
    done = muster.ok("exec", job, "--", "sh", "-c", "seq 1 20000; seq 1 20000 | tr 0-9 a-j >&2")
    assert done.lines()[-1] == "20000" and done.err.splitlines()[-1] == "caaaa"
    assert len(done.lines()) == len(done.err.splitlines()) == 20000


def test_half_closed_input_leaves_output_open(muster, job):
    done = muster.ok("exec", job, "--", "sh", "-c", "cat > /dev/null; echo after", stdin=b"x" * 100000)
    assert done.lines() == ["after"]


def test_a_flood_delays_no_beat_and_holds_no_memory(muster, job):
    flood = subprocess.Popen([muster.binary, "exec", job, "--", "cat", "/dev/zero"], stdout=subprocess.PIPE, env=muster.env, cwd=muster.work)
    assert flood.stdout.read(10 << 20) == bytes(10 << 20)  # then no process reads
    agent = muster.agent_of(muster.job(job)["ranks"][0]["pid"])[0]
    controller = muster.controller()
    assert muster.ok("exec", job, "--", "echo", "meanwhile").lines() == ["meanwhile"]
    (muster.work / "go").write_text("")
    assert muster("wait", job).code == 0
    for pid in (agent, controller):
        peak = [line for line in (open(f"/proc/{pid}/status") if alive(pid) else []) if line.startswith("VmHWM")]
        assert not peak or int(peak[0].split()[1]) < 200 << 10
    flood.kill()
    flood.wait()


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -SEGV $$", 139)])
def test_it_exits_as_the_program_does(muster, job, script, code):
    assert muster("exec", job, "--", "sh", "-c", script).code == code


def test_what_was_not_started_has_codes_of_its_own(muster, job):
    muster.write("text", "no program\n")
    assert muster("exec", job, "--", "no-such-program").code == 127
    assert muster("exec", job, "--", "./text").code == 126
    assert muster("exec", job, "-w", "nowhere", "--", "true").code in (125, 127)
    assert muster("exec", "nobody", "--", "true").code == 125
    assert muster("exec", job).code == 2


def test_ranks_are_named_as_people_count_them(muster):
    script = {"command": ["sh", "-c", WAITS]}
    muster.job_file(name="pair", groups=[{"name": "trainer", "workers": 2, **script}, {"name": "server", **script}])
    muster.ok("submit", "-q", "job.yaml")
    muster.wait_for_ranks("pair")
    says = ("--", "sh", "-c", "echo $MUSTER_GROUP $MUSTER_RANK")
    assert muster.ok("exec", "pair", "--rank", "trainer/1", *says).lines() == ["trainer 1"]
    assert muster.ok("exec", "pair", "--rank", "1", *says).lines() == ["trainer 1"]
    assert muster.ok("exec", "pair", "--rank", "server/0", *says).lines() == ["server 0"]
    ambiguous = muster("exec", "pair", "--rank", "0", *says)
    assert ambiguous.code == 2 and "--rank server/0" in ambiguous.err
    unknown = muster("exec", "pair", "--rank", "9", *says)
    assert unknown.code == 125 and "pair has no rank 9" in unknown.err


def test_a_rank_that_has_not_started_is_named(muster):
    muster.job_file(name="slow", command=["true"], workers=2, setup=[["sh", "-c", "echo > begun; until test -e go; do sleep 0.05; done"]])
    muster.ok("submit", "-q", "job.yaml")
    wait_for(lambda: (muster.work / "begun").exists(), "the setup to begin")
    done = muster("exec", "slow", "--rank", "1", "--", "true")
    assert done.code == 125
    assert done.err == "error: rank 1 of slow has not started yet; to see what it waits for: muster why slow\n"
    (muster.work / "go").write_text("")
    assert muster("wait", "slow").code == 0


def test_of_a_job_that_has_ended_it_says_so(muster):
    muster.ok("run", "--name", "gone", "--", "true")
    done = muster("exec", "gone", "--", "true")
    assert done.code == 125
    assert "gone has ended (succeeded)" in done.err and "muster logs gone" in done.err


@pytest.mark.parametrize("words", [["run", "--standalone"], ["torchrun", "--no-python"]])
def test_a_job_inside_its_own_command_is_reached_too(muster, words):
    hosting = muster.start(*words, *(["--"] if words[0] == "run" else []), "sh", "-c", "echo > up; " + WAITS)
    muster.wait_for_file("up")
    name = muster.job()["name"]
    assert muster.ok("exec", name, "--", "sh", "-c", "echo rank $MUSTER_RANK; pwd").lines() == ["rank 0", str(muster.work)]
    (muster.work / "go").write_text("")
    assert hosting.end().code == 0


def test_two_at_once_do_not_meet(muster, job):
    first, second = (muster.start("exec", job, "--rank", rank, "--", "sh", "-c", "cat; exit 3", stdin=subprocess.PIPE) for rank in (0, 1))
    for running, word in ((first, b"one"), (second, b"two")):
        running.process.stdin.write(word)
        running.process.stdin.flush()
    first.says("one")
    second.says("two")
    for running, word in ((second, "two"), (first, "one")):
        running.process.stdin.close()
        done = running.end()
        assert (done.code, done.out) == (3, word)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_the_program_goes_with_its_viewer(muster, job, number):
    viewer = muster.start("exec", job, "-e", "MARK=left", "--", "sh", "-c", "trap '' HUP; sleep 1000 & echo up; wait")
    viewer.says("up")
    viewer.signal(number).end()
    wait_for(lambda: not pids_with("left"), lambda: f"the program to be gone: {pids_with('left')}")
    assert muster.job(job)["state"] == "running"


def test_ctrl_c_without_a_terminal_is_the_programs(muster, job):
    viewer = muster.start("exec", job, "--", "sh", "-c", "trap 'echo interrupted; exit 9' INT; echo up; while :; do sleep 0.05; done")
    viewer.says("up").signal(signal.SIGINT)
    done = viewer.end()
    assert (done.code, done.lines()) == (9, ["up", "interrupted"])


def test_a_reader_that_leaves_ends_it(muster, job):
    done = muster.shell(f"{muster.binary} exec {job} -e MARK=yes -- yes | head -n 1")
    assert done.lines() == ["y"]
    wait_for(lambda: not pids_with("yes"), "the program to be gone")


def test_it_ends_with_its_job_and_says_so(muster, job):
    viewer = muster.start("exec", job, "-e", "MARK=job", "--", "sh", "-c", "echo up; exec sleep 1000")
    viewer.says("up")
    (muster.work / "go").write_text("")
    assert muster("wait", job).code == 0
    done = viewer.end()
    assert done.code == 137
    assert "llm has ended (succeeded), so this program was ended with its ranks" in done.err
    assert not pids_with("job")


def test_it_ends_with_its_attempt(muster):
    muster.submit("--name", "again", "--restarts", "1", "--", "sh", "-c", "echo > up$MUSTER_ATTEMPT; until test -e go$MUSTER_ATTEMPT; do sleep 0.05; done; exit 1")
    muster.wait_for_file("up1")
    viewer = muster.start("exec", "again", "-e", "MARK=attempt", "--", "sh", "-c", "echo up; exec sleep 1000")
    viewer.says("up")
    (muster.work / "go1").write_text("")
    done = viewer.end()
    assert done.code == 137 and "again restarts" in done.err
    muster.wait_for_file("up2")
    assert not pids_with("attempt")


@pytest.mark.parametrize("victim", ["agent", "guardian", "controller"])
def test_nothing_is_left_whoever_dies(muster, job, victim):
    viewer = muster.start("exec", job, "-e", "MARK=orphan", "--", "sh", "-c", "trap '' HUP; setsid sleep 1000 & echo up; wait")
    viewer.says("up")
    agent, guardian = muster.agent_of(muster.job(job)["ranks"][0]["pid"])
    pid = {"agent": agent, "guardian": guardian, "controller": muster.controller()}[victim]
    os.kill(pid, signal.SIGKILL)
    done = viewer.end()
    assert done.code in (125, 137), done
    assert done.err
    if victim == "controller":  # the job continues; processes that left the session end with the attempt
        muster.ok("kill", job)
    wait_for(lambda: not pids_with("orphan"), lambda: f"nothing to be left: {pids_with('orphan')}")


def test_a_shell_on_a_terminal(muster, job, terminal):
    child = terminal("exec", job, "--rank", "1", "-e", "HISTFILE=", env={"TERM": "vt100", "PS1": "$ "})
    child.sendline("echo rank $MUSTER_RANK on $TERM in $PWD; stty size; tty > /dev/null && echo has one")
    child.expect_exact(f"rank 1 on vt100 in {muster.work}")
    child.expect_exact("30 100")
    child.expect_exact("has one")
    child.setwinsize(44, 122)
    wait_for(lambda: child.sendline("stty size") and child.expect_exact(["44 122", "30 100"]) == 0, "the new size")
    child.sendline("exit 5")
    assert code_of(child) == 5


def test_ctrl_c_on_a_terminal_is_the_programs(muster, job, terminal):
    child = terminal("exec", job, "--", "sh", "-c", "trap 'echo interrupted; exit 4' INT; echo up; while :; do sleep 0.05; done")
    child.expect_exact("up")
    child.sendintr()
    child.expect_exact("interrupted")
    assert code_of(child) == 4


def around(muster, command):
    """A shell in a terminal that prints a checksum of the terminal's settings before and after the command."""
    words = f"stty -a | sha1sum; {muster.binary} {command}; stty -a | sha1sum; echo end"
    return pexpect.spawn("sh", ["-c", words], env=muster.env, cwd=str(muster.work), timeout=PATIENCE, encoding="utf-8")


def is_as_it_was(child, before=""):
    child.expect_exact("end\r\n")
    sums = re.findall("[0-9a-f]{40}", before + child.before)
    child.close()
    return len(sums) == 2 and sums[0] == sums[1]


@pytest.mark.parametrize("program", ["true", "sh -c 'exit 3'", "no-such-program"])
def test_the_terminal_is_as_it_was(muster, job, program):
    assert is_as_it_was(around(muster, f"exec {job} -- {program}"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV])
def test_the_terminal_is_as_it_was_however_we_die(muster, job, number):
    child = around(muster, f"exec {job} -- sh -c 'echo up; exec sleep 1000'")
    child.expect_exact("up\r\n")
    before = child.before
    os.kill(muster.processes("exec")[0], number)
    assert is_as_it_was(child, before)


def test_a_tilde_and_a_point_leave(muster, job, terminal):
    child = terminal("exec", job, "-e", "MARK=tilde", "--", "sh", "-c", "echo up; trap '' INT HUP; while :; do sleep 0.05; done")
    child.expect_exact("up")
    child.send("\r~.")
    assert code_of(child) == 125
    wait_for(lambda: not pids_with("tilde"), "the program to be gone")


def test_stdin_stays_as_it_was_for_who_reads_it_next(muster, job):
    blocks = "python3 -c 'import fcntl, os; print(fcntl.fcntl(0, fcntl.F_GETFL) & os.O_NONBLOCK)'"
    done = muster.shell(f"echo one | ({muster.binary} exec {job} -- cat; {blocks})")
    assert done.lines() == ["one", "0"]
