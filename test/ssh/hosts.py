# SPDX-License-Identifier: Apache-2.0
"""Hosts for tests: network, mount and process namespaces on one bridge, each with a real sshd. Needs root; leaves nothing.

A host ends with the process that holds its namespaces: the kernel kills its processes and unmounts its file systems. The bridge is
in a separate namespace, so the machine's own network does not change."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "e2e"))
from waiting import wait_for  # noqa: E402

USER = "mia"
NETWORK = "10.77.0"
PATIENCE = 60
# A world of its own: what a host writes vanishes with it. $1 $2 $3, $4 $5 $6, …: the name of a folder below /run, ro or rw, and the folder of
# this machine that is seen there. It is bound before the folder that holds it may be hidden.
SETUP = """
set -e
bind() { while [ $# -gt 0 ]; do mkdir "$WORLD/$1"; mount -o "bind,$2" "$3" "$WORLD/$1"; shift 3; done; }
move() { while [ $# -gt 0 ]; do mkdir "/run/$1"; mount --move "$WORLD/$1" "/run/$1"; shift 3; done; }
bind "$@"
mount --bind "$WORLD/passwd" /etc/passwd
mount --bind "$WORLD/resolv.conf" /etc/resolv.conf
mount -t tmpfs -o mode=755 tmpfs /run
move "$@"
for folder in /home /tmp /var/tmp; do mount -t tmpfs -o mode=755 tmpfs $folder; done
chmod 1777 /tmp /var/tmp
mkdir -p /home/{user} /run/sshd /run/muster
hostname "$NAME"
ip link set lo up
exec sleep infinity
"""
# Where a host sees folders from elsewhere on this machine.
BUILD, SSHD, TORCH, OLD_ROOT = Path("/run/build"), Path("/run/openssh"), Path("/run/torch"), Path("/run/old-root")
PACKAGES = Path("/run/packages")  # of another framework
PROGRAMS, REPORTS = Path("/run/programs"), Path("/run/reports")  # of benchmarks; hosts may write only to REPORTS


def shared_folders():
    """The arguments of SETUP: for each of these folders that exists, its name, ro or rw, and its path."""
    variables = {BUILD: "MUSTER_BINARY", SSHD: "SSH_TEST_SSHD", TORCH: "SSH_TEST_TORCH", OLD_ROOT: "SSH_TEST_OLD_ROOT",
                 PACKAGES: "SSH_TEST_PACKAGES",
                 PROGRAMS: "SSH_TEST_PROGRAMS", REPORTS: "SSH_TEST_REPORTS"}
    found = {there: Path(os.environ[name]) for there, name in variables.items() if os.environ.get(name)}
    folders = {there: path if path.is_dir() else path.parent for there, path in found.items() if path.exists()}
    return [str(word) for there, here in folders.items() for word in (there.name, "rw" if there == REPORTS else "ro", here)]


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{words}: {done.stderr or done.stdout}")
    return done.stdout


class World:
    """The namespaces of one host. `pid`: the process that holds them, seen from outside."""

    def __init__(self, folder, name, setup=SETUP):
        self.name, self.folder = name, folder / name
        self.folder.mkdir()
        uid = os.environ["SSH_TEST_UID"]
        (self.folder / "passwd").write_text(
            f"root:x:0:0::/root:/bin/sh\nsshd:x:105:65534::/run/sshd:/usr/sbin/nologin\n{USER}:x:{uid}:{uid}::/home/{USER}:/bin/bash\n")
        (self.folder / "resolv.conf").write_text("nameserver 127.0.0.1\n")  # answers "no" at once, since torch looks up every address
        words = ["setpriv", "--pdeathsig", "KILL",  # the host ends with this process, however this process ends
                 "unshare", "--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc", "--propagation", "private",
                 "sh", "-c", setup.replace("{user}", USER), "sh", *shared_folders()]
        self.holder = subprocess.Popen(words, env={**os.environ, "WORLD": str(self.folder), "NAME": name}, stdin=subprocess.DEVNULL)
        self.pid = wait_for(lambda: self.sleeper(), f"{name} to be there", PATIENCE)

    def sleeper(self):
        children = Path(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children").read_text().split()
        ready = children and Path(f"/proc/{children[0]}/cmdline").read_bytes().startswith(b"sleep")
        return int(children[0]) if ready else None

    def words(self, *words, user=None):
        """The command that runs these words there."""
        drop = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"] if user else []
        return ["nsenter", "-t", str(self.pid), "--net", "--mount", "--pid", "--uts", "--ipc", *drop, *map(str, words)]

    def run(self, *words, **options):
        return run(*self.words(*words), **options)

    def file(self, path):
        """The path of a host's file as seen by this process."""
        return Path(f"/proc/{self.pid}/root{path}")

    def write(self, path, text, mode=0o644):
        file = self.file(path)
        self.run("mkdir", "-p", str(Path(path).parent))
        file.write_text(text)
        file.chmod(mode)
        if path.startswith("/home/"):
            self.run("chown", "-R", f"{os.environ['SSH_TEST_UID']}:{os.environ['SSH_TEST_UID']}", f"/home/{USER}")

    def processes(self):
        """Command lines of all processes there, except the host's own process, which does not reap."""
        lines = self.run("ps", "-eo", "pid,args", "--no-headers").splitlines()
        return [line.strip() for line in lines if not any(own in line for own in ("sleep infinity", "ps -eo", "sshd", "<defunct>"))]

    def sweep(self):
        """Kills all processes there except the host's own: what a failed test left must not affect the next test."""
        def swept():
            left = [line.split()[0] for line in self.processes()]
            subprocess.run(self.words("kill", "-9", *left), check=False, capture_output=True)
            return not left
        wait_for(swept, lambda: f"nothing to run on {self.name}: {self.processes()}", PATIENCE)

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.holder.wait()


class Host(World):
    def __init__(self, folder, network, number, name=None):
        super().__init__(folder, name or f"a{number}")
        self.address = f"{NETWORK}.{number}"
        network.plug(self, self.address)
        key = self.folder / "host_key"
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
        self.public_key = (self.folder / "host_key.pub").read_text()
        self.write("/run/host_key", key.read_text(), 0o600)
        self.daemon = None

    def serve(self, public_key, *settings):
        """Starts a new sshd with these settings placed before the usual ones."""
        self.hang_up()
        self.port = next((int(setting.split()[1]) for setting in settings if setting.startswith("Port ")), 22)
        self.write("/run/authorized", public_key)
        usual = [f"ListenAddress {self.address}", "HostKey /run/host_key", "AuthorizedKeysFile /run/authorized", "StrictModes no", "UsePAM no",
                 "PidFile none", "PasswordAuthentication no", "PrintMotd no", "UseDNS no"]
        self.write("/run/sshd_config", "\n".join([*settings, *usual]) + "\n")
        log = open(self.folder / "sshd.log", "ab")
        with log:
            self.daemon = subprocess.Popen(self.words(SSHD / "sshd", "-D", "-e", "-f", "/run/sshd_config"), stderr=log, stdin=subprocess.DEVNULL)
        wait_for(lambda: self.listens(), f"the sshd of {self.name}", PATIENCE)

    def listens(self):
        return f":{self.port:04X} 00000000:0000 0A " in self.run("cat", "/proc/net/tcp")  # TCP_LISTEN

    def hang_up(self):
        if self.daemon:
            self.daemon.kill()
            self.daemon.wait()
            self.daemon = None
            # Its port is in use until it has ended.
            self.run("sh", "-c", "for p in $(pgrep -x sshd); do kill -9 $p; done; while pgrep -x -r D,R,S,T sshd; do sleep 0.02; done", timeout=PATIENCE)


class Network:
    """A bridge with a namespace for this machine's own side, `here`, and hosts a1, a2, …"""

    def __init__(self, folder, binary, count):
        self.folder = folder
        self.user = os.environ["SSH_TEST_UID"]
        self.hub = World(folder, "hub")
        self.hub.run("ip", "link", "add", "br0", "type", "bridge")
        self.hub.run("ip", "link", "set", "br0", "up")
        self.here = Host(folder, self, 254, "here")  # it serves no connection unless a test starts it
        self.hosts = [Host(folder, self, number) for number in range(1, count + 1)]
        run("strip", "-o", self.here.file("/run/muster/muster"), binary)  # every new host receives it
        self.here.file("/run/muster/muster").chmod(0o755)
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key")
        self.public_key = (folder / "key.pub").read_text()
        self.here.write(f"/home/{USER}/.ssh/id_ed25519", (folder / "key").read_text(), 0o600)
        self.here.write(f"/home/{USER}/.ssh/config", self.aliases(), 0o600)
        self.know(self.hosts)

    def aliases(self):
        return "".join(f"Host {host.name}\n  HostName {host.address}\n" for host in self.hosts)

    def know(self, hosts):
        lines = [f"{host.address} {host.public_key}" for host in hosts]
        self.here.write(f"/home/{USER}/.ssh/known_hosts", "".join(lines), 0o600)

    def as_user(self, *words):
        """Runs a command as the user on this machine's own side."""
        return run(*self.here.words(*words, user=self.user), env=self.variables())

    def plug(self, world, address):
        """Connects the host to the bridge with this address."""
        name = f"v{address.rsplit('.', 1)[1]}"
        inside = ["nsenter", "-t", self.hub.pid, "--net"]
        run(*inside, "ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", world.pid)
        run(*inside, "ip", "link", "set", name, "master", "br0", "up")
        world.run("ip", "address", "add", f"{address}/24", "dev", "eth0")
        world.run("ip", "link", "set", "eth0", "up")

    def words_of_muster(self, *words):
        """The command that runs muster as the user on this machine's own side."""
        return self.here.words("/run/muster/muster", *words, user=os.environ["SSH_TEST_UID"])

    @staticmethod
    def variables(more=None):
        return {"HOME": f"/home/{USER}", "USER": USER, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **(more or {})}

    def muster(self, *words, timeout=120, more=None):
        return subprocess.run(self.words_of_muster(*words), env=self.variables(more), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout, check=False, cwd="/")

    def sweep(self):
        for world in (self.here, *self.hosts):
            world.sweep()
        self.here.run("sh", "-c", "rm -rf /home/mia/.local /tmp/muster-*")

    def end(self):
        for world in [*self.hosts, self.here, self.hub]:
            world.end()
