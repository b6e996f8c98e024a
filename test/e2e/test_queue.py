# SPDX-License-Identifier: Apache-2.0
"""The queue on one machine: order, backfill, commands, and resources used by other controllers or by processes outside muster."""

import os
import re
import subprocess
from pathlib import Path

import leaks
import pytest
from program import Muster
from waiting import wait_for

CPUS = len(os.sched_getaffinity(0))
UNTIL_GO = ("sh", "-c", "until test -e go; do sleep 0.05; done")
GPU = "GPU-00000000-0000-0000-0000-00000000000{}"


def go(user):
    (user.work / "go").write_text("")


def runs_on_all_cpus(user, name="first", *flags):
    user.submit("--name", name, "--cpus", CPUS, *flags, "--", *UNTIL_GO)
    user.wait_for_state("running", name)


def queue_up(muster, *names):
    for name in names:
        muster.submit("--name", name, "--cpus", CPUS, "--", "sh", "-c", f"echo {name} >> order")


def order_after_go(muster, *names):
    go(muster)
    assert muster("wait", "first", *names).code == 0
    return (muster.work / "order").read_text().split()


def waits_for(user, name, text):
    """Waits until the job's waiting reason contains this text; returns the sentence."""
    return wait_for(lambda: text in (said := user.job(name).get("waits_for", "")) and said, lambda: f"{text}: {user.job(name)}")


@pytest.fixture
def other(request, tmp_path):
    """Another controller that shares only the machine with the first."""
    (tmp_path / "other").mkdir()
    user = Muster(tmp_path / "other")
    yield user
    leaks.end(user, failed=getattr(request.node, "failed", True))


def test_who_submits_a_job_that_waits_hears_for_what_and_its_logs_say_so(muster):
    runs_on_all_cpus(muster)
    told = muster.ok("submit", "--name", "head", "--cpus", CPUS, "--", "true").err
    assert told.startswith(f"head  is queued: waits for {CPUS} CPUs: first holds "), told
    assert muster.ok("submit", "-q", "--name", "silent", "--cpus", CPUS, "--", "true").err == ""
    assert muster.ok("logs", "head").err == told.splitlines()[0] + "\n"
    go(muster)
    assert muster("wait", "first", "head").code == 0
    assert muster.ok("logs", "head").err == ""


def test_what_cannot_delay_the_head_goes_before_it(muster):
    runs_on_all_cpus(muster)
    muster.submit("--name", "head", "--cpus", CPUS, "--", "true")
    muster.ok("run", "-q", "--name", "light", "--memory", "64MiB", "--", "true")
    muster.submit("--name", "later", "--cpus", 1, "--", "true")
    assert waits_for(muster, "head", "first holds").startswith(f"{CPUS} CPUs: first holds ")
    assert waits_for(muster, "later", "head") == "head, which was submitted earlier"
    assert "head, which was submitted earlier" in muster.ok("ps").out
    assert "place 2" in muster.ok("describe", "later").out
    go(muster)
    assert muster("wait", "head", "later").code == 0


def test_what_its_own_command_starts_says_what_it_waits_for(muster):
    runs_on_all_cpus(muster)
    run = muster.start("run", "--standalone", "--name", "apart", "--cpus", CPUS, "--", "true").says("waits for")
    waits = waits_for(muster, "apart", "first holds")
    assert waits in muster.ok("ps").out
    assert muster.ok("why", "apart").out.startswith(f"apart waits for {waits}")
    refused = muster("move", "apart", "--first")
    assert refused.code == 6 and "its own command (muster run --standalone)" in refused.err, refused
    go(muster)
    assert run.end().code == 0


def test_the_higher_priority_goes_first(muster):
    runs_on_all_cpus(muster)
    queue_up(muster, "usual")
    muster.submit("--name", "urgent", "--priority", 5, "--cpus", CPUS, "--", "sh", "-c", "echo urgent >> order")
    muster.job_file(name="whenever", priority=-5, worker={"cpus": CPUS}, command=["sh", "-c", "echo whenever >> order"])
    muster.submit("job.yaml")
    queue_up(muster, "late")
    waits_for(muster, "late", "urgent, which has a higher priority")
    assert "waits for urgent, which has a higher priority" in muster.ok("ps").out
    assert muster.job("whenever")["priority"] == -5
    assert order_after_go(muster, "usual", "urgent", "whenever", "late") == ["urgent", "usual", "late", "whenever"]


def test_a_priority_that_is_none_is_refused(muster):
    done = muster("submit", "--priority", "urgent", "--", "true")
    assert (done.code, "a whole number from -100 to 100, not `urgent`" in done.err) == (2, True)
    done = muster("move", "nobody", "--priority", "1000")
    assert (done.code, "a whole number from -100 to 100, not `1000`" in done.err) == (2, True)


def test_moving_a_job(muster):
    runs_on_all_cpus(muster)
    queue_up(muster, "a", "b", "c", "d")
    assert "d  is first in the queue" in muster.ok("move", "d", "--first").err
    muster.ok("move", "a", "--last")
    muster.ok("move", "c", "--before", "b")
    assert muster.ok("move", "d", "--after", "b", "-o", "json").json()["jobs"][0]["queue_place"] == 3
    assert "moved behind b in the queue by " in muster.sentences("d")
    for flags in ([], ["--first", "--last"], ["--before", "d"]):
        assert muster("move", "d", *flags).code != 0
    assert order_after_go(muster, "a", "b", "c", "d") == ["c", "b", "d", "a"]


def test_arranging_an_ended_job_has_its_error_in_json(muster):
    muster.ok("run", "--name", "gone", "--", "true")
    muster.submit("--hold", "--name", "born", "--", "true")
    error = {"job": "gone", "error": "gone has ended, so it is not queued"}
    for words in (["hold", "gone"], ["release", "gone"], ["move", "gone", "--first"]):
        done = muster(*words, "-o", "json")
        assert done.code == 6 and done.json()["jobs"] == [] and done.json()["errors"] == [error], done
    some = muster("hold", "gone", "born", "-o", "json").json()
    assert [job["name"] for job in some["jobs"]] == ["born"] and some["errors"] == [error]
    assert "errors" not in muster.ok("hold", "born", "-o", "json").json()
    muster.ok("kill", "born")


def test_holding_and_releasing(muster):
    runs_on_all_cpus(muster)
    queue_up(muster, "a", "b")
    muster.submit("--hold", "--name", "born", "--", "sh", "-c", "echo born >> order")
    assert "a  is held; to let it start: muster release a" in muster.ok("hold", "a").err
    assert re.fullmatch(r"`muster release a`: held by \S+ with `muster hold`", muster.job("a")["waits_for"])
    assert "waits for `muster release born`: held by its submitter (--hold, `hold: true` or `suspend: true`)" in muster.ok("why", "born").out
    go(muster)
    assert muster("wait", "first", "b").code == 0
    assert [muster.job(name)["state"] for name in ("a", "born")] == ["queued", "queued"]
    muster.ok("release", "a", "born")
    assert muster("wait", "a", "born").code == 0
    assert "released by " in muster.sentences("a")


def test_what_runs_or_has_ended_cannot_be_held_or_moved(muster):
    runs_on_all_cpus(muster)
    for words in (["hold", "first"], ["release", "first"], ["move", "first", "--last"]):
        done = muster(*words)
        assert done.code == 6 and "first is running: only a queued job can be held or moved; muster stop first stops it" in done.err
    go(muster)
    assert muster("wait", "first").code == 0
    assert "has ended" in muster("hold", "first").err


def test_the_next_controller_knows_the_queue(muster):
    runs_on_all_cpus(muster)
    queue_up(muster, "a", "b", "c", "d")
    muster.ok("move", "c", "--first")
    muster.ok("move", "b", "--priority", "50")
    muster.ok("hold", "a")
    muster.kill_controller()
    assert (muster.job("a")["held_by"], muster.job("b")["priority"]) == (muster.job("a")["held_by"], 50)
    assert waits_for(muster, "d", "b") == "b, which has a higher priority"
    go(muster)
    assert muster("wait", "first", "b", "c", "d").code == 0
    assert (muster.work / "order").read_text().split() == ["b", "c", "d"]
    assert "release a" in muster.job("a")["waits_for"]
    muster.ok("stop", "a")
    muster.wait_for_state("cancelled", "a")


def test_a_waiting_run_says_what_it_waits_for(muster):
    runs_on_all_cpus(muster)
    waiting = muster.start("run", "--name", "second", "--cpus", 1, "--", "true")
    waiting.says("waits for 1 CPU: first holds 0")
    go(muster)
    assert waiting.end().code == 0


def test_another_controllers_job_is_waited_for_by_name(muster, other):
    runs_on_all_cpus(other, "theirs")
    muster.submit("--name", "mine", "--cpus", 1, "--", "true")
    said = waits_for(muster, "mine", "holds")
    assert re.fullmatch(r"1 CPU: \S+'s job theirs, pid \d+, holds 0.*", said)
    assert said in muster.ok("ps").out
    other.kill_controller()
    assert muster.job("mine")["state"] == "queued", "their agents tell of it still"
    waits_for(muster, "mine", "theirs")
    go(other)
    assert muster("wait", "mine").code == 0
    assert other("wait", "theirs").code == 0


def test_memory_is_shared_out_between_controllers(muster, other):
    refused = muster("submit", "--memory", "900TiB", "--", "true").err
    total = float(re.search(r"has ([\d.]+) GiB", refused)[1])
    part = f"{int(total * 0.6 * 1024)}MiB"
    other.submit("--name", "theirs", "--memory", part, "--", *UNTIL_GO)
    other.wait_for_state("running", "theirs")
    muster.submit("--name", "mine", "--memory", part, "--", "true")
    assert re.search(r"GiB of memory: \S+'s job theirs, pid \d+, holds ", waits_for(muster, "mine", "holds"))
    muster.ok("run", "-q", "--", "true")  # a job that asks for none need not wait
    go(other)
    assert muster("wait", "mine").code == 0
    assert other("wait", "theirs").code == 0


def test_a_standalone_run_is_waited_for_and_waits(muster, other):
    first = other.start("run", "--standalone", "--name", "alone", "--cpus", CPUS, "--", *UNTIL_GO)
    other.wait_for_state("running", "alone")
    muster.submit("--name", "mine", "--cpus", 1, "--", "true")
    waits_for(muster, "mine", "job alone, pid ")
    second = muster.start("run", "--standalone", "--name", "also", "--cpus", CPUS, "--", "true")
    second.says("waits for ")
    go(other)
    assert (first.end().code, second.end().code) == (0, 0)
    assert muster("wait", "mine").code == 0


def test_two_controllers_never_share_a_cpu(muster, other):
    """Both start jobs at the same time, again and again."""
    script = "mkdir busy-$MUSTER_JOB_NAME && ls -d {0}/busy-* {1}/busy-* 2>/dev/null | wc -l; sleep 0.05; rmdir busy-$MUSTER_JOB_NAME"
    script = script.format(muster.work, other.work)
    started = [user.start("run", "--name", f"{word}{n}", "--cpus", CPUS, "--", "sh", "-c", script)
               for n in range(5) for word, user in (("mine", muster), ("theirs", other))]
    for each in started:
        done = each.end()
        assert (done.code, done.out.split()) == (0, ["1"]), done


@pytest.fixture
def gpus(muster):
    """Two GPUs of the NVML stand-in; a file lists the processes that use them."""
    library = Path(muster.binary).parent / "stand_in" / "libnvml_stand_in.so"
    folder = muster.home.parent / "driver"
    folder.mkdir()
    (folder / "libnvidia-ml.so.1").symlink_to(library)
    on_them = folder / "processes"
    on_them.write_text("")
    muster.env |= {"LD_LIBRARY_PATH": str(folder), "MUSTER_NVML_STAND_IN": f"gpus=2 processes={on_them}"}
    return on_them


@pytest.fixture
def foreign():
    process = subprocess.Popen(["sleep", "600"], env={})
    yield process
    process.kill()
    process.wait()


def test_a_gpu_that_a_process_outside_muster_uses_is_not_given_away(muster, gpus, foreign):
    gpus.write_text(f"0 {foreign.pid}\n1 {os.getpid()} draws\n")
    assert muster.ok("run", "--gpus", 1, "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES").lines() == [GPU.format(1)]
    muster.submit("--name", "both", "--gpus", 2, "--", "true")
    said = waits_for(muster, "both", "holds")
    assert re.fullmatch(rf"2 GPUs: \S+'s sleep, pid {foreign.pid}, holds 0", said)
    foreign.kill()
    foreign.wait()
    assert muster("wait", "both").code == 0


def test_a_job_may_take_a_gpu_that_is_in_use(muster, gpus, foreign):
    gpus.write_text(f"0 {foreign.pid}\n1 {foreign.pid}\n")
    muster.ok("run", "--gpus", 2, "--set", "busy_gpus=take", "--", "true")


def test_what_our_own_ranks_do_on_a_gpu_is_no_foreign_process(muster, gpus):
    muster.submit("--name", "first", "--gpus", 1, "--", *UNTIL_GO)
    pid = muster.wait_for_ranks("first")["ranks"][0]["pid"]
    gpus.write_text(f"0 {pid}\n")
    muster.submit("--name", "second", "--gpus", 2, "--", "true")
    assert waits_for(muster, "second", "holds") == "2 GPUs: first holds 0"
    go(muster)
    assert muster("wait", "first", "second").code == 0
