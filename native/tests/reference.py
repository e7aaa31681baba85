"""Python's side of a comparison: the trainer's images from an ImageFolder at 32 pixels, and a plain training loop.

Python draws the augmentation with the same generator (base/random.h) and decodes with PIL.
"""
import os

import numpy
import torch
import torchvision
from PIL import Image

MASK = (1 << 64) - 1
MEAN = numpy.array([0.485, 0.456, 0.406], dtype=numpy.float32)
DEVIATION = numpy.array([0.229, 0.224, 0.225], dtype=numpy.float32)


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


class RankImages:
    """The batches of one rank, epoch by epoch, in the trainer's order."""

    def __init__(self, data, seed, batch, rank=0, world=1):
        self.seed, self.batch = seed, batch
        self.folder = torchvision.datasets.ImageFolder(os.path.join(data, "train"))
        self.sampler = torch.utils.data.DistributedSampler(self.folder, num_replicas=world, rank=rank, seed=seed)

    def image(self, index, epoch):
        stream = Stream(self.seed, epoch, index)
        padded = numpy.zeros((40, 40, 3), dtype=numpy.uint8)
        padded[4:36, 4:36] = numpy.asarray(Image.open(self.folder.samples[index][0]).convert("RGB"))
        left, top = stream.below(9), stream.below(9)
        crop = padded[top : top + 32, left : left + 32]
        if stream.uniform() < 0.5:
            crop = crop[:, ::-1]
        return torch.from_numpy(((crop.astype(numpy.float32) / numpy.float32(255) - MEAN) / DEVIATION).transpose(2, 0, 1).copy())

    def batches(self, epoch):
        """[(images, labels), …]"""
        self.sampler.set_epoch(epoch)
        indices = list(self.sampler)
        parts = [indices[at : at + self.batch] for at in range(0, len(indices), self.batch)]
        return [(torch.stack([self.image(i, epoch) for i in part]), torch.tensor([self.folder.targets[i] for i in part])) for part in parts]


def train(model, rank_images, epochs, lr, backward):
    """main.py's SGD in one process; `backward(model, images, labels)` sets gradients and returns the loss. Returns all losses."""
    optimizer = torch.optim.SGD(model.parameters(), lr, momentum=0.9, weight_decay=1e-4)
    model.train()
    losses = []
    for epoch in range(epochs):
        for images, labels in rank_images.batches(epoch):
            optimizer.zero_grad()
            losses.append(float(backward(model, images, labels)))
            optimizer.step()
    return losses


def largest_difference(ours, theirs):
    """Largest difference of any weight or buffer of two state_dicts."""
    assert set(ours) == set(theirs), set(ours) ^ set(theirs)
    return max((ours[name].double() - theirs[name].double()).abs().max().item() for name in ours)
