# SPDX-License-Identifier: Apache-2.0
"""Commands and environments up to what the kernel takes, such as a glob of thousands of files."""

import json
import os
import re
import signal

COUNT = "import os, sys; print(len(sys.argv), sys.argv[-1], sum(len(each) for each in os.environ.values()) > 900_000)"
FILES = [f"/data/train/of/a/data/set/with/long/names/shard-{number:05}.tar" for number in range(4000)]  # 240 KB


def controller(muster):
    return int((muster.state / "lock").read_text())


def test_a_glob_of_4000_files(muster):
    muster.ok("run", "-n", "2", "--name", "many", "--", "python3", "-c", COUNT, *FILES)
    lines = [line.split("] ")[-1] for line in muster.ok("logs", "many").lines()]
    assert lines == [f"4001 {FILES[-1]} False"] * 2
    assert muster.job("many")["spec"]["groups"][0]["command"][-4000:] == FILES
    shown = muster.ok("describe", "many").out
    assert FILES[0] in shown and FILES[-1] not in shown and re.search(r"… \(39\d\d more words, ", shown)
    assert "many" in muster.ok("ps", "-a").out and len(muster.ok("run", "--dry-run", "-n", "2", "--", "cat", *FILES).out) < 20_000


def test_a_new_controller_reads_a_large_job(muster):
    muster.write("count", f'python3 -c "{COUNT}" "$@"; until test -e go; do sleep 0.05; done')
    job = muster.submit("-n", "2", "--restarts", "1", "--", "sh", "count", *FILES)
    muster.wait_for_ranks(job)
    os.kill(controller(muster), signal.SIGKILL)
    os.kill(muster.wait_for_ranks(job)["ranks"][1]["pid"], signal.SIGKILL)
    muster.wait_for_ranks(job, attempt=2)
    (muster.work / "go").write_text("")
    assert muster("wait", job).code == 0
    assert muster.ok("logs", job, "--attempt", "2").out.count(f"4001 {FILES[-1]}") == 2


def test_variables_of_a_megabyte(muster):
    variables = {f"LARGE_{number}": "x" * 100_000 for number in range(10)}
    assert muster.ok("run", "-q", "-n", "2", "--", "python3", "-c", COUNT, env=variables).out.count(" True") == 2
    assert muster.ok("run", "-q", "-n", "2", "--", "python3", "-c", COUNT).out.count(" False") == 2
    words = [word for name, value in variables.items() for word in ("-e", f"{name}={value}")]
    done = muster.ok("run", "-q", "-n", "2", *words, "--", "python3", "-c", COUNT)
    assert done.out.count(" True") == 2, done


def test_a_rank_of_torchrun_with_4000_files(muster):
    muster.write("count.py", COUNT)
    done = muster.ok("torchrun", "--nproc-per-node", "2", "count.py", *FILES)
    assert done.out.count(f"4001 {FILES[-1]}") == 2, done


def test_what_the_kernel_refuses_is_refused_before_anything_starts(muster):
    muster.write("large.yaml", json.dumps({"command": ["true", "x" * 200_000]}))
    done = muster("run", "large.yaml")
    assert done.code == 2 and "argument 1 of `command` has 195.3 KiB; Linux takes at most 128 KiB in one argument" in done.err, done
