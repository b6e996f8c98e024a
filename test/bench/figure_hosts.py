# SPDX-License-Identifier: Apache-2.0
"""hosts: jobs on hosts over ssh, each host a network namespace with a real sshd; compared with mpirun over the same ssh."""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import hosts_memory
import hosts_restart
from sides import Failed, in_turns, median, run
from table import Row, Table, duration

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "ssh"), str(TESTS / "e2e")]
from desk import Desk, ranks_on  # noqa: E402
from hosts import USER, Network  # noqa: E402
from waiting import wait_for  # noqa: E402

COUNTS = (1, 8, 32)
ROUNDS = 5
TRUE = "/bin/true"
MASTERS = f"pkill -9 -u {USER} -x ssh; rm -f /tmp/muster-*/ssh-*; true"  # connections are kept for the next job
PROBE = 64 << 20                                                        # bytes to measure ssh's throughput
AT_ONCE = 8                                                              # hosts to which muster connects at the same time
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
def hosts(here, count, programs=hosts_restart.TORCH_PROGRAMS):
    """Hosts that see `programs`."""
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
        hosts_restart.share(Path(folder), here, programs)
        made = Network(Path(folder), here.muster, count)
        try:
            for host in made.hosts:
                host.run("chown", USER, f"/home/{USER}")
                host.serve(made.public_key)
            yield made
        finally:
            made.end()


def there(network, *words):
    """Seconds for running these words as the user on this machine's own side."""
    began = time.monotonic()
    run(network.here.words(*words, user=os.environ["SSH_TEST_UID"]), network.variables())
    return time.monotonic() - began


def names(count):
    return ",".join(f"a{number}" for number in range(1, count + 1))


def muster_words(count, *flags):
    return ["/run/muster/muster", "run", "-q", "--hosts", names(count), "--workdir", "/", *flags]


def muster(network, count):
    return there(network, *muster_words(count), "--", TRUE)


def anew(network, count):
    """The same without a kept connection."""
    network.here.run("sh", "-c", MASTERS)
    return muster(network, count)


def ssh_alone(network, count):
    """One login for each host, as many at the same time as muster starts, and nothing else."""
    network.here.run("sh", "-c", MASTERS)
    return there(network, "sh", "-c", f"printf '%s\\n' {names(count).replace(',', ' ')} | xargs -P {AT_ONCE} -I HOST ssh HOST true")


def mpi_words(count, *words):
    return ["mpirun", "--host", names(count), "-n", count, "--map-by", "node", "--wdir", "/", *words]


def ssh_bytes_a_second(network):
    there(network, "sh", "-c", f"head -c {PROBE} /dev/zero >/tmp/zero")
    took = there(network, "sh", "-c", "ssh a1 'cat >/dev/null' </tmp/zero") - there(network, "ssh", "a1", "true")
    return PROBE / max(took, 0.01)


def ended_everywhere(network):
    """Waits until the previous job has left its hosts: a link that is cut before would be opened again, and the program copied again."""
    wait_for(lambda: not any(ranks_on(host, "muster") for host in network.hosts),
             "the job before to leave its hosts", 30)


def forget(network):
    ended_everywhere(network)
    for host in network.hosts:
        host.run("rm", "-rf", f"/home/{USER}/.cache")


def bytes_sent(network, count):
    forget(network)
    return sum(host["sent_bytes"] for host in json.loads(network.muster("hosts", "--hosts", names(count), "-o", "json").stdout)["hosts"])


def first_time(network, count):
    """Seconds of a job on hosts without muster; other hosts had it, so the archive is already packed."""
    forget(network)
    return anew(network, count)


def launches(network, count, say):
    muster(network, count)
    sides = {"muster": lambda: anew(network, count), "again": lambda: muster(network, count), "mpirun": lambda: there(network, *mpi_words(count, TRUE)),
             "ssh": lambda: ssh_alone(network, count)}
    found = in_turns(ROUNDS, sides, lambda text: say(f"{count} hosts, {text}"))
    took = {side: median(times) for side, times in found.items()}
    yield Row(f"{count} hosts, command to its end, against mpirun", took["muster"], took["mpirun"], duration, 0.5, True)
    yield Row(f"{count} hosts, command to its end, against a login a host by ssh alone", took["muster"], took["ssh"], duration)
    yield Row(f"{count} hosts, a login a host by ssh alone, against mpirun: what no launcher over ssh is below", took["ssh"], took["mpirun"], duration)
    yield Row(f"{count} hosts, a second job, against the first", took["again"], took["muster"], duration, 0.3, True)
    yield Row(f"{count} hosts, a second job, against mpirun", took["again"], took["mpirun"], duration)
    sent = bytes_sent(network, count)
    first = median([first_time(network, count) for _ in range(ROUNDS if count == 1 else 3)])
    allowed = 2 * took["muster"] + sent / ssh_bytes_a_second(network)
    yield Row(f"{count} hosts, the first time, against twice that and its bytes", first, allowed, duration, 1.0, True)


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


def need_hosts():
    if os.geteuid() != 0 or "SSH_TEST_SSHD" not in os.environ:
        raise Failed("hosts are network namespaces with an sshd each; scripts/bench hosts makes them, as root")


def measure(here, say):
    need_hosts()
    rows = []
    for count in COUNTS:
        with hosts(here, count) as network:
            rows += launches(network, count, say)
            if count == 8:
                rows += output(network, say)
                rows += [hosts_restart.row(network, here, Desk(network), names(count), say)] if here.torch else []
            if count == COUNTS[-1]:
                say(f"{count} hosts, a job that sleeps")
                rows += hosts_memory.rows(network, Desk(network), names(count), mpi_words(count), wait_for)
    return Table(f"hosts: one {TRUE} a host over ssh, the program there already; medians of {ROUNDS}\n"
                 "  rival: mpirun over the same ssh, which is faster than ssh beside ssh with torchrun c10d: that imports torch first", rows)
