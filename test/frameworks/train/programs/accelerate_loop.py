# SPDX-License-Identifier: Apache-2.0
"""A training loop with Hugging Face Accelerate on the regression."""

import torch
from accelerate import Accelerator

from regression import STEPS, network, part, report


def main():
    accelerator = Accelerator(cpu=True)
    rank, world = accelerator.process_index, accelerator.num_processes
    plain = network()
    model, optimizer = accelerator.prepare(plain, torch.optim.SGD(plain.parameters(), lr=0.05))
    losses = []
    for step in range(STEPS):
        rows, answers = part(step, rank, world)
        loss = torch.nn.functional.mse_loss(model(rows), answers)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
        losses.append(accelerator.reduce(loss.detach(), "mean").item())
    report(world=world, rank=rank, losses=losses)
    accelerator.end_training()


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
