# SPDX-License-Identifier: Apache-2.0
"""Sends and reads TCPStore's bytes: for requests that torch's clients never send, and to compare two servers byte by byte."""

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
    """A list is encoded as its count and its fields; a number as eight bytes; bytes as themselves."""
    if isinstance(value, list):
        return struct.pack("<Q", len(value)) + b"".join(field(each) for each in value)
    if isinstance(value, tuple):
        return b"".join(field(each) for each in value)
    return struct.pack("<q", value) if isinstance(value, int) else value if isinstance(value, bytes) else text(value)


class Wire:
    """One connection. A reply is everything that arrives before the reply to a mark, a request that is always answered."""

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
        """Everything that arrives in reply, or "end"."""
        try:
            self.socket.sendall(self.request(name, *fields))
        except ConnectionError:
            return "end"
        return self.hear()

    def hear(self):
        """Everything that has arrived: the bytes before the reply to a mark."""
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
        """A request without effect, and its reply."""
        nonce = b"\xfe\xed\xfa\xce"
        if self.dialect is CURRENT:
            return self.request("ping", nonce), nonce
        # torch 1.13 has no ping; for a missing key it returns the expected value.
        return self.request("compare_set", "no such key", nonce.hex(), ""), text(nonce.hex())

    def half(self, bytes_of_it):
        """The first part of a request."""
        self.socket.sendall(bytes_of_it)
