# SPDX-License-Identifier: Apache-2.0
"""These tests run in an interpreter with torch (scripts/lean_torch.sh) and pytest."""

import os

import pytest
import servers


def pytest_configure(config):
    if not os.access(servers.OURS, os.X_OK):
        raise pytest.UsageError(f"{servers.OURS} is not built: ninja -C build/dev muster_store_server")


@pytest.fixture(params=["ours", "front_end"])
def port(request):
    with getattr(servers, request.param)() as port:
        yield port
