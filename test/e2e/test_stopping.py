# SPDX-License-Identifier: Apache-2.0
"""`muster stop` and `muster kill`."""

ENDLESS = ["--", "sh", "-c", "echo ready; exec sleep 600"]


def test_stop_asks_the_rank_first(muster):
    script = "trap 'echo saving; exit 0' TERM; echo > ready; while :; do sleep 0.05; done"
    run = muster.start("run", "--name", "polite", "--", "sh", "-c", script)
    muster.wait_for_file("ready")
    assert muster.ok("stop", "polite").out == ""
    done = run.end()
    assert done.lines() == ["saving"]
    assert done.code != 0
    assert muster.job("polite")["state"] == "cancelled"


def test_stop_with_a_grace_of_its_own(muster):
    muster.submit("--name", "stubborn", "--", "sh", "-c", "trap '' TERM; echo > ready; while :; do sleep 0.05; done")
    muster.wait_for_file("ready")
    muster.ok("stop", "stubborn", "--grace", "100ms")
    assert muster("wait", "stubborn").code != 0


def test_kill_does_not_ask(muster):
    muster.submit("--name", "stubborn", "--", "sh", "-c", "trap 'echo > asked' TERM; echo > ready; while :; do sleep 0.05; done")
    muster.wait_for_file("ready")
    muster.ok("kill", "stubborn")
    muster.wait_for_state("cancelled", "stubborn")
    assert not (muster.work / "asked").exists()


def test_stopping_several_jobs_one_of_them_unknown(muster):
    names = [muster.submit(*ENDLESS), muster.submit(*ENDLESS)]
    done = muster("stop", names[0], "nobody", names[1], "--grace", "0s")
    assert done.code == 5
    for name in names:
        muster.wait_for_state("cancelled", name)


def test_all_jobs_are_stopped_or_killed_and_no_other_word_is_needed(muster):
    assert muster.ok("stop", "--all").err == "no job is running or queued\n"
    for verb in ("stop", "kill"):
        live = [muster.submit(*ENDLESS), muster.submit("--hold", *ENDLESS)]
        assert "choose one" in muster(verb, "--all", live[0]).err
        acts = muster.ok(verb, "--all", "-o", "json").json()["acts"]
        assert sorted(each["job"] for each in acts) == sorted(live)
        for name in live:
            muster.wait_for_state("cancelled", name)
    refused = muster("stop")
    assert refused.code == 2 and "muster stop needs a job (muster ps lists them; @last is the newest)" in refused.err


def test_ps_shows_the_commands(muster):
    name = muster.submit(*ENDLESS)
    line = next(line for line in muster.ok("ps", "-o", "wide").lines() if line.startswith(name))
    assert line.rstrip().endswith("sh -c echo ready; exec sleep 600"), line
    muster.ok("kill", name)
    muster.wait_for_state("cancelled", name)


def test_stopping_twice_and_after_the_end(muster):
    name = muster.submit(*ENDLESS)
    muster.wait_for_state("running", name)
    muster.ok("stop", name)
    assert muster("stop", name).code in (0, 6)
    muster.wait_for_state("cancelled", name)
    assert muster("stop", name).code in (0, 6)


def test_the_time_that_stopping_took_is_not_useful(muster):
    """A rank that ignores SIGTERM uses its whole grace."""
    stubborn = "trap '' TERM; echo > ready; while :; do sleep 0.05; done"
    muster.submit("--name", "stubborn", "--timeout-stop", "1s", "--", "sh", "-c", stubborn)
    muster.wait_for_file("ready")
    assert set(muster.job("stubborn")["spent"]) >= {"useful"}, "told while it runs"
    muster.ok("stop", "stubborn")
    assert muster("wait", "stubborn").code != 0
    job = muster.job("stubborn")
    assert job["spent"]["stop"] >= 1
    assert job["attempts"][0]["stopping"] < job["attempts"][0]["ended"]


def test_the_time_that_a_failed_gang_took_to_end_is_not_useful(muster):
    script = """trap '' TERM
test $MUSTER_RANK = 0 || { until test -e ready; do sleep 0.05; done; rm ready; exit 3; }
echo > ready; while :; do sleep 0.05; done"""
    muster.job_file(workers=2, command=["sh", "-c", script], restarts={"limit": 1, "grace": "1s"})
    assert muster("run", "--name", "stubborn", "job.yaml").code == 1
    spent = muster.job("stubborn")["spent"]
    assert spent["restart"] >= 1 and spent["stop"] >= 1
