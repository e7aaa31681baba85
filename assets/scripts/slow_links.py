"""A small language model, or resnet18, over slow links: first with DistributedDataParallel, then with ringlab.slow, in one run.

Needs PyTorch alone (1.13 or newer), for resnet18 torchvision too; started by Ringlab on two or more nodes.
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
        return self.head(self.layers(self.words(words) + self.places[: words.shape[1]], mask=mask))


class Transformer:
    measure = "perplexity of unseen texts"

    def __init__(self, args) -> None:
        self.args = args

    def network(self):
        return Model(self.args.width, self.args.layers, self.args.length)

    def draw(self, count: int, seed: int):
        return (texts(count, self.args.length, seed),)

    def loss(self, model, rows):
        out = model(rows[:, :-1])
        return torch.nn.functional.cross_entropy(out.flatten(0, 1), rows[:, 1:].flatten())

    def score(self, network, rows):
        return float(self.loss(network, rows).exp())


class Resnet18:
    """Ten patterns of 32 x 32 under noise."""

    measure = "accuracy of unseen images in per cent"

    def __init__(self, args) -> None:
        pass

    def network(self):
        from torchvision.models import resnet18

        return resnet18(num_classes=10)

    def draw(self, count: int, seed: int):
        patterns = torch.randn(10, 3, 8, 8, generator=torch.Generator().manual_seed(5))
        patterns = patterns.repeat_interleave(4, 2).repeat_interleave(4, 3)
        random_ = torch.Generator().manual_seed(seed)
        labels = torch.randint(0, 10, (count,), generator=random_)
        return patterns[labels] + 2 * torch.randn(count, 3, 32, 32, generator=random_), labels

    def loss(self, model, images, labels):
        return torch.nn.functional.cross_entropy(model(images), labels)

    def score(self, network, images, labels):
        return 100 * float((network(images).argmax(1) == labels).float().mean())


def train(name, steps, task, args, rank, wrap):
    torch.manual_seed(1)
    network = task.network()
    optimizer = torch.optim.AdamW(network.parameters(), args.lr)
    model = wrap(network, optimizer)
    own = task.draw(steps * args.batch, 100 + rank)
    unseen = task.draw(200, 7)
    dist.barrier()
    began = time.time()
    for step in range(steps):
        loss = task.loss(model, *(part[step * args.batch : (step + 1) * args.batch] for part in own))
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
        score = task.score(network.eval(), *unseen)
    rate = steps * args.batch * dist.get_world_size() / seconds
    ringlab.log({f"{name}/{'perplexity' if args.model == 'transformer' else 'accuracy'}": score, f"{name}/samples_per_second": rate})
    if rank == 0:
        print(f"{name}: {sum(one.numel() for one in network.parameters())} parameters, {steps} steps in {seconds:.1f} s, {rate:.2f} samples a second, {task.measure} {score:.4f}", flush=True)
    dist.barrier()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=["transformer", "resnet18"], default="transformer")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--ddp-steps", type=int, help="fewer are enough for the rate; by default as many")
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
    task = (Transformer if args.model == "transformer" else Resnet18)(args)
    train("ddp", args.ddp_steps or args.steps, task, args, rank, lambda model, optimizer: DistributedDataParallel(model))
    train("slow", args.steps, task, args, rank, lambda model, optimizer: ringlab.slow(model, optimizer, mode=args.mode))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
