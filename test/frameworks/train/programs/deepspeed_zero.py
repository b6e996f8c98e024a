# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed, ZeRO-1, over gloo: the regression, in float32, DeepSpeed's type."""

import argparse
import os
import socket

import deepspeed
import torch

from regression import BATCH, STEPS, network, part, report


def config(world):
    return {"train_micro_batch_size_per_gpu": BATCH // world, "zero_optimization": {"stage": 1},
            "optimizer": {"type": "Adam", "params": {"torch_adam": True, "lr": 0.01}}}


def forget_place():
    """Leaves only what mpirun sets, so that DeepSpeed asks mpi4py for its ranks. Returns the TCP port of torch's store."""
    from mpi4py import MPI
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        os.environ.pop(name, None)
    with socket.create_server(("", 0)) as server:
        return MPI.COMM_WORLD.bcast(server.getsockname()[1])


def main():
    parser = deepspeed.add_config_arguments(argparse.ArgumentParser())
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--mpi", action="store_true")
    place = {"distributed_port": forget_place()} if parser.parse_args().mpi else {}
    deepspeed.init_distributed(dist_backend="gloo", **place)
    rank, world = deepspeed.comm.get_rank(), deepspeed.comm.get_world_size()
    model = network().float()
    engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config(world))
    losses = []
    for step in range(STEPS):
        rows, answers = (values.float() for values in part(step, rank, world))
        loss = torch.nn.functional.mse_loss(engine(rows), answers)
        engine.backward(loss)
        engine.step()
        losses.append(loss.item())
    report(world=world, rank=rank, losses=losses, stage=engine.zero_optimization_stage())


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
