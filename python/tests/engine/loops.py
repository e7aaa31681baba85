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


def in_eval(wrapped, optimizer):
    wrapped.eval()
    for step in range(3):
        optimizer.zero_grad()
        loss_of(wrapped, step).backward()
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


def eval_mode():
    own = small()
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode=STREAM)
    in_eval(ddp, optimizer)
    ddp.synchronise()
    return [both(in_eval), both(in_eval, "powersgd:1"), equal_everywhere(own)]


def trained():
    """Weights worth keeping: the same on all ranks, of the labels of batch()."""
    torch.manual_seed(0)
    one = model()
    optimizer = optimizer_of(one)
    for step in range(40):
        images, labels = (torch.cat(parts) for parts in zip(*(batch(step + 50 * part) for part in range(2))))
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(one(images), labels).backward()
        optimizer.step()
    for tensor in one.state_dict().values():
        dist.broadcast(tensor, 0)
    return one.state_dict()


def accuracy(module):
    module.eval()
    with torch.no_grad():
        right = sum((module(images).argmax(1) == labels).float().mean().item() for images, labels in (batch(2000 + i) for i in range(8)))
    module.train()
    return right / 8


def loaded(mode):
    """Weights that come after ringlab.slow are those that training goes on from."""
    good = trained()
    out = {}
    # DistributedDataParallel's usual order.
    own = model()
    optimizer = optimizer_of(own, lr=1e-3)
    ddp = ringlab.slow(own, optimizer, mode=mode)
    own.load_state_dict(good)
    out["before"] = accuracy(own)
    train(ddp, optimizer, range(6))
    ddp.synchronise()
    ddp.check_sync()
    out["at the start"] = accuracy(own)
    # Back to the best, after no number is left in the weights.
    with torch.no_grad():
        own[0].weight.fill_(float("nan"))
    train(ddp, optimizer, range(3))
    ddp.synchronise()
    own.load_state_dict(good)
    optimizer.load_state_dict(optimizer_of(own, lr=1e-3).state_dict())
    train(ddp, optimizer, range(6))
    ddp.synchronise()
    ddp.check_sync()
    out["back to the best"] = accuracy(own)
    # On one rank alone, between two steps: rank 0's, as when training began.
    if RANK == 0:
        own.load_state_dict(good)
    train(ddp, optimizer, range(6, 8))
    ddp.synchronise()
    ddp.check_sync()
    out["by rank 0"] = accuracy(own)
    ddp.close()
    return out


def loaded_with_its_state(mode):
    """A run that is continued, its model's state loaded after ringlab.slow: equal to the bit to the one that was not stopped."""
    good = trained()
    own = model()
    own.load_state_dict(good)
    optimizer = optimizer_of(own, lr=1e-2)
    whole = ringlab.slow(own, optimizer, mode=mode)
    train(whole, optimizer, range(5))
    whole.synchronise()
    saved = copy.deepcopy((whole.sync_state_dict(), own.state_dict(), optimizer.state_dict()))
    train(whole, optimizer, range(5, 9))
    whole.synchronise()
    other = model()
    others_optimizer = optimizer_of(other)
    rest = ringlab.slow(other, others_optimizer, mode=mode)
    other.load_state_dict(saved[1])
    others_optimizer.load_state_dict(saved[2])
    rest.load_sync_state_dict(saved[0])
    train(rest, others_optimizer, range(5, 9))
    rest.synchronise()
    return torch.equal(weights(own), weights(other))


def frozen():
    torch.manual_seed(RANK)
    own = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Linear(16, 3)).to(DEVICE)
    own[0].requires_grad_(False)
    optimizer = torch.optim.SGD(own[1].parameters(), lr=0.1)
    ddp = ringlab.slow(own, optimizer, mode="local:2")
    same = equal_everywhere(own)
    if RANK == 1:
        with torch.no_grad():
            own[0].bias[0] += 1
    return {"same": same, "said": said_by(ddp.check_sync)}


def overflow(mode):
    """As GradScaler: a step counts only where all gradients are finite."""
    own = small()
    ddp = DistributedDataParallel(own)
    ringlab.hook(ddp, mode)
    optimizer = optimizer_of(own)
    taken = []
    for step in range(5):
        optimizer.zero_grad()
        loss = loss_of(ddp, step)
        if step == 1 and RANK == 1:
            loss = loss * float("inf")
        loss.backward()
        taken.append(all(bool(one.grad.isfinite().all()) for one in own.parameters()))
        if taken[-1]:
            optimizer.step()
    return taken


def refused():
    """What a mode cannot train is said by its name, and not as a broken network."""
    said = {}
    complex_one = torch.nn.Linear(3, 3).to(torch.cfloat)
    said["complex"] = said_by(lambda: ringlab.slow(complex_one, optimizer_of(complex_one), mode=STREAM))

    def unused(mode):
        own = torch.nn.ModuleDict({"used": torch.nn.Linear(6, 3), "aside": torch.nn.Linear(6, 3)}).to(DEVICE)
        own.forward = lambda values: own["used"](values)
        optimizer = optimizer_of(own)
        ddp = ringlab.slow(own, optimizer, mode=mode)
        for step in range(2):
            optimizer.zero_grad()
            loss_of(ddp, step).backward()
            optimizer.step()

    for mode in ("allreduce", "powersgd:1", STREAM):
        said["unused, " + mode] = said_by(lambda mode=mode: unused(mode))

    def unused_later():
        own = torch.nn.ModuleDict({"used": torch.nn.Linear(6, 3), "aside": torch.nn.Linear(6, 3)}).to(DEVICE)
        steps = iter(range(9))
        own.forward = lambda values: own["used"](values) + (own["aside"](values) if next(steps) == 0 else 0)
        optimizer = optimizer_of(own)
        ddp = ringlab.slow(own, optimizer, mode="allreduce")
        for step in range(3):
            optimizer.zero_grad(set_to_none=False)
            loss_of(ddp, step).backward()
            optimizer.step()

    said["unused later"] = said_by(unused_later)

    def of_a_type_without_sums():
        own = torch.nn.Linear(6, 3).to(torch.bfloat16)
        optimizer = optimizer_of(own)
        ddp = ringlab.slow(own, optimizer, mode="local:1")
        ddp(torch.ones(2, 6, dtype=torch.bfloat16)).sum().backward()
        optimizer.step()

    said["bfloat16"] = said_by(of_a_type_without_sums)

    def in_another_order():
        torch.manual_seed(0)
        own = torch.nn.Conv2d(3, 4, 3)
        return own.to(memory_format=torch.channels_last) if RANK == 0 else own

    for mode in ("allreduce", "powersgd:1", STREAM, "local:2"):
        own = in_another_order()
        said["order, " + mode] = said_by(lambda: ringlab.slow(own, optimizer_of(own), mode=mode))
    return said


class Buffers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 3)
        self.register_buffer("mask", torch.full((3, 3), RANK == 0))
        self.register_buffer("brain", torch.full((5,), float(RANK), dtype=torch.bfloat16))
        self.register_buffer("count", torch.full((), RANK, dtype=torch.int16))
        self.register_buffer("phase", torch.full((2,), complex(RANK, 1)))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, values):
        out = self.layer(values)
        # A new tensor in each pass.
        self.mean = self.mean * 0.9 + out.detach().mean(0)
        return out


def buffers():
    own = Buffers().to(DEVICE)
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode=STREAM)
    train_steps = 3
    for step in range(train_steps):
        optimizer.zero_grad()
        loss_of(ddp, step).backward()
        optimizer.step()
    with torch.no_grad():
        own.mask.fill_(RANK == 0)
        own.brain.fill_(RANK)
        own.count.fill_(RANK)
        own.phase.fill_(complex(RANK, 1))
    ddp.synchronise()
    rows = everyones(own.mean)
    return {
        "values": [own.mask.all().item(), own.brain.float().sum().item(), own.count.item(), own.phase.sum().item()],
        "mean": [torch.equal(row, rows[0]) for row in rows], "moved": own.mean.abs().sum().item() > 0,
    }


def copied():
    own = small()
    ddp = ringlab.slow(own, optimizer_of(own), mode=STREAM)
    other = copy.deepcopy(ddp)
    average = torch.optim.swa_utils.AveragedModel(ddp)
    path = os.path.join(sys.argv[2], "whole-%d.pt" % RANK)
    torch.save(ddp, path)
    back = torch.load(path, **({} if torch.__version__ < "2" else {"weights_only": False}))
    values = inputs(0)
    expected = own(values)
    other(values).sum().backward()
    other.synchronise()
    return [torch.equal(one(values), expected) for one in (other, average, back)]


def replaced(mode):
    """Parameters that get other memory: in each step, as sharpness-aware minimisation does it, and after an average."""
    own = small()
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode=mode)
    for step in range(12):
        before = [parameter.data for parameter in own.parameters()]
        for parameter in own.parameters():
            parameter.data = 1.01 * parameter.data
        optimizer.zero_grad()
        loss_of(ddp, step).backward()
        for parameter, data in zip(own.parameters(), before):
            parameter.data = data.clone()
        optimizer.step()
    ddp.synchronise()
    out = {"in each step": equal_everywhere(own)}
    torch.nn.utils.vector_to_parameters(0.5 * weights(own), own.parameters())
    half = weights(own)
    in_eval(ddp, optimizer)
    ddp.synchronise()
    out["after an average"] = equal_everywhere(own) and (weights(own) - half).abs().max().item() < 0.2
    in_eval(ddp, optimizer)
    own[0].weight.data = own[0].weight.data.double()
    out["said"] = said_by(ddp.synchronise)
    return out


def last_after_an_evaluation(mode):
    """What was not sent counts at the end, also where an average comes directly before it, and where one rank has called its model in between."""
    ends = []
    for between in ("nothing", "an average", "a pass of one rank"):
        own = small()
        optimizer = optimizer_of(own)
        ddp = ringlab.slow(own, optimizer, mode=mode)
        in_eval(ddp, optimizer)
        ddp.train()
        if between != "nothing":
            ddp.synchronise()
        if between == "a pass of one rank":
            if RANK == 0:
                ddp(inputs(0))
            ddp.synchronise()
        ddp.synchronise(last=True)
        if not equal_everywhere(own):
            return "the ranks differ with %s before" % between
        ends.append(weights(own))
    return [(end - ends[0]).abs().max().item() for end in ends]


class OwnRate(torch.optim.SGD):
    """Finds its rate by itself, as transformers' Adafactor."""

    def __init__(self, parameters):
        super().__init__(parameters, lr=0.1)
        self.param_groups[0]["lr"] = None

    def step(self, closure=None):
        for group in self.param_groups:
            group["lr"] = 0.1
        super().step(closure)
        for group in self.param_groups:
            group["lr"] = None


def own_rate():
    own = small()
    optimizer = OwnRate(own.parameters())
    ddp = ringlab.slow(own, optimizer, mode="local:2")
    loss_of(ddp, 0).backward()
    optimizer.step()
    return ddp.steps


def found(call, *values):
    try:
        return call(*values)
    except Exception:
        return "raised: " + traceback.format_exc()[-1500:]


def everything():
    return {
        "buckets": found(order_of_buckets),
        "eval": found(eval_mode),
        "loaded": {mode: found(loaded, mode) for mode in (STREAM, "diloco:4", "local:4", "local:4,8bit")},
        "with state": {mode: found(loaded_with_its_state, mode) for mode in (STREAM, "local:2,stream=0.5,overlap=2", "diloco:4", "local:4,8bit")},
        "frozen": found(frozen),
        "overflow": {mode: found(overflow, mode) for mode in ("powersgd:2", "topk:0.1", "fp16")},
        "refused": found(refused),
        "buffers": found(buffers),
        "copied": found(copied),
        "replaced": {mode: found(replaced, mode) for mode in (STREAM, "local:2")},
        "last": {mode: found(last_after_an_evaluation, mode) for mode in (STREAM, "local:2,stream=0.5,overlap=2", "local:4,8bit")},
        "own rate": found(own_rate),
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.backends.cudnn.deterministic = True
    dist.init_process_group("gloo")
    torch.save(everything(), os.path.join(sys.argv[2], "%d.pt" % RANK))
