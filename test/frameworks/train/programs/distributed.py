# SPDX-License-Identifier: Apache-2.0
"""distributed.py ddp|fsdp: the regression with DistributedDataParallel, or with its parameters sharded by fully_shard."""

import sys

import torch
import torch.distributed as dist

from regression import STEPS, network, report, train_step


def ddp(model):
    return torch.nn.parallel.DistributedDataParallel(model)


def fsdp(model):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for layer in model:
        if any(True for _ in layer.parameters()):
            fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def main(kind):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    model = {"ddp": ddp, "fsdp": fsdp}[kind](network())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    losses = []
    for step in range(STEPS):
        loss = train_step(model, optimizer, step, rank, world)
        dist.all_reduce(loss)
        losses.append(loss.item() / world)
    report(world=world, losses=losses, torch=torch.__version__)
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1])
