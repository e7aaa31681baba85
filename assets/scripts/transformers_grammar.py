"""A tiny language model from scratch with Hugging Face's Trainer, on sentences of a small grammar.

    pip install transformers accelerate
"""

import argparse
import random

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

GRAMMAR = {
    "S": [["NP", "VP", "."]],
    "NP": [["the", "N"], ["the", "A", "N"], ["the", "N", "that", "VP"]],
    "VP": [["V"], ["T", "NP"]],
    "N": [["node"], ["link"], ["rank"], ["model"]],
    "A": [["slow"], ["small"], ["new"]],
    "V": [["waits"], ["learns"], ["stops"]],
    "T": [["sees"], ["joins"], ["leaves"]],
}
WORDS = ["<end>"] + sorted({word for rules in GRAMMAR.values() for rule in rules for word in rule if word not in GRAMMAR})


def sentence(random_: random.Random, symbol: str = "S", depth: int = 0) -> list:
    if symbol not in GRAMMAR:
        return [WORDS.index(symbol)]
    rules = GRAMMAR[symbol] if depth < 6 else GRAMMAR[symbol][:1]
    return [word for part in random_.choice(rules) for word in sentence(random_, part, depth + 1)]


class Sentences(torch.utils.data.Dataset):
    """Texts of `length` words each."""

    def __init__(self, count: int, length: int, seed: int) -> None:
        random_ = random.Random(seed)
        self.rows = []
        for _ in range(count):
            words = []
            while len(words) < length:
                words += sentence(random_)
            self.rows.append(torch.tensor(words[:length]))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int):
        return {"input_ids": self.rows[index], "labels": self.rows[index]}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=float, default=2)
    parser.add_argument("--train", type=int, default=1000, help="texts")
    args = parser.parse_args()
    config = GPT2Config(vocab_size=len(WORDS), n_positions=32, n_embd=64, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    trainer = Trainer(
        GPT2LMHeadModel(config),
        TrainingArguments(
            "out",
            num_train_epochs=args.epochs,
            per_device_train_batch_size=16,
            learning_rate=1e-3,
            logging_steps=5,
            save_strategy="epoch",
            report_to="none",
            disable_tqdm=True,
        ),
        train_dataset=Sentences(args.train, 32, 1),
        eval_dataset=Sentences(100, 32, 2),
    )
    trainer.train()
    print(trainer.evaluate())


if __name__ == "__main__":
    main()
