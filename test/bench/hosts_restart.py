# SPDX-License-Identifier: Apache-2.0
"""A torch rank is killed on one of many hosts: time until all have passed the first collective again, with muster and with torchrun."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from attempts import HANGS
from sides import Failed, in_turns, median, read_report
from table import Row, duration
from torch_sides import GOOD_MODE, PROGRAM

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "ssh"), str(TESTS / "e2e")]
from hosts import PROGRAMS, REPORTS, TORCH  # noqa: E402
from waiting import wait_for  # noqa: E402

KILLS = 3
FIRST = 120  # seconds for the first attempt
PYTHON = "/usr/bin/python3"
TORCHRUN = ["-m", "torch.distributed.run", "--nproc-per-node", "1", "--max-restarts", "99", "--rdzv-backend", "c10d", "--rdzv-id", "bench"]
PORT = 29400
TORCH_PROGRAMS = Path(PROGRAM).parent


def packages_of(interpreter):
    return next(Path(interpreter).parents[1].glob("lib/python3*/site-packages"))


def share(folder, here, programs):
    """Names the folders that the hosts see although they do not see this machine's /tmp, /var/tmp and /home, where `folder`, the clone or the
    cache may be."""
    reports = folder / "reports"
    reports.mkdir()
    os.environ |= {"SSH_TEST_PROGRAMS": str(programs), "SSH_TEST_REPORTS": str(reports)}
    if here.torch:
        os.environ["SSH_TEST_TORCH"] = str(packages_of(here.torch))


@contextlib.contextmanager
def torch_on(network, interpreter):
    """Debian's python3 has torch, here and on all hosts. The hosts know each other's names, since torchrun looks up its own."""
    folder = f"/usr/local/lib/{packages_of(interpreter).parent.name}/dist-packages"
    for world in (network.here, *network.hosts):
        world.run("mount", "--bind", TORCH, folder)
        world.write("/run/hosts", "".join(["127.0.0.1 localhost\n", *(f"{host.address} {host.name}\n" for host in network.hosts)]))
        world.run("mount", "--bind", "/run/hosts", "/etc/hosts")
    yield


@contextlib.contextmanager
def report_folder():
    """A folder that all hosts see below REPORTS, by its path on this machine."""
    with tempfile.TemporaryDirectory(prefix="muster-bench-", dir=os.environ["SSH_TEST_REPORTS"]) as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def program(folder):
    """The words that start a rank on a host."""
    return [PYTHON, PROGRAMS / Path(PROGRAM).name, REPORTS / folder.name, "forever"]


def kill_on(host, reports):
    place = os.stat(f"/proc/{host.pid}/ns/pid").st_ino
    rank = next(report for report in reports if report.calls["place"] == [place])
    killed = time.monotonic_ns()
    host.run("kill", "-9", rank.calls["pid"][0])
    return killed


def passed_after(folder, ranks, since):
    """The report of each rank that passed its first collective after that time; none until all have. Agents of torchrun count attempts
    separately."""
    found = {}
    for path in folder.iterdir():
        if path.suffix != ".new" and (report := read_report(path)).passed > since:
            found[path.name.rpartition("-")[2]] = report
    return list(found.values()) if len(found) == ranks else None


def restarts(folder, hosts):
    """Seconds of each restart; HANGS for one that did not happen."""
    found, took = wait_for(lambda: passed_after(folder, len(hosts), 0), "a first attempt", FIRST), []
    for _ in range(KILLS):
        killed = kill_on(hosts[-1], found)
        try:
            found = wait_for(lambda killed=killed: passed_after(folder, len(hosts), killed), "a new attempt", HANGS)
        except AssertionError:
            return [*took, float(HANGS)]
        took.append((max(report.passed for report in found) - killed) / 1e9)
    return took


def started(network, words):
    return subprocess.Popen(network.here.words(*words, user=os.environ["SSH_TEST_UID"]), env=network.variables(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def by_muster(network, desk, names):
    with report_folder() as folder:
        done = desk.muster("submit", "-q", "--hosts", names, "--workdir", "/", "--framework", "torch", "-n", "1", "--restarts", "99", "--",
                           *map(str, program(folder)))
        if done.returncode != 0:
            raise Failed(done.stderr)
        try:
            return restarts(folder, network.hosts)
        finally:
            desk.muster("kill", done.stdout.strip())
            desk.muster("wait", done.stdout.strip())


def by_torchrun(network):
    with report_folder() as folder:
        variables = [f"{name}={value}" for name, value in (GOOD_MODE | {"GLOO_SOCKET_IFNAME": "eth0", "OMP_NUM_THREADS": "1"}).items()]
        interpreter, *script = program(folder)
        words = ["env", *variables, interpreter, *TORCHRUN, "--nnodes", len(network.hosts), "--rdzv-endpoint", f"{network.hosts[0].address}:{PORT}",
                 *script]
        agents = [started(network, ["ssh", "-tt", host.name, " ".join(map(str, words))]) for host in network.hosts]
        try:
            return restarts(folder, network.hosts)
        finally:
            for host in network.hosts:
                host.run("sh", "-c", "pkill -9 -x python3; true")
            for agent in agents:
                agent.terminate()
                agent.wait()


def row(network, here, desk, names, say):
    count = len(network.hosts)
    with torch_on(network, here.torch):
        sides = {"muster": lambda: by_muster(network, desk, names), "torchrun": lambda: by_torchrun(network)}
        found = in_turns(here.rounds or 1, sides, lambda text: say(f"{count} hosts, a rank killed, {text}"))
    took = {side: median([time for times in each for time in times]) for side, each in found.items()}
    return Row(f"{count} hosts, a rank of torch killed on one, until all are past the first collective, against torchrun c10d", took["muster"],
               took["torchrun"], duration, 0.6, True)
