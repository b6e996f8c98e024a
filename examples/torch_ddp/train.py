# SPDX-License-Identifier: Apache-2.0
"""Trains a small network on Fashion-MNIST with PyTorch's DistributedDataParallel.

A plain script: it reads the variables that every launcher of PyTorch sets (RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR,
MASTER_PORT) and does not use muster. You can start it unchanged with `muster run`, with torchrun or from two shells.
"""

import argparse
import gc
import gzip
import os
import socket
import sys
import time

try:
    import torch
    import torch.distributed as dist
    from torch import nn
except ModuleNotFoundError as missing:
    sys.stderr.write(f"train.py: {sys.executable} has no {missing.name}; use an interpreter that has PyTorch "
                     "(on Debian: apt-get install python3-torch, then use /usr/bin/python3)\n")
    sys.exit(2)

DATA = "/usr/share/datasets/fashion-mnist"  # where Debian's package dataset-fashion-mnist puts it


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=64, help="images per step and rank (default 64)")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate (default 0.001)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", default=DATA, help=f"folder of the four idx.gz files (default {DATA})")
    parser.add_argument("--checkpoint", default=default_checkpoint(), help="file to resume from (default %(default)s)")
    return parser.parse_args()


def default_checkpoint():
    """One file per run: the run's id is the same in every attempt; another run starts anew."""
    return os.path.join(".checkpoints", os.environ.get("TORCHELASTIC_RUN_ID", "by-hand") + ".pt")


def read_idx(path):
    """Reads an idx.gz file of bytes as a tensor. Format: two zeros, type 8, number of dimensions, dimensions, data."""
    with gzip.open(path) as file:
        content = bytearray(file.read())
    dimensions = content[3]
    if content[:3] != b"\x00\x00\x08" or dimensions > 3:
        sys.exit(f"train.py: {path} is not an idx file of bytes")
    shape = [int.from_bytes(content[4 + 4 * i:8 + 4 * i], "big") for i in range(dimensions)]
    return torch.frombuffer(content, dtype=torch.uint8, offset=4 + 4 * dimensions).reshape(shape)


def read_images(folder, part, device):
    images = read_idx(os.path.join(folder, f"{part}-images-idx3-ubyte.gz"))
    labels = read_idx(os.path.join(folder, f"{part}-labels-idx1-ubyte.gz"))
    return images.to(device), labels.long().to(device)


def network():
    return nn.Sequential(nn.Conv2d(1, 16, 5, stride=2, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
                         nn.Flatten(), nn.Linear(32 * 7 * 7, 64), nn.ReLU(), nn.Linear(64, 10))


def scaled(images):
    return images.unsqueeze(1).float().div_(255).sub_(0.286).div_(0.353)  # mean and deviation of the training set


def choose_device():
    """This rank's device and the group that averages gradients: NCCL if every rank has its own GPU, otherwise gloo."""
    gpus = torch.cuda.device_count()
    index = int(os.environ.get("LOCAL_RANK", "0")) % gpus if gpus else None
    places = [None] * dist.get_world_size()
    dist.all_gather_object(places, (socket.gethostname(), os.environ.get("CUDA_VISIBLE_DEVICES"), index))
    if any(place[2] is None for place in places) or len(set(places)) < len(places):
        return torch.device("cpu"), None, "cpu, gloo"
    torch.cuda.set_device(index)
    return torch.device("cuda", index), dist.new_group(backend="nccl"), "gpu, nccl"


def load_checkpoint(path):
    """Rank 0 reads the checkpoint and sends it to all ranks, because other nodes may not have the file; None: there is none."""
    found = [None]
    if dist.get_rank() == 0 and os.path.exists(path):
        found = [torch.load(path, map_location="cpu")]
    dist.broadcast_object_list(found)
    return found[0]


def save_checkpoint(path, state):
    """Writes the file atomically: a crash leaves the previous checkpoint."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    partial = f"{path}.partial"
    with open(partial, "wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def train_epoch(model, optimizer, images, labels, batch, epoch, seed):
    """Makes one pass over this rank's share of the images; returns the mean loss of all ranks and the number of images."""
    rank, world = dist.get_rank(), dist.get_world_size()
    shuffle = torch.Generator().manual_seed(seed * 1000 + epoch)
    steps = len(labels) // (batch * world)
    share = torch.randperm(len(labels), generator=shuffle)[rank::world][:steps * batch].to(labels.device)
    total = torch.zeros((), device=labels.device)
    for chosen in share.split(batch):
        loss = nn.functional.cross_entropy(model(scaled(images[chosen])), labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    mean = (total / steps).cpu()
    dist.all_reduce(mean)
    return mean.item() / world, steps * batch * world


def accuracy(model, images, labels):
    """The share of the test images that are classified correctly, in percent; each rank checks a part of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    right = torch.zeros(1)
    with torch.no_grad():
        for some, names in zip(images[rank::world].split(500), labels[rank::world].split(500)):
            right += (model(scaled(some)).argmax(1) == names).sum().cpu()
    dist.all_reduce(right)
    return 100 * right.item() / len(labels)


def train(arguments):
    is_first = dist.get_rank() == 0
    device, group, kind = choose_device()
    torch.manual_seed(arguments.seed)
    plain = network().to(device)
    model = nn.parallel.DistributedDataParallel(plain, process_group=group)
    optimizer = torch.optim.Adam(plain.parameters(), lr=arguments.rate)
    images, labels = read_images(arguments.data, "train", device)
    test_images, test_labels = read_images(arguments.data, "t10k", device)
    if is_first:
        print(f"{dist.get_world_size()} ranks ({kind}), torch {torch.__version__}, {len(labels):,} images", flush=True)

    first = 0
    checkpoint = load_checkpoint(arguments.checkpoint)
    if checkpoint:
        plain.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        first = checkpoint["epochs"]
        if is_first:
            print(f"resuming after epoch {first} from {arguments.checkpoint}", flush=True)

    for epoch in range(first, arguments.epochs):
        begin = time.monotonic()
        loss, seen = train_epoch(model, optimizer, images, labels, arguments.batch, epoch, arguments.seed)
        rate = seen / (time.monotonic() - begin)
        right = accuracy(plain, test_images, test_labels)
        if is_first:
            save_checkpoint(arguments.checkpoint, {"model": plain.state_dict(), "optimizer": optimizer.state_dict(),
                                                   "epochs": epoch + 1})
            print(f"epoch {epoch + 1}/{arguments.epochs} loss {loss:.2f} accuracy {right:.1f} % {rate:,.0f} images/s",
                  flush=True)
    return accuracy(plain, test_images, test_labels)


def main():
    arguments = parse_arguments()
    dist.init_process_group("gloo")
    final = train(arguments)
    if dist.get_rank() == 0:
        print(f"accuracy {final:.1f} %", flush=True)
    dist.barrier()
    gc.collect()  # PyTorch 1.13 can hang for ever if the model is destroyed after its process group
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
