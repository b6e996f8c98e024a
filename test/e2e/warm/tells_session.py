# SPDX-License-Identifier: Apache-2.0
import os
print(os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid(), os.tcgetpgrp if False else "")
comm = open(f"/proc/{os.getppid()}/comm").read()
print(comm, open("/proc/self/comm").read())
