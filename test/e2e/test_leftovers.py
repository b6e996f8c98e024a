# SPDX-License-Identifier: Apache-2.0
"""Processes that an attempt leaves when one of its ranks ends: other ranks, daemons, grandchildren."""

import os
import signal

import pytest

from processes import alive
from ranks import DAEMON
from waiting import wait_for


def script(text):
    return ["--", "sh", "-c", text]


def test_a_survivor_gets_its_grace_and_then_sigkill(muster):
    survivor = "trap 'echo asked' TERM; echo > ready; while :; do sleep 0.05; done"
    failing = "until test -e ready; do sleep 0.05; done; exit 3"
    done = muster("run", "-n", "2", "--grace", "200ms", *script(f"test $MUSTER_RANK = 1 || {{ {survivor}; }}; {failing}"))
    assert done.code == 1
    assert done.lines() == ["[0] asked"]
    end = muster.job()["ranks"][0]["exit"]
    assert (end["signal"], end["sentence"]) == (signal.SIGKILL, "was stopped because another rank failed")
    assert "failed: rank 1 exited with code 3" in done.err


def test_a_survivor_may_end_well_within_its_grace(muster):
    survivor = "trap 'echo saved; exit 0' TERM; echo > ready; while :; do sleep 0.05; done"
    done = muster("run", "-n", "2", "--grace", "1m",
                  *script(f"test $MUSTER_RANK = 1 || {{ {survivor}; }}; until test -e ready; do sleep 0.05; done; exit 3"))
    assert (done.code, done.lines()) == (1, ["[0] saved"])


@pytest.mark.parametrize("code", [0, 1])
def test_a_daemon_that_a_rank_left_behind_is_gone(muster, code):
    muster.write("daemon.py", DAEMON)
    done = muster("run", "--set", "timeouts.leftovers=100ms", "--", "python3", "daemon.py", code)
    assert done.code == code
    pid = int((muster.work / "daemon").read_text())
    assert not alive(pid), "the job has ended"
    told = f"rank 0 left `python3 daemon.py {code}` (pid {pid}) running"
    assert told in done.err and told in muster.ok("describe").out
    if code != 0:
        assert told in muster.ok("why").out


@pytest.mark.parametrize("grace, beside", [("1m", "alive"), ("0", "gone")])
def test_a_helper_without_a_port_may_finish_beside_the_next_attempt(muster, grace, beside):
    """It ends itself when the second attempt has seen it."""
    muster.write("helper.sh", "echo $$ > helper; until test -e seen; do sleep 0.05; done; echo > finished")
    rank = """if test $MUSTER_ATTEMPT = 1; then
setsid sh helper.sh & until test -s helper; do sleep 0.05; done; exit 1
fi
kill -0 $(cat helper) 2>/dev/null && echo alive || echo gone
echo > seen"""
    done = muster.ok("run", "--restarts", "1", "--set", f"timeouts.leftovers={grace}", *script(rank))
    assert done.lines() == [beside]
    assert (muster.work / "finished").exists() == (beside == "alive"), "the end of the job waited for it"
    assert ("left `sh helper.sh`" in done.err) == (beside == "gone")


LISTENS = """
import os, signal, socket
port = socket.create_server(("127.0.0.1", 0))
print(os.getpid(), file=open("helper", "w"))
signal.pause()
"""


def test_a_helper_with_a_port_is_gone_before_the_next_attempt(muster):
    muster.write("helper.py", LISTENS)
    rank = """if test $MUSTER_ATTEMPT = 1; then
setsid python3 helper.py & until test -s helper; do sleep 0.05; done; exit 1
fi
kill -0 $(cat helper) 2>/dev/null && echo alive || echo gone"""
    done = muster.ok("run", "--restarts", "1", *script(rank))
    assert done.lines() == ["gone"]
    assert "left `python3 helper.py`" in done.err


@pytest.mark.parametrize("start", ["setsid sh upload.sh &", "sh upload.sh &"])
def test_background_work_may_finish_after_its_rank(muster, start):
    muster.write("upload.sh", "echo > started; while kill -0 $1 2>/dev/null; do sleep 0.05; done; echo > uploaded")
    done = muster.ok("run", *script(start.replace(".sh", ".sh $$") + " until test -e started; do sleep 0.05; done"))
    assert (muster.work / "uploaded").exists()
    assert "left" not in done.err


def test_background_work_is_asked_at_once_if_the_job_says_so(muster):
    muster.write("upload.sh", "trap 'echo asked; exit' TERM; echo > started; while :; do sleep 0.05; done")
    done = muster.ok("run", "--set", "leftovers=stop", "--set", "timeouts.leftovers=1h",
                     *script("setsid sh upload.sh & until test -e started; do sleep 0.05; done"))
    assert done.lines() == ["asked"]


# The first attempt ends as its argument says and leaves shared memory that only Python's resource tracker removes.
SHARES = """
import os, signal, sys
from multiprocessing import shared_memory
memory = shared_memory.SharedMemory(name=sys.argv[1], create=True, size=4096)
print("created", flush=True)
if os.environ["MUSTER_ATTEMPT"] == "1":
    signal.raise_signal(signal.SIGKILL) if sys.argv[2] == "killed" else os._exit(0)
memory.close()
memory.unlink()
"""


@pytest.mark.parametrize("end, lines", [("killed", ["created", "created"]), ("ended", ["created"])])
def test_shared_memory_of_a_dead_rank_is_removed(muster, end, lines):
    muster.write("shares.py", SHARES)
    name = f"muster-test-{os.getpid()}-{end}"
    done = muster.ok("run", "--restarts", "1", "--", "/usr/bin/python3", "shares.py", name, end)
    assert done.lines() == lines
    assert not os.path.exists(f"/dev/shm/{name}")


def test_grandchildren_of_a_rank_end_with_it(muster):
    muster("run", *script("sleep 60 & sh -c 'sleep 61 & echo $! > grandchild; wait' & until test -s grandchild; do sleep 0.05; done; exit 1"))
    pid = int((muster.work / "grandchild").read_text())
    wait_for(lambda: not alive(pid), f"the grandchild {pid} to be killed")
