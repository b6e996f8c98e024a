# SPDX-License-Identifier: Apache-2.0
"""Invalid input: files that are not a job, malicious files, and more text than a process can receive."""

import json
import os
import re
import resource
import subprocess
import time

import pytest

from commands import Done
from waiting import PATIENCE

HOSTILE = {
    "a bracket that is not closed": ("command: [true\nworkers: 2\n", "bad.yaml:2:8"),
    "100,000 brackets": ("command: " + "[" * 100_000 + "]" * 100_000, "too many values"),
    "aliases of aliases, 10^12 values": ("a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 10)}]\n" for n in range(12)) + "command: *m\n", "bad.yaml:4:4"),
    "1 GiB of nothing": (1 << 30, "a job file has at most 256 KiB"),
    "bytes that are no text": ("".join(map(chr, range(256))) * 100, "bad.yaml:1:1"),
    "a newer format": ("version: 99\ncommand: ['true']\n", "bad.yaml:1:10"),
}


def measured(muster, *words):
    """Runs a command; returns how it ended, its duration in ms and its peak memory in MiB."""
    with open(muster.work / "said", "wb") as said:
        began = time.monotonic()
        process = subprocess.Popen([muster.binary, *words], stdout=said, stderr=said, cwd=muster.work, env=muster.env, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    done = Done(list(words), process.returncode, b"", (muster.work / "said").read_bytes())
    return done, (time.monotonic() - began) * 1e3, usage.ru_maxrss / 1024


@pytest.mark.row(38, "{}")
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused_soon_and_cheaply(muster, fault, kind):
    content, said = HOSTILE[kind]
    with open(muster.work / "bad.yaml", "wb") as file:
        file.truncate(content) if isinstance(content, int) else file.write(content.encode("latin-1"))
    done, ms, mib = fault.inject(measured, muster, "run", "bad.yaml")
    fault.reached("detect", "name")
    assert done.code == 2 and said in done.err and "nothing was started" in done.err, done
    assert ms < PATIENCE * 1e3  # it says so in 20 ms; a sanitized build on a busy machine needs more
    if "ASAN_OPTIONS" not in os.environ or mib < 64:
        assert mib < 64, f"{mib} MiB"
    fault.note = f"{mib:.0f} MiB"
    assert not muster.state.exists()


@pytest.mark.row(38, "{} instead of a file")
@pytest.mark.parametrize("place", ["/dev/zero", "a fifo", "a folder"])
def test_what_is_no_file_is_refused(muster, fault, place):
    if place != "/dev/zero":
        os.mkfifo(muster.work / "place") if "fifo" in place else (muster.work / "place").mkdir()
    done, _, _ = fault.inject(measured, muster, "run", place if place == "/dev/zero" else "./place")
    fault.reached("detect", "name")
    assert done.code == 2 and re.search("not a regular file|is a folder", done.err), done


LARGE = {
    "a value of 3 MB in the file's env": ({"env": {"BIG": "x" * 3_000_000}}, "a job file has at most 256 KiB"),
    "an argument of 200 KB": ({"command": ["true", "x" * 200_000]}, "at most 128 KiB"),
    "100 arguments of 2 KB for 200 ranks": ({"command": ["true"] + ["x" * 2000] * 100, "workers": 200}, "more than 32 MiB"),
}


@pytest.mark.row(37, "{}")
@pytest.mark.parametrize("kind", LARGE)
def test_too_much_text_is_refused_with_the_limit(muster, fault, kind):
    keys, said = LARGE[kind]
    muster.write("large.yaml", json.dumps({"command": ["true"]} | keys))
    done = fault.inject(muster, "run", "large.yaml")
    fault.reached("detect", "name")
    assert done.code == 2 and said in done.err and "large.yaml" in done.err and "nothing was started" in done.err, done


@pytest.mark.row(37, "a shell's environment of {} KB")
@pytest.mark.parametrize("kilobytes", [1500, 5000])
def test_a_large_environment_of_the_shell(muster, fault, kilobytes):
    """The kernel gives a process a quarter of its stack limit, 6 MiB at most, for arguments and environment."""
    def unlimited():
        resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    env = muster.env | {f"LARGE{number}": "x" * 100_000 for number in range(kilobytes // 100)}
    done = fault.inject(subprocess.run, [muster.binary, "run", "--", "/bin/sh", "-c", "echo ${#LARGE0}"], env=env, cwd=muster.work,
                        capture_output=True, text=True, preexec_fn=unlimited, timeout=PATIENCE, check=False)
    fault.reached("detect", "name")
    if done.returncode == 0:
        assert done.stdout == "100000\n"
        fault.note = "the rank gets all of it"
    else:
        assert done.returncode == 2 and re.search(r"environment.* (KiB|MiB)", done.stderr), done
        fault.note = "refused: " + done.stderr.splitlines()[0][:100]
