"""One rank of test_loops.py: `loops.py everything FOLDER`. Training loops as scripts write them, beside DistributedDataParallel's."""

import copy
import os
import sys
import traceback

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from rank import DEVICE, RANK, batch, equal_everywhere, everyones, model, optimizer_of, ringlab, train, weights

STREAM = "local:1,stream=0.145,overlap=1"


def small(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3)).to(DEVICE)


def inputs(step, count=8):
    return torch.randn(count, 6, generator=torch.Generator().manual_seed(100 * RANK + step)).to(DEVICE)


def loss_of(wrapped, step):
    return wrapped(inputs(step)).pow(2).mean()


def said_by(call):
    try:
        call()
        return ""
    except Exception as error:
        return str(error)


def both(loop, mode="allreduce"):
    """A loop with ringlab.slow, and with DistributedDataParallel: equal to the bit?"""
    own, reference = small(), small()
    optimizer, theirs = optimizer_of(own), optimizer_of(reference)
    loop(ringlab.slow(own, optimizer, mode=mode), optimizer)
    loop(DistributedDataParallel(reference), theirs)
    return torch.equal(weights(own), weights(reference)) if mode == "allreduce" else equal_everywhere(own)


def accumulated(wrapped, optimizer):
    """Two backward passes before the first step."""
    for step in range(3):
        optimizer.zero_grad()
        for part in range(2):
            (loss_of(wrapped, 2 * step + part) / 2).backward()
        optimizer.step()


def skipped(wrapped, optimizer):
    """As GradScaler leaves the first step out."""
    for step in range(3):
        optimizer.zero_grad()
        loss_of(wrapped, step).backward()
        if step > 0:
            optimizer.step()


def begins_without_sync(wrapped, optimizer):
    """The forward pass after the first backward adds up."""
    loss_of(wrapped, 0).backward()
    with wrapped.no_sync():
        loss_of(wrapped, 1).backward()
    loss_of(wrapped, 2).backward()
    optimizer.step()


def lbfgs():
    own, reference = small(), small()
    optimizers = [torch.optim.LBFGS(one.parameters(), lr=0.1, max_iter=3) for one in (own, reference)]
    for wrapped, optimizer in ((ringlab.slow(own, optimizers[0], mode="allreduce"), optimizers[0]), (DistributedDataParallel(reference), optimizers[1])):

        def closure():
            optimizer.zero_grad()
            loss = loss_of(wrapped, 0)
            loss.backward()
            # Decides on more passes: the same on all ranks.
            dist.all_reduce(shared := loss.detach().clone())
            return shared

        for _ in range(2):
            optimizer.step(closure)
    return torch.equal(weights(own), weights(reference))


def order_of_buckets():
    return {
        "accumulated": both(accumulated),
        "accumulated, compressed": both(accumulated, "powersgd:1"),
        "skipped": both(skipped),
        "skipped, fp16": both(skipped, "fp16"),
        "no_sync": both(begins_without_sync),
        "lbfgs": lbfgs(),
    }


def found(call, *values):
    try:
        return call(*values)
    except Exception:
        return "raised: " + traceback.format_exc()[-1500:]


def everything():
    return {
        "buckets": found(order_of_buckets),
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.backends.cudnn.deterministic = True
    dist.init_process_group("gloo")
    torch.save(everything(), os.path.join(sys.argv[2], "%d.pt" % RANK))
