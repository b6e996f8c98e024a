# SPDX-License-Identifier: Apache-2.0
"""`setup:` and `python: {venv: …}` of a job file: prepares a node once, before its ranks start."""

import re
import signal

from processes import processes_of
from waiting import wait_for

COUNT = ["sh", "-c", "echo done >> log; echo said by setup; echo and on stderr >&2"]
# A fake virtual environment: its python prints its own location.
VENV = ["sh", "-c", "mkdir -p .venv/bin && printf '#!/bin/sh\\necho python of $VIRTUAL_ENV\\n' > .venv/bin/python && chmod +x .venv/bin/python"]


def times(muster):
    log = muster.work / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_setup_runs_once_before_the_ranks(muster):
    muster.job_file(command=["cat", "log"], setup=[COUNT], workers=2)
    first = muster.ok("run", "job.yaml")
    assert sorted(first.lines()) == ["[0] done", "[1] done"]
    assert muster.ok("run", "job.yaml").out.count("done") == 2
    assert times(muster) == 1
    assert "said by setup" in first.err and "and on stderr" in first.err and "[setup@" in first.err


def test_an_edit_runs_it_again(muster):
    muster.write("needs.txt", "torch")
    muster.job_file(command=["true"], setup=[[*COUNT, "needs.txt"]])
    muster.ok("run", "job.yaml")
    muster.write("needs.txt", "torch==2.1")
    muster.ok("run", "job.yaml")
    assert times(muster) == 2
    muster.ok("run", "job.yaml", "-e", "LEVEL=2")
    assert times(muster) == 3
    muster.ok("run", "job.yaml")
    assert times(muster) == 3


def test_nodes_of_one_machine_do_it_once(muster):
    muster.job_file(command=["true"], setup=[["sh", "-c", "sleep 0.3; echo done >> log"]], nodes=3)
    muster.ok("run", "job.yaml")
    assert times(muster) == 1


def test_its_output_is_the_jobs(muster):
    muster.job_file(name="job", command=["echo", "a rank"], setup=[COUNT])
    muster.ok("run", "job.yaml")
    logs = muster.ok("logs", "job")
    *setup, rank = logs.lines()
    assert [line.split("] ", 1)[1] for line in setup] == ["$ " + " ".join(COUNT), "said by setup", "and on stderr"]
    assert all(line.startswith("[setup@") for line in setup) and rank == "a rank"
    chunks = [line for line in muster.ok("logs", "job", "-o", "json").json_lines() if line["type"] == "output"]
    assert "said by setup\n" in "".join(chunk["text"] for chunk in chunks if chunk["stream"] == "setup")


def test_a_failure_is_the_jobs_and_uses_no_restart(muster):
    muster.job_file(name="job", command=["sh", "-c", "echo began > began"], restarts={"limit": 3},
                    setup=[["sh", "-c", "echo no such package: torhc >&2; exit 4"]])
    done = muster("run", "job.yaml")
    assert done.code == 1 and "setup failed on " in done.err and "exited with code 4: no such package: torhc" in done.err
    assert not (muster.work / "began").exists()
    job = muster.job("job")
    assert (job["attempt"], job["restarts"]) == (1, 0)
    assert "E1409" in muster.ok("why", "job").out
    assert "torhc" in muster.ok("explain", "E1409").out
    again = muster("run", "job.yaml", "--name", "again", "--set", "setup=[[no-such-program]]")
    assert again.code == 1 and "`no-such-program` could not be started" in again.err


def test_what_failed_is_done_again(muster):
    muster.job_file(command=["true"], setup=[["sh", "-c", "echo done >> log; test -e go"]])
    assert muster("run", "job.yaml").code == 1
    muster.write("go", "")
    muster.ok("run", "job.yaml")
    assert times(muster) == 2


def test_ranks_run_in_the_virtual_environment(muster):
    muster.job_file(command=["python", "train.py"], setup=[VENV], python={"venv": ".venv"})
    assert muster.ok("run", "job.yaml").lines() == [f"python of {muster.work}/.venv"]
    (muster.work / ".venv/bin/python").unlink()
    assert muster.ok("run", "job.yaml").lines() == [f"python of {muster.work}/.venv"]


def test_setup_itself_runs_in_it(muster):
    muster.job_file(command=["true"], setup=[VENV, ["sh", "-c", "python > log"]], python={"venv": ".venv"})
    muster.ok("run", "job.yaml")
    assert (muster.work / "log").read_text() == f"python of {muster.work}/.venv\n"


def test_a_virtual_environment_that_is_not_there(muster):
    muster.job_file(name="job", command=["python", "train.py"], python={"venv": "~/nowhere"})
    done = muster("run", "job.yaml")
    assert done.code == 1 and f"has no virtual environment {muster.home}/nowhere: there is no bin/python in it" in done.err
    assert "E1410" in muster.ok("why", "job").out


def test_secrets_and_variables_reach_it(muster):
    muster.job_file(command=["true"], env={"LEVEL": "7", "TOKEN": {"from": "env:TOKEN"}},
                    setup=[["sh", "-c", "echo $LEVEL $TOKEN > log"]])
    muster.ok("run", "job.yaml", env={"TOKEN": "hush"})
    assert (muster.work / "log").read_text() == "7 hush\n"
    muster.ok("run", "job.yaml", env={"TOKEN": "renewed"})
    assert (muster.work / "log").read_text() == "7 hush\n"


def test_a_job_that_is_killed_ends_its_setup(muster):
    muster.job_file(name="job", command=["true"], setup=[["sh", "-c", "setsid sleep 1000 & echo begun > begun; sleep 1001"]])
    muster.submit("job.yaml")
    muster.wait_for_file("begun")
    wait_for(lambda: "setup on " in muster.ok("describe", "job").out, "what is under way")
    muster.ok("kill", "job")
    muster.wait_until_idle()
    assert processes_of(muster.home) == []


def test_a_stop_ends_it_too(muster):
    muster.job_file(command=["true"], setup=[["sh", "-c", "echo begun > begun; sleep 1000"]])
    run = muster.start("run", "job.yaml")
    muster.wait_for_file("begun")
    run.says("waits for setup on ")
    run.signal(signal.SIGTERM)
    assert run.end().code != 0
    muster.wait_until_idle()


def test_a_long_setup_is_no_part_of_the_start(muster):
    muster.job_file(command=["true"], setup=[["sleep", "4"]], timeouts={"start": "3s"})
    assert re.search(r"setup took \d+", muster.ok("run", "job.yaml").err)
    done = muster("run", "job.yaml", "--set", "setup=[[sleep, '1000']]", "--set", "timeouts.setup=1s")
    assert done.code != 0 and "did not end within 1 s (timeouts.setup)" in done.err
    muster.wait_until_idle()


def test_a_new_controller_goes_on_with_it(muster):
    muster.job_file(name="job", command=["cat", "log"], setup=[["sh", "-c", "echo done >> log; until test -e go; do sleep 0.05; done"]])
    muster.submit("job.yaml")
    wait_for(lambda: times(muster) == 1, "the setup to begin")
    muster.kill_controller()
    muster.ok("ps")
    muster.write("go", "")
    muster.wait_for_state("succeeded", "job")
    assert times(muster) == 1


def test_it_is_shown_before(muster):
    muster.job_file(command=["python", "train.py"], setup=[["pip", "install", "torch"]], python={"venv": ".venv"})
    shown = muster.ok("render", "job.yaml").out
    assert "setup   pip install torch" in shown and "python  .venv/bin/python" in shown
    assert muster.ok("render", "job.yaml", "-o", "json").json()["setup"] == [["pip", "install", "torch"]]


def test_one_text_is_answered_with_the_list(muster):
    muster.write("job.yaml", "command: [true]\nsetup:\n  - pip install torch\n  - cd src && make\n")
    done = muster("validate", "job.yaml")
    assert "write  - [pip, install, torch]" in done.err and 'write  - [bash, -c, "cd src && make"]' in done.err
