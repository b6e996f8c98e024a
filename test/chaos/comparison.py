# SPDX-License-Identifier: Apache-2.0
"""Compares what muster says and keeps of a job with the records of its ranks. Returns findings: sentences about broken promises.

`run` has what job_run.JobRun has after its end: plan, code, command_struck, job (of `muster describe`), read(), alive_at_end, written,
logged and trouble. `strikes` are those that may have had an effect on the job.
"""

import signal

from fault_table import FAILS, LOST, REFUSED, STOPS, kills_agent_and_guardian

CODES = {"succeeded": (0,), "failed": (1,), "cancelled": (130, 143)}


class Evidence:
    """The records of a job's ranks, and the faults that hit the job."""

    def __init__(self, run, strikes):
        self.run, self.plan = run, run.plan
        self.may = {permit for strike in strikes for permit in strike.fault.may}
        self.failing_strikes = sum(FAILS in strike.fault.may for strike in strikes)
        self.double_kill = kills_agent_and_guardian([strike.fault for strike in strikes])
        self.processes = run.read()
        self.ranks = [each for each in self.processes if not each.child]
        self.last = max((each.attempt for each in self.ranks), default=0)

    def of(self, attempt):
        return [each for each in self.ranks if each.attempt == attempt]

    def all_ranks(self, attempt, holds):
        return len({each.rank for each in self.of(attempt) if holds(each)}) == self.plan["count"]

    def complete(self, attempt):
        """Whether every rank did all its work in this attempt and exited with 0."""
        return self.all_ranks(attempt, lambda each: each.succeeded)

    def may_outlive(self, process):
        """The one limit of the promise that nothing survives: without a cgroup of its own, muster finds what ranks have started by its
        environment once agent and guardian are gone (docs/lab/reliability.md).
        """
        return self.double_kill and not self.plan["privileged"] and process.child and not process.first("environment", True)

    def succeeded(self, attempt):
        """Whether every rank exited with 0, perhaps early because a fault or muster sent SIGTERM."""
        return self.all_ranks(attempt, lambda each: each.code == 0)


def compare(run, strikes):
    evidence = Evidence(run, strikes)
    found = [*run.trouble, *programs(evidence), *doubles(evidence)]
    if LOST not in evidence.may:  # otherwise the end of the round looks for what is left of the job
        found += [f"{each.name} (pid {each.pid}) is alive after the job's end" for each in run.alive_at_end if not evidence.may_outlive(each)]
    found += outputs(evidence)
    if run.job is None:
        return [*found, *without_job(evidence)]
    return [*found, *end_of_job(evidence), *attempts(evidence), *causes(evidence)]


def programs(evidence):
    for each in evidence.processes:
        if trouble := each.first("trouble"):
            yield f"the program of the chaos is wrong: {each.name}: {trouble}"
        for wrong in each.first("wrong", []):
            yield f"{each.name} was given wrongly: {wrong}"
        for pid, started in each.first("beside", []):
            earlier = next((one for one in evidence.processes if one.identity == (pid, started)), None)
            if earlier is None or not evidence.may_outlive(earlier):
                yield f"two attempts alive: {each.name} ran beside {earlier.name if earlier else pid}"


def doubles(evidence):
    seen = set()
    for each in evidence.ranks:
        if (each.attempt, each.rank) in seen:
            yield f"{each.name} was started twice"
        seen.add((each.attempt, each.rank))
    if evidence.last > evidence.plan["limit"] + 1:
        yield f"attempt {evidence.last} ran, and {evidence.plan['limit']} restarts are allowed"


def outputs(evidence):
    for each in evidence.ranks:
        for stream in (1, 2):
            sure, maybe = each.output(evidence.plan, stream)
            key = each.attempt, each.rank, stream
            name = f"{'stdout' if stream == 1 else 'stderr'} of {each.name}"
            if key in evidence.run.written:
                yield from difference(name, evidence.run.written[key], sure, maybe)
            if key in evidence.run.logged:
                yield from difference(f"`muster logs` of {name}", evidence.run.logged[key], sure, maybe)


def difference(name, kept, sure, maybe):
    if kept is None:
        if sure:
            yield f"{name} is missing: {len(sure)} bytes were written"
    elif not (kept.startswith(sure) and (sure + maybe).startswith(kept)):
        at = next((at for at, (here, there) in enumerate(zip(kept, sure + maybe)) if here != there), min(len(kept), len(sure)))
        yield f"{name} differs at byte {at}: {len(sure)} bytes were written" \
              f"{f' and at most {len(maybe)} more' if maybe else ''}, {len(kept)} are kept"


def without_job(evidence):
    """muster knows no such job."""
    if evidence.ranks and LOST not in evidence.may:
        yield f"the job is unknown, and its ranks ran: {evidence.run.said.strip()[-300:]}"
    elif not evidence.ranks and not evidence.may & {REFUSED, LOST, STOPS}:
        yield f"the job was not started, code {evidence.run.code}: {evidence.run.said.strip()[-300:]}"


def end_of_job(evidence):
    run, job, may = evidence.run, evidence.run.job, evidence.may
    if not job["done"]:
        if LOST not in may:
            yield f"its command has ended with {run.code}, and the job is {job['state']}"
        return
    state = job["state"]
    if not run.command_struck and run.code not in CODES.get(state, ()) and not torchrun_stopped(evidence):
        yield f"the command says {run.code}, and the job is {state}: {job['sentence']}"
    if state == "succeeded" and not evidence.succeeded(evidence.last):
        yield f"the job succeeded, but not all ranks did in attempt {evidence.last}"
    if state == "cancelled" and STOPS not in may:
        yield f"nobody stopped the job: {job['sentence']}"
    if state == "failed":
        yield from failure(evidence)
    if state not in CODES:
        yield f"the job has ended as {state}"


def torchrun_stopped(evidence):
    return evidence.plan["way"] == "torchrun" and evidence.run.job["state"] == "cancelled" and evidence.run.code in (1, 130, 143)


def failure(evidence):
    may = evidence.may
    if evidence.complete(evidence.last) and not may & {FAILS, LOST, REFUSED}:
        yield f"the job failed, and all its ranks succeeded: {evidence.run.job['sentence']}"
    if evidence.last < evidence.plan["limit"] + 1 and not may & {LOST, REFUSED, STOPS}:
        yield f"the job failed in attempt {evidence.last}, and {evidence.plan['limit']} restarts are allowed: {evidence.run.job['sentence']}"


def attempts(evidence):
    """Every attempt but the last must have failed for a reason: a rank by itself, or a fault."""
    told = evidence.run.job["attempt"]
    if evidence.last > told:
        yield f"attempt {evidence.last} ran, and the job tells of {told}"
    failed = [each for each in range(1, evidence.last + 1) if each < evidence.last or evidence.run.job["state"] == "failed"]
    unexplained = [each for each in failed if not any(rank.failed_by_itself for rank in evidence.of(each))]
    if len(unexplained) > evidence.failing_strikes and LOST not in evidence.may:
        yield f"attempts {unexplained} failed without a cause: {[each.get('cause') for each in evidence.run.job['attempts']]}"


def causes(evidence):
    """The cause that an attempt names must be in the record of its rank."""
    for each in evidence.run.job["attempts"]:
        rank, attempt = each.get("culprit"), each["attempt"]
        process = next((one for one in evidence.of(attempt) if one.rank == rank), None)
        if process is None or "exit" not in each:
            continue
        code, number = each["exit"].get("code"), each["exit"].get("signal")
        if code is not None and process.code != code:
            yield f"attempt {attempt} failed because rank {rank} exited with {code}, and its record says {recorded(process)}"
        if number is not None and process.first("signal") != number and FAILS not in evidence.may:
            yield f"attempt {attempt} failed because {signal.Signals(number).name} ended rank {rank}, and its record says {recorded(process)}"


def recorded(process):
    if process.first("signal") is not None:
        return f"signal {process.first('signal')}"
    return "nothing of its end" if process.code is None else f"code {process.code}"


def excused(run, strikes):
    """Pids of processes that may be left at the end of the round."""
    evidence = Evidence(run, strikes)
    return {each.pid for each in evidence.processes if evidence.may_outlive(each)}


def final(run, later):
    """An end is final: `later` is the job in a later `muster ps -a -o json`, after restarts of the controller; None if it is missing."""
    if run.job is None or not run.job["done"]:
        return
    if later is None:
        yield f"the job was {run.job['state']}, and is no longer listed"
    elif (later["state"], later["attempt"]) != (run.job["state"], run.job["attempt"]):
        yield f"the job was {run.job['state']} in attempt {run.job['attempt']}, and is now {later['state']} in attempt {later['attempt']}"
