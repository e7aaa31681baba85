"""A hand-written loop that continues from its own checkpoint, and whose sums are the same however often it is interrupted."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, required=True)
parser.add_argument("--steps", type=int, required=True, help="of an epoch")
parser.add_argument("--pause", type=float, default=0.05, help="seconds of a step")
args = parser.parse_args()

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
truth = torch.randn(16, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
mean_of = nn.CrossEntropyLoss()


def batch(step: int, of: int, count: int = 32):
    random = torch.Generator().manual_seed(1_000_003 * step + of)
    inputs = torch.randn(count, 16, generator=random)
    return inputs, (inputs @ truth).argmax(1)


def averaged() -> None:
    """One flat vector: buckets that are built anew would add up in another order."""
    gradients = [parameter.grad for parameter in model.parameters()]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(flat)
    flat /= size
    for gradient, part in zip(gradients, flat.split([gradient.numel() for gradient in gradients])):
        gradient.copy_(part.view_as(gradient))


def save(step: int) -> None:
    with open("state.new", "wb") as file:
        torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace("state.new", "state.pt")


# Each node has its own disk: rank 0 has the checkpoint, the others get it from there.
kept = [torch.load("state.pt") if rank == 0 and os.path.exists("state.pt") else None]
dist.broadcast_object_list(kept, 0)
first = 0
if kept[0] is not None:
    first = kept[0]["step"]
    model.load_state_dict(kept[0]["model"])
    optimizer.load_state_dict(kept[0]["optimizer"])

for step in range(first, args.epochs * args.steps):
    inputs, labels = batch(step, rank)
    loss = mean_of(model(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    averaged()
    optimizer.step()
    print(f"step {step} loss: {loss.item():.9g}", flush=True)
    time.sleep(args.pause)
    if (step + 1) % args.steps == 0 and rank == 0:
        save(step + 1)

inputs, labels = batch(-1, size, 4000)
found = (model(inputs).argmax(1) == labels).float().mean().item()
print(f"accuracy: {100 * found:.3f} %", flush=True)
dist.barrier()
