"""One rank of test_engine.py: `rank.py SCENARIO FOLDER`. Writes what it finds to FOLDER/<rank>.pt."""

import copy
import os
import sys
import time
import warnings
from pathlib import Path

import torch
import torch.distributed as dist

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import ringlab

RANK = int(os.environ["RANK"])
WORLD = int(os.environ["WORLD_SIZE"])
DEVICE = os.environ.get("RINGLAB_TEST_DEVICE", "cpu")


def model():
    torch.manual_seed(RANK)  # each rank its own: all begin with rank 0's
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 36, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)
    ).to(DEVICE)


def batch(step):
    """This rank's images of a step, with labels that can be learnt."""
    generator = torch.Generator().manual_seed(1000 * RANK + step)
    labels = torch.randint(4, (16,), generator=generator)
    images = torch.randn(16, 3, 6, 6, generator=generator) * 0.5
    for i, label in enumerate(labels.tolist()):
        images[i, label % 3, (label // 3) * 3 : (label // 3) * 3 + 3] += 1.5
    return images.to(DEVICE), labels.to(DEVICE)


def optimizer_of(module, lr=0.05):
    return torch.optim.SGD(module.parameters(), lr=lr, momentum=0.9)


def train(ddp, optimizer, steps):
    losses = []
    for step in steps:
        images, labels = batch(step)
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(ddp(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def weights(module):
    return torch.cat([parameter.detach().flatten() for parameter in module.parameters()]).clone()


def everyones(tensor):
    own = tensor.cpu()
    rows = [torch.empty_like(own) for _ in range(WORLD)]
    dist.all_gather(rows, own)
    return [row.to(DEVICE) for row in rows]


def equal_everywhere(module):
    rows = everyones(weights(module))
    return all(torch.equal(row, rows[0]) for row in rows)


def allreduce():
    """As DistributedDataParallel, to the bit."""
    own = model()
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode="allreduce")
    reference = copy.deepcopy(own)
    torchs = torch.nn.parallel.DistributedDataParallel(reference)
    reference_optimizer = optimizer_of(reference)
    same = []
    for step in range(4):
        train(ddp, optimizer, [step])
        train(torchs, reference_optimizer, [step])
        same.append(torch.equal(weights(own), weights(reference)))
    with ddp.no_sync():
        torch.nn.functional.cross_entropy(ddp(batch(9)[0]), batch(9)[1]).backward()
    with torchs.no_sync():
        torch.nn.functional.cross_entropy(torchs(batch(9)[0]), batch(9)[1]).backward()
    accumulated = [torch.allclose(a.grad, b.grad) for a, b in zip(own.parameters(), reference.parameters())]
    return {"same": same, "accumulated": accumulated, "steps": ddp.steps, "bytes": ddp.bytes_sent}


def scheduled(when):
    """A scheduler that is made before or after, as DistributedDataParallel's: to the bit."""
    own = model()
    optimizer = optimizer_of(own)
    schedulers = [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)] if when == "before" else []
    ddp = ringlab.slow(own, optimizer, mode="allreduce")
    reference = copy.deepcopy(own)
    torchs = torch.nn.parallel.DistributedDataParallel(reference)
    reference_optimizer = optimizer_of(reference)
    try:
        if when == "after":
            schedulers = [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]
    except AttributeError as error:
        return {"said": str(error)}
    schedulers.append(torch.optim.lr_scheduler.StepLR(reference_optimizer, 1, 0.5))
    with warnings.catch_warnings():
        # As that steps were made before the scheduler's.
        warnings.simplefilter("error")
        for step in range(3):
            train(ddp, optimizer, [step])
            train(torchs, reference_optimizer, [step])
            for scheduler in schedulers:
                scheduler.step()
    return {"said": "", "same": torch.equal(weights(own), weights(reference)), "steps": ddp.steps, "rate": optimizer.param_groups[0]["lr"]}


def local_steps():
    """local:4 is the mean of what four local steps give."""
    own = model()
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode="local:4")
    begun_equal = equal_everywhere(own)
    alone = copy.deepcopy(own)
    alone_optimizer = optimizer_of(alone)
    equal, apart = [], []
    for step in range(4):
        train(ddp, optimizer, [step])
        train(alone, alone_optimizer, [step])
        apart.append(not equal_everywhere(own))
        if step < 3:
            equal.append(torch.equal(weights(own), weights(alone)))
    mean = torch.stack(everyones(weights(alone))).mean(0)
    far = (weights(own) - mean).abs().max().item()
    before = ddp.bytes_sent
    train(ddp, optimizer, [4, 5])
    ddp.synchronise()
    ddp.check_sync()
    statistics = everyones(own[1].running_mean.clone())
    return {
        "begun_equal": begun_equal, "as_alone": equal, "apart": apart, "far": far, "bytes": ddp.bytes_sent - before,
        "equal": equal_everywhere(own), "statistics": all(torch.equal(row, statistics[0]) for row in statistics),
    }


def mode_of(mode, steps=24):
    own = model()
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode=mode)
    losses = train(ddp, optimizer, range(steps))
    apart = not equal_everywhere(own)
    ddp.synchronise()
    ddp.check_sync()
    together = equal_everywhere(own)
    mine = weights(own)
    train(ddp, optimizer, [steps])
    moved = not torch.equal(weights(own), mine)
    ddp.synchronise(last=True)
    ddp.check_sync()
    ddp.close()
    total = torch.tensor([sum(losses[:4]), sum(losses[-4:])])
    dist.all_reduce(total)
    return {"apart": apart, "together": together, "moved": moved, "losses": (total / 4 / WORLD).tolist(), "bytes": mine.numel()}


def resumed(mode):
    """Stopped and continued in new objects: equal to the bit to what was not."""
    own = model()
    optimizer = optimizer_of(own)
    whole = ringlab.slow(own, optimizer, mode=mode)
    train(whole, optimizer, range(10))
    whole.synchronise(last=True)
    first = model()
    first_optimizer = optimizer_of(first)
    half = ringlab.slow(first, first_optimizer, mode=mode)
    train(half, first_optimizer, range(6))
    saved = copy.deepcopy((half.sync_state_dict(), first.state_dict(), first_optimizer.state_dict()))
    half.close()
    second = model()
    second.load_state_dict(saved[1])
    second_optimizer = optimizer_of(second)
    rest = ringlab.slow(second, second_optimizer, mode=mode)
    second_optimizer.load_state_dict(saved[2])
    # As torch.load(…, map_location=DEVICE) gives it.
    rest.load_sync_state_dict({**saved[0], "tensors": {name: tensor.to(DEVICE) for name, tensor in saved[0]["tensors"].items()}})
    train(rest, second_optimizer, range(6, 10))
    rest.synchronise(last=True)
    try:
        rest.load_sync_state_dict({**saved[0], "mode": "local:9"})
        refused = ""
    except ValueError as error:
        refused = str(error)
    return {"same": torch.equal(weights(own), weights(second)), "steps": rest.steps, "refused": refused}


def feedback():
    """Nothing is lost: the sum of all averages and the mean of what is kept is the sum of all true means."""
    module = torch.nn.Linear(24, 40, bias=False).to(DEVICE)
    optimizer = optimizer_of(module, lr=1.0)
    for group in optimizer.param_groups:
        group["momentum"] = 0.0
    ddp = ringlab.slow(module, optimizer, mode="powersgd:1")
    start = weights(module)
    true = torch.zeros_like(start)
    for step in range(6):
        gradient = torch.randn(40, 24, generator=torch.Generator().manual_seed(100 * RANK + step)).to(DEVICE)
        true += torch.stack(everyones(gradient.flatten())).mean(0)
        optimizer.zero_grad()
        # Its gradient is `gradient`.
        (ddp(torch.eye(24, device=DEVICE)).t() * gradient).sum().backward()
        optimizer.step()
    went = start - weights(module)
    state = ddp.sync_state_dict()["tensors"]
    kept = [tensor for name, tensor in state.items() if "error" in name]
    mean = torch.stack(everyones(kept[0].flatten().float())).mean(0)
    return {"names": sorted(state), "lost": (went + mean - true).abs().max().item(), "kept": mean.abs().max().item(), "equal": equal_everywhere(module)}


def hooked():
    own = model()
    ddp = torch.nn.parallel.DistributedDataParallel(own)
    reference = copy.deepcopy(own)
    torchs = torch.nn.parallel.DistributedDataParallel(reference)
    ringlab.hook(ddp, "fp16")
    optimizer, reference_optimizer = optimizer_of(own), optimizer_of(reference)
    losses = train(ddp, optimizer, range(6))
    train(torchs, reference_optimizer, range(6))
    refused = ""
    try:
        ringlab.hook(torch.nn.parallel.DistributedDataParallel(model()), "local:4")
    except RuntimeError as error:
        refused = str(error)
    return {"equal": equal_everywhere(own), "far": (weights(own) - weights(reference)).abs().max().item(), "refused": refused, "losses": losses}


def tampered():
    own = model()
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode="local:2")
    ddp.synchronise()
    ddp.check_sync()
    if RANK == 1:
        with torch.no_grad():
            own[6].bias[0] += 1e-3
    try:
        ddp.check_sync()
        return {"said": ""}
    except RuntimeError as error:
        return {"said": str(error)}


def other_models():
    own = torch.nn.Linear(3, 4 if RANK == 0 else 5).to(DEVICE)
    try:
        ringlab.slow(own, optimizer_of(own), mode="local:2")
        return {"said": ""}
    except RuntimeError as error:
        return {"said": str(error)}


def lost():
    """Rank 1 exits in mid-training without a message; the other ranks get an error from their next exchange."""
    own = model()
    optimizer = optimizer_of(own)
    ddp = ringlab.slow(own, optimizer, mode="local:2", peer_timeout=5)
    train(ddp, optimizer, range(4))
    if RANK == 1:
        os._exit(9)
    began = time.monotonic()
    try:
        train(ddp, optimizer, range(4, 8))
        said = ""
    except RuntimeError as error:
        said = str(error)
    return {"said": said, "seconds": time.monotonic() - began}


def settings():
    said = {}
    for mode in ("local:0", "sometimes", "auto"):
        own = model()
        try:
            os.environ["RINGLAB_SYNC"] = "local:3,8bit"
            said[mode] = ringlab.slow(own, optimizer_of(own), mode=mode).mode
        except RuntimeError as error:
            said[mode] = str(error)
    del os.environ["RINGLAB_SYNC"]
    for name, mbps in (("fast links", "1000"), ("slow links", "0.01"), ("no links", "")):
        own = model()
        os.environ["RINGLAB_RING_MBPS"] = mbps
        said[name] = ringlab.slow(own, optimizer_of(own)).mode
    own = model()
    try:
        ringlab.slow(own, torch.optim.SGD(own[0].parameters(), lr=1), mode="local:2")
    except ValueError as error:
        said["optimizer"] = str(error)
    return said


def everything():
    return {
        "allreduce": allreduce(),
        "scheduled": {when: scheduled(when) for when in ("before", "after")},
        "local": local_steps(),
        "modes": {mode: mode_of(mode) for mode in ("powersgd:1", "local:4,8bit", "local:2,stream=0.5,overlap=2", "local:1,stream=0.5,overlap=1", "diloco:4")},
        "resumed": {mode: resumed(mode) for mode in ("allreduce", "powersgd:1", "local:4,8bit", "local:2,stream=0.5,overlap=2")},
        "feedback": feedback(),
        "hook": hooked(),
        "tampered": tampered(),
        "other_models": other_models(),
        "settings": settings(),
    }


if __name__ == "__main__":
    scenario, folder = sys.argv[1:]
    torch.set_num_threads(1)
    torch.backends.cudnn.deterministic = True  # what is equal to the bit on a GPU, too
    dist.init_process_group("gloo")
    result = {"everything": everything, "lost": lost}[scenario]()
    torch.save(result, os.path.join(folder, "%d.pt" % RANK))
