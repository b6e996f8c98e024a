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


def flood_of(rank, size):
    line = b"rank %d " % rank + b"x" * 90 + b"\n"
    block = line * (65536 // len(line))
    return (block * (size // len(block) + 1))[:size]
