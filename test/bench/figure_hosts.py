"""hosts: jobs on hosts over ssh, each a network namespace with a real sshd; beside mpirun over the same ssh."""

import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from sides import Failed, in_turns, median, run
from table import Row, Table, duration

sys.path.append(str(Path(__file__).parents[1] / "ssh"))
from hosts import Network, USER  # noqa: E402

COUNTS = (1, 8, 32)
ROUNDS = 5
TRUE = "/bin/true"
SPEED_BYTES = 64 << 20  # that ssh's throughput is measured with


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
    """The words as the user on this machine's own side; seconds."""
    began = time.monotonic()
    run(network.here.words(*words, user=os.environ["SSH_TEST_UID"]), {**network.variables(), "OMPI_MCA_plm_rsh_agent": "ssh"})
    return time.monotonic() - began


def names(count):
    return ",".join(f"a{number}" for number in range(1, count + 1))


def muster(network, count):
    return there(network, "/run/muster/muster", "run", "-q", "--hosts", names(count), "--workdir", "/", "--", TRUE)


def mpirun(network, count):
    return there(network, "mpirun", "--host", names(count), "-n", count, "--map-by", "node", "--wdir", "/", TRUE)


def ssh_bytes_a_second(network):
    """Of a file through ssh to the first host."""
    there(network, "sh", "-c", f"head -c {SPEED_BYTES} /dev/zero >/tmp/zero")
    return SPEED_BYTES / there(network, "sh", "-c", "ssh a1 'cat >/dev/null' </tmp/zero")


def forget(network):
    for host in network.hosts:
        host.run("sh", "-c", f"rm -rf /home/{USER}/.cache")


def first_and_again(network, count, say):
    sides = {"muster": lambda: muster(network, count), "mpirun": lambda: mpirun(network, count)}
    muster(network, count)
    found = in_turns(ROUNDS, sides, lambda text: say(f"{count} hosts, {text}"))
    took = {side: median(times) for side, times in found.items()}
    yield Row(f"{count} hosts, command to its end, against mpirun", took["muster"], took["mpirun"], duration, 0.5, True)
    forget(network)
    first = muster(network, count)
    yield Row(f"{count} hosts, the first time, beside twice that", first, 2 * took["muster"], duration, 0, True, "beyond")


def measure(here, say):
    if os.geteuid() != 0:
        raise Failed("hosts are network namespaces, which only root makes")
    rows = []
    for count in COUNTS:
        with hosts(here, count) as network:
            rows += first_and_again(network, count, say)
            if count == COUNTS[0]:
                say(f"ssh: {ssh_bytes_a_second(network) / 1e6:.0f} MB/s")
    return Table("hosts: one /bin/true a host over ssh, the agent's program there already; medians", rows)
