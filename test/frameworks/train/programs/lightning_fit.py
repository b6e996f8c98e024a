# SPDX-License-Identifier: Apache-2.0
"""Lightning's Trainer with strategy ddp on the regression. Under a launcher it starts no ranks itself."""

import os

import lightning
import torch

from regression import STEPS, network, part, report


class Regression(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network, self.losses = network(), []

    def training_step(self, batch, step):
        rows, answers = part(step, self.trainer.global_rank, self.trainer.world_size)
        loss = torch.nn.functional.mse_loss(self.network(rows), answers)
        self.losses.append(self.trainer.strategy.reduce(loss.detach(), reduce_op="mean").item())
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05)


def main():
    model = Regression()
    # The sampler gives each rank its share; there are enough entries for STEPS steps of each rank.
    entries = torch.utils.data.DataLoader(range(STEPS * int(os.environ["WORLD_SIZE"])), batch_size=1)
    trainer = lightning.Trainer(accelerator="cpu", devices=int(os.environ["LOCAL_WORLD_SIZE"]), num_nodes=int(os.environ["GROUP_WORLD_SIZE"]),
                                strategy="ddp", max_epochs=1, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                                enable_model_summary=False)
    trainer.fit(model, entries)
    report(world=trainer.world_size, rank=trainer.global_rank, losses=model.losses,
           environment=type(trainer.strategy.cluster_environment).__name__)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
