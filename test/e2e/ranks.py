# SPDX-License-Identifier: Apache-2.0
"""Programs for ranks."""

UNTIL_GO = "echo before; until test -e go; do sleep 0.05; done; echo after"
SAVES = "trap 'echo saving; exit 0' TERM; echo $$ > rank; echo ready; while :; do sleep 0.05; done"
FLOOD = """
import os, sys
rank, size = int(os.environ["MUSTER_RANK"]), int(sys.argv[1])
line = b"rank %d " % rank + b"x" * 90 + b"\\n"
block = line * (65536 // len(line))
while size > 0:
    size -= os.write(1, block[:size])
"""
# Leaves an orphan that ignores SIGTERM; ends with its argument as exit code.
DAEMON = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        print(os.getpid(), file=open("daemon", "w"))
        signal.pause()
    os._exit(0)
os.wait()
while not os.path.exists("daemon") or not open("daemon").read().endswith("\\n"):
    pass
sys.exit(int(sys.argv[1]))
"""


def flood_of(rank, size):
    line = b"rank %d " % rank + b"x" * 90 + b"\n"
    block = line * (65536 // len(line))
    return (block * (size // len(block) + 1))[:size]
