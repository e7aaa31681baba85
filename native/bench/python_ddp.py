"""One rank of the Python side: PyTorch's main.py recipe on a CPU, wrapped in DistributedDataParallel over Gloo.

main.py itself never wraps a model on a CPU, so this is a copy: its options, its meters, its accuracy, its order within a step. With
--images, images are read from the ImageFolder through a DataLoader; without, from memory, and only the steps are timed. Prints one JSON
line: {"steps": [seconds, …], "ended_at": [unix seconds of each step's end, …]}.
"""
import argparse
import json
import time

parser = argparse.ArgumentParser()
parser.add_argument("--arch", required=True)
parser.add_argument("--classes", type=int, default=10)
parser.add_argument("--rank", type=int, required=True)
parser.add_argument("--world-size", type=int, required=True)
parser.add_argument("--dist-url", required=True)
parser.add_argument("--batch-size", type=int, required=True)
parser.add_argument("--image-size", type=int, required=True)
parser.add_argument("--steps", type=int, required=True)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--images", help="folder with train/: time the start, with its images")
options = parser.parse_args()

import torch  # noqa: E402  (the start is timed: as main.py, import once the command line is read)
import torchvision  # noqa: E402

torch.set_num_threads(options.threads)
torch.distributed.init_process_group("gloo", init_method=options.dist_url, world_size=options.world_size, rank=options.rank)
torch.manual_seed(1)
model = torch.nn.parallel.DistributedDataParallel(getattr(torchvision.models, options.arch)(num_classes=options.classes))
criterion = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, weight_decay=1e-4)


def from_folder():
    transform = torchvision.transforms.Compose(
        [
            torchvision.transforms.RandomCrop(options.image_size, padding=4),
            torchvision.transforms.RandomHorizontalFlip(),
            torchvision.transforms.ToTensor(),
            torchvision.transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
        ]
    )
    data = torchvision.datasets.ImageFolder(options.images + "/train", transform)
    sampler = torch.utils.data.DistributedSampler(data)
    return torch.utils.data.DataLoader(data, batch_size=options.batch_size, num_workers=1, sampler=sampler)


def from_memory():
    shape = (options.batch_size, 3, options.image_size, options.image_size)
    batches = [(torch.randn(shape), torch.randint(options.classes, (options.batch_size,))) for _ in range(4)]
    while True:
        yield from batches


def accuracy(output, target, ks):
    """Top-k hits in percent, as main.py counts them."""
    with torch.no_grad():
        _, best = output.topk(max(ks), 1, True, True)
        hits = best.t().eq(target.view(1, -1).expand_as(best.t()))
        return [hits[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / target.size(0)) for k in ks]


model.train()
seconds, sums, ended_at = [], [0.0, 0.0, 0.0], []
for number, (images, target) in enumerate(from_folder() if options.images else from_memory()):
    if number == options.steps:
        break
    started = time.perf_counter()
    output = model(images)
    loss = criterion(output, target)
    top1, top5 = accuracy(output, target, (1, 5))
    for at, value in enumerate((loss.item(), top1[0].item(), top5[0].item())):
        sums[at] += value * images.size(0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    seconds.append(time.perf_counter() - started)
    ended_at.append(time.time())
print(json.dumps({"steps": seconds, "ended_at": ended_at}), flush=True)
