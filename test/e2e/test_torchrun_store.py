# SPDX-License-Identifier: Apache-2.0
"""The torch store of `muster torchrun`: where it is served, and its messages. test/frameworks tests it with torch itself."""

import fcntl
import json
import re

import pytest

from typed_hosts import Hosts, ended
from waiting import wait_for

DUMP = "import json, os\njson.dump(dict(os.environ), open('env.json', 'w'))\n"
# Sets a value that exceeds the size limit, and ends as torch does when its connection is closed.
TOO_LONG = """
import os, socket, struct, sys
store = socket.create_connection((os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])))
store.sendall(b"\\x00\\xce\\xf7\\x85\\x3c\\x01" + struct.pack("<Q", 7) + b"weights" + struct.pack("<Q", 9 << 20))
sys.exit("the store is gone" if store.recv(1) == b"" else 0)
"""
# Rank 0 sets a key and all others wait for it, in the store of their environment variables.
MEETS = """
import os, socket, struct
store = socket.create_connection((os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])))
key = struct.pack("<Q", 4) + b"here"
store.sendall(b"\\x00\\xce\\xf7\\x85\\x3c")
if os.environ["RANK"] == "0":
    store.sendall(b"\\x01" + key + struct.pack("<Q", 1) + b"1")
store.sendall(b"\\x06" + struct.pack("<Q", 1) + key)
print(store.recv(1), os.environ["MASTER_PORT"], flush=True)
"""
TOLD = "closed a client's connection: a value for `weights` has 9,437,184 bytes; the limit is 8 MiB"


@pytest.mark.parametrize("start, code", [(["torchrun"], 1), (["run", "-n", "1", "--framework", "torch", "--", "python3"], 1)])
def test_a_limit_that_was_hit_is_told_where_a_person_looks(muster, start, code):
    muster.write("long.py", TOO_LONG)
    done = muster(*start, "long.py")
    assert done.code == code
    last = [line for line in done.err.splitlines() if line.startswith("note:  the torch store on ")]
    assert len(last) == 1 and last[0].endswith(TOLD), done
    assert TOLD in muster.sentences()
    assert f"Note: {last[0][7:]}." in muster.ok("why", "@last").out
    assert TOLD in muster.ok("describe", "@last").out
    assert muster.job()["troubles"][0].endswith(TOLD)


def test_a_limit_that_was_hit_is_told_once_for_all_attempts(muster):
    muster.write("long.py", TOO_LONG)
    muster("torchrun", "--max-restarts", "2", "long.py")
    assert muster.sentences().count(TOLD) == 1 and muster.job()["attempt"] == 3


@pytest.mark.parametrize("store, agents", [("", "True"), ("hosted", "True"), ("proxy", "True"), ("program", "False")])
def test_who_serves_the_store_is_said_by_a_variable(muster, store, agents):
    muster.write("dump.py", DUMP)
    muster.ok("torchrun", "dump.py", env={"MUSTER_STORE": store})
    assert json.loads((muster.work / "env.json").read_text())["TORCHELASTIC_USE_AGENT_STORE"] == agents
    assert muster.job()["spec"].get("store", "hosted") == (store or "hosted")


def test_another_store_is_refused_before_anything_starts(muster):
    muster.write("dump.py", DUMP)
    done = muster("torchrun", "dump.py", env={"MUSTER_STORE": "rank0"})
    assert (done.code, done.err) == (2, "error: MUSTER_STORE wants hosted, proxy or program, not `rank0`; it chooses who serves the torch store\n")
    assert not (muster.work / "env.json").exists()


@pytest.mark.parametrize("start", [["torchrun"], ["run", "--standalone", "-n", "2", "--", "python3"]])
def test_describe_asks_the_command_that_hosts_the_job(muster, start):
    muster.write("pid.py", "import fcntl, os\nprint(os.getpid(), flush=True)\nfcntl.flock(open('end'), fcntl.LOCK_SH)\n")
    end = open(muster.write("end", ""), "rb")
    fcntl.flock(end, fcntl.LOCK_EX)
    run = muster.start(*start, *(["--nproc-per-node", "2"] if start == ["torchrun"] else []), "pid.py")
    printed = wait_for(lambda: len(pids := re.findall(r"(\d+)\n", run.out())) == 2 and set(map(int, pids)), "two ranks to print")
    job = wait_for(lambda: (job := muster.job())["ranks"] and all("pid" in rank for rank in job["ranks"]) and job, "PIDs")
    assert {rank["pid"] for rank in job["ranks"]} == printed
    assert all(str(pid) in muster.ok("describe", "@last").out for pid in printed)
    end.close()
    assert run.end().code == 0


@pytest.mark.parametrize("store", ["hosted", "proxy"])
def test_ranks_of_two_hosts_meet_in_one_store(muster, store):
    """The first host's setting counts. With `proxy` the other host's ranks find the store at a port of their own host."""
    muster.write("meet.py", MEETS)
    hosts = Hosts(muster)
    first, other = hosts.both("meet.py", env={"MUSTER_STORE": store})
    lines = ended(first, 0).out().splitlines() + ended(other, 0).out().splitlines()
    assert [line.split()[0] for line in lines] == [r"b'\x00'"] * 3
    assert len({line.split()[1] for line in lines}) == (2 if store == "proxy" else 1)
