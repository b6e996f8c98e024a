# SPDX-License-Identifier: Apache-2.0
"""`service` of `framework: custom`: a program for all ranks of a world, new in each attempt. Here a toy parameter server. And the
key-value server that ranks of `framework: horovod` get, without Horovod."""

import json
import re

import pytest

from processes import alive
from waiting import wait_for


SERVER = """
import socketserver, sys, threading
weights, lock = {"w": 0.0}, threading.Lock()
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            with lock:
                weights["w"] += float(line)
                self.wfile.write(f"{weights['w']}\\n".encode())
print("serves", *sys.argv[1:], flush=True)
class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
Server((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
"""
RANK = """
import os, socket, sys
address, port = os.environ["SERVER"].rsplit(":", 1)
link = socket.create_connection((address, int(port)))
link.sendall(b"1\\n")
first = float(link.makefile().readline())
if "fail" in sys.argv and os.environ["MUSTER_ATTEMPT"] == "1":
    os._exit(3)
print("attempt", os.environ["MUSTER_ATTEMPT"], "port", port, "sum", first, flush=True)
"""


@pytest.fixture
def job(muster):
    """`job(ranks, *words)`: a job file whose ranks add to the weight of a server."""
    muster.write("server.py", SERVER)
    muster.write("rank.py", RANK)

    def write(ranks=2, words=(), **keys):
        keys = {"service": ["python3", "server.py", "${master_address}", "${master_port}"]} | keys
        return muster.job_file(name="ps", framework="custom", workers=ranks, custom={"SERVER": "${master_address}:${master_port}"},
                               command=["python3", "rank.py", *words], **keys)
    return write


@pytest.mark.parametrize("ranks, nodes", [(3, 1), (1, 3)])
def test_ranks_start_when_the_server_listens(muster, job, ranks, nodes):
    slow = ["sh", "-c", 'sleep 1; exec python3 server.py "$$@"', "sh", "${master_address}", "${master_port}"]
    done = muster.ok("run", job(ranks, nodes=nodes, service=slow))
    assert sorted(re.findall(r"sum (\S+)", done.out)) == ["1.0", "2.0", "3.0"]


def test_each_attempt_has_an_empty_server_at_a_new_port(muster, job):
    done = muster.ok("run", job(1, ["fail"], restarts={"limit": 1}))
    assert re.findall(r"attempt (\d) port \d+ sum (\S+)", done.out) == [("2", "1.0")]


def test_two_jobs_never_meet(muster, job):
    names = [muster.submit(job(2), "--name", name) for name in ("one", "two")]
    for name in names:
        assert muster("wait", name).code == 0
        assert sorted(re.findall(r"sum (\S+)", muster.ok("logs", name).out)) == ["1.0", "2.0"]


def test_a_server_that_fails_is_named_with_its_last_line(muster, job):
    done = muster("run", job(service=["python3", "-c", "import sys; sys.exit('no memory for ${world_size} ranks')", "${master_port}"]))
    assert done.code != 0
    assert "the command of `service` exited with code 1 before it listened: no memory for 2 ranks" in done.err
    assert "sum" not in done.out


# A rank that does not fail by itself if its server is gone.
PATIENT = """
import os, signal, socket
address, port = os.environ["SERVER"].rsplit(":", 1)
socket.socket().connect_ex((address, int(port)))
signal.pause()
"""


def test_a_server_that_dies_ends_the_attempt(muster, job):
    die = "import os, socket; s = socket.create_server(('127.0.0.1', int('${master_port}'))); s.accept(); os._exit(4)"
    path = job(1, nodes=2, service=["python3", "-c", die])
    muster.write("rank.py", PATIENT)
    done = muster("run", path)
    assert done.code != 0
    why = r"was stopped because of the service on \S+: the command of `service` exited with code 4"
    assert re.search(f"failed: rank 0 {why}", done.err), done
    states = re.findall(r"^  rank (\d) .*(was stopped because .*)", muster.ok("describe").out, re.MULTILINE)
    assert re.fullmatch(why, dict(states)["0"]) and dict(states)["1"] == "was stopped because a service failed"


# It fails when rank 0, on its own node, is gone.
ORPHANED_SERVER = """
import os, socket, sys
server = socket.create_server((sys.argv[1], int(sys.argv[2])))
links = [server.accept()[0].makefile() for _ in range(2)]
pids = dict(link.readline().split() for link in links)
while os.path.exists(f"/proc/{pids['0']}"):
    pass
sys.exit(3)
"""
# Rank 0 ends at once, rank 1 waits for ever.
CLIENT = """
import os, signal, socket
address, port = os.environ["SERVER"].rsplit(":", 1)
link = socket.create_connection((address, int(port)))
link.sendall(f"{os.environ['MUSTER_RANK']} {os.getpid()}\\n".encode())
if os.environ["MUSTER_RANK"] == "1":
    signal.pause()
"""


def test_a_server_that_dies_after_its_nodes_ranks_ends_the_attempt(muster, job):
    muster.write("server.py", ORPHANED_SERVER)
    muster.write("rank.py", CLIENT)
    done = muster("run", job(1, nodes=2))
    assert done.code == 1
    assert re.search(r"failed: the service on \S+: the command of `service` exited with code 3", done.err), done


# The server starts a helper in a session of its own and one that ignores SIGTERM.
HELPED_SERVER = """
for words in "setsid sh" "sh"; do
  $words -c 'trap "" TERM; echo $$ >> helpers-$MUSTER_ATTEMPT; exec tail -f /dev/null' &
done
until test "$(wc -l < helpers-$MUSTER_ATTEMPT)" = 2; do :; done
exec python3 server.py "$@"
"""
OF_TWO_ATTEMPTS = """
import os, sys
if os.environ["MUSTER_ATTEMPT"] == "1":
    sys.exit(3)
print("left", [pid for pid in open("helpers-1").read().split() if os.path.exists(f"/proc/{pid}")], flush=True)
"""


@pytest.mark.parametrize("flags", [(), ("--standalone",)])
def test_helpers_of_a_server_end_with_the_attempt(muster, job, flags):
    path = job(1, service=["sh", "server.sh", "${master_address}", "${master_port}"], restarts={"limit": 1})
    muster.write("server.sh", HELPED_SERVER)
    muster.write("rank.py", OF_TWO_ATTEMPTS)
    done = muster.ok("run", *flags, path)
    assert done.lines() == ["left []"] and "work may be lost" not in done.err, done
    helpers = [int(pid) for attempt in (1, 2) for pid in (muster.work / f"helpers-{attempt}").read_text().split()]
    assert len(helpers) == 4
    wait_for(lambda: not any(alive(pid) for pid in helpers), "the helpers to end")


def test_a_server_in_the_background_ends_with_the_attempt(muster, job):
    muster.write("rank.py", "import os\nwhile not os.path.exists('pid') or os.path.getsize('pid') == 0:\n    pass\n")
    done = muster.ok("run", job(1, service=["sh", "-c", "setsid tail -f /dev/null & echo $$! > pid"]))
    assert "work may be lost" not in done.err, done
    wait_for(lambda: not alive(int((muster.work / "pid").read_text())), "the server to end")


@pytest.mark.parametrize("keys, said", [
    ({"service": ["./server", "${rank}"]}, "`${rank}` is the number of a rank, but `service` is no rank"),
    ({"service": ["./server", "${port}"]}, "`${port}` is a port of a rank, but `service` is no rank"),
    ({"service": ["./server", "${prot}"]}, "unknown placeholder `${prot}` in the template of `service`"),
    ({"framework": "torch", "custom": {}}, "`service` is for `framework: custom`; this job's framework is torch"),
])
def test_mistakes_are_shown_before_anything_starts(muster, job, keys, said):
    path = job()
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))
    done = muster("run", path)
    assert done.code == 2 and said in done.err


HOROVOD_RANK = """
import http.client, os, sys
def ask(method, path, value=None):
    server = http.client.HTTPConnection(os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"], int(os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"]), timeout=60)
    server.request(method, path, value)
    answer = server.getresponse()
    return answer.status, answer.read().decode()
def wait_for(path):
    while (answer := ask("GET", path))[0] == 404:
        pass
    return answer[1]
rank, ranks, attempt = os.environ["HOROVOD_RANK"], range(int(os.environ["HOROVOD_SIZE"])), os.environ["MUSTER_ATTEMPT"]
def meet(scope):
    ask("PUT", f"/{scope}/{rank}", "")
    for peer in ranks:
        wait_for(f"/{scope}/{peer}")
for turn in (1, 2):  # hvd.init() as Gloo does it, then hvd.shutdown()
    ask("PUT", f"/global/rank_{rank}", "host")
    before = ask("GET", f"/global/{rank}")[0]
    ask("PUT", f"/global/{rank}", f"{os.environ['MUSTER_JOB_NAME']} {attempt} {turn}")
    if "fail" in sys.argv and attempt == "1" and rank == "1":
        sys.exit(3)
    peers = [wait_for(f"/global/{peer}") for peer in ranks]
    meet(f"connected-{turn}")
    ask("DELETE", f"/global/{rank}")
    meet(f"shutdown-{turn}")
    print(f"before {before}, peers {peers}", flush=True)
"""


def horovod_job(muster, name, *words, **keys):
    muster.write("horovod_rank.py", HOROVOD_RANK)
    return muster.job_file(name=name, framework="horovod", workers=2, warm="off", command=["python3", "horovod_rank.py", *words], **keys)


def test_ranks_of_horovod_meet_at_an_empty_server_in_each_attempt(muster):
    done = muster.ok("run", horovod_job(muster, "hvd", "fail", restarts={"limit": 1}))
    assert sorted(re.findall(r"before .*", done.out)) == [f"before 404, peers ['hvd 2 {turn}', 'hvd 2 {turn}']" for turn in (1, 1, 2, 2)]


def test_two_jobs_of_horovod_never_meet(muster):
    names = [muster.submit(horovod_job(muster, name)) for name in ("one", "two")]
    for name in names:
        assert muster("wait", name).code == 0
        peers = [f"peers ['{name} 1 {turn}', '{name} 1 {turn}']" for turn in (1, 1, 2, 2)]
        assert sorted(re.findall(r"peers .*", muster.ok("logs", name).out)) == peers
