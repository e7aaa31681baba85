"""One checkpoint through several versions of libtorch: each call is one station. `npm run test:full -- libtorch-2.6`.

usage: exchange_checkpoints.py BINARY FOLDER train|python|evaluate|resume|resume-again
"""
import collections
import json
import os
import sys

import ringlab

FOLDER, STATION = sys.argv[2:4]
DATA = os.path.join(FOLDER, "data")


def checkpoint(station):
    return os.path.join(FOLDER, station, "rank-0", "checkpoint.pth.tar")


def run(*extra):
    """One rank in FOLDER/STATION; its lines."""
    (rank,) = ringlab.start(os.path.join(FOLDER, STATION), 1, DATA, "-b", "8", *extra)
    assert rank.wait(120) == 0, rank.log()
    assert not rank.lines("warning"), rank.lines("warning")
    return rank


def python():
    import torch
    import torchvision

    assert int(torch.__version__.split(".")[0]) >= 2, torch.__version__
    # Since 2.6 torch.load has weights_only=True by default: our file must load unchanged.
    saved = torch.load(checkpoint("train"))
    with open(os.path.join(FOLDER, "train.json")) as file:
        expected = json.load(file)
    assert saved["epoch"] == 1 and saved["arch"] == "resnet18" and isinstance(saved["state_dict"], collections.OrderedDict)
    model = torchvision.models.resnet18(num_classes=10)
    model.load_state_dict(saved["state_dict"])
    transform = torchvision.transforms.Compose([torchvision.transforms.ToTensor(), torchvision.transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    data_set = torchvision.datasets.ImageFolder(os.path.join(DATA, "val"), transform)
    images = torch.stack([data_set[i][0] for i in range(len(data_set))])
    labels = torch.tensor(data_set.targets)

    def loss():
        model.eval()
        with torch.no_grad():
            return torch.nn.functional.cross_entropy(model(images), labels).item()

    assert abs(loss() - expected["loss"]) < 1e-4 * max(1.0, abs(expected["loss"])), (loss(), expected)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, weight_decay=1e-4)
    optimizer.load_state_dict(saved["optimizer"])
    assert len(optimizer.state) == len(list(model.parameters()))
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    scheduler.load_state_dict(saved["scheduler"])
    model.train()
    torch.nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()
    torch.save(
        {"epoch": 1, "arch": "resnet18", "state_dict": model.state_dict(), "best_acc1": torch.tensor(12.5), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()},
        os.path.join(FOLDER, "python.pth.tar"),
    )
    with open(os.path.join(FOLDER, "python.json"), "w") as file:
        json.dump({"loss": loss()}, file)


if STATION == "train":
    ringlab.make_shapes(DATA, train=20, val=10)
    rank = run("--epochs", "1")
    with open(os.path.join(FOLDER, "train.json"), "w") as file:
        json.dump(rank.lines("eval")[0], file)
elif STATION == "python":
    python()
elif STATION == "evaluate":
    with open(os.path.join(FOLDER, "python.json")) as file:
        expected = json.load(file)["loss"]
    STATION += "-" + os.path.basename(os.path.dirname(ringlab.BINARY))
    found = run("-e", "--resume", os.path.join(FOLDER, "python.pth.tar")).lines("eval")[0]["loss"]
    assert abs(found - expected) < 1e-4 * max(1.0, abs(expected)), (found, expected)
elif STATION == "resume":
    rank = run("--epochs", "2", "--resume", checkpoint("train"))
    assert rank.lines("start")[0]["start_epoch"] == 1 and len(rank.lines("epoch")) == 1
elif STATION == "resume-again":
    rank = run("--epochs", "3", "--resume", checkpoint("resume"))
    assert rank.lines("start")[0]["start_epoch"] == 2 and len(rank.lines("epoch")) == 1
else:
    sys.exit(f"no such station: {STATION}")
