# SPDX-License-Identifier: Apache-2.0
"""The faults of the chaos, and what each may do to a job. Everything else that muster promises must hold under all of them."""

from dataclasses import dataclass

# Effects that a fault may have on the job that it hits.
FAILS = "the attempt may fail"
STOPS = "the job may end as stopped by the user"
LOST = "nobody may be left to write the job's end"
REFUSED = "commands may be refused"

ATTACHED = ("run",)                    # the command follows a job of the controller
OWN = ("standalone", "torchrun")       # the job ends with its command
HELD = ("submit", "run")               # the controller has the job
EVERY = HELD + OWN


@dataclass(frozen=True)
class Fault:
    name: str
    strike: str           # the function of strikes.py, and after a colon what it is given
    may: tuple = ()
    ways: tuple = EVERY   # jobs that were started in one of these ways
    weight: int = 2
    everybody: bool = False  # it hits all jobs of the round
    needs: str = ""          # `small disk`, `own temporary folder`, `no privileges`


TABLE = (
    # Ranks
    Fault("a rank is killed", "kill:rank:KILL", (FAILS,), weight=3),
    Fault("a rank is terminated", "kill:rank:TERM", (FAILS,)),
    Fault("a rank crashes", "kill:rank:SEGV", (FAILS,)),
    Fault("a rank is stopped and continued", "suspend:rank"),
    # Agents and guardians
    Fault("the agent is killed", "kill:agent:KILL", (FAILS,), weight=3),
    Fault("the agent is terminated", "kill:agent:TERM", (FAILS,)),
    Fault("the guardian is killed", "kill:guardian:KILL", (FAILS,), weight=3),
    Fault("agent and guardian are killed", "kill:agent,guardian:KILL", (FAILS,), weight=3),
    Fault("guardian and agent are killed", "kill:guardian,agent:KILL", (FAILS,), weight=3),
    Fault("agent and rank are killed", "kill:agent,rank:KILL", (FAILS,)),
    Fault("the agent is stopped and continued", "suspend:agent"),
    Fault("the guardian is stopped and continued", "suspend:guardian"),
    # Controllers
    Fault("the controller is killed", "kill:controller:KILL", ways=HELD, weight=4, everybody=True),
    Fault("the controller is terminated", "kill:controller:TERM", ways=HELD, everybody=True),
    Fault("the controller is stopped and continued", "suspend:controller", ways=HELD, everybody=True),
    Fault("controller and agent are killed", "kill:controller,agent:KILL", (FAILS,), HELD, 3, everybody=True),
    Fault("controller, guardian and agent are killed", "kill:controller,guardian,agent:KILL", (FAILS,), HELD, 3, everybody=True),
    Fault("a second controller is started", "second_controller", ways=HELD, weight=1),
    # Commands
    Fault("the command is killed", "command:KILL", ways=HELD),
    Fault("the terminal of the command is closed", "command:HUP", ways=HELD),
    Fault("the command of the job is killed", "command:KILL", (FAILS, STOPS, LOST), OWN),
    Fault("the command is told to end", "command:TERM", (STOPS, FAILS), ATTACHED + OWN),
    Fault("the user stops the job", "user:stop", (STOPS,), HELD),
    Fault("the user kills the job", "user:kill", (STOPS,), HELD, 1),
    # Files
    Fault("the controller's socket is deleted", "delete:controller socket", ways=HELD, everybody=True),
    Fault("the agent's socket is deleted", "delete:agent socket"),
    Fault("the standalone command's socket is deleted", "delete:standalone socket", ways=OWN),
    Fault("the lock is deleted", "delete:lock", ways=HELD, everybody=True),
    Fault("the index is deleted", "delete:index", ways=HELD, weight=1, everybody=True),
    Fault("the index is overwritten", "overwrite_index", ways=HELD, weight=1, everybody=True),
    Fault("the leases are deleted", "delete:leases", weight=1, everybody=True, needs="own temporary folder"),
    Fault("the order and times of output are deleted", "delete:output index", weight=1),
    # Room
    Fault("the disk is full for a while", "fill_disk", (FAILS, REFUSED), weight=12, everybody=True, needs="small disk"),
    Fault("the controller may write no more for a while", "limit_writes:controller", (FAILS, REFUSED), HELD, everybody=True),
    Fault("the folder of jobs is read-only for a while", "close_folder", (FAILS, REFUSED), everybody=True, needs="no privileges"),
)


def drawable(way, small_disk, own_temporary, privileged):
    """The faults for a job that is started this way, in such a round."""
    has = {"small disk": small_disk, "own temporary folder": own_temporary, "no privileges": not privileged, "": True}
    return [fault for fault in TABLE if way in fault.ways and has[fault.needs]]


def kills_agent_and_guardian(faults):
    """Whether these faults may leave a node without agent and guardian at once."""
    killed = {name for fault in faults if fault.strike.startswith("kill:") for name in fault.strike.split(":")[1].split(",")}
    return {"agent", "guardian"} <= killed


def by_name(name):
    return next(fault for fault in TABLE if fault.name == name)
