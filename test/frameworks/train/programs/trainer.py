# SPDX-License-Identifier: Apache-2.0
"""trainer.py FOLDER: transformers.Trainer fine-tunes a GPT-2 with two small layers that is made here; nothing is downloaded."""

import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

from regression import report


class Counting(torch.utils.data.Dataset):
    """Sequences of consecutive numbers, which a small model learns quickly."""

    def __len__(self):
        return 32

    def __getitem__(self, index):
        tokens = (torch.arange(8) + index) % 16
        return {"input_ids": tokens, "labels": tokens}


def main(folder):
    torch.manual_seed(3)
    config = GPT2Config(vocab_size=16, n_positions=8, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    arguments = TrainingArguments(output_dir=folder, use_cpu=True, ddp_backend="gloo", per_device_train_batch_size=4, num_train_epochs=3,
                                  learning_rate=0.01, report_to=[], save_strategy="no", logging_steps=1, disable_tqdm=True)
    trainer = Trainer(model=GPT2LMHeadModel(config), args=arguments, train_dataset=Counting())
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    report(world=arguments.world_size, rank=arguments.process_index, steps=trainer.state.global_step, losses=losses)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1])
