# SPDX-License-Identifier: Apache-2.0
"""store_torch.py FOLDER CLIENTS COUNT: store_muster.cc with torch's TCPStore, each client a process.

Each operation is one call into torch's C++ client, in a plain loop, so there is little Python overhead. A set is not acknowledged, so a
loop of sets ends with a get, whose reply comes after all sets; `set+get` acknowledges each.
"""

import functools
import os
import sys
from datetime import timedelta

from torch.distributed import TCPStore

from torch_report import calls, loop, write

VALUE = "v" * 100


def serve(asked, answer):
    """The server, in a process that runs until `asked` is closed; returns its port to the parent."""
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, use_libuv=True)
    os.write(answer, str(store.port).encode())
    os.read(asked, 1)
    os._exit(0)


def barrier(store, name, clients):
    if store.add(name, 1) == clients:
        store.set(name + " all", "1")
    store.wait([name + " all"])


def client(folder, rank, clients, count, port):
    store = TCPStore("127.0.0.1", port, is_master=False, wait_for_workers=False, timeout=timedelta(seconds=120))
    key, lines = f"key{rank}", []
    put, get = functools.partial(store.set, key, VALUE), functools.partial(store.get, key)
    add = functools.partial(store.add, f"counter{rank}", 1)

    def both():
        put()
        get()
    for name, call, after in (("set", put, get), ("set+get", both, None), ("get", get, None), ("add", add, None)):
        barrier(store, f"{name} loop", clients)
        loop(lines, name, call, count, after)
        barrier(store, f"{name} calls", clients)
        calls(lines, name, call, count // 4)
    write(folder, rank, lines)
    barrier(store, "end", clients)
    os._exit(0)


def main(folder, clients, count):
    asked, ask = os.pipe()
    answer, tell = os.pipe()
    if os.fork() == 0:
        os.close(ask)
        serve(asked, tell)
    port = int(os.read(answer, 16))
    children = []
    for rank in range(clients):
        child = os.fork()
        if child == 0:
            os.close(ask)
            client(folder, rank, clients, count, port)
        children.append(child)
    failed = [child for child in children if os.waitpid(child, 0)[1] != 0]
    os.close(ask)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
