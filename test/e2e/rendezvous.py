# SPDX-License-Identifier: Apache-2.0
"""A client of the ranks' socket (MUSTER_SOCKET, proto/worker.proto) for test ranks, without a protobuf library.

from rendezvous import call
status, value, values = call("add", "seen", amount=1)
"""

import os
import socket

KINDS = ["set", "get", "wait", "add", "compare_and_set", "remove", "list", "barrier", "fence"]
UNAVAILABLE = 14  # the coordinator is not available: try again


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def number_field(field, value):
    return varint(field << 3) + varint(value)


def bytes_field(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 0x7F) << shift, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(field, value) of a message of varints and bytes."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def request(kind, key, value, expected, amount, ranks, seconds, attempt, index):
    asked = number_field(1, KINDS.index(kind) + 1) + bytes_field(2, key) + bytes_field(3, value) + bytes_field(4, expected)
    asked += number_field(5, amount << 1 if amount >= 0 else (-amount << 1) - 1)
    asked += b"".join(number_field(6, rank) for rank in ranks) + number_field(7, int(seconds * 1e9))
    return number_field(1, 1) + number_field(2, attempt) + number_field(3, index) + bytes_field(4, asked)


def answer_of(reply):
    answer = dict(fields(reply))[1]
    code, message, value, values = 0, "", "", []
    for field, content in fields(answer):
        if field == 1:
            status = dict(fields(content))
            code, message = status.get(1, 0), status.get(2, b"").decode()
        elif field == 2:
            value = content.decode()
        else:
            values.append(content.decode())
    return code, message if code else value, values


def receive(connection, length):
    data = b""
    while len(data) < length:
        piece = connection.recv(length - len(data))
        if not piece:
            raise ConnectionError("the agent closed the connection")
        data += piece
    return data


def ask(frame):
    """Sends one frame on a new connection; returns the reply."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(90)
        connection.connect(os.environ["MUSTER_SOCKET"])
        connection.sendall(len(frame).to_bytes(4, "little") + frame)
        return receive(connection, int.from_bytes(receive(connection, 4), "little"))


def strange_call():
    """Sends a call that no agent knows."""
    return answer_of(ask(number_field(1, 1) + number_field(2, int(os.environ["MUSTER_ATTEMPT"])) + bytes_field(77, "from the future")))


def call(kind, key, value="", expected="", amount=0, ranks=(), seconds=0, attempt=None, index=None):
    """Returns (code, value or message, values). Code 0 is ok, others are those of gRPC."""
    attempt = int(os.environ["MUSTER_ATTEMPT"]) if attempt is None else attempt
    index = int(os.environ["MUSTER_INDEX"]) if index is None else index
    return answer_of(ask(request(kind, key, value, expected, amount, ranks, seconds, attempt, index)))


def call_again(*arguments, **keywords):
    """As `call`, but repeats it until a controller is available."""
    while (answer := call(*arguments, **keywords))[0] == UNAVAILABLE:
        os.system("sleep 0.05")
    return answer
