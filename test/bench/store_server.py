# SPDX-License-Identifier: Apache-2.0
"""A TCPStore of torch in a separate process: prints its port, runs until its stdin is closed."""

import sys

from torch.distributed import TCPStore

store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, use_libuv=True)
print(store.port, flush=True)
sys.stdin.read()
