# SPDX-License-Identifier: Apache-2.0
"""A program that is linked against only the client library (examples/embed)."""

import pathlib
import shlex

import pytest


@pytest.fixture(name="embed")
def fixture_embed(muster):
    folder = pathlib.Path(muster.binary).parent

    def run(job_file):
        return muster.shell(f"PATH={shlex.quote(str(folder))}:$PATH {shlex.quote(str(folder / 'embed'))} {shlex.quote(str(job_file))}")
    return run


def test_JobFile_ThatSucceeds_IsFollowedToItsEnd(muster, embed):
    muster.job_file(name="embedded", workers=2, command=["sh", "-c", "echo hello from $MUSTER_RANK"])
    done = embed("job.yaml")
    assert done.code == 0, done
    assert sorted(done.out.splitlines()[:-1]) == ["hello from 0", "hello from 1"]
    assert done.out.splitlines()[-1].startswith("embedded succeeded"), done
    assert muster.job("embedded")["state"] == "succeeded"


def test_JobFile_ThatFails_GivesTheJobsExitCode(muster, embed):
    muster.job_file(name="embedded", command=["sh", "-c", "exit 3"], restarts={"limit": 0})
    done = embed("job.yaml")
    assert done.code == 1, done
    assert "embedded failed: rank 0 exited with code 3" in done.out


def test_JobFile_WithAMistake_StartsNothing(muster, embed):
    muster.write("job.yaml", "comand: [true]\n")
    done = embed("job.yaml")
    assert (done.code, done.out) == (2, ""), done
    assert "job.yaml:1: unknown key `comand`" in done.err
    assert not muster.processes("serve")
