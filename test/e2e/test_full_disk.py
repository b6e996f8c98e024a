# SPDX-License-Identifier: Apache-2.0
"""The disk of the state folder is full: no record is lost, and everything continues when there is free space again."""

import contextlib
import resource

import pytest

from waiting import wait_for

FILLS = "head -c 20000000 /dev/zero 2>/dev/null; "


def test_the_end_of_a_job_is_known_although_nothing_can_be_written(on_small_disk):
    out, err = on_small_disk(f"$M run --restarts 1 -- sh -c '{FILLS} exit $((2 - MUSTER_ATTEMPT))' >/dev/null; echo code $?; $M ps")
    assert "code 0" in out, err
    assert "succeeded" in out


def test_a_full_disk_refuses_new_jobs_and_rm_makes_room(on_small_disk):
    out, err = on_small_disk(f"$M run -- sh -c '{FILLS}' >/dev/null; $M run -- true; echo code $?; $M rm @last && $M run -- echo again")
    assert "code 8" in out, err
    assert "the disk is full" in err
    assert "again" in out.splitlines(), err


def test_a_controller_that_dies_on_a_full_disk(on_small_disk):
    out, err = on_small_disk(f"""$M submit -q --name full -- sh -c '{FILLS} echo > filled; until test -e go; do sleep 0.05; done'
until test -e filled; do sleep 0.05; done
kill -9 $(head -n 1 $MUSTER_STATE_DIR/lock)
$M ps
touch go
$M wait full; echo code $?""")
    assert "running" in out, err
    assert "code 0" in out, err


RESTARTS = "echo attempt $MUSTER_ATTEMPT; test -e up && exit 0; echo > up; until test -e go; do sleep 0.05; done; exit 1"
AT_RESTART = f"""$M submit -q --name blind --restarts 1 -- sh -c '{RESTARTS}'
until test -e up; do sleep 0.05; done
"""


def test_attempt_no_inodes_left_waits_for_them(on_small_disk):
    out, err = on_small_disk(AT_RESTART + """i=0
while touch $MUSTER_STATE_DIR/f$i 2>/dev/null; do i=$((i+1)); done
touch go
until $M ps | grep 'waits for its output files'; do sleep 0.05; done
$M why blind
rm $MUSTER_STATE_DIR/f*
$M wait blind; echo code $?
$M logs blind --attempt 1; $M logs blind --attempt 2
echo told $($M events blind | grep -c 'waits for its output files')
$M why blind""", inodes=120)
    assert "no inodes are left on the disk for new files" in out, out + err
    assert "the disk is full" not in out
    assert "code 0" in out, out + err
    assert "attempt 1\n" in out and "attempt 2\n" in out, "the output of each attempt"
    assert "told 1" in out
    assert "The job waits for its output files" in out
    assert "was lost" not in out


def test_attempt_folder_not_writable_waits_for_permission(muster):
    muster.submit("--name", "blind", "--restarts", 1, "--", "sh", "-c", RESTARTS)
    muster.wait_for_file("up")
    muster.folder("blind").chmod(0o500)
    muster.write("go", "")
    wait_for(lambda: "its output files: cannot write to" in muster.job("blind").get("waits_for", ""), "the wait to be named")
    assert "Permission denied" in muster.job("blind")["waits_for"]
    muster.folder("blind").chmod(0o700)
    assert muster("wait", "blind").code == 0
    for attempt in (1, 2):
        assert muster.ok("logs", "blind", "--attempt", attempt).lines() == [f"attempt {attempt}"]


@pytest.mark.parametrize("code, state", [(0, "succeeded"), (3, "failed")])
def test_end_disk_full_known_to_the_next_controller(on_small_disk, code, state):
    """The records of 40 ranks do not fit into the last block of the journal."""
    out, err = on_small_disk(f"""$M submit -q --name full -n 40 -- sh -c 'echo >> runs; until test -e go; do sleep 0.1; done; exit {code}'
until test "$(cat runs 2>/dev/null | wc -l)" = 40; do sleep 0.1; done
head -c 20000000 /dev/zero 2>/dev/null >$MUSTER_STATE_DIR/ballast
touch go
$M wait full
kill -9 $(head -n 1 $MUSTER_STATE_DIR/lock)
$M ps -a
$M wait full
rm $MUSTER_STATE_DIR/ballast
kill -9 $(head -n 1 $MUSTER_STATE_DIR/lock)
$M ps -a
echo ran $(wc -l <runs)""")
    assert err.count(f"full  {state}") == 2, out + err
    assert out.count(state) == 2, out + err
    assert "ran 40" in out


@contextlib.contextmanager
def may_not_write(pid):
    """The process cannot write to any file, as if the disk had failed. A controller ignores SIGXFSZ."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def test_an_end_that_cannot_be_written_is_not_told(muster):
    muster.submit("--name", "untold", "--", "sh", "-c", "until test -e go; do sleep 0.05; done")
    muster.wait_for_state("running", "untold")
    with may_not_write(muster.controller()):
        waits = muster.start("wait", "untold")
        muster.write("go", "")
        wait_for(lambda: "its end to be written to its journal" in muster.job("untold").get("waits_for", ""), "the wait to be named")
        assert muster.job("untold")["state"] == "stopping"
        assert waits.process.poll() is None
    assert waits.end().code == 0
    muster.kill_controller()
    assert muster.job("untold")["state"] == "succeeded"
