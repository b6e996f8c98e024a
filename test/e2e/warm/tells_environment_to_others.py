# SPDX-License-Identifier: Apache-2.0
import os
skip = (b"MUSTER_SOCKET", b"MUSTER_JOB_ID", b"MUSTER_RANK_ONLY")
with open("/proc/self/environ", "rb") as file:
    shown = sorted(entry for entry in file.read().split(b"\0") if entry and not entry.startswith(skip))
print(shown)
print(open("/proc/self/cmdline").read().split("\0"), open("/proc/self/comm").read())
