# SPDX-License-Identifier: Apache-2.0
"""The network of this folder in PyTorch's DistributedDataParallel: same layers, batches, optimizer and output.

To compare speed and losses with: under torchrun, or `muster run -n 2 --framework torch -- python3 torch_twin.py`. One
thread per rank unless OMP_NUM_THREADS says otherwise. First weights and order come from PyTorch's own generator, so
curves agree in shape only.
"""

import argparse
import gc
import gzip
import os
import sys
import time

try:
    import torch
    import torch.distributed as dist
    from torch import nn
except ModuleNotFoundError as missing:
    sys.stderr.write(f"torch_twin.py: {sys.executable} has no {missing.name}; use an interpreter that has PyTorch "
                     "(on Debian: apt-get install python3-torch, then use /usr/bin/python3)\n")
    sys.exit(2)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=128, help="images per step of all ranks together (default 128)")
    parser.add_argument("--learning-rate", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", default="/usr/share/datasets/fashion-mnist", help="folder of the four idx.gz files")
    return parser.parse_args()


def read_idx(path):
    with gzip.open(path) as file:
        content = bytearray(file.read())
    dimensions = content[3]
    shape = [int.from_bytes(content[4 + 4 * i:8 + 4 * i], "big") for i in range(dimensions)]
    return torch.frombuffer(content, dtype=torch.uint8, offset=4 + 4 * dimensions).reshape(shape)


def read_images(folder, part):
    images = read_idx(os.path.join(folder, f"{part}-images-idx3-ubyte.gz"))
    labels = read_idx(os.path.join(folder, f"{part}-labels-idx1-ubyte.gz"))
    return images, labels.long()


def network():
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(32 * 7 * 7, 64), nn.ReLU(), nn.Linear(64, 10))


def scaled(images):
    return images.unsqueeze(1).float().div_(255).sub_(0.286).div_(0.353)


def mine(count):
    rank, world = dist.get_rank(), dist.get_world_size()
    return slice(count * rank // world, count * (rank + 1) // world)


def train_epoch(model, optimizer, decay, images, labels, order, batch):
    """Makes one pass over the images; returns the mean loss of all ranks."""
    total = torch.zeros(1)
    for chosen in order.split(batch):
        part = chosen[mine(len(chosen))]
        losses = nn.functional.cross_entropy(model(scaled(images[part])), labels[part], reduction="sum")
        optimizer.zero_grad()
        (losses * dist.get_world_size() / len(chosen)).backward()  # DDP divides by the number of ranks; slices may differ in size
        optimizer.step()
        decay.step()
        total += losses.detach()
    dist.all_reduce(total)
    return total.item() / len(labels)


def accuracy(model, images, labels):
    """The share of the test images that are classified correctly, in percent; each rank checks a part of them."""
    right = torch.zeros(1)
    part = mine(len(labels))
    with torch.no_grad():
        for some, names in zip(images[part].split(64), labels[part].split(64)):
            right += (model(scaled(some)).argmax(1) == names).sum()
    dist.all_reduce(right)
    return 100 * right.item() / len(labels)


def train(arguments):
    speaks = dist.get_rank() == 0
    torch.manual_seed(arguments.seed)
    plain = network()
    model = nn.parallel.DistributedDataParallel(plain)
    optimizer = torch.optim.SGD(plain.parameters(), lr=arguments.learning_rate, momentum=0.9)
    images, labels = read_images(arguments.data, "train")
    test_images, test_labels = read_images(arguments.data, "t10k")
    steps = -(-len(labels) // arguments.batch)
    decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / (steps * arguments.epochs))
    if speaks:
        print(f"{dist.get_world_size()} ranks (cpu, gloo), torch {torch.__version__}, {arguments.batch} images per step",
              flush=True)
    for epoch in range(arguments.epochs):
        order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(arguments.seed * 1000 + epoch))
        begin = time.monotonic()
        loss = train_epoch(model, optimizer, decay, images, labels, order, arguments.batch)
        rate = len(labels) / (time.monotonic() - begin)
        right = accuracy(plain, test_images, test_labels)
        if speaks:
            print(f"epoch {epoch + 1}  step {steps * (epoch + 1)}  loss {loss:.3f}  accuracy {right:.1f} %  "
                  f"{rate:.0f} images/s", flush=True)
    return accuracy(plain, test_images, test_labels)


def main():
    arguments = parse_arguments()
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    dist.init_process_group("gloo")
    final = train(arguments)
    if dist.get_rank() == 0:
        print(f"accuracy {final:.1f} %", flush=True)
    dist.barrier()
    gc.collect()  # PyTorch 1.13 can hang for ever if the model is destroyed after its process group
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
