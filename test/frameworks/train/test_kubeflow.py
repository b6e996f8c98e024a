# SPDX-License-Identifier: Apache-2.0
"""A TrainJob of torch: the same losses whether muster starts the ranks or the script starts torchrun (docs/reference/kubeflow.md)."""

import os

PROGRAM = """
import sys, torch, torch.distributed as dist
dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.Generator().manual_seed(dist.get_rank())
for step in range(5):
    x = torch.randn(8, 4, generator=data)
    loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
# In one write: the processes of torchrun share a pipe, and print() writes the end of the line separately.
sys.stdout.write(f"loss {total.item():.6f} of {dist.get_world_size()}\\n")
dist.destroy_process_group()
"""

JOB = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: losses}}
spec:
  runtimeRef: {{name: torch-distributed}}
  trainer: {{numNodes: 2, numProcPerNode: 2, command: {command}}}
"""


def losses(muster, command):
    muster.write("losses.py", PROGRAM)
    muster.write("job.yaml", JOB.format(command=command))
    folder = os.path.dirname(os.environ["MUSTER_FRAMEWORKS_PYTHON"])
    path = folder + ":" + os.environ["PATH"]
    done = muster.ok("run", "-q", "job.yaml", env={"PATH": path})
    return {line.partition("] ")[2] for line in done.out.splitlines() if "loss " in line}


def test_a_train_job_has_the_losses_of_torchrun(muster):
    ranks = losses(muster, "[torchrun, losses.py]")
    assert len(ranks) == 1 and ranks.pop().endswith(" of 4")
    assert losses(muster, "[torchrun, losses.py]") == losses(muster, '[bash, -c, "cd . && python3 -m torch.distributed.run losses.py"]')
