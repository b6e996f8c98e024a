# SPDX-License-Identifier: Apache-2.0
"""Linear regression in hvd.elastic.run: each rank has its part of the rows. Prints the mean losses, the attempts in which the process
trained, and how many of the steps were made in each attempt. An argument WHERE:ATTEMPT:INDEX does something to a rank:
`step`: it dies in the middle of the training; `start`: it dies at the start of the program; `sync`: it dies before it gets the state of
the others, when they wait for it; `synced`: it dies when it has it; `end`: it fails after the training; `exec`: it executes its program
again, so that it is not forked."""

import contextlib
import os
import signal
import sys


def is_told(where):
    return f"{where}:{os.environ['MUSTER_ATTEMPT']}:{os.environ['MUSTER_INDEX']}" in sys.argv


def die_if(where):
    if is_told(where):
        os.kill(os.getpid(), signal.SIGKILL)


if is_told("exec") and "EXECUTED" not in os.environ:
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"EXECUTED": "1"})
die_if("start")

import horovod.torch as hvd  # noqa: E402
import torch  # noqa: E402

began = os.environ["MUSTER_ATTEMPT"]
hvd.init()
torch.manual_seed(1)
rows = torch.randn(96, 4)
targets = rows @ torch.tensor([[1.0], [-2.0], [3.0], [0.5]]) + 0.1 * torch.randn(96, 1)
model = torch.nn.Linear(4, 1)
optimizer = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), named_parameters=model.named_parameters())


@hvd.elastic.run
def train(state):
    rank, ranks = hvd.rank(), hvd.size()
    mine = slice(rank * 96 // ranks, (rank + 1) * 96 // ranks)
    die_if("synced")
    while state.step < 20:
        if state.step == 10:
            die_if("step")
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(rows[mine]), targets[mine])
        loss.backward()
        optimizer.step()
        state.losses = [*state.losses, hvd.allreduce(loss.detach(), name="loss").item()]
        state.made = state.made + os.environ["MUSTER_ATTEMPT"]
        state.step += 1
        state.commit()


def die_in_sync():
    """The rank that is to die waits until all others have begun hvd.elastic.run."""
    attempt = os.environ["MUSTER_ATTEMPT"]
    if not any(word.startswith(f"sync:{attempt}:") for word in sys.argv):
        return
    with contextlib.suppress(FileExistsError):
        os.mkfifo(f"sync-{attempt}")
    gate = os.open(f"sync-{attempt}", os.O_RDWR)  # stays open, so that no byte is lost
    if not is_told("sync"):
        os.write(gate, b"1")
    else:
        for _ in range(hvd.size() - 1):
            os.read(gate, 1)
        die_if("sync")


class State(hvd.elastic.TorchState):
    def sync(self):
        die_in_sync()
        super().sync()


state = State(model=model, optimizer=optimizer, step=0, losses=[], made="")
train(state)
if is_told("end"):
    sys.exit(3)
hvd.allreduce(torch.zeros(1), name="end")
made = " ".join(f"{attempt}*{state.made.count(attempt)}" for attempt in sorted(set(state.made)))
print(f"index {os.environ['MUSTER_INDEX']}, rank {hvd.rank()} of {hvd.size()}, pid {os.getpid()}, attempts {began}-{os.environ['MUSTER_ATTEMPT']}, "
      f"steps {made}: " + " ".join(f"{loss:.3f}" for loss in state.losses[::5]), flush=True)
