"""Python's side for several ranks: training with DistributedDataParallel on Gloo, its ranks forked from the caller (torch is imported
once for all of them), on the images of reference.RankImages.

The caller must not have computed with more than one thread before: OpenMP's threads do not survive a fork.
"""
import contextlib
import multiprocessing
import os

import reference
import ringlab
import torch
import torchvision

torch.set_num_threads(1)


def fresh_model(arch, seed):
    """As in the trainer: draws in the forward pass (dropout) continue from there."""
    torch.manual_seed(seed)
    return getattr(torchvision.models, arch)(num_classes=10)


def _rank(rank, world, port, out, data, arch, batch, epochs, seed, lr, initial, resume, accumulate, optimizer, momentum, weight_decay, label_smoothing, channels_last, step_size, amp):
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", world_size=world, rank=rank)
    rank_images = reference.RankImages(data, seed, batch, rank, world)
    model = fresh_model(arch, seed)
    saved = torch.load(resume) if resume else {"epoch": 0}
    model.load_state_dict(saved["state_dict"] if resume else torch.load(initial))
    form = torch.channels_last if channels_last else torch.contiguous_format
    wrapped = torch.nn.parallel.DistributedDataParallel(model.to(memory_format=form))
    if optimizer == "sgd":
        optimizer = torch.optim.SGD(wrapped.parameters(), lr, momentum=momentum, weight_decay=weight_decay)
    else:
        optimizer = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[optimizer](wrapped.parameters(), lr, weight_decay=weight_decay)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size)
    if resume:
        optimizer.load_state_dict(saved["optimizer"])
        scheduler.load_state_dict(saved["scheduler"])
    losses = []
    for epoch in range(saved["epoch"], epochs):
        # Batch norm cannot train on a single image at this size.
        batches = [one for one in rank_images.batches(epoch) if len(one[1]) > 1]
        for first in range(0, len(batches), accumulate):
            group = batches[first : first + accumulate]
            optimizer.zero_grad()
            of_group = []
            for number, (images, labels) in enumerate(group):
                with contextlib.nullcontext() if number + 1 == len(group) else wrapped.no_sync():
                    with torch.autocast("cpu", torch.bfloat16) if amp == "bf16" else contextlib.nullcontext():
                        outputs = wrapped(images.to(memory_format=form))
                        logits, *heads = [outputs] if torch.is_tensor(outputs) else outputs
                        loss = torch.nn.functional.cross_entropy(logits, labels, label_smoothing=label_smoothing)
                        objective = loss
                        if heads:
                            # googlenet's auxiliary heads, with the weights of its paper.
                            objective = loss + sum(0.3 * torch.nn.functional.cross_entropy(head, labels, label_smoothing=label_smoothing) for head in heads)
                    of_group.append((loss.item(), len(labels)))
                    (objective / len(group)).backward()
            # Over its images, as main.py's meter counts; minimised is the mean of the batches' means.
            losses.append(sum(mean * count for mean, count in of_group) / sum(count for _, count in of_group))
            optimizer.step()
        scheduler.step()
    torch.save({"epoch": epochs, "arch": arch, "best_acc1": 0.0, "state_dict": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict(), "losses": losses}, out)


def train(there, world, data, arch="resnet18", *, batch, epochs, seed, lr, initial=None, resume=None, accumulate=1, optimizer="sgd", momentum=0.9, weight_decay=1e-4, label_smoothing=0.0, channels_last=False, step_size=30, amp="off"):
    """Returns for each rank the path of a file as main.py would save it, with its "losses" per step (with `accumulate` the mean over a
    step's images). `resume`: a checkpoint to resume, by main.py's rules; else `initial` has the weights."""
    os.makedirs(there, exist_ok=True)
    port = ringlab.free_port()
    outs = [os.path.join(there, f"python-{rank}.pth.tar") for rank in range(world)]
    fork = multiprocessing.get_context("fork")
    settings = (data, arch, batch, epochs, seed, lr, initial, resume, accumulate, optimizer, momentum, weight_decay, label_smoothing, channels_last, step_size, amp)
    ranks = [fork.Process(target=_rank, args=(rank, world, port, outs[rank], *settings)) for rank in range(world)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join(3600)
        if rank.is_alive():
            rank.kill()
            rank.join()
    assert [rank.exitcode for rank in ranks] == [0] * world, [rank.exitcode for rank in ranks]
    return outs


def differences(ours, theirs):
    """The largest difference of any weight or buffer, and of any tensor of the optimizer, between two checkpoints."""
    # Without momentum libtorch 1.13 keeps an entry of None for each parameter, later versions and ours keep none.
    mine, other = ({index: state for index, state in saved["optimizer"]["state"].items() if any(value is not None for value in state.values())} for saved in (ours, theirs))
    assert set(mine) == set(other), set(mine) ^ set(other)
    largest = 0.0
    for index, state in other.items():
        for name, value in state.items():
            if not torch.is_tensor(value):
                continue
            largest = max(largest, (torch.as_tensor(mine[index][name]).double() - value.double()).abs().max().item())
    return reference.largest_difference(ours["state_dict"], theirs["state_dict"]), largest
