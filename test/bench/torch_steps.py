# SPDX-License-Identifier: Apache-2.0
"""torch_steps.py FOLDER forever: DDP training of a small network; FOLDER/ATTEMPT-RANK has the time when this rank passed its first step."""

import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from torch_first import write

FEATURES, HIDDEN, BATCH = 64, 256, 32


def steps(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    while True:
        batch = torch.randn(BATCH, FEATURES)
        loss = torch.nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


def main(folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    layers = torch.nn.Linear(FEATURES, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1)
    for number, _ in enumerate(steps(DistributedDataParallel(torch.nn.Sequential(*layers)))):
        if number == 0:
            write(folder, time.monotonic_ns())


if __name__ == "__main__":
    main(sys.argv[1])
