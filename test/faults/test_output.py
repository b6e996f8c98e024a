# SPDX-License-Identifier: Apache-2.0
"""Too much output, or output that is not text: a rank writes as fast as it can, without newlines, or writes terminal control sequences."""

import os

import pexpect
import pytest

from explained import ended
from processes import memory_kib
from waiting import PATIENCE, wait_for

MIB = 1 << 20
FLOOD = """
import os, sys, time
block = b'y' * 65535 + b'\\n'
left, slowest, began = int(sys.argv[1]), 0, time.monotonic()
while left > 0:
    before = time.monotonic()
    left -= os.write(1, block)
    slowest = max(slowest, time.monotonic() - before)
print(f'{int(sys.argv[1]) / 2**20 / (time.monotonic() - began):.0f} {slowest * 1e3:.0f}', file=open('rate', 'w'))
"""


@pytest.mark.row(35, "a rank floods its output, logs.max 64 MiB")
def test_a_flood_blocks_nobody_and_is_kept_within_its_limit(muster, fault):
    size = 1024 * MIB
    muster.write("flood.py", FLOOD)
    fault.inject(muster.submit, "--name", "flood", "--set", "logs.max=64MiB", "--", "python3", "flood.py", size)
    agent, guardian = muster.agent_of(muster.wait_for_ranks("flood")["ranks"][0]["pid"])
    before = memory_kib(agent, "Anonymous")
    largest = disk = 0

    def written():
        nonlocal largest, disk
        largest = max(largest, memory_kib(agent, "Anonymous"))
        disk = max(disk, os.stat(muster.output_of("flood")).st_blocks * 512)
        return (muster.work / "rate").exists()
    wait_for(written, "the rank to have written", 2 * PATIENCE)
    wait_for(lambda: "dropped" in muster.sentences("flood") or muster.job("flood")["done"], "the journal to count")
    ended(muster, "flood", 0)
    fault.read(muster, "flood", named="dropped", recovered=None)
    rate, slowest = muster.wait_for_file("rate").split()
    fault.note = f"{rate} MiB/s, slowest write {slowest} ms; agent + {(largest - before) / 1024:.1f} MiB, disk {disk // MIB} MiB at most"
    assert largest - before < 32 * 1024, f"the agent grew from {before} to {largest} KiB"
    assert os.stat(muster.output_of("flood")).st_blocks * 512 <= 128 * MIB
    assert muster.output_of("flood").stat().st_size == -(-size // 65536) * 65536


@pytest.mark.row(36, "5 MB without a newline and bytes that are no text")
def test_strange_bytes_are_kept_as_they_are_and_shown_tamely(muster, fault):
    evil = b"\x1b]0;title\x07\x1b[2J\xff\xfe\x00\x9b31m end\n"
    (muster.work / "evil").write_bytes(b"y" * 5_000_000 + b"\n" + evil)
    child = pexpect.spawn(muster.binary, ["run", "-n", "2", "--name", "evil", "--", "cat", "evil"], env=muster.env, cwd=str(muster.work),
                          dimensions=(30, 100), timeout=PATIENCE)
    child.expect(pexpect.EOF)
    child.wait()  # close() would signal it after 0.1 s
    child.close()
    assert child.exitstatus == 0
    shown = child.before
    assert len(shown) < 4 * MIB, f"{len(shown)} bytes on the terminal"
    for obeyed in (b"\x1b]0;", b"\x1b[2J", b"\x00", b"\x9b"):
        assert obeyed not in shown, obeyed
    for rank in (0, 1):
        assert muster.output_of("evil", rank=rank).read_bytes() == (muster.work / "evil").read_bytes()
    fault.note = f"{len(shown) // 1024} KiB on the terminal of 2 × 5 MB"
