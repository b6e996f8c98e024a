# SPDX-License-Identifier: Apache-2.0
"""store_ranks.py PORT RANKS KEYS: many ranks in one process, each a connection with torch's protocol, without torch.

All connect at once, send the greeting, set a key, wait for and read the keys of four neighbours, and meet: they add to a counter and wait
for a key that the last one sets. Prints the seconds until the last one has passed, then holds the connections and sets KEYS further keys
of 100 bytes. Prints "there" and runs until its stdin is closed. The same for both sides.
"""

import resource
import select
import socket
import struct
import sys
import time

NEIGHBOURS = (1, 2, 3, 5)


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def keys(code, names):
    return bytes([code]) + struct.pack("<Q", len(names)) + b"".join(text(name) for name in names)


class Rank:
    """A connection and its steps: the bytes to send, and the number of bytes to receive."""

    def __init__(self, port, number, world):
        self.number, self.world, self.want, self.heard = number, world, 0, b""
        self.socket = socket.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", port))
        self.steps = self.life()

    def life(self):
        yield b"\x00\xce\xf7\x85\x3c\x0d" + struct.pack("<I", self.number), 4
        peers = [f"/peer{(self.number + step) % self.world:06}" for step in NEIGHBOURS]
        yield b"\x01" + text(f"/peer{self.number:06}") + text("a" * 100) + keys(6, peers), 1
        yield keys(10, peers), 4 * 108
        yield b"\x04" + text("/met") + struct.pack("<q", 1), 8
        last = struct.unpack("<q", self.heard)[0] == self.world
        yield (b"\x01" + text("/all") + text("1") if last else b"") + keys(6, ["/all"]), 1

    def go_on(self):
        """False once it has passed the last step."""
        step = next(self.steps, None)
        if step is None:
            return False
        self.heard = b""
        said, self.want = step
        self.socket.sendall(said)
        return True

    def readable(self):
        more = self.socket.recv(self.want - len(self.heard))
        if not more:
            sys.exit(f"rank {self.number} was cut off")
        self.heard += more
        return self.go_on() if len(self.heard) == self.want else True


def run(port, world):
    poll, ranks, left, began = select.epoll(), {}, world, time.monotonic()
    for number in range(world):
        rank = Rank(port, number, world)
        ranks[rank.socket.fileno()] = rank
        poll.register(rank.socket, select.EPOLLOUT)
    while left:
        for fd, event in poll.poll(120) or sys.exit("nothing happens any more"):
            rank = ranks[fd]
            if event & select.EPOLLOUT:
                poll.modify(fd, select.EPOLLIN)
                rank.go_on()
            elif not rank.readable():
                left -= 1
    return time.monotonic() - began, list(ranks.values())


def main(port, world, count):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit[1], world + 100), limit[1]))
    took, ranks = run(port, world)
    print(took, flush=True)
    writer = ranks[0].socket
    writer.setblocking(True)
    for number in range(count):
        writer.sendall(b"\x01" + text(f"/key{number:08}") + text("v" * 100))
    writer.sendall(b"\x0dmark")
    writer.recv(4, socket.MSG_WAITALL)
    print("there", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
