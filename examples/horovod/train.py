# SPDX-License-Identifier: Apache-2.0
"""Trains a small network on Fashion-MNIST with PyTorch and Horovod. A plain script: it does not use muster."""

import argparse
import gzip
import os

import horovod.torch as hvd
import torch
from torch import nn

DATA = "/usr/share/datasets/fashion-mnist"  # where Debian's package dataset-fashion-mnist puts it


def read(folder, part):
    """The images, from 0 to 1, and their labels. An idx file has a header of 16 or 8 bytes."""
    with gzip.open(os.path.join(folder, f"{part}-images-idx3-ubyte.gz")) as file:
        images = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8, offset=16).reshape(-1, 784)
    with gzip.open(os.path.join(folder, f"{part}-labels-idx1-ubyte.gz")) as file:
        labels = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8, offset=8)
    return images.float() / 255, labels.long()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64, help="images per step and rank")
    parser.add_argument("--data", default=DATA, help="folder of the four idx.gz files")
    parser.add_argument("--checkpoint", help="file to resume from; default: .checkpoints/JOB.pt in a job of muster")
    options = parser.parse_args()
    # The id is the same in every attempt of a job and different in the next job.
    checkpoint = options.checkpoint or f".checkpoints/{os.environ.get('MUSTER_JOB_ID', 'by-hand')}.pt"

    hvd.init()
    torch.manual_seed(1)
    images, labels = read(options.data, "train")
    model = nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
    state = torch.load(checkpoint) if hvd.rank() == 0 and os.path.exists(checkpoint) else {"epochs": 0}
    state = hvd.broadcast_object(state)  # other nodes may not have the file
    if "model" in state:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
    for epoch in range(state["epochs"], options.epochs):
        shuffle = torch.Generator().manual_seed(epoch)
        steps = len(labels) // (options.batch * hvd.size())
        share = torch.randperm(len(labels), generator=shuffle)[hvd.rank()::hvd.size()][:steps * options.batch]
        for chosen in share.split(options.batch):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(images[chosen]), labels[chosen]).backward()
            optimizer.step()
        if hvd.rank() == 0:
            os.makedirs(os.path.dirname(checkpoint) or ".", exist_ok=True)
            torch.save({"epochs": epoch + 1, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, checkpoint + ".new")
            os.replace(checkpoint + ".new", checkpoint)
            print(f"epoch {epoch + 1}/{options.epochs} done", flush=True)

    test_images, test_labels = read(options.data, "t10k")
    with torch.no_grad():
        right = (model(test_images).argmax(1) == test_labels).float().mean()
    right = hvd.allreduce(right, name="right")  # each rank has the same model
    if hvd.rank() == 0:
        print(f"{hvd.size()} ranks: accuracy {100 * right:.1f} %", flush=True)


if __name__ == "__main__":
    main()
