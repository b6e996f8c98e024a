# SPDX-License-Identifier: Apache-2.0
"""The disk of the state folder is full: no record is lost, and everything continues when there is free space again."""

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
