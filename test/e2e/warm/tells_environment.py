# SPDX-License-Identifier: Apache-2.0
import os, subprocess
skip = ("MUSTER_SOCKET", "MUSTER_JOB_ID", "MUSTER_RANK_ONLY")
print([entry for entry in os.environ.items() if entry[0] not in skip])
print(sorted(line for line in subprocess.check_output(["env"], text=True).splitlines() if not line.startswith(skip)))
