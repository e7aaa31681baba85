"""A small language model over slow links: first with DistributedDataParallel, then with ringlab.slow, in one run.

Needs PyTorch alone; started by Ringlab on two or more nodes.
"""

import argparse
import random
import time

import ringlab
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

GRAMMAR = {
    "S": [["NP", "VP", "."]],
    "NP": [["the", "N"], ["the", "A", "N"], ["the", "N", "that", "VP"]],
    "VP": [["V"], ["T", "NP"]],
    "N": [["node"], ["link"], ["rank"], ["model"]],
    "A": [["slow"], ["small"], ["new"]],
    "V": [["waits"], ["learns"], ["stops"]],
    "T": [["sees"], ["joins"], ["leaves"]],
}
WORDS = sorted({word for rules in GRAMMAR.values() for rule in rules for word in rule if word not in GRAMMAR})


def sentence(random_: random.Random, symbol: str = "S", depth: int = 0) -> list:
    if symbol not in GRAMMAR:
        return [WORDS.index(symbol)]
    rules = GRAMMAR[symbol] if depth < 6 else GRAMMAR[symbol][:1]
    return [word for part in random_.choice(rules) for word in sentence(random_, part, depth + 1)]


def texts(count: int, length: int, seed: int) -> torch.Tensor:
    """Rows of `length` words."""
    random_ = random.Random(seed)
    words = []
    while len(words) < count * length:
        words += sentence(random_)
    return torch.tensor(words[: count * length]).reshape(count, length)



class Model(torch.nn.Module):
    def __init__(self, width: int, layers: int, length: int) -> None:
        super().__init__()
        self.words = torch.nn.Embedding(len(WORDS), width)
        self.places = torch.nn.Parameter(torch.zeros(length, width))
        layer = torch.nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = torch.nn.Linear(width, len(WORDS))

    def forward(self, words):
        mask = torch.nn.Transformer.generate_square_subsequent_mask(words.shape[1])
        return self.head(self.layers(self.words(words) + self.places[: words.shape[1]], mask=mask, is_causal=True))


def loss_of(model, rows):
    out = model(rows[:, :-1])
    return torch.nn.functional.cross_entropy(out.flatten(0, 1), rows[:, 1:].flatten())


def train(name, args, rank, wrap):
    torch.manual_seed(1)
    network = Model(args.width, args.layers, args.length)
    optimizer = torch.optim.AdamW(network.parameters(), args.lr)
    model = wrap(network, optimizer)
    own = texts(args.steps * args.batch, args.length, 100 + rank)
    unseen = texts(200, args.length, 7)
    began = time.time()
    for step in range(args.steps):
        loss = loss_of(model, own[step * args.batch : (step + 1) * args.batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            ringlab.log({f"{name}/loss": loss}, step=step)
    seconds = time.time() - began
    if hasattr(model, "synchronise"):
        model.synchronise(last=True)
        model.check_sync()
    with torch.no_grad():
        perplexity = float(loss_of(network.eval(), unseen).exp())
    rate = args.steps * args.batch * dist.get_world_size() / seconds
    ringlab.log({f"{name}/perplexity": perplexity, f"{name}/samples_per_second": rate})
    if rank == 0:
        print(f"{name}: {sum(one.numel() for one in network.parameters())} parameters, {args.steps} steps in {seconds:.1f} s, {rate:.1f} samples a second, perplexity of unseen texts {perplexity:.4f}", flush=True)
    dist.barrier()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=16, help="of each rank")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--length", type=int, default=24)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--mode", default="auto")
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    ringlab.config(vars(args))
    train("ddp", args, rank, lambda model, optimizer: DistributedDataParallel(model))
    train("slow", args, rank, lambda model, optimizer: ringlab.slow(model, optimizer, mode=args.mode))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
