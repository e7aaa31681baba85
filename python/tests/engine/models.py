"""One rank of test_models.py: `models.py everything FOLDER`. Models of several kinds: types, gradients that are sparse, parameters that are unfrozen or moved."""

import contextlib
import copy
import gc
import io
import os
import sys
import weakref

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from loops import STREAM, found, in_eval, inputs, loss_of, said_by, small
from rank import DEVICE, RANK, equal_everywhere, everyones, optimizer_of, ringlab, weights


def of_types(mode, default, kind):
    """A model of one type, in a script whose torch.set_default_dtype is another one, or the same: together, still of its type, and its state can be loaded."""
    torch.set_default_dtype(default)
    try:
        own = small().to(kind)
        optimizer = optimizer_of(own)
        hooked = mode.startswith("hook ")
        ddp = DistributedDataParallel(own) if hooked else ringlab.slow(own, optimizer, mode=mode)
        if hooked:
            ringlab.hook(ddp, mode[5:])
        for step in range(3):
            optimizer.zero_grad()
            ddp(inputs(step).to(kind)).pow(2).mean().backward()
            optimizer.step()
        if not hooked:
            ddp.synchronise()
            ddp.load_sync_state_dict(ddp.sync_state_dict())
            ddp.close()
        # Gloo has no bfloat16.
        rows = everyones(weights(own).double())
        return torch.equal(rows[0], rows[1]) and own[0].weight.dtype == kind
    finally:
        torch.set_default_dtype(torch.float32)


COMPRESSING = ("local:2,sparse=0.45", "local:2,8bit", "powersgd:2", "powersgd:2,late", "topk:0.01", "fp16", "hook powersgd:2")


def default_types():
    out = {}
    for default, kind, modes in (
        (torch.float64, torch.float64, ("allreduce", "local:2", *COMPRESSING)),
        (torch.float64, torch.float32, (STREAM,)),
        (torch.bfloat16, torch.bfloat16, (STREAM, *COMPRESSING[:-1])),
    ):
        for mode in modes:
            out["%s, %s by default, %s" % (kind, default, mode)] = found(of_types, mode, default, kind)
    return out


def doubles():
    """What a noise-free regression of float64 comes to, which float32 cannot: its loss by mode."""
    out = {}
    for mode in ("allreduce", "local:2", "powersgd:2", STREAM, "auto"):
        torch.manual_seed(0)
        own = torch.nn.Linear(6, 3).double()
        goal = torch.nn.Linear(6, 3).double()
        optimizer = torch.optim.SGD(own.parameters(), lr=0.1)
        try:
            ddp = ringlab.slow(own, optimizer, mode=mode)
        except RuntimeError as error:
            out[mode] = str(error)
            continue
        for step in range(400):
            values = torch.randn(16, 6, generator=torch.Generator().manual_seed(1000 * RANK + step), dtype=torch.float64)
            optimizer.zero_grad()
            loss = (ddp(values) - goal(values).detach()).pow(2).mean()
            loss.backward()
            optimizer.step()
        ddp.synchronise(last=True)
        out[mode] = (own(values) - goal(values)).pow(2).mean().item()
        ddp.close()
    return out


def double_statistics():
    """How far the statistics of a batch norm of float64 are from their mean over the ranks."""
    torch.manual_seed(0)
    own = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.BatchNorm1d(16)).double().to(DEVICE)
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode="local:2")
    for step in range(2):
        optimizer.zero_grad()
        ddp(inputs(step).double()).pow(2).mean().backward()
        optimizer.step()
    mean = torch.stack(everyones(own[1].running_mean)).mean(0)
    ddp.synchronise()
    return (own[1].running_mean - mean).abs().max().item()


def hook_that_moves():
    """Parameters that get other memory, as torch.nn.LSTM gives them on a GPU."""
    own = small()
    ddp = DistributedDataParallel(own)
    ringlab.hook(ddp, "powersgd:1")
    optimizer = optimizer_of(own)
    for step in range(4):
        for parameter in own.parameters():
            parameter.data = parameter.data.clone()
        optimizer.zero_grad()
        loss_of(ddp, step).backward()
        optimizer.step()
    return equal_everywhere(own)


def unfrozen(mode):
    """In mid-training: refused, and taken where ringlab.slow is called again."""
    own = small()
    own[0].requires_grad_(False)
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode=mode)
    in_eval(ddp, optimizer)
    own[0].requires_grad_(True)
    said = said_by(lambda: in_eval(ddp, optimizer))
    ddp.synchronise(last=True)
    ddp.close()
    optimizer = optimizer_of(own)
    before = weights(own[0])
    again = ringlab.slow(own, optimizer, mode=mode)
    in_eval(again, optimizer)
    again.synchronise(last=True)
    again.check_sync()
    return {"said": said, "moved": not torch.equal(weights(own[0]), before)}


def warned(loop, mode):
    """What a loop writes to stderr, with a model and its optimizer."""
    own = small()
    optimizer = torch.optim.LBFGS(own.parameters(), max_iter=12) if loop is in_closures else optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode=mode)
    with contextlib.redirect_stderr(io.StringIO()) as said:
        loop(ddp, optimizer)
    ddp.synchronise(last=True)
    ddp.close()
    return said.getvalue()


def with_loads(ddp, optimizer):
    """Averages that are tried between steps, and batches that are left out."""
    for step in range(12):
        if step % 2 == 0:
            in_eval(ddp, optimizer)
        ddp.train()
        with torch.no_grad():
            for parameter in ddp.parameters():
                parameter.mul_(1.0)
        loss_of(ddp, step)
        loss_of(ddp, step)


def in_closures(ddp, optimizer):
    def closure():
        optimizer.zero_grad()
        loss = loss_of(ddp, 0)
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)


def with_another(ddp, optimizer):
    in_eval(ddp, optimizer)
    ddp.train()
    other = optimizer_of(ddp.module)
    for step in range(9):
        other.zero_grad()
        loss_of(ddp, step).backward()
        other.step()


def by_the_model_inside(ddp, optimizer):
    for step in range(2):
        optimizer.zero_grad()
        loss_of(ddp.module, step).backward()
        optimizer.step()


def by_turns(ddp, optimizer):
    """Steps in which this model has no part, and gradients that were set to zero."""
    in_eval(ddp, optimizer)
    optimizer.zero_grad(set_to_none=False)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    optimizer.step()


def freed():
    """Does a closed one keep the model's memory?"""
    out = {}
    for mode in ("allreduce", "powersgd:1", "local:2", STREAM):
        own = small()
        optimizer = optimizer_of(own)
        ddp = ringlab.slow(own, optimizer, mode=mode)
        in_eval(ddp, optimizer)
        ddp.synchronise(last=True)
        ddp.close()
        held = weakref.ref(own[0].weight)
        said = said_by(ddp.synchronise)
        del own, optimizer, ddp
        gc.collect()
        out[mode] = {"free": held() is None, "said": said}
    own = small()
    hooked = DistributedDataParallel(own)
    engine = ringlab.hook(hooked, "powersgd:1")
    loss_of(hooked, 0).backward()
    engine.close()
    held = weakref.ref(own[0].weight)
    said = said_by(lambda: engine.average([0], []))
    del own, hooked
    gc.collect()
    out["hook"] = {"free": held() is None, "said": said}
    return out


class Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(20, 8, sparse=True)
        self.bag = torch.nn.EmbeddingBag(20, 8, sparse=True)
        self.last = torch.nn.Linear(8, 3)

    def forward(self, values):
        return self.last(self.words(values).sum(1) + self.bag(values))


def sparse_gradients(mode):
    """Embeddings whose gradients are sparse: as dense ones they are averaged exactly."""
    torch.manual_seed(0)
    own = Words().to(DEVICE)
    reference = copy.deepcopy(own)
    optimizer, theirs = (torch.optim.SGD(one.parameters(), lr=0.1) for one in (own, reference))
    pairs = ((ringlab.slow(own, optimizer, mode=mode), optimizer), (DistributedDataParallel(reference), theirs))
    for wrapped, steps in pairs:
        for step in range(3):
            values = torch.randint(20, (4, 5), generator=torch.Generator().manual_seed(100 * RANK + step)).to(DEVICE)
            steps.zero_grad()
            wrapped(values).pow(2).mean().backward()
            steps.step()
    pairs[0][0].synchronise(last=True)
    moved = Words().to(DEVICE)
    adam = torch.optim.SparseAdam(list(moved.parameters()))
    hooked = Words().to(DEVICE)
    return {
        "equal": equal_everywhere(own), "far": (weights(own) - weights(reference)).abs().max().item(),
        "adam": said_by(lambda: ringlab.slow(moved, adam, mode=mode)), "hook": said_by(lambda: ringlab.hook(DistributedDataParallel(hooked), "powersgd:1")),
    }


class FSDPModule:
    """As torch.distributed.fsdp's, which fully_shard makes a class of its modules' from."""


def wrapped_already():
    kind = type("FSDPLinear", (FSDPModule, torch.nn.Linear), {})
    inner = torch.nn.Sequential(torch.nn.Linear(6, 6), DistributedDataParallel(small()))
    models = {"ddp": DistributedDataParallel(small()), "inner": inner, "fsdp": kind(6, 3)}
    said = {which: said_by(lambda one=one: ringlab.slow(one, optimizer_of(one), mode=STREAM)) for which, one in models.items()}
    return {**said, "hook": said_by(lambda: ringlab.hook(small()))}


def everything():
    return {
        "types": default_types(),
        "doubles": found(doubles),
        "double statistics": found(double_statistics),
        "hook that moves": found(hook_that_moves),
        "unfrozen": {mode: found(unfrozen, mode) for mode in ("allreduce", STREAM, "local:2")},
        "another optimizer": {mode: found(warned, with_another, mode) for mode in ("local:2", STREAM)},
        "the same optimizer": {loop.__name__: found(warned, loop, "local:2") for loop in (with_loads, in_closures)},
        "wrapped already": found(wrapped_already),
        "past the wrapper": {loop.__name__: found(warned, loop, "allreduce") for loop in (by_turns, in_closures, by_the_model_inside)},
        "freed": found(freed),
        "sparse": {mode: found(sparse_gradients, mode) for mode in ("allreduce", "powersgd:1")},
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.backends.cudnn.deterministic = True
    dist.init_process_group("gloo")
    torch.save(everything(), os.path.join(sys.argv[2], "%d.pt" % RANK))
