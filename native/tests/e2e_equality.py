"""The same mathematics as Python's DistributedDataParallel: same weights, same pictures, same order, equal weights after.

usage: e2e_equality.py BINARY [--steps N]: batches a rank, 12 (in CTest) or another even number (bench/equality.py: 100), half of
them an epoch; each a step, and then again four to a step (--accumulate, Python's no_sync()). Two ranks, one thread each.
"""
import os
import subprocess
import sys

import ringlab

EPOCHS, BATCH, SEED, LR = 2, 8, 5, 0.02
STEPS = int(sys.argv[3]) if sys.argv[2:3] == ["--steps"] else 12


def reference(rank, data, initial, port, accumulate, out):
    import contextlib

    import torch
    import torchvision
    from reference import Pictures

    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", world_size=2, rank=rank)
    pictures = Pictures(data, SEED, BATCH, rank, 2)
    model = torchvision.models.resnet18(num_classes=10)
    model.load_state_dict(torch.load(initial))
    wrapped = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(wrapped.parameters(), LR, momentum=0.9, weight_decay=1e-4)
    losses = []
    for epoch in range(EPOCHS):
        batches = pictures.batches(epoch)
        for first in range(0, len(batches), int(accumulate)):
            group = batches[first : first + int(accumulate)]
            optimizer.zero_grad()
            of_group = []
            for number, (images, labels) in enumerate(group):
                with contextlib.nullcontext() if number + 1 == len(group) else wrapped.no_sync():
                    loss = torch.nn.functional.cross_entropy(wrapped(images), labels)
                    of_group.append(loss.item())
                    (loss / len(group)).backward()
            losses.append(sum(of_group) / len(group))
            optimizer.step()
    torch.save({"state_dict": model.state_dict(), "losses": losses}, out)


if len(sys.argv) > 4:
    reference(int(sys.argv[2]), *sys.argv[3:])
    sys.exit(0)

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402
from reference import largest_difference  # noqa: E402

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=STEPS * BATCH * 2 // EPOCHS, val=10)
    torch.manual_seed(11)
    initial = os.path.join(root, "initial.pth")
    torch.save(torchvision.models.resnet18(num_classes=10).state_dict(), initial)
    bytes_an_image = {}
    for accumulate in (1, 4):
        there = os.path.join(root, f"accumulate-{accumulate}")
        os.makedirs(there)
        port = ringlab.free_port()
        outs = [os.path.join(there, f"python-{k}.pth") for k in range(2)]
        pythons = [subprocess.Popen([sys.executable, "-B", __file__, ringlab.BINARY, str(k), data, initial, str(port), str(accumulate), outs[k]]) for k in range(2)]
        assert [p.wait(60 + 3 * STEPS) for p in pythons] == [0, 0]
        ranks = ringlab.start(
            there, 2, data, "-b", str(BATCH), "--epochs", str(EPOCHS), "--lr", str(LR), "--seed", str(SEED), "--pretrained", initial, "--check-sync", "--accumulate", str(accumulate)
        )
        assert [rank.wait(60 + 3 * STEPS) for rank in ranks] == [0, 0], ranks[0].log()
        theirs = torch.load(outs[0])
        ours = torch.load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))["state_dict"]
        largest = largest_difference(ours, theirs["state_dict"])
        steps = len(theirs["losses"])
        # A last group of fewer batches makes a step too.
        assert steps == EPOCHS * -(-STEPS // EPOCHS // accumulate), steps
        print(f"largest difference of any weight or buffer after {steps} steps of {accumulate} batches: {largest:g}", flush=True)
        for k, rank in enumerate(ranks):
            lines = rank.lines("step")
            differing = [(i, a["loss"], b) for i, (a, b) in enumerate(zip(lines, torch.load(outs[k])["losses"])) if abs(a["loss"] - b) > (0 if accumulate == 1 else 1e-12)]
            assert len(lines) == steps and not differing, differing[:3]
            assert sum(line["images"] for line in lines) == STEPS * BATCH
            assert lines[0]["images"] == accumulate * BATCH
        start = ranks[0].lines("start")[0]
        assert start["batch_size"] == 2 * BATCH * accumulate and start["steps_per_epoch"] == steps // EPOCHS, start
        bytes_an_image[accumulate] = lines[0]["bytes_sent"] / lines[0]["images"]
        assert largest == 0, largest
    assert bytes_an_image[4] == bytes_an_image[1] / 4, bytes_an_image
