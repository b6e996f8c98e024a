# SPDX-License-Identifier: Apache-2.0
"""After the first failure: the output of the commands that muster names, in a window with 80 columns."""

import re

import pytest

from programs import PREAMBLE

FAILS_ONCE = PREAMBLE + """\
if rank == "1" and os.environ["MUSTER_ATTEMPT"] == "1":
    raise RuntimeError("shapes (32,10) and (31,10) do not match")
print("trained")
if os.environ["MUSTER_ATTEMPT"] == "2":
    wait_for_test()
"""


@pytest.fixture
def user_after_a_restart(user, ranks):
    user.write("train.py", FAILS_ONCE)
    screen = user.muster("run", "-n", "2", "--name", "llm", "--restarts", "3", "--", "python3", "train.py")
    screen.shows("running again after")
    ranks.let_go(2)
    assert screen.ends() == 0
    own = [line for line in re.sub(r"\x1b\[[0-9;]*[mK]", "", screen.raw).splitlines() if line.startswith("llm  ")]
    assert own[0].startswith("llm  2 ranks on this machine")
    assert re.match(r"llm  rank 1 raised RuntimeError: .* do not match at train.py:\d+ · restarting, attempt 2 of 4", own[1])
    assert re.fullmatch(r"llm  running again after [0-9.]+ m?s \(2 ranks, attempt 2 of 4\)", own[2])
    assert re.fullmatch(r"llm  succeeded in [0-9.]+ m?s after 1 restart", own[3])
    return user


@pytest.mark.parametrize("command", ["why", "describe", "events", "ps"])
def test_what_it_says(user_after_a_restart, command):
    screen = user_after_a_restart.muster(*([command] if command == "ps" else [command, "llm"]))
    assert screen.ends() == 0
    lines = re.sub(r"\x1b\[[0-9;]*[mK]", "", screen.raw).splitlines()
    assert "Llm" not in screen.raw
    table = [line for line in lines if re.match(r"  (attempt|ATTEMPT|RANK|rank|\d) ", line) or line.startswith(("NAME", "llm "))]
    assert [line for line in table if len(line) > 80] == []
    if command != "ps":
        assert any("shapes (32,10) and" in line for line in lines)


def test_a_failure_names_the_next_command(user):
    user.write("train.py", PREAMBLE + "import nothere\n")
    screen = user.muster("run", "--", "python3", "train.py")
    assert screen.ends() == 1
    why = screen.line("^why: ")
    done = user.piped(*why.removeprefix("why:").split())
    assert done.returncode == 0, done.stderr
    assert re.match(r"Rank 0 raised ModuleNotFoundError: No module named 'nothere',? at train.py:\d+", done.stdout), done.stdout
    evidence = next(line for line in done.stdout.splitlines() if line.startswith("evidence:"))
    logs = user.piped(*evidence.removeprefix("evidence:").split())
    assert logs.returncode == 0
    assert "ModuleNotFoundError" in logs.stdout + logs.stderr
