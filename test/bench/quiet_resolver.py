# SPDX-License-Identifier: Apache-2.0
"""quiet_resolver.py good|silent COMMAND…: runs the command in new mount and network namespaces, with loopback, the hosts file of
Debian's installer, and one name server. `good` answers at once that a name does not exist; `silent` receives requests and never
answers. Started by `unshare --mount --net`."""

import contextlib
import fcntl
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

ADDRESS = "127.0.0.53"
HOSTS = "127.0.0.1 localhost\n127.0.1.1 {host}\n::1 localhost ip6-localhost ip6-loopback\n"
SIOCSIFFLAGS, IFF_UP, NO_SUCH_NAME = 0x8914, 1, 0x8183


def answer(asked):
    while True:
        question, sender = asked.recvfrom(4096)
        asked.sendto(question[:2] + struct.pack("!HHHHH", NO_SUCH_NAME, 1, 0, 0, 0) + question[12:question.index(b"\0", 12) + 5], sender)


def open_resolver(kind):
    asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fcntl.ioctl(asked, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
    asked.bind((ADDRESS, 53))
    if kind == "good":
        threading.Thread(target=answer, args=[asked], daemon=True).start()
    return asked


@contextlib.contextmanager
def instead_of(path, text):
    with tempfile.NamedTemporaryFile("w", prefix="muster-bench-") as file:
        file.write(text)
        file.flush()
        os.chmod(file.name, 0o644)
        subprocess.run(["mount", "--bind", file.name, os.path.realpath(path)], check=True)
        yield


def main(kind, *command):
    hosts = HOSTS.format(host=socket.gethostname())
    with instead_of("/etc/resolv.conf", f"nameserver {ADDRESS}\n"), instead_of("/etc/hosts", hosts), open_resolver(kind):
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
