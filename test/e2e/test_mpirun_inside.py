# SPDX-License-Identifier: Apache-2.0
"""`muster mpirun` called by a rank of a job on several nodes: its ranks start on the nodes of that job (docs/design/mpirun-inside-jobs.md)."""

import os
import signal

import pytest

from processes import command_line, processes_of
from waiting import wait_for

PLACE = "echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE, $OMPI_COMM_WORLD_LOCAL_RANK on $MUSTER_NODE"


def lines(done):
    return sorted(line.removeprefix("[0] ") for line in done.out.splitlines())


def wait_for_script(words):
    """The command of each rank: rank 0 runs these words of a shell, and the others wait for their end."""
    return ["sh", "-c", f"if [ $MUSTER_RANK = 0 ]; then {words}; code=$?; touch over; exit $code; fi; until test -e over; do sleep 0.05; done"]


def run_script(muster, script, *flags):
    """A job with two nodes and two ranks on each, of which rank 0 runs the script."""
    muster.write("script.sh", script)
    (muster.work / "over").unlink(missing_ok=True)
    return ["run", "--nodes", "2", "-n", "2", *flags, "--", *wait_for_script("sh script.sh")]


def test_ranks_start_on_all_nodes_of_the_job(muster):
    done = muster.ok(*run_script(muster, f"{muster.binary} mpirun -q -n 4 sh -c '{PLACE}'\n", "-q"))
    assert lines(done) == ["0 of 4, 0 on 0", "1 of 4, 1 on 0", "2 of 4, 0 on 1", "3 of 4, 1 on 1"], done


def test_without_a_number_each_rank_of_the_job_is_a_slot(muster):
    done = muster.ok(*run_script(muster, f"{muster.binary} mpirun -q sh -c '{PLACE}'\n", "-q"))
    assert len(lines(done)) == 4, done


def test_too_many_ranks_are_refused_and_oversubscribed_on_request(muster):
    refused = muster(*run_script(muster, f"{muster.binary} mpirun -q -n 5 touch ran\n", "-q"))
    assert refused.code == 1 and "[E1705]" in refused.err and "4 slots" in refused.err, refused
    assert not (muster.work / "ran").exists()
    done = muster.ok(*run_script(muster, f"{muster.binary} mpirun -q --oversubscribe -n 6 sh -c '{PLACE}'\n", "-q"))
    assert len(lines(done)) == 6 and all(" of 6" in line for line in lines(done)), done


def test_the_exit_code_and_stderr_of_a_rank_reach_the_script(muster):
    script = f"{muster.binary} mpirun -q -n 4 sh -c 'echo err $OMPI_COMM_WORLD_RANK >&2; test $OMPI_COMM_WORLD_RANK = 3 && exit 7; sleep 600' 2> said\necho code $?\n"
    done = muster.ok(*run_script(muster, script, "-q"))
    assert lines(done) == ["code 7"], done
    assert "err 3" in (muster.work / "said").read_text()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_ranks_have_the_cpus_of_all_ranks_of_their_node(muster):
    """Each rank of the job has a CPU of its own; two ranks of the mpirun inside share both."""
    command = wait_for_script(f"nproc; {muster.binary} mpirun -q -n 2 nproc")
    muster.job_file(groups=[{"name": "pair", "workers": 2, "worker": {"cpus": 1}, "command": command},
                            {"name": "other", "command": ["sleep", "1000"], "success": "background"}])
    done = muster.ok("run", "-q", "job.yaml")
    assert [line.split()[-1] for line in done.lines()] == ["1", "2", "2"], done


def test_several_programs_share_one_world_over_the_nodes(muster):
    script = f"{muster.binary} mpirun -q -n 1 sh -c '{PLACE}' : -n 3 sh -c '{PLACE} b'\n"
    done = muster.ok(*run_script(muster, script, "-q"))
    assert [line.split(",")[0] for line in lines(done)] == ["0 of 4", "1 of 4", "2 of 4", "3 of 4"], done


def test_ranks_start_on_the_workers_if_groups_restart_alone(muster):
    """Then each group is a gang, whose ranks meet in their own agent. Only the coordinator knows the nodes of the other one."""
    launcher = {"name": "launcher", "command": ["sh", "-c", f"{muster.binary} mpirun -q sh -c '{PLACE} $WHO'"],
                "env": {"MUSTER_MPIRUN_GROUPS": "worker", "MUSTER_MPIRUN_SLOTS": "2"}}
    worker = {"name": "worker", "nodes": 1, "command": ["sleep", "infinity"], "env": {"WHO": "worker"}, "success": "background"}
    muster.job_file(restarts={"mode": "group"}, groups=[launcher, worker])
    done = muster.ok("run", "-q", "job.yaml")
    assert [line.split()[-1] for line in sorted(done.lines())] == ["worker", "worker"], done


def test_a_script_finds_mpirun_by_the_program_of_its_node(muster):
    script = f"PATH=$($MUSTER_PROGRAM mpirun --shim):$PATH\nmpirun -q -n 4 sh -c '{PLACE}'\n"
    assert len(lines(muster.ok(*run_script(muster, script, "-q")))) == 4


def test_variables_that_muster_set_for_the_rank_do_not_reach_the_ranks_inside(muster):
    """OMP_NUM_THREADS=1 is for two ranks of a node. What the user sets is passed on, in the script and for the job."""
    told = "mpirun -q -n 4 sh -c 'echo $MUSTER_NODE ${OMP_NUM_THREADS-unset} ${SLURM_PROCID-unset}'"
    script = f"PATH=$($MUSTER_PROGRAM mpirun --shim):$PATH\n{told}\nOMP_NUM_THREADS=3 {told}\n{told.replace('-n', '-x OMP_NUM_THREADS -n')}\n"
    done = muster.ok(*run_script(muster, script, "-q", "--framework", "torch"))
    assert lines(done) == sorted(f"{node} {threads} unset" for node in (0, 1) for threads in ("unset", "3", "1") for _ in (0, 1)), done
    done = muster.ok(*run_script(muster, script, "-q", "--framework", "jax", "-e", "OMP_NUM_THREADS=1"))
    assert lines(done) == sorted(f"{node} {threads} unset" for node in (0, 1) for threads in ("1", "3", "1") for _ in (0, 1)), done


SLEEPS = "sleep 617"


def ranks_inside(muster):
    """The processes of the ranks of `sleeping`."""
    return muster.shell(f"ps -eo pid,args | grep '[{SLEEPS[0]}]{SLEEPS[1:]}' || true").out


def wait_for_their_end(muster):
    wait_for(lambda: not ranks_inside(muster), lambda: f"the end of {ranks_inside(muster)}")


def start_sleeping(muster, after, *flags):
    """Starts a job in which the script runs four ranks that sleep, and then these lines. Returns it once they run."""
    run = muster.start(*run_script(muster, f"{muster.binary} mpirun -q -n 4 sh -c 'echo up; exec {SLEEPS}'{after}\n", "-q", *flags))
    wait_for(lambda: run.out().count("up") == 4, lambda: f"four ranks of {run}")
    return run


def submit_ranks(muster, ranks, after="\necho code $?"):
    """Submits a job `outer` in which the script runs four ranks, and then these lines. Returns once the ranks have written `up`."""
    words = run_script(muster, f"{muster.binary} mpirun -q -n 4 sh -c 'echo up >> ups; {ranks}'{after}\n", "--name", "outer")
    muster.submit(*words[1:])
    wait_for(lambda: (muster.work / "ups").exists() and (muster.work / "ups").read_text().count("up") == 4, "four ranks")


IN_BACKGROUND = " & echo $! > pid; wait $!; echo code $?"
UNTIL_GO = "until test -e go; do sleep 0.05; done; echo went $OMPI_COMM_WORLD_RANK $MUSTER_ATTEMPT"
WENT = ["code 0", *(f"went {rank} 1" for rank in range(4))]


def expect_all_went(muster):
    """The ranks of `outer` go on, and none has started again."""
    muster.write("go", "")
    muster.wait_for_state("succeeded", "outer")
    done = muster.ok("logs", "outer")
    assert lines(done) == WENT, done
    assert muster.job("outer")["restarts"] == 0


def test_killing_the_command_ends_its_ranks_on_all_nodes(muster):
    run = start_sleeping(muster, IN_BACKGROUND)
    muster.shell("kill -KILL $(cat pid)")
    assert "code 137" in run.end().out
    wait_for_their_end(muster)


@pytest.mark.parametrize("word", ["stop", "kill"])
def test_stopping_the_job_ends_the_ranks_inside(muster, word):
    run = start_sleeping(muster, "", "--name", "outer")
    muster(word, "outer")
    run.end()
    wait_for_their_end(muster)


def test_ranks_inside_outlive_the_controller_of_the_job(muster):
    """The next controller brings the links back, over which the inner job had run."""
    submit_ranks(muster, UNTIL_GO)
    muster.kill_controller()
    muster.ok("ps")
    expect_all_went(muster)


def test_ranks_of_a_command_that_was_killed_while_the_controller_was_away_end_with_the_job(muster):
    submit_ranks(muster, f"exec {SLEEPS}", IN_BACKGROUND)
    muster.kill_controller()
    muster.shell("kill -KILL $(cat pid)")
    muster.ok("ps")
    muster.wait_for_state("succeeded", "outer")
    wait_for_their_end(muster)


def test_relays_that_a_signal_has_stopped_are_continued(muster):
    """Otherwise the command would wait for its ranks for ever."""
    submit_ranks(muster, UNTIL_GO)
    relays = [pid for pid in processes_of(muster.home) if command_line(pid)[1:2] == ["relay"]]
    assert len(relays) == 2
    for relay in relays:
        os.kill(relay, signal.SIGSTOP)
    expect_all_went(muster)


def test_an_agent_inside_that_a_signal_has_stopped_is_named(muster):
    submit_ranks(muster, f"echo $$ $MUSTER_JOB_ID > rank-$OMPI_COMM_WORLD_RANK; {UNTIL_GO}")
    muster.wait_for_file("rank-3")
    rank, job = (muster.work / "rank-3").read_text().split()
    agent, _ = muster.agent_of(int(rank))
    os.kill(agent, signal.SIGSTOP)
    named = f"(pid {agent}) is stopped by a signal, so its ranks are not watched"
    wait_for(lambda: named in muster("why", job).out, lambda: muster("why", job))
    os.kill(agent, signal.SIGCONT)
    expect_all_went(muster)
