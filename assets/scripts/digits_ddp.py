"""Trains a small network on drawn digits with DistributedDataParallel: a loop as it is written by hand, with nothing of Ringlab's.

On one machine with two processes: torchrun --nproc_per_node=2 digits_ddp.py --epochs 3
"""

import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

# Which of the seven segments each digit has: top, upper left, upper right, middle, lower left, lower right, bottom.
SEGMENTS = ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011"]
PLACES = [(3, 4, 3, 12), (4, 3, 12, 5), (4, 11, 12, 13), (11, 4, 13, 12), (12, 3, 20, 5), (12, 11, 20, 13), (20, 4, 22, 12)]


class Digits(Dataset):
    """28 x 28 images of seven-segment digits, moved, weakened and with noise."""

    def __init__(self, count: int, seed: int) -> None:
        self.count, self.seed = count, seed

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int):
        random = torch.Generator().manual_seed(self.seed * 1_000_003 + index)
        label = index % 10
        image = 0.35 * torch.randn(28, 28, generator=random)
        down, right = torch.randint(0, 5, (2,), generator=random).tolist()
        for on, (top, left, bottom, end) in zip(SEGMENTS[label], PLACES):
            if on == "1":
                image[top + down : bottom + down, left + right + 4 : end + right + 4] += 0.6 + 0.4 * torch.rand(1, generator=random)
        return image[None], label


def network() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


def accuracy(model: nn.Module, loader: DataLoader, device: torch.device) -> float:
    """Per cent of all ranks' images."""
    model.eval()
    counts = torch.zeros(2, device=device)
    with torch.no_grad():
        for images, labels in loader:
            found = model(images.to(device)).argmax(1).cpu()
            counts += torch.tensor([(found == labels).sum(), len(labels)], device=device)
    dist.all_reduce(counts)
    return 100 * (counts[0] / counts[1]).item()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=32, help="of each process")
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--train", type=int, default=2000, help="images")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    cuda = torch.cuda.is_available()
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    torch.manual_seed(args.seed)

    train, validation = Digits(args.train, args.seed), Digits(max(10, args.train // 5), args.seed + 1)
    sampler = DistributedSampler(train, seed=args.seed)
    loader = DataLoader(train, args.batch_size, sampler=sampler, drop_last=True)
    validation_loader = DataLoader(validation, args.batch_size, sampler=DistributedSampler(validation, shuffle=False))
    model = DistributedDataParallel(network().to(device), device_ids=[device.index] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    best = 0.0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        model.train()
        for step, (images, labels) in enumerate(loader):
            loss = criterion(model(images.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 10 == 0 and dist.get_rank() == 0:
                print(f"epoch {epoch + 1}/{args.epochs}, step {step}/{len(loader)}, loss: {loss.item():.4f}", flush=True)
        percent = accuracy(model, validation_loader, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch + 1}/{args.epochs}, accuracy: {percent:.1f} %", flush=True)
            if percent > best:
                best = percent
                torch.save({"epoch": epoch + 1, "accuracy": percent, "state_dict": model.module.state_dict()}, "best.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
