"""MNIST, CIFAR, packs and --dummy: our trainer's evaluation loss equals that with torchvision's own readers, and it trains on each."""
import gzip
import json
import os
import shutil
import signal
import struct
import subprocess

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402

ARCH = ("-a", "shufflenet_v2_x0_5")
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def write_idx(path, array, compress):
    opener = gzip.open if compress else open
    with opener(path, "wb") as file:
        file.write(struct.pack(">BBBB", 0, 0, 8, array.dim()) + struct.pack(f">{array.dim()}I", *array.shape))
        file.write(array.numpy().tobytes())


def loss_and_top1(model, images, labels):
    model.eval()
    with torch.no_grad():
        logits = model(images)
    return torch.nn.functional.cross_entropy(logits, labels).item(), 100.0 * (logits.argmax(1) == labels).float().mean().item()


def judge(root, name, model, data, images, labels, *extra):
    """Python's weights, our reader: the same loss."""
    # Running statistics of these images: with initial ones an image hardly affects the last layer.
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.reset_running_stats()
            module.momentum = None
    with torch.no_grad():
        model.train()(images)
    weights = os.path.join(root, f"{name}.pth")
    torch.save(model.state_dict(), weights)
    (rank,) = ringlab.start(os.path.join(root, name), 1, data, *ARCH, "-b", "7", "-e", "--pretrained", weights, *extra)
    assert rank.wait() == 0, rank.log()
    line = rank.lines("eval")[0]
    loss, top1 = loss_and_top1(model, images, labels)
    assert abs(loss_and_top1(model, images.flip(-1), labels)[0] - loss) > 1e-3, "the test sees a difference"
    assert abs(line["loss"] - loss) < 1e-4 * max(1.0, loss), (name, line, loss)
    assert abs(line["top1"] - top1) < 1e-3 and line["images"] == len(labels), (name, line, top1)


torch.manual_seed(0)
with ringlab.folder() as root:
    # MNIST in the folders of torchvision's download, half of the files packed.
    raw = os.path.join(root, "mnist", "MNIST", "raw")
    os.makedirs(raw)
    digits = {split: torch.randint(0, 256, (count, 28, 28), dtype=torch.uint8) for split, count in (("train", 40), ("t10k", 23))}
    targets = {split: torch.randint(0, 10, (len(d),), dtype=torch.uint8) for split, d in digits.items()}
    for split in digits:
        for compress in (True, False):  # torchvision reads the plain ones
            ending = ".gz" if compress else ""
            write_idx(os.path.join(raw, f"{split}-images-idx3-ubyte{ending}"), digits[split], compress)
            write_idx(os.path.join(raw, f"{split}-labels-idx1-ubyte{ending}"), targets[split], compress)
    theirs = torchvision.datasets.MNIST(os.path.join(root, "mnist"), train=False, transform=torchvision.transforms.ToTensor())
    images = torch.stack([theirs[i][0] for i in range(len(theirs))])
    labels = torch.tensor([theirs[i][1] for i in range(len(theirs))])
    for split in digits:
        os.remove(os.path.join(raw, f"{split}-images-idx3-ubyte"))
    grey = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
    grey.conv1[0] = torch.nn.Conv2d(1, 24, 3, 2, 1, bias=False)
    data = os.path.join(root, "mnist")
    judge(root, "grey", grey, data, (images - 0.449) / 0.226, labels, "--image-size", "28", "--input-channels", "1")
    colour = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
    normalise = torchvision.transforms.Normalize(MEAN, DEVIATION)
    judge(root, "colour", colour, data, normalise(images.expand(-1, 3, -1, -1)), labels, "--image-size", "28")

    # Two ranks train on it; Python loads their checkpoint.
    ranks = ringlab.start(os.path.join(root, "train"), 2, data, *ARCH, "-b", "8", "--epochs", "2", "--image-size", "28", "--input-channels", "1", "--check-sync")
    assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log()
    assert ranks[0].lines("start")[0]["classes"] == 10 and ranks[0].lines("start")[0]["train_images"] == 40
    grey.load_state_dict(ringlab.torch_load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))["state_dict"])
    loss, _ = loss_and_top1(grey, (images - 0.449) / 0.226, labels)
    assert abs(loss - ranks[0].lines("eval")[-1]["loss"]) < 1e-4 * max(1.0, loss)

    # Damage is reported with its path, exit 3, also in the metrics file.
    damaged = os.path.join(root, "damaged")
    shutil.copytree(raw, damaged)
    path = os.path.join(damaged, "t10k-images-idx3-ubyte.gz")
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)
    (rank,) = ringlab.start(os.path.join(root, "bad"), 1, damaged, "-b", "8", "--image-size", "28")
    assert rank.wait() == 3 and path in rank.lines("error")[0]["message"], rank.log()

    # CIFAR-10, from the same images in the Python version that torchvision reads.
    ten = os.path.join(root, "cifar", "cifar-10-batches-bin")
    os.makedirs(ten)
    images, marks = torch.randint(0, 256, (12, 3072), dtype=torch.uint8), torch.randint(0, 10, (12,), dtype=torch.uint8)
    for name in [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]:
        with open(os.path.join(ten, name), "wb") as file:
            for image, mark in zip(images, marks):
                file.write(bytes([mark]) + image.numpy().tobytes())
    as_images = torch.stack([torchvision.transforms.functional.to_tensor(p.view(3, 32, 32).permute(1, 2, 0).numpy()) for p in images])
    judge(root, "cifar10", colour, os.path.join(root, "cifar"), normalise(as_images), marks.long())
    hundred = os.path.join(root, "cifar-100-binary")
    os.makedirs(hundred)
    for name in ("train.bin", "test.bin"):
        with open(os.path.join(hundred, name), "wb") as file:
            for image, mark in zip(images, marks):
                file.write(bytes([3, 90 + mark]) + image.numpy().tobytes())
    judge(root, "cifar100", torchvision.models.shufflenet_v2_x0_5(num_classes=100), hundred, normalise(as_images), marks.long() + 90)

    # --dummy: ImageNet's numbers, no folder; stopped, it saves.
    (rank,) = ringlab.start(os.path.join(root, "dummy"), 1, "--dummy", "-b", "4", "-a", "squeezenet1_1")
    rank.wait_for_steps(3)
    rank.process.send_signal(signal.SIGTERM)
    assert rank.wait() == 7, rank.log()
    begin = rank.lines("start")[0]
    assert begin["train_images"] == 1281167 and begin["val_images"] == 50000 and begin["classes"] == 1000, begin
    assert os.path.exists(os.path.join(rank.dir, "checkpoint.pth.tar"))

    # --nproc-per-node forwards the given options: Adam at its own rate, and at one equal to SGD's default.
    for extra, rate in (([], 0.001), (["--lr", "0.1"], 0.1)):
        there = os.path.join(root, f"nproc-{rate}")
        os.makedirs(there)
        command = [ringlab.BINARY, data, *ARCH, "-b", "16", "--epochs", "1", "--image-size", "28", "--optimizer", "adam", "--nproc-per-node", "2", "--threads", "1",
                   "--freeze", "conv1,stage2.0", "--metrics", "metrics.jsonl", *extra]
        ended = subprocess.run(command, cwd=there, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
        with open(os.path.join(there, "metrics.jsonl")) as file:
            lines = [json.loads(line) for line in file]
        assert [line["lr"] for line in lines if line["kind"] == "step"][0] == rate
        assert [line["settings"]["freeze"] for line in lines if line["kind"] == "start"] == ["conv1,stage2.0"]

    # pack: the same loss from the pack as from the files, training on it, and no partial file after a stop.
    shapes = ringlab.make_shapes(os.path.join(root, "shapes"), train=60, val=40, size=90)
    packs = os.path.join(root, "packs")
    done = subprocess.run([ringlab.BINARY, "pack", shapes, "--edge", "80", "--out", packs], capture_output=True, text=True)
    assert done.returncode == 0 and "packed 60 training and 40 validation images" in done.stdout, done
    weights = os.path.join(root, "shapes.pth")
    torch.save(colour.state_dict(), weights)
    losses = []
    for name, folder in (("from-files", shapes), ("from-pack", packs)):
        (rank,) = ringlab.start(os.path.join(root, name), 1, folder, *ARCH, "-b", "20", "-e", "--pretrained", weights, "--image-size", "70")
        assert rank.wait() == 0, rank.log()
        losses.append(rank.lines("eval")[0]["loss"])
    assert losses[0] == losses[1], losses
    (rank,) = ringlab.start(os.path.join(root, "on-pack"), 1, packs, *ARCH, "-b", "20", "--epochs", "1", "--image-size", "70")
    assert rank.wait() == 0 and rank.lines("start")[0]["train_images"] == 60, rank.log()
    nothing = subprocess.run([ringlab.BINARY, "pack", data], capture_output=True, text=True)
    assert nothing.returncode == 0 and "nothing to do" in nothing.stdout, nothing
    for arguments, word in (([], "DIR is missing"), ([shapes, "--edge", "9"], "16 to 8192"), ([shapes, "--egde", "64"], "--edge"), ([shapes, "--out", shapes], "another folder")):
        wrong = subprocess.run([ringlab.BINARY, "pack", *arguments], capture_output=True, text=True)
        assert wrong.returncode == 2 and word in wrong.stderr and wrong.stderr.count("\n") == 1, wrong
    # Stopped during packing: with more images if all were packed before the signal.
    for images in (500, 2000, 8000):
        many = ringlab.make_shapes(os.path.join(root, f"many-{images}"), train=images, val=10, size=200)
        out = os.path.join(many, "packed")
        stopped = subprocess.Popen([ringlab.BINARY, "pack", many, "--workers", "1"], stdout=subprocess.DEVNULL)
        while not (os.path.isdir(out) and os.listdir(out)):
            assert stopped.poll() in (None, 0)
        stopped.send_signal(signal.SIGTERM)
        if stopped.wait(60) != 0:
            break
    assert stopped.returncode == 7 and os.listdir(out) == [], "nothing half"
