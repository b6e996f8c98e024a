# SPDX-License-Identifier: Apache-2.0
"""TCP ports that are in use, hosts that leave and join, and a driver that does not answer."""

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from explained import ended
from small_disk import NAMESPACES
from typed_hosts import Elastic, Hosts, clear_away, told
from typed_hosts import ended as left
from waiting import wait_for

STAND_IN = Path(os.environ["MUSTER_BINARY"]).parent / "stand_in" / "libnvml_stand_in.so"
# In a separate network namespace: all TCP ports of muster's range are in use, except one.
TAKES = """
import os, socket, subprocess, sys
subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
taken = []
for port in range(20000, 28000):
    if port == 26543: continue
    taken.append(socket.socket())
    taken[-1].bind(('', port))
    taken[-1].listen(1)
    os.set_inheritable(taken[-1].fileno(), False)
raise SystemExit(subprocess.run(sys.argv[1:]).returncode)
"""


def can_have_a_network():
    return subprocess.run([*NAMESPACES[:-1], "--net", "--", "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode == 0


@pytest.mark.row(28, "all TCP ports of the range are taken but one")
@pytest.mark.skipif(not can_have_a_network(), reason="this kernel lets no unprivileged user have a network of its own")
def test_a_port_that_is_taken_is_passed_over(muster, fault):
    muster.write("takes.py", TAKES)
    muster.write("inner", f"{muster.binary} run --framework torch -- sh -c 'echo $MASTER_PORT'; code=$?; kill $(head -n 1 $MUSTER_STATE_DIR/lock); exit $code")
    words = ["bash", "-c", "ulimit -n $(ulimit -Hn); exec \"$@\"", "bash", *NAMESPACES[:-1], "--net", "--", "python3", "takes.py", "sh", "./inner"]
    done = fault.inject(subprocess.run, words, cwd=muster.work, env=muster.env, capture_output=True, text=True, timeout=120, check=False)
    fault.reached("recover")
    assert (done.returncode, done.stdout) == (0, "26543\n"), done
    fault.note = "8,000 sockets opened, the whole job"


@pytest.mark.row(28, "torchrun's --master-port is taken")
def test_a_port_that_was_asked_for_and_is_taken_is_named(muster, fault):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = fault.inject(muster, "torchrun", "--nnodes", 2, "--node-rank", 0, "--master-addr", "127.0.0.1", "--master-port", port, "--no-python", "true")
    fault.reached("detect", "name")
    assert done.code == 1 and f"cannot listen at 127.0.0.1:{port}" in done.err and f"ss -ltnp sport = :{port}" in done.err, done


@pytest.fixture
def gpus(muster):
    """The stand-in of the driver's library, in the environment of everything that the test starts."""
    def play(script):
        folder = muster.home.parent / "driver"
        folder.mkdir(exist_ok=True)
        shutil.copy(STAND_IN, folder / "libnvidia-ml.so.1")
        muster.env |= {"LD_LIBRARY_PATH": str(folder), "MUSTER_NVML_STAND_IN": script}
    return play


@pytest.mark.row(50, "NVML does not answer")
def test_a_driver_that_hangs_holds_nothing_up(muster, fault, gpus):
    gpus("gpus=2 hang")
    done = fault.inject(muster, "run", "--name", "blind", "--", "sh", "-c", "echo ${CUDA_VISIBLE_DEVICES-none}")
    fault.reached("recover")
    assert (done.code, done.lines()) == (0, ["none"]), done
    assert "no GPUs: NVML did not answer within 2 s" in (muster.state / "log" / "controller.log").read_text()
    fault.note = "the first command of a controller waits; jobs run on CPUs"
    assert "NVML did not answer within 2 s" in muster.ok("doctor").out
    refused = muster("run", "--gpus", 1, "--", "true")
    assert refused.code == 8 and "has none" in refused.err


@pytest.mark.row(50, "NVML begins to hang under a running job")
def test_a_driver_that_hangs_later_disturbs_no_job(muster, fault, gpus):
    gpus("gpus=2")
    muster.submit("--name", "through", "--gpus", 1, "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; until test -e go; do sleep 0.05; done")
    muster.wait_for_ranks("through")
    gpus("gpus=2 hang")
    muster.kill_controller()
    fault.inject(muster.ok, "ps")
    assert muster.wait_for_ranks("through")["attempt"] == 1
    fault.reached("recover")
    fault.note = "the next controller asks a driver that hangs"
    (muster.work / "go").write_text("")
    ended(muster, "through", 0)
    assert muster.ok("logs", "through").out.startswith("GPU-")


@pytest.mark.row(50, "NVML is missing or broken: {}")
@pytest.mark.parametrize("script", ["no library", "init=9", "gpus=2 lost=1"])
def test_a_driver_that_is_missing_or_broken(muster, fault, gpus, script):
    if script != "no library":
        gpus(script)
    done = fault.inject(muster, "run", "--", "sh", "-c", "echo ${CUDA_VISIBLE_DEVICES-none}")
    fault.reached("recover")
    assert ("GPU 1 is left out: GPU is lost" in muster.ok("doctor").out) == ("lost" in script)
    if os.path.exists("/dev/nvidiactl") and script == "no library":
        assert done.code == 0
    else:
        assert done.lines() == (["GPU-00000000-0000-0000-0000-000000000000"] if "lost" in script else ["none"]), done


@pytest.fixture
def gang(muster):
    gang = Elastic(muster, Hosts(muster), "1:3")
    told(gang.first, "rank 0 of world 2, host 0 of 1, restart 0")
    return gang


def end(muster, gang, *others):
    gang.first.signal(signal.SIGTERM)
    for command in (gang.first, *others):
        left(command, 1)
    clear_away(muster)


def coordinated(muster):
    """The job as seen by the first host; the other host's copy is named after its node."""
    return next(job["name"] for job in muster.ok("ps", "-a", "-o", "json").json()["jobs"] if "-node" not in job["name"])


@pytest.mark.row(55, "a host comes to a running gang")
def test_a_gang_grows(muster, fault, gang):
    second = fault.inject(gang.start, 1)
    told(gang.first, "restarting with 2 hosts, 3 ranks", "rank 1 of world 3, host 0 of 2, restart 0")
    told(second, "rank 2 of world 3, host 1 of 2, restart 0")
    fault.read(muster, coordinated(muster), named=" joined: it takes part in the next attempt", recovered="running again after")
    fault.note = "a last call of 1 s in it"
    end(muster, gang, second)


def joined_by_another(gang):
    second = gang.start(1)
    told(second, "rank 2 of world 3")
    wait_for(lambda: "of world 3" in gang.first.out(), "both to run")
    return second


@pytest.mark.row(55, "a host leaves a running gang")
def test_a_gang_shrinks(muster, fault, gang):
    second = joined_by_another(gang)
    fault.inject(second.signal, signal.SIGTERM)
    told(gang.first, "continuing with 1 host, 2 ranks", "rank 0 of world 2, host 0 of 1, restart 1")
    left(second, 1)
    fault.read(muster, coordinated(muster), named="which leaves the job · restarting", recovered="running again after")
    end(muster, gang)


@pytest.mark.row(55, "a host of a running gang is killed")
def test_a_gang_shrinks_by_a_lost_host(muster, fault, gang):
    second = joined_by_another(gang)
    fault.inject(second.signal, signal.SIGKILL)
    second.process.wait()
    told(gang.first, "was lost: no report", "continuing with 1 host, 2 ranks", "rank 0 of world 2, host 0 of 1, restart 1")
    fault.read(muster, coordinated(muster), named="was lost: no report", recovered="running again after")
    fault.note = "after lease, grace and margin"
    end(muster, gang)
