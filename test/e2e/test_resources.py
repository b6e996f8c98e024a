# SPDX-License-Identifier: Apache-2.0
"""Resources of the machine: CPUs, memory, time, and a position in the queue."""

import os
import tempfile

CPUS = len(os.sched_getaffinity(0))
HOG = "import signal; b = bytearray(400 << 20); b[::4096] = b'x' * len(b[::4096]); signal.pause()"


def test_a_rank_is_bound_to_its_cpus(muster):
    script = "taskset -cp $$ | sed 's/.*: //'"
    bound = muster.ok("run", "--cpus", "1", "-n", str(CPUS), "--", "sh", "-c", script).lines()
    assert len({line.split()[1] for line in bound}) == CPUS
    assert all(line.split()[1].isdigit() for line in bound)
    free = muster.ok("run", "--", "sh", "-c", script).lines()
    assert free == muster.ok("run", "--cpus", str(CPUS), "--", "sh", "-c", script).lines()


def test_what_is_bound_is_shown(muster):
    muster.ok("run", "--cpus", "1", "--", "true")
    assert len(muster.job()["ranks"][0]["cpus"]) == 1


def test_a_rank_above_its_memory_is_killed_and_the_reason_said(muster):
    done = muster("run", "--memory", "100MiB", "--", "python3", "-c", HOG)
    assert done.code == 1
    assert "rank 0 ran out of memory and was killed: used " in done.err
    assert "of its 100" in done.err
    assert "worker.memory" in muster.ok("why", "@last").out
    assert muster.job()["ranks"][0]["exit"]["oom"] is True


def test_memory_counts_a_ranks_children(muster):
    done = muster("run", "--memory", "100MiB", "--", "sh", "-c", f'python3 -c "{HOG}" & wait')
    assert done.code == 1
    assert "ran out of memory" in done.err


def test_pages_of_a_mapped_data_set_do_not_count(muster):
    """Rank 0 reads a mapped file of four times its limit. Rank 1 then exceeds its own limit, in the same look at both."""
    muster.write("read.py", f"""import mmap, os, signal, sys
if os.environ["MUSTER_RANK"] == "0":
    file = open(sys.argv[1], "rb")
    data = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    print(sum(data[::4096]), flush=True)
    open("mapped", "w").close()
    signal.pause()
while not os.path.exists("mapped"):
    os.sched_yield()
{HOG}
""")
    with tempfile.NamedTemporaryFile(dir="/var/tmp") as data:  # /tmp may be memory
        os.posix_fallocate(data.fileno(), 0, 400 << 20)
        done = muster("run", "-n", "2", "--memory", "100MiB", "--", "python3", "read.py", data.name)
    assert done.code == 1
    assert "rank 1 ran out of memory and was killed: used " in done.err and "rank 0 ran out" not in done.err, done


def test_the_run_timeout(muster):
    done = muster("run", "--timeout-run", "300ms", "--restarts", "5", "--", "sleep", "60")
    assert done.code in (1, 7)
    assert "the job ran for 300 ms, the limit of timeouts.run" in done.err
    assert muster.job()["attempt"] == 1


def test_the_start_timeout(muster):
    done = muster("run", "--timeout-start", "1ms", "--", "sleep", "60")
    assert done.code in (1, 7)
    assert "after 1 ms (timeouts.start)" in done.err


def test_the_stop_timeout_is_the_grace_of_a_stop(muster):
    name = muster.submit("--timeout-stop", "200ms", "--", "sh", "-c", "trap '' TERM; echo > trapped; while :; do sleep 0.1; done")
    muster.wait_for_file("trapped")
    muster.ok("stop", name)
    job = muster.wait_for_state("cancelled", name)
    assert job["ranks"][0]["exit"]["sentence"] == "was killed by SIGKILL"


def submit_two(muster, *flags):
    first = muster.submit("--name", "first", "--cpus", CPUS, "--", "sh", "-c", "until test -e go; do sleep 0.05; done")
    muster.wait_for_state("running", first)
    return first, muster.submit("--name", "second", "--cpus", 1, *flags, "--", "sh", "-c", "echo > ran")


def test_a_job_waits_for_cpus_and_then_runs(muster):
    first, second = submit_two(muster)
    job = muster.job(second)
    assert job["state"] == "queued"
    why = muster.ok("why", second).out
    assert "1 CPU" in why
    assert "first" in why
    assert "lower" not in why  # the job itself is valid
    assert not (muster.work / "ran").exists()
    (muster.work / "go").write_text("")
    assert muster("wait", first, second).code == 0
    assert (muster.work / "ran").exists()


def test_the_queue_is_first_come_first_served(muster):
    submit_two(muster)
    order = [muster.submit("--cpus", CPUS, "--", "sh", "-c", f"echo {n} >> order") for n in range(4)]
    (muster.work / "go").write_text("")
    assert muster("wait", "second", *order).code == 0
    assert (muster.work / "order").read_text().split() == ["0", "1", "2", "3"]


def test_a_queued_job_may_be_stopped(muster):
    first, second = submit_two(muster)
    muster.ok("stop", second)
    assert muster.wait_for_state("cancelled", second)["attempt"] == 0
    assert muster.job(first)["state"] == "running"
    (muster.work / "go").write_text("")
    assert muster("wait", first).code == 0


def test_the_queue_timeout(muster):
    _, second = submit_two(muster, "--timeout-queue", "300ms")
    assert muster("wait", second).code in (1, 7)
    assert "in the queue, the limit of timeouts.queue" in muster.job(second)["sentence"]
    (muster.work / "go").write_text("")
    assert muster("wait", "first").code == 0
