# SPDX-License-Identifier: Apache-2.0
"""Every byte of a rank's output is kept, and what viewers show is clean (docs/design/output.md)."""

import hashlib
import os

import pytest

from ranks import FLOOD, flood_of

MIB = 1 << 20

def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def test_two_ranks_flood(muster):
    size = 50 * MIB
    running = muster.start("run", "-n", "2", "--", "python3", "-c", FLOOD, str(size))
    assert running.process.wait(timeout=240) == 0
    expected = {rank: flood_of(rank, size) for rank in (0, 1)}
    for rank in (0, 1):
        assert digest(muster.output_of(rank=rank)) == hashlib.sha256(expected[rank]).hexdigest()
    seen = {0: hashlib.sha256(), 1: hashlib.sha256()}
    with open(running.out_file, "rb") as lines:
        for line in lines:
            assert line[:4] in (b"[0] ", b"[1] ")
            seen[line[1] - ord("0")].update(line[4:])
    for rank in (0, 1):
        assert seen[rank].hexdigest() == hashlib.sha256(expected[rank] + b"\n").hexdigest()  # the last line was incomplete


def test_a_flood_through_logs(muster):
    size = 20 * MIB
    muster.ok("run", "-d", "-q", "--", "python3", "-c", FLOOD, str(size))
    assert muster("wait", "@last").code == 0
    assert muster.ok("logs", "@last").raw == flood_of(0, size)


def test_lines_of_two_ranks_stay_whole_without_prefix(muster):
    """Output arrives in pieces of 64 KiB; no line is split at the end of a piece."""
    muster.ok("run", "-q", "-n", "2", "--", "python3", "-c", "for i in range(20000): print(i, 'x' * 50)")
    expected = sorted(f"{i} {'x' * 50}" for i in range(20000) for _ in range(2))
    assert sorted(muster.ok("logs", "@last", "--no-prefix").lines()) == expected
    assert sorted(muster.ok("logs", "-f", "@last", "--no-prefix").lines()) == expected


def test_a_long_line_of_two_ranks_is_whole_in_a_pipe(muster):
    done = muster.ok("run", "-n", "2", "--", "python3", "-c", "print('y' * 1000000)")
    assert sorted(done.lines()) == [f"[{rank}] " + "y" * 1000000 for rank in (0, 1)]


def test_a_line_of_100_mb(muster):
    script = "import sys; block = b'y' * 1000000\nfor _ in range(100): sys.stdout.buffer.write(block)\nprint(' end'); print('next')"
    done = muster.ok("run", "-n", "2", "--", "python3", "-c", script)
    for rank in (0, 1):
        assert muster.output_of(rank=rank).stat().st_size == 100_000_010
        shown = [line for line in done.lines() if line.startswith(f"[{rank}]")]
        assert len(shown) == 2
        assert 16 * MIB < len(shown[0]) < 17 * MIB and "more bytes)" in shown[0]
        assert shown[1] == f"[{rank}] next"


def test_binary_output_of_one_rank(muster):
    data = bytes(range(256)) * 4096
    (muster.work / "data").write_bytes(data)
    done = muster.ok("run", "--", "cat", "data")
    assert done.raw == data
    assert muster.output_of().read_bytes() == data
    assert muster.ok("logs", "@last").raw == data


def test_binary_output_of_two_ranks_keeps_its_lines(muster):
    (muster.work / "data").write_bytes(b"\xff\xfe\x00 one\n\x1b[31mred\n")
    done = muster.ok("run", "-n", "2", "--", "cat", "data")
    assert sorted(done.raw.splitlines()) == [b"[0] \x1b[31mred", b"[0] \xff\xfe\x00 one", b"[1] \x1b[31mred", b"[1] \xff\xfe\x00 one"]


def test_a_last_line_without_newline(muster):
    done = muster.ok("run", "-n", "2", "--", "sh", "-c", "printf 'whole\\ncut %s' $MUSTER_RANK")
    assert sorted(done.lines()) == ["[0] cut 0", "[0] whole", "[1] cut 1", "[1] whole"]
    assert done.out.endswith("\n")


def test_a_progress_bar_is_one_line_when_piped(muster):
    script = "for i in 1 2 3; do printf '\\r%s0 %%' $i; done; echo; echo done"
    done = muster.ok("run", "-n", "2", "--", "sh", "-c", script)
    bar = "\r10 %\r20 %\r30 %"
    assert sorted(done.out.split("\n")) == ["", f"[0] {bar}", "[0] done", f"[1] {bar}", "[1] done"]
    assert muster.ok("run", "--", "sh", "-c", script).raw == b"\r10 %\r20 %\r30 %\ndone\n"


def test_a_file_gets_what_ranks_write_before_a_carriage_return(muster):
    muster.ok("run", "-q", "-n", "2", "--", "printf", "error: no room\\rdone\\r\\n")
    assert sorted(muster.ok("logs").out.split("\n")) == ["", "[0] error: no room\rdone\r", "[1] error: no room\rdone\r"]


def test_no_line_is_torn(muster):
    script = "import os\nfor i in range(2000): print('rank', os.environ['MUSTER_RANK'], 'line', i)"
    done = muster.ok("run", "-n", "4", "--", "python3", "-c", script)
    assert sorted(done.lines()) == sorted(f"[{rank}] rank {rank} line {i}" for rank in range(4) for i in range(2000))
    for rank in range(4):
        own = [line for line in done.lines() if line.startswith(f"[{rank}]")]
        assert own == [f"[{rank}] rank {rank} line {i}" for i in range(2000)]


def test_the_order_within_a_stream_survives_stderr(muster):
    done = muster.ok("run", "--", "sh", "-c", "for i in $(seq 500); do echo out $i; echo err $i >&2; done")
    assert done.lines() == [f"out {i}" for i in range(1, 501)]
    assert [line for line in done.err.splitlines() if line.startswith("err ")] == [f"err {i}" for i in range(1, 501)]


TURNS = """
import sys
for i in range(40):
    print("step", i)
    if i % 10 == 0: print("warning", i, file=sys.stderr)
raise ValueError("no such layer")
"""


@pytest.fixture
def expected(muster):
    """What the program prints to one place without muster."""
    (muster.work / "turns.py").write_text(TURNS)
    done = muster.shell("python3 -u turns.py 2>&1")
    assert done.code == 1
    return done.lines()


def in_order(lines, expected):
    """Whether each stream is as printed, and the traceback is behind everything that was printed before it. On a machine without CPU
    for the agent, a warning may be a few lines from its place."""
    end = expected.index("Traceback (most recent call last):")
    streams = [[line for line in some if line.startswith(word)] for some in (lines, expected) for word in ("step", "warning")]
    return streams[:2] == streams[2:] and lines[end:] == expected[end:]


def test_stdout_and_stderr_of_a_rank_are_in_order_in_one_place(muster, expected):
    done = muster.shell(f"{muster.binary} run -q -- python3 turns.py 2>&1")
    assert in_order([line for line in done.lines() if not line.startswith("muster")], expected), done
    torchrun = muster.shell(f"{muster.binary} torchrun --nproc-per-node 1 turns.py 2>&1")
    assert in_order(torchrun.lines()[:len(expected)], expected), torchrun
    several = muster.shell(f"{muster.binary} run -q -n 2 --restarts 0 -- sh -c 'python3 turns.py; :' 2>&1")
    for rank in (0, 1):
        assert in_order([line[4:] for line in several.lines() if line.startswith(f"[{rank}] ")], expected), several


def test_stdout_and_stderr_of_a_rank_are_in_order_in_logs(muster, expected):
    muster.submit("--name", "turns", "--", "sh", "-c", "until test -e go; do sleep 0.05; done; python3 turns.py; :")
    follower = muster.start("logs", "-f", "turns")
    (muster.work / "go").write_text("")
    assert in_order(follower.end().lines(), expected), follower
    logs = muster.ok("logs", "turns")
    assert in_order(logs.lines(), expected) and logs.err == "", logs
    assert muster.ok("logs", "turns", "--no-prefix", "--timestamps").code == 0


def test_streams_that_take_turns_line_by_line(muster):
    script = "for i in $(seq 300); do echo out $i; echo err $i >&2; done"
    muster.ok("run", "-q", "--name", "turns", "--", "sh", "-c", script)
    lines = muster.ok("logs", "turns").lines()
    assert sorted(lines) == sorted(f"{stream} {i}" for i in range(1, 301) for stream in ("out", "err"))
    for stream in ("out", "err"):
        assert [line for line in lines if line.startswith(stream)] == [f"{stream} {i}" for i in range(1, 301)]
    assert lines[0] == "out 1" and lines[-1] == "err 300", lines


@pytest.mark.parametrize("change", ["removed", "cut"])
def test_without_a_record_of_the_order_nothing_is_lost(muster, expected, change):
    muster.shell(f"{muster.binary} run -q --name turns -- sh -c 'python3 turns.py; :'")
    order = muster.output_of("turns").with_suffix(".order")
    assert order.stat().st_size >= 64
    if change == "removed":
        order.unlink()
    else:
        os.truncate(order, 45)
    assert sorted(muster.ok("logs", "turns").lines()) == sorted(expected)


def test_a_reader_that_leaves_ends_run_and_not_the_job(muster):
    rank = "yes 2>/dev/null | head -c 3000000; echo > $MUSTER_RANK; while [ ! -e code ]; do sleep 0.1; done"
    command = f"{{ {muster.binary} run -n 2 -- sh -c '{rank}'; echo $? >code; }} | head -n 1"
    done = muster.shell(command)
    assert done.lines() in (["[0] y"], ["[1] y"])
    assert (muster.work / "code").read_text() == "141\n"
    assert "continues.  muster attach" in done.err
    assert muster("wait", "@last").code == 0
    assert (muster.work / "0").exists() and (muster.work / "1").exists()


def test_logs_max_drops_the_oldest_and_says_so(muster):
    script = "import sys\nfor i in range(400000): sys.stdout.write('line %06d\\n' % i)"
    muster.ok("run", "-q", "--set", "logs.max=1MiB", "--", "python3", "-c", script)
    kept = muster.ok("logs", "@last")
    assert kept.raw.endswith(b"line 399999\n")
    assert 1 * MIB / 2 <= len(kept.raw.lstrip(b"\0")) <= 2 * MIB
    assert b"\0" not in kept.raw
    assert os.stat(muster.output_of()).st_blocks * 512 <= 2 * MIB
    assert "dropped" in kept.err + muster.sentences()
    assert muster.ok("why", "@last").out.count("Lost: dropped the oldest") == 1
