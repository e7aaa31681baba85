"""The same mathematics as Python's DistributedDataParallel: same weights, same pictures, same order, equal weights after.

usage: e2e_equality.py BINARY [--steps N]: 12 (in CTest) or another even number (bench/equality.py: 100), half of them an epoch.
Two ranks, one thread each. Python draws the augmentation with the same generator (data/random.h) and decodes with PIL.
"""
import os
import subprocess
import sys

import ringlab

EPOCHS, BATCH, SEED, LR = 2, 8, 5, 0.02
STEPS = int(sys.argv[3]) if sys.argv[2:3] == ["--steps"] else 12
MASK = (1 << 64) - 1


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Stream:
    def __init__(self, *key):
        self.state = 0
        for part in key:
            self.state = mix(self.state ^ mix((part + 0x9E3779B97F4A7C15) & MASK))

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return (mix(self.state) >> 11) * 2.0**-53

    def below(self, count):
        return int(self.uniform() * count)


def reference(rank, data, initial, port, out):
    import numpy
    import torch
    import torchvision
    from PIL import Image

    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", world_size=2, rank=rank)
    mean = numpy.array([0.485, 0.456, 0.406], dtype=numpy.float32)
    deviation = numpy.array([0.229, 0.224, 0.225], dtype=numpy.float32)
    folder = torchvision.datasets.ImageFolder(os.path.join(data, "train"))

    def picture(index, epoch):
        stream = Stream(SEED, epoch, index)
        padded = numpy.zeros((40, 40, 3), dtype=numpy.uint8)
        padded[4:36, 4:36] = numpy.asarray(Image.open(folder.samples[index][0]).convert("RGB"))
        left, top = stream.below(9), stream.below(9)
        crop = padded[top : top + 32, left : left + 32]
        if stream.uniform() < 0.5:
            crop = crop[:, ::-1]
        return torch.from_numpy(((crop.astype(numpy.float32) / numpy.float32(255) - mean) / deviation).transpose(2, 0, 1).copy())

    model = torchvision.models.resnet18(num_classes=10)
    model.load_state_dict(torch.load(initial))
    wrapped = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(wrapped.parameters(), LR, momentum=0.9, weight_decay=1e-4)
    sampler = torch.utils.data.DistributedSampler(folder, num_replicas=2, rank=rank, seed=SEED)
    losses = []
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        indices = list(sampler)
        for at in range(0, len(indices), BATCH):
            part = indices[at : at + BATCH]
            loss = torch.nn.functional.cross_entropy(wrapped(torch.stack([picture(i, epoch) for i in part])), torch.tensor([folder.targets[i] for i in part]))
            losses.append(loss.item())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    torch.save({"state_dict": model.state_dict(), "losses": losses}, out)


if len(sys.argv) > 4:
    reference(int(sys.argv[2]), *sys.argv[3:])
    sys.exit(0)

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=STEPS * BATCH * 2 // EPOCHS, val=10)
    torch.manual_seed(11)
    initial = os.path.join(root, "initial.pth")
    torch.save(torchvision.models.resnet18(num_classes=10).state_dict(), initial)
    port = ringlab.free_port()
    outs = [os.path.join(root, f"python-{k}.pth") for k in range(2)]
    pythons = [subprocess.Popen([sys.executable, "-B", __file__, ringlab.BINARY, str(k), data, initial, str(port), outs[k]]) for k in range(2)]
    assert [p.wait(60 + 3 * STEPS) for p in pythons] == [0, 0]
    ranks = ringlab.start(root, 2, data, "-b", str(BATCH), "--epochs", str(EPOCHS), "--lr", str(LR), "--seed", str(SEED), "--pretrained", initial, "--check-sync")
    assert [rank.wait(60 + 3 * STEPS) for rank in ranks] == [0, 0], ranks[0].log()
    theirs = torch.load(outs[0])
    ours = torch.load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))["state_dict"]
    largest = max((ours[name].double() - theirs["state_dict"][name].double()).abs().max().item() for name in ours)
    steps = len(theirs["losses"])
    assert steps == STEPS, steps
    print(f"largest difference of any weight or buffer after {steps} steps: {largest:g}")
    for k, rank in enumerate(ranks):
        differing = [(i, a["loss"], b) for i, (a, b) in enumerate(zip(rank.lines("step"), torch.load(outs[k])["losses"])) if a["loss"] != b]
        assert len(rank.lines("step")) == steps and not differing, differing[:3]
    assert largest == 0, largest
