# SPDX-License-Identifier: Apache-2.0
"""resuming.py FOLDER STEPS KILLS: STEPS steps of DDP, with a checkpoint in FOLDER after each. The first KILLS attempts do two steps and
then all_reduce until a rank is killed; every rank writes its pid to the file ready-ATTEMPT-RANK there."""

import os
import sys

import torch
import torch.distributed as dist

from regression import network, report, train_step

STEPS_OF_ATTEMPT = 2


def replace(path, save):
    save(path + ".new")
    os.replace(path + ".new", path)


def tell(path):
    def write(name):
        with open(name, "w") as file:
            file.write(str(os.getpid()))
    replace(path, write)


def load(path, model):
    if not os.path.exists(path):
        return 0, []
    found = torch.load(path)
    model.load_state_dict(found["model"])
    return found["step"], found["losses"]


def main(folder, steps, kills):
    dist.init_process_group("gloo")
    rank, world, attempt = dist.get_rank(), dist.get_world_size(), int(os.environ["TORCHELASTIC_RESTART_COUNT"]) + 1
    checkpoint, plain = os.path.join(folder, "checkpoint"), network()
    step, losses = load(checkpoint, plain)
    model = torch.nn.parallel.DistributedDataParallel(plain)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    until = attempt * STEPS_OF_ATTEMPT if attempt <= kills else steps
    while step < until:
        loss = train_step(model, optimizer, step, rank, world)
        dist.all_reduce(loss)
        losses.append(loss.item() / world)
        step += 1
        if rank == 0:
            replace(checkpoint, lambda name: torch.save({"model": plain.state_dict(), "step": step, "losses": losses}, name))
        dist.barrier()
    tell(os.path.join(folder, f"ready-{attempt}-{rank}"))
    while attempt <= kills:
        dist.all_reduce(torch.ones(1))
    report(world=world, losses=losses, attempt=attempt)
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
