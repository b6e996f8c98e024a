# SPDX-License-Identifier: Apache-2.0
"""The servers that are compared: muster's, muster's behind a store proxy, and torch's. Each is a process that ends with its stdin."""

import contextlib
import functools
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
OURS = os.environ.get("MUSTER_STORE_SERVER") or str(ROOT / "build/dev/muster_store_server")
OLD_TORCH = os.environ.get("MUSTER_OLD_TORCH") or "/usr/bin/python3"  # Debian's torch 1.13, if it is installed

TORCH = """
import sys
from torch.distributed import TCPStore
store = TCPStore("127.0.0.1", 0, None, True, wait_for_workers=False)
print(store.port, flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def served(*words):
    """The port that a server prints."""
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def ours():
    return served(OURS)


@contextlib.contextmanager
def front_end():
    with ours() as store, served(OURS, "127.0.0.1", "0", "127.0.0.1", str(store)) as port:
        yield port


def torch():
    return served(sys.executable, "-c", TORCH)


def old_torch():
    return served(OLD_TORCH, "-c", TORCH)


@functools.cache
def has_old_torch():
    done = subprocess.run([OLD_TORCH, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True, check=False)
    return done.stdout.startswith("1.13")
