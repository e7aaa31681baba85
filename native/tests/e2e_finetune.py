"""Real fine-tuning: a model of ten kinds of shapes is used for a task of four (RINGLAB_ALL=1: and after one epoch is much better than one
without initial weights); two learning rates, frozen layers and their batch norms equal Python's."""
import os
import subprocess

import ringlab

ringlab.need_torch()
import reference  # noqa: E402
import torch  # noqa: E402
import torchvision  # noqa: E402

SEED, ARCH = 1, ("-a", "shufflenet_v2_x0_5")


def run(root, name, data, *arguments):
    (rank,) = ringlab.start(os.path.join(root, name), 1, data, *arguments)
    assert rank.wait(600) == 0, rank.log()
    return rank, ringlab.torch_load(os.path.join(rank.dir, "checkpoint.pth.tar"))


def refused(root, name, data, word, *arguments, code=2):
    (rank,) = ringlab.start(os.path.join(root, name), 1, data, *arguments)
    assert rank.wait() == code and word in rank.log(), (name, rank.log())


def as_python(root, data, weights):
    """main.py's loop with two parameter groups, the last layer's rate ten times the backbone's, over the same images."""
    steps = (*ARCH, "-b", "8", "--epochs", "3", "--lr", "0.05", "--backbone-lr", "0.005", "--step-size", "1", "--gamma", "0.5", "--seed", str(SEED), "--pretrained", weights)
    rank, saved = run(root, "groups", data, *steps)
    model = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
    model.load_state_dict(torch.load(weights))
    backbone = [parameter for name, parameter in model.named_parameters() if not name.startswith("fc.")]
    optimizer = torch.optim.SGD([{"params": backbone, "lr": 0.005}, {"params": list(model.fc.parameters())}], 0.05, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    rank_images = reference.RankImages(data, SEED, 8)
    model.train()
    rates = []
    for epoch in range(3):
        for images, labels in rank_images.batches(epoch):
            rates.append((optimizer.param_groups[1]["lr"], optimizer.param_groups[0]["lr"]))
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
        scheduler.step()
    largest = reference.largest_difference(saved["state_dict"], model.state_dict())
    assert largest == 0, f"{largest} from Python's"
    assert [(step["lr"], step["backbone_lr"]) for step in rank.lines("step")] == rates
    # Python's optimizer and scheduler resume from ours, with equal states.
    theirs = optimizer.state_dict()
    assert [group["params"] for group in saved["optimizer"]["param_groups"]] == [group["params"] for group in theirs["param_groups"]]
    for ours, python in zip(saved["optimizer"]["param_groups"], theirs["param_groups"]):
        assert ours["lr"] == python["lr"] and ours["initial_lr"] == python["initial_lr"], (ours, python)
    for number, state in theirs["state"].items():
        assert torch.equal(saved["optimizer"]["state"][number]["momentum_buffer"], state["momentum_buffer"]), number
    optimizer.load_state_dict(saved["optimizer"])
    assert saved["scheduler"]["base_lrs"] == [0.005, 0.05] and saved["scheduler"]["_last_lr"] == scheduler.get_last_lr()
    scheduler.load_state_dict(saved["scheduler"])
    # A run that stopped after one epoch resumes to the same weights.
    first, _ = run(root, "first", data, *[word if word != "3" else "1" for word in steps])
    _, resumed = run(root, "resumed", data, *steps[:-2], "--resume", os.path.join(first.dir, "checkpoint.pth.tar"))
    assert reference.largest_difference(resumed["state_dict"], saved["state_dict"]) == 0
    assert torch.equal(resumed["optimizer"]["state"][3]["momentum_buffer"], saved["optimizer"]["state"][3]["momentum_buffer"])


with ringlab.folder() as root:
    torch.set_num_threads(1)
    small = ringlab.make_shapes(os.path.join(root, "small"), train=24, val=10)
    torch.manual_seed(3)
    weights = os.path.join(root, "shufflenet.pth")
    torch.save(torchvision.models.shufflenet_v2_x0_5(num_classes=10).state_dict(), weights)
    as_python(root, small, weights)

    # Frozen batch norms: in train mode their statistics are updated as in Python; with --freeze-bn they are constant.
    before = torch.load(weights)
    for held in (False, True):
        _, saved = run(root, f"held-{held}", small, *ARCH, "-b", "8", "--epochs", "1", "--pretrained", weights, "--freeze", "backbone", *(["--freeze-bn"] if held else []))
        moved = {name for name, tensor in saved["state_dict"].items() if not torch.equal(tensor, before[name])}
        expected = {"fc.weight", "fc.bias"} | (set() if held else {name for name in before if "running_" in name or name.endswith("num_batches_tracked")})
        assert moved == expected, moved ^ expected
    refused(root, "no-freeze", small, "--freeze-bn", "-b", "8", "--freeze-bn")
    refused(root, "no-norm", small, "no batch norm", "-b", "8", "--freeze", "fc", "--freeze-bn")
    refused(root, "no-rate", small, "--backbone-lr", "-b", "8", "--freeze", "backbone", "--backbone-lr", "0.1")

    # The error for main.py's --pretrained without value explains it and names the file; a folder with that file works.
    for arguments in (["--pretrained", small], ["-a", "resnet18", small, "--pretrained"], ["--pretrained", "--lr", "0.1", small]):
        done = subprocess.run([ringlab.BINARY, *arguments], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and "https://download.pytorch.org/models/resnet18-f37072fd.pth" in done.stderr, done.stderr
    hub = os.path.join(root, "hub")
    os.mkdir(hub)
    torch.save(torchvision.models.resnet18(num_classes=10).state_dict(), os.path.join(hub, "resnet18-f37072fd.pth"))
    run(root, "hub-run", small, "-b", "8", "--epochs", "1", "--pretrained", hub)
    for wrong, near in (("ResNet-18", "resnet18"), ("swin-v2-b", "swin_v2_b"), ("quantized_resnet50", "resnet50"), ("regnety_128GF", "regnet_y_128gf")):
        done = subprocess.run([ringlab.BINARY, "-a", wrong, small], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and f"nearest valid: {near}" in done.stderr, done.stderr
    assert "quantised" in subprocess.run([ringlab.BINARY, "-a", "quantized_resnet50", small], stderr=subprocess.PIPE, text=True).stderr

    # Ten kinds of shapes, then four with other images, of which there are few.
    many = os.path.join(root, "many")
    few = os.path.join(root, "few")
    arch, features, images, validation = ("resnet18", 512, "600", "200") if ringlab.ALL else (ARCH[1], 1024, "24", "20")
    for path, more in ((many, ("--train", images, "--val", "20")), (few, ("--train", "96", "--val", validation, "--classes", "4", "--seed", "77"))):
        subprocess.run([ringlab.BINARY, "make-shapes", path, "--size", "32", *more], check=True, stdout=subprocess.DEVNULL)
    learned, _ = run(root, "many-run", many, "-b", "48" if ringlab.ALL else "24", "--epochs", "5" if ringlab.ALL else "1", "--lr", "0.02", "-a", arch)
    start = os.path.join(learned.dir, "checkpoint.pth.tar")
    short = ("-b", "16", "--epochs", "1", "--lr", "0.01", "-a", arch)
    tuned, saved = run(root, "tuned", few, *short, "--backbone-lr", "0.002", "--pretrained", start)
    if ringlab.ALL:
        scratch, _ = run(root, "scratch", few, *short)
        reached = [rank.lines("eval")[-1]["top1"] for rank in (scratch, tuned)]
        print(f"four classes, 96 images, one epoch: from scratch {reached[0]:.1f} %, fine-tuned {reached[1]:.1f} %")
        assert reached[1] >= reached[0] + 15, reached
    assert saved["state_dict"]["fc.weight"].shape == (4, features)
    assert "new and not pre-trained: fc.weight, fc.bias: 4 classes here, 10 in" in tuned.log(), tuned.log()
    line = tuned.lines("start")[0]
    assert line["pretrained_classes"] == 10 and line["new_parameters"] == "fc.weight, fc.bias" and line["pretrained_from"] == start
    # Weights of another architecture are refused by name, and a resume refuses other classes.
    refused(root, "other", few, "checkpoint.pth.tar", "-b", "16", "-a", "resnet34", "--pretrained", start, code=3)
    refused(root, "resume", few, "--pretrained", "-b", "16", "-a", arch, "--resume", start, code=3)
