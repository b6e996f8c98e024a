# SPDX-License-Identifier: Apache-2.0
"""TCPStore's bytes, sent and read by hand: for what torch's own clients never send, and to compare two servers byte by byte."""

import socket
import struct

CURRENT = ("", "set", "compare_set", "get", "add", "check", "wait", "num_keys", "delete_key", "append", "multi_get",
           "multi_set", "cancel_wait", "ping", "queue_push", "queue_pop", "queue_len", "list_keys", "barrier")
OLD = ("set", "compare_set", "get", "add", "check", "wait", "num_keys", "watch_key", "delete_key")
GREETING = b"\x00\xce\xf7\x85\x3c"


def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(value)) + value


def field(value):
    """A list is its count and its fields; a number eight bytes; bytes stand for themselves."""
    if isinstance(value, list):
        return struct.pack("<Q", len(value)) + b"".join(field(each) for each in value)
    if isinstance(value, tuple):
        return b"".join(field(each) for each in value)
    return struct.pack("<q", value) if isinstance(value, int) else value if isinstance(value, bytes) else text(value)


class Wire:
    """One connection. A reply is whatever comes until a request that is always answered is."""

    def __init__(self, port, dialect=CURRENT):
        self.dialect = dialect
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if dialect is CURRENT:
            self.socket.sendall(GREETING)

    def close(self):
        self.socket.close()

    def request(self, name, *fields):
        return bytes([self.dialect.index(name)]) + b"".join(field(each) for each in fields)

    def say(self, name, *fields):
        """All that comes back for it, or "end"."""
        try:
            self.socket.sendall(self.request(name, *fields))
        except ConnectionError:
            return "end"
        return self.hear()

    def hear(self):
        """What is there for us now: what comes before the answer to a mark."""
        mark = self.mark()
        try:
            self.socket.sendall(mark[0])
            heard = b""
            while not heard.endswith(mark[1]):
                more = self.socket.recv(65536)
                if not more:
                    return "end"
                heard += more
        except ConnectionError:
            return "end"
        return heard[:-len(mark[1])]

    def mark(self):
        """A request without effect, and its answer."""
        nonce = b"\xfe\xed\xfa\xce"
        if self.dialect is CURRENT:
            return self.request("ping", nonce), nonce
        # Torch 1.13 knows no ping; of a key that is not there it gives back what was expected.
        return self.request("compare_set", "no such key", nonce.hex(), ""), text(nonce.hex())

    def half(self, bytes_of_it):
        """The beginning of a request."""
        self.socket.sendall(bytes_of_it)
