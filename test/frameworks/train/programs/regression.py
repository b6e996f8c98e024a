# SPDX-License-Identifier: Apache-2.0
"""Shared by the training programs here: a small regression with all numbers given, in float64.

Each step uses the next BATCH rows of a fixed table, and each rank an equal part of them. So the mean of the ranks' losses and
gradients is the mean over the batch, and the result does not depend on the number of ranks.
"""

import json
import os

import torch

BATCH, STEPS, WIDTH = 8, 12, 6


def network():
    torch.manual_seed(7)
    return torch.nn.Sequential(torch.nn.Linear(WIDTH, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)).double()


def part(step, rank, world):
    """Rows and answers for one rank in one step."""
    generator = torch.Generator().manual_seed(step)
    rows = torch.randn(BATCH, WIDTH, dtype=torch.float64, generator=generator)
    mine = rows[rank * BATCH // world:(rank + 1) * BATCH // world]
    return mine, mine.sin().sum(1, keepdim=True)


def train_step(model, optimizer, step, rank, world):
    rows, answers = part(step, rank, world)
    loss = torch.nn.functional.mse_loss(model(rows), answers)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def report(**facts):
    """Each rank prints one line for the tests, in one write: `print` may write the newline separately."""
    places = {name: os.environ.get(name) for name in ("RANK", "LOCAL_RANK", "GROUP_RANK", "TORCHELASTIC_RUN_ID")}
    os.write(1, f"report {json.dumps(places | facts)}\n".encode())
