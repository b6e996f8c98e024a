# SPDX-License-Identifier: Apache-2.0
"""A TCPStore of torch in a process that does nothing else: prints its port, lives until its stdin ends."""

import sys

from torch.distributed import TCPStore

store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False, use_libuv=True)
print(store.port, flush=True)
sys.stdin.read()
