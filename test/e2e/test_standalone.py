# SPDX-License-Identifier: Apache-2.0
"""`run --standalone`: everything in one process tree; the job ends with it (docs/design/backends.md)."""

import os
import signal
import subprocess

import pytest

from leaks import LEASES, names_in, process_key, runtime_folder
from processes import alive, processes_of
from ranks import SAVES
from waiting import PATIENCE, wait_for


def test_standalone_needs_no_controller(muster):
    done = muster.ok("run", "--standalone", "-n", "2", "--", "echo", "here")
    assert sorted(done.lines()) == ["[0] here", "[1] here"]
    assert not muster.processes("serve")
    assert muster("run", "--standalone", "--propagate", "--", "sh", "-c", "exit 5").code == 5
    assert muster.ok("ps", "-a", "-o", "json").json()["jobs"][-1]["state"] == "succeeded"


def test_standalone_is_seen_from_outside(muster):
    run = muster.start("run", "--standalone", "--name", "inside", "--", "sh", "-c", "echo ready; until test -e go; do sleep 0.05; done").says("ready")
    assert muster.ok("ps", "-o", "name").lines() == ["inside"]
    assert muster.job("inside")["state"] == "running"
    assert muster.ok("logs", "inside").lines() == ["ready"]
    assert "running" in muster.ok("events", "inside").out
    (muster.work / "go").write_text("")
    assert run.end().code == 0
    wait_for(lambda: muster.job("inside")["state"] == "succeeded", "the end to be seen")


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, None)])
def test_signals_stop_a_standalone_job(muster, number, code):
    run = muster.start("run", "--standalone", "--", "sh", "-c", SAVES).says("ready")
    done = run.signal(number).end()
    assert done.lines() == ["ready", "saving"]
    assert done.code == code or (code is None and done.code != 0)
    assert muster.job()["state"] == "cancelled"


def test_a_killed_standalone_takes_agents_and_ranks_with_it(muster):
    script = "trap '' TERM HUP INT; echo ready; while :; do sleep 0.05; done"
    run = muster.start("run", "--standalone", "--nodes", "2", "-n", "2", "--", "sh", "-c", script)
    run.says("[3] ready")
    ours = set(processes_of(muster.home))
    run.signal(signal.SIGKILL).process.wait()
    wait_for(lambda: not [pid for pid in ours if alive(pid)], "agents and ranks to be gone")
    assert not muster.processes("serve")
    assert muster.wait_for_state("cancelled")["sentence"].endswith("was killed")
    assert muster.ok("run", "--standalone", "--", "echo", "next").lines() == ["next"]
    assert not [name for name in names_in(runtime_folder()) if name == f"standalone-{process_key(run.pid)}.sock"]


@pytest.mark.parametrize("words", [["run", "--standalone", "--name", "inside", "--"], ["torchrun", "--rdzv-id", "inside", "--no-python"]], ids=["run", "torchrun"])
def test_a_standalone_job_survives_the_loss_of_its_socket(muster, words):
    script = muster.write("waits.sh", "#!/bin/sh\necho ready\nuntil test -e go; do sleep 0.05; done\necho end $MUSTER_ATTEMPT\n")
    script.chmod(0o755)
    run = muster.start(*words, script).says("ready")
    socket = runtime_folder() / f"standalone-{process_key(run.pid)}.sock"
    socket.unlink()
    wait_for(socket.exists, "the socket to come back")
    muster.ok("logs", "@last")
    socket.unlink()
    wait_for(socket.exists, "the socket to come back again")
    (muster.work / "go").write_text("")
    done = run.end()
    assert done.code == 0 and done.out.splitlines()[-1].endswith("end 1"), done
    assert not socket.exists()


def test_a_killed_torchrun_leaves_no_socket_and_no_lease(muster):
    script = muster.write("waits.sh", "#!/bin/sh\necho ready\nwhile :; do sleep 0.05; done\n")
    script.chmod(0o755)
    run = muster.start("torchrun", "--nproc-per-node", "2", "--no-python", script).says("ready")
    ours = {run.pid, *processes_of(muster.home)}
    socket = runtime_folder() / f"standalone-{process_key(run.pid)}.sock"
    assert socket.exists()

    def left():
        shares = [path for path in LEASES.glob("share-*") if int(path.name.split("-")[1]) in ours]
        return shares + [path for path in LEASES.glob("port-*") if path.read_text().strip() in map(str, ours)]
    assert left()
    run.signal(signal.SIGKILL).process.wait()
    wait_for(lambda: not [pid for pid in ours if alive(pid)], "agents and ranks to be gone")
    assert not socket.exists() and not left()
    assert muster.wait_for_state("cancelled")


def test_standalone_is_followed_from_outside(muster):
    script = "echo ready; until test -e go; do sleep 0.05; done; echo bye"
    run = muster.start("run", "--standalone", "--name", "inside", "--", "sh", "-c", script).says("ready")
    follower = muster.start("logs", "-f", "inside").says("ready")
    (muster.work / "go").write_text("")
    assert run.end().code == 0
    assert follower.end().lines() == ["ready", "bye"]


def test_standalone_is_not_stopped_or_forgotten_from_outside(muster):
    run = muster.start("run", "--standalone", "--name", "inside", "--", "sh", "-c", "echo ready; until test -e go; do sleep 0.05; done").says("ready")
    for words in (["rm", "inside"], ["stop", "inside"], ["kill", "inside"]):
        refused = muster(*words)
        assert refused.code == 6 and "runs inside the command that started it" in refused.err, refused
    (muster.work / "go").write_text("")
    assert run.end().code == 0
    assert muster.ok("logs", "inside").lines() == ["ready"]
    wait_for(lambda: muster("rm", "inside").code == 0, "the job to be forgotten")


@pytest.mark.parametrize("command, code", [(["run", "--standalone"], 143), (["torchrun", "--no-python"], 1)])
def test_stop_names_the_command_that_stops_a_job_of_a_command(muster, command, code):
    muster.write("wait.sh", "echo ready; until test -e go; do sleep 0.05; done")
    dashes = ["--"] if command[0] == "run" else []
    run = muster.start(*command, *dashes, "sh", "wait.sh").says("ready")
    [name] = [job["name"] for job in muster.ok("ps", "-o", "json").json()["jobs"]]
    typed = f"interrupt that command to stop the job: kill -TERM {run.pid}"
    for words in (["stop", name], ["kill", name]):
        refused = muster(*words)
        assert refused.code == 6 and refused.err.endswith(typed + "\n"), refused
    assert typed in muster("stop", "--all").err
    muster.shell(typed.split(": ")[1])
    assert run.end().code == code


def test_standalone_loses_no_byte(muster):
    done = muster.ok("run", "-q", "--standalone", "--", "seq", "1", "1000000")
    assert done.out == "".join(f"{n}\n" for n in range(1, 1_000_001))


def test_who_waits_for_a_standalone_job_hears_of_its_hosts_death(muster):
    run = muster.start("run", "--standalone", "--name", "inside", "--", "sh", "-c", "echo ready; sleep 600").says("ready")
    waiting = muster.start("wait", "inside")
    logs = muster.start("logs", "-f", "inside").says("ready")
    os.kill(run.pid, signal.SIGKILL)
    run.end()
    assert waiting.end().code != 0
    logs.end()
    assert "was killed" in muster.ok("describe", "inside").out


FLOOD = "seq 1 600000; echo all >printed; until test -e go; do sleep 0.05; done; echo end"


def unread(muster, *words):
    return subprocess.Popen([muster.binary, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            env=muster.env, cwd=muster.work)


def test_a_paused_reader_stops_neither_job_nor_controller(muster):
    run = unread(muster, "run", "--standalone", "--name", "inside", "--", "sh", "-c", FLOOD)
    muster.wait_for_file("printed")
    assert muster.job("inside")["state"] == "running"
    (muster.work / "go").write_text("")
    wait_for(lambda: muster.job("inside")["state"] == "succeeded", "the job to end though nobody reads")
    out, _ = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0
    assert out.decode().splitlines() == [*map(str, range(1, 600001)), "end"]


def test_whose_reader_pauses_hears_signals(muster):
    run = unread(muster, "run", "--standalone", "--name", "inside", "--", "sh", "-c", FLOOD)
    muster.wait_for_file("printed")
    run.send_signal(signal.SIGTERM)
    wait_for(lambda: muster.job("inside")["state"] == "cancelled", "the stop to be heard")
    out, _ = run.communicate(timeout=PATIENCE)
    assert run.returncode == 143
    assert out.decode().splitlines() == [*map(str, range(1, 600001))]
