"""hosts: jobs on hosts over ssh, each host a network namespace with a real sshd; beside mpirun over the same ssh."""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from sides import Failed, in_turns, median, run
from table import Row, Table, duration, size

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "ssh"), str(TESTS / "e2e")]
from desk import Desk  # noqa: E402
from hosts import USER, Network  # noqa: E402
from waiting import wait_for  # noqa: E402

COUNTS = (1, 8, 32)
ROUNDS = 5
TRUE = "/bin/true"
MASTERS = f"rm -rf /tmp/muster-*/cm-* && pkill -u {USER} -x ssh; true"  # connections that are kept for the next job
PROBE = 64 << 20                                                        # bytes that ssh's throughput is measured with
OUTPUT_RANKS, OUTPUT_SECONDS = 32, 15
PRINT = """import select, sys, time
block, at = (b"x" * 99 + b"\\n") * 100, time.monotonic()
while True:
    sys.stdout.buffer.write(block)
    sys.stdout.flush()
    at += 0.01
    select.select([], [], [], max(0, at - time.monotonic()))
"""


@contextmanager
def hosts(here, count):
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
        made = Network(Path(folder), here.muster, count)
        try:
            for host in made.hosts:
                host.run("chown", USER, f"/home/{USER}")
                host.serve(made.public_key)
            yield made
        finally:
            made.end()


def there(network, *words):
    """Seconds that the words take as the user on this machine's own side."""
    began = time.monotonic()
    run(network.here.words(*words, user=os.environ["SSH_TEST_UID"]), network.variables())
    return time.monotonic() - began


def names(count):
    return ",".join(f"a{number}" for number in range(1, count + 1))


def muster(network, count):
    return there(network, "/run/muster/muster", "run", "-q", "--hosts", names(count), "--workdir", "/", "--", TRUE)


def anew(network, count):
    """The same where no connection is there from before."""
    network.here.run("sh", "-c", MASTERS)
    return muster(network, count)


def mpi_words(count, *words):
    return ["mpirun", "--host", names(count), "-n", count, "--map-by", "node", "--wdir", "/", *words]


def ssh_bytes_a_second(network):
    there(network, "sh", "-c", f"head -c {PROBE} /dev/zero >/tmp/zero")
    took = there(network, "sh", "-c", "ssh a1 'cat >/dev/null' </tmp/zero") - there(network, "ssh", "a1", "true")
    return PROBE / max(took, 0.01)


def launches(network, count, say):
    muster(network, count)
    sides = {"muster": lambda: anew(network, count), "again": lambda: muster(network, count), "mpirun": lambda: there(network, *mpi_words(count, TRUE))}
    found = in_turns(ROUNDS, sides, lambda text: say(f"{count} hosts, {text}"))
    took = {side: median(times) for side, times in found.items()}
    yield Row(f"{count} hosts, command to its end, against mpirun", took["muster"], took["mpirun"], duration, 0.5, True)
    yield Row(f"{count} hosts, a second job, against the first", took["again"], took["muster"], duration, 0.3, True)
    yield Row(f"{count} hosts, a second job, against mpirun", took["again"], took["mpirun"], duration)
    for host in network.hosts:
        host.run("rm", "-rf", f"/home/{USER}/.cache")
    first = anew(network, count)
    bytes_sent = sum(file.stat().st_size for file in [network.here.file("/run/muster/muster")]) / 3 * count  # gzip makes a third of it
    allowed = 2 * took["muster"] + bytes_sent / ssh_bytes_a_second(network)
    yield Row(f"{count} hosts, the first time, against twice that and its bytes", first, allowed, duration, 1.0, True)


def resident(world, *words):
    """(processes, their memory in bytes) there whose command line, without its program's folder, begins with one of the words."""
    own = []
    for line in world.run("ps", "-eo", "rss,args", "--no-headers").splitlines():
        rss, program, *rest = line.split()
        if " ".join([program.rpartition("/")[2], *rest]).startswith(words):
            own.append(int(rss) << 10)
    return len(own), sum(own)


def memory(network, count, say):
    desk = Desk(network)
    name = desk.submit("sleep 600", hosts=names(count))
    desk.wait_until(name, "running", 120)
    say(f"{count} hosts, a job that sleeps")
    ours = resident(network.here, "muster serve")[1]
    own = resident(network.hosts[0], "muster ")[0]
    desk.end()
    with subprocess.Popen(network.here.words(*mpi_words(count, "sleep", "600"), user=os.environ["SSH_TEST_UID"]), env=network.variables(),
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as rival:
        wait_for(lambda: resident(network.hosts[-1], "sleep 600")[0] and resident(network.hosts[0], "sleep 600")[0], "mpirun's ranks", 120)
        theirs = resident(network.here, "mpirun")[1]
        daemons = resident(network.hosts[0], "orted")[0]
        rival.terminate()
    yield Row(f"{count} hosts, memory of the controller, against mpirun's", ours, theirs, size, 1.0, True)
    yield Row(f"processes on a host beside ranks and sshd, against orted", own, daemons, lambda number: f"{number:.0f}")


def cpu_of(world, pid):
    fields = world.file(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def output(network, say):
    desk = Desk(network)
    ranks = OUTPUT_RANKS // len(network.hosts)
    words = ["--backend", "ssh", "--hosts", names(len(network.hosts)), "--workers", str(ranks), "--workdir", "/", "--", "python3", "-c", PRINT]
    done = desk.muster("submit", "-q", *words)
    if done.returncode != 0:
        raise Failed(done.stderr)
    name = done.stdout.strip()
    desk.wait_until(name, "running", 120)
    with subprocess.Popen(network.words_of_muster("logs", "-f", name), env=network.variables(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as follower:
        pid = desk.controller()
        before, began = cpu_of(network.here, pid), time.monotonic()
        wait_for(lambda: time.monotonic() - began > OUTPUT_SECONDS, "time to pass", 2 * OUTPUT_SECONDS)
        used = (cpu_of(network.here, pid) - before) / (time.monotonic() - began)
        follower.terminate()
    say(f"{OUTPUT_RANKS} ranks that print 1 MB/s each")
    desk.end()
    yield Row(f"{OUTPUT_RANKS} ranks × 1 MB/s on {len(network.hosts)} hosts, followed: the controller's CPUs", used, None, lambda cores: f"{cores:.2f}", 0.5, True, "itself")


def measure(here, say):
    if os.geteuid() != 0 or "SSH_TEST_SSHD" not in os.environ:
        raise Failed("hosts are network namespaces with an sshd each; scripts/bench hosts makes them, as root")
    rows = []
    for count in COUNTS:
        with hosts(here, count) as network:
            rows += launches(network, count, say)
            if count == 8:
                rows += output(network, say)
            if count == COUNTS[-1]:
                rows += memory(network, count, say)
    return Table(f"hosts: one {TRUE} a host over ssh, the program there already; medians of {ROUNDS}\n"
                 "  rival: mpirun over the same ssh", rows)
