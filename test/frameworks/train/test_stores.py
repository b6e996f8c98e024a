# SPDX-License-Identifier: Apache-2.0
"""Programs that open their own store instead of using the launcher's."""

import contextlib
import socket

import pytest


def free_port():
    """A port that is free now; muster's own are in another range (20000 to 27999)."""
    with contextlib.closing(socket.socket()) as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


@pytest.mark.row("PyTorch", "torch", "a program with TCPStores of its own beside the group's")
@pytest.mark.parametrize("store", ["hosted", "program"])
def test_private_stores(launch, store):
    found = launch("own_stores.py", flags=("-n", "2", "--set", f"store={store}"))
    for facts in found:
        assert facts["values"] == [["value 0", "value 1"]] * 2
        assert facts["counts"] == [2, 2] and facts["port_differs"]


@pytest.mark.row("PyTorch", "torch", "a program that sets MASTER_PORT itself, with `store: program`; that names its own address, with any")
@pytest.mark.parametrize("way, store", [("env", "program"), ("url", "program"), ("url", "hosted")])
def test_a_port_of_its_own(launch, way, store):
    found = launch("own_port.py", way, free_port(), flags=("-n", "2", "--set", f"store={store}"))
    assert [(facts["world"], facts["total"]) for facts in found] == [(2, 2.0)] * 2
