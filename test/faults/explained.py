# SPDX-License-Identifier: Apache-2.0
"""What the user is told about a fault: the state, the rank and its node, the cause, and the next command."""

from waiting import wait_for


def ended(muster, job, code):
    """Waits for the job's end, which `muster wait` reports in its last line. Returns the job."""
    done = muster("wait", job)
    assert done.code == code, done
    last = muster.job(job)
    assert last["done"] and last["sentence"] in done.out + done.err, done
    return last


def explains(muster, job, *words):
    """Checks that `muster why` has these words, and a next command."""
    told = muster.ok("why", job).out
    for text in words:
        assert text.lower() in told.lower(), told
    assert "  muster " in told, told
    return told


def first_attempt(muster, job, culprit, cause):
    """The cause of the first attempt's failure in the journal."""
    attempt = muster.job(job)["attempts"][0]
    assert attempt["culprit"] == culprit and cause in attempt["cause"], attempt
    return attempt


def go(muster):
    (muster.work / "go").write_text("")


def gone(pids, alive):
    wait_for(lambda: not [pid for pid in pids if alive(pid)], f"{pids} to be gone")
