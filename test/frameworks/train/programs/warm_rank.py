# SPDX-License-Identifier: Apache-2.0
"""Prints everything in which a forked torch rank could differ from an executed one: seeds, threads, fork safety."""

import sys

before = set(sys.modules)

import numpy  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

from regression import report  # noqa: E402


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor([float(index)])


def trained():
    """A loss that depends only on the given seeds, on threads and on gradients."""
    torch.manual_seed(7)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64, dtype=torch.float64))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        loss = model(torch.randn(32, 64, dtype=torch.float64)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    dist.init_process_group("gloo")
    drawn = [torch.rand(1).item(), torch.initial_seed(), numpy.random.rand()]
    threads = [torch.get_num_threads(), torch.get_num_interop_threads()]
    large = torch.ones(600, 600)
    product = float((large @ large).sum())
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=2, num_workers=1, multiprocessing_context="fork")
    report(early="torch" in before, drawn=drawn, threads=threads, product=product, loaded=float(sum(batch.sum() for batch in loader)),
           loss=trained())
    dist.destroy_process_group()


main()
