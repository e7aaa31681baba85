"""A training step on one GPU, ours against PyTorch's: the loop of main.py with pinned memory, autocast and GradScaler, in the same run.

usage: gpu_step.py BINARY [--only NAME]

BINARY is built for CUDA; its libtorch must be found (LD_LIBRARY_PATH), and this interpreter has PyTorch for CUDA and torchvision. Ours reads
images of 256 px from a folder, PyTorch's are in pinned memory: what its DataLoader costs does not count. Medians of the second half of 60 steps.
"""
import argparse
import concurrent.futures
import os
import statistics
import subprocess
import sys
import time

import pairs

CELLS = {
    # name: (arch, batch, pixels, amp, channels-last, options of ours alone)
    "resnet50 fp32": ("resnet50", 256, 224, "off", False, []),
    "resnet50 fp16 channels-last": ("resnet50", 256, 224, "fp16", True, []),
    "resnet50 bf16 channels-last": ("resnet50", 256, 224, "bf16", True, []),
    "resnet50 bf16 channels-last, recorded": ("resnet50", 256, 224, "bf16", True, ["--cuda-graph"]),
    "resnet18 fp32, 64 px": ("resnet18", 128, 64, "off", False, []),
    "resnet18 fp16, 64 px": ("resnet18", 128, 64, "fp16", False, []),
    "resnet18 fp32, 64 px, recorded": ("resnet18", 128, 64, "off", False, ["--cuda-graph"]),
}
STEPS = 60
IMAGES = 7680


def theirs(arch, batch, pixels, amp, last):
    import torch
    import torchvision

    form = torch.channels_last if last else torch.contiguous_format
    model = torchvision.models.__dict__[arch](num_classes=10).cuda().to(memory_format=form)
    optimizer = torch.optim.SGD(model.parameters(), 0.02, momentum=0.9, weight_decay=1e-4)
    criterion = torch.nn.CrossEntropyLoss().cuda()
    scaler = torch.amp.GradScaler("cuda", enabled=amp == "fp16")
    kind = {"fp16": torch.float16, "bf16": torch.bfloat16, "off": torch.float16}[amp]
    host = [(torch.randn(batch, 3, pixels, pixels).pin_memory(), torch.randint(10, (batch,)).pin_memory()) for _ in range(3)]
    seconds = []
    for number in range(STEPS):
        began = time.perf_counter()
        images, labels = host[number % len(host)]
        images = images.cuda(non_blocking=True).contiguous(memory_format=form)
        labels = labels.cuda(non_blocking=True)
        with torch.autocast("cuda", kind, enabled=amp != "off"):
            outputs = model(images)
            loss = criterion(outputs, labels)
        loss.item()
        outputs.topk(5, 1)[1].t().eq(labels.view(1, -1)).float().sum().item()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[STEPS // 2 :])


def ours(root, name, data, arch, batch, pixels, amp, last, more):
    epochs = -(-STEPS * batch // IMAGES)
    arguments = [data, "-a", arch, "-b", str(batch), "--image-size", str(pixels), "--amp", amp, "--epochs", str(epochs), "--lr", "0.02", "--seed", "1", "-j", str(os.cpu_count() - 1)]
    rank = pairs.ringlab.Rank(os.path.join(root, name), 0, [*arguments, *(["--channels-last"] if last else []), *more])
    assert rank.wait(900) == 0, rank.log()
    steps = rank.lines("step")
    return statistics.median(step["step_seconds"] for step in steps[len(steps) // 2 :])


def image_folder(root, size):
    """`make-shapes` draws on one core: one process for each part."""
    parts = min(8, os.cpu_count())
    folder = os.path.join(root, f"shapes-{size}")

    def part(number):
        made = f"{folder}-{number}"
        subprocess.run([pairs.ringlab.BINARY, "make-shapes", made, "--train", str(IMAGES // parts), "--val", "20", "--size", str(size), "--seed", str(number)], check=True, stdout=subprocess.DEVNULL)
        for below, _, files in os.walk(made):
            to = os.path.join(folder, os.path.relpath(below, made))
            os.makedirs(to, exist_ok=True)
            for file in files:
                os.rename(os.path.join(below, file), os.path.join(to, f"{number}-{file}"))

    with concurrent.futures.ThreadPoolExecutor(parts) as pool:
        list(pool.map(part, range(parts)))
    return folder


parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--only", default="", help="cells whose name has this")
options = parser.parse_args()
if subprocess.run([sys.executable, "-c", "import torch; assert torch.cuda.is_available()"], check=False).returncode != 0:
    sys.exit("this interpreter's PyTorch sees no GPU")
with pairs.folder() as root:
    folders = {224: image_folder(root, 256), 64: image_folder(root, 64)}
    for name, (arch, batch, pixels, amp, last, more) in CELLS.items():
        if options.only not in name:
            continue
        our = ours(root, name, folders[pixels], arch, batch, pixels, amp, last, more)
        # A process of its own: its memory and its kernels' caches are gone afterwards.
        with concurrent.futures.ProcessPoolExecutor(1) as process:
            their = process.submit(theirs, arch, batch, pixels, amp, last).result()
        print(f"{name}: ours {our * 1000:.2f} ms, PyTorch {their * 1000:.2f} ms, {their / our:.2f} x", flush=True)
