"""Two ranks train; PyTorch loads their checkpoint; PyTorch's own checkpoint is resumed."""
import collections
import os
import subprocess

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=40, val=21)
    ranks = ringlab.start(root, 2, data, "-b", "8", "--epochs", "2", "--check-sync")
    codes = [rank.wait() for rank in ranks]
    assert codes == [0, 0], ranks[0].log() + ranks[1].log()

    start = ranks[0].lines("start")[0]
    assert start["world_size"] == 2 and start["backend"] == "gloo" and start["steps_per_epoch"] == 3 and start["batch_size"] == 16, start
    steps = ranks[0].lines("step")
    assert [s["step"] for s in steps] == list(range(6))
    assert all(s["bytes_sent"] > 40e6 for s in steps), "a ring of two sends the whole gradient once"
    evals = ranks[0].lines("eval")
    assert [e["images"] for e in evals] == [21, 21], "every image once, though 21 does not divide by 2"
    assert ranks[1].lines("eval") == []
    assert ranks[0].lines("end")[0]["reason"] == "finished" and ranks[0].lines("end")[0]["top1"] == evals[-1]["top1"]
    for rank in ranks:
        assert [line["seq"] for line in rank.lines()] == list(range(len(rank.lines())))
        assert os.path.exists(os.path.join(rank.dir, "rank-state.pth"))
    log = ranks[0].log()
    assert "Epoch: [0][1/3]\tTime " in log and "\n *   Acc@1 " in log and "Test: [1/2]\t" in log, log

    path = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
    assert not os.path.exists(os.path.join(ranks[1].dir, "checkpoint.pth.tar"))
    saved = ringlab.torch_load(path)
    assert saved["epoch"] == 2 and saved["arch"] == "resnet18" and saved["best_acc1"] == max(e["top1"] for e in evals), saved["best_acc1"]
    assert isinstance(saved["state_dict"], collections.OrderedDict)
    model = torchvision.models.resnet18(num_classes=10)
    assert list(model.state_dict()) == list(saved["state_dict"]), "names in torchvision's order"
    model.load_state_dict(saved["state_dict"])
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    optimizer.load_state_dict(saved["optimizer"])
    assert len(optimizer.state) == len(list(model.parameters()))
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    scheduler.load_state_dict(saved["scheduler"])
    assert ringlab.torch_load(os.path.join(ranks[0].dir, "model_best.pth.tar"))["arch"] == "resnet18"

    # torchvision's results on the same images: validation by hand equals our eval line.
    normalise = torchvision.transforms.Compose([torchvision.transforms.ToTensor(), torchvision.transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    data_set = torchvision.datasets.ImageFolder(os.path.join(data, "val"), normalise)
    images = torch.stack([data_set[i][0] for i in range(len(data_set))])
    labels = torch.tensor(data_set.targets)
    model.eval()
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(model(images), labels).item()
    assert abs(loss - evals[-1]["loss"]) < 1e-5 * max(1.0, abs(loss)), (loss, evals[-1]["loss"])

    # Python's file, as main.py saves a wrapped model: resumed by us, it evaluates to the same loss.
    torch.manual_seed(3)
    model = torchvision.models.resnet18(num_classes=10)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    model(images[:4]).sum().backward()
    optimizer.step()
    theirs = os.path.join(root, "python.pth.tar")
    wrapped = collections.OrderedDict((f"module.{k}", v) for k, v in model.state_dict().items())
    torch.save({"epoch": 1, "arch": "resnet18", "state_dict": wrapped, "best_acc1": torch.tensor(12.5), "optimizer": optimizer.state_dict(), "scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 30).state_dict()}, theirs)
    model.eval()
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(model(images), labels).item()
    there = os.path.join(root, "python")
    (rank,) = ringlab.start(there, 1, data, "-b", "8", "-e", "--resume", theirs)
    assert rank.wait() == 0, rank.log()
    ours = rank.lines("eval")[0]["loss"]
    assert abs(loss - ours) < 1e-5 * max(1.0, abs(loss)), (loss, ours)

    # A plain state_dict, saved as Parameters: --pretrained; one of another shape is refused by name.
    plain = os.path.join(root, "plain.pth")
    torch.save(collections.OrderedDict(list(model.named_parameters()) + list(model.named_buffers())), plain)
    (rank,) = ringlab.start(os.path.join(root, "plain"), 1, data, "-b", "8", "-e", "--pretrained", plain)
    assert rank.wait() == 0 and abs(rank.lines("eval")[0]["loss"] - loss) < 1e-5 * max(1.0, abs(loss)), rank.log()
    torch.save({**model.state_dict(), "layer1.0.conv1.weight": torch.ones(64, 64, 1, 1)}, plain)
    (rank,) = ringlab.start(os.path.join(root, "other"), 1, data, "-b", "8", "-e", "--pretrained", plain)
    assert rank.wait() == 3 and "layer1.0.conv1.weight has the shape [64, 64, 1, 1]" in rank.log(), rank.log()

    # Class folders whose names are no UTF-8, here dog and bird in GBK: the file is one of PyTorch's, and two such names stay two.
    foreign = ringlab.make_shapes(os.path.join(root, "foreign"), train=20, val=10)
    for split in ("train", "val"):
        for name, other in zip(sorted(os.listdir(os.path.join(foreign, split))), (b"\xb9\xb7", b"\xc4\xf1")):
            os.rename(os.path.join(foreign, split, name), os.path.join(os.fsencode(foreign), split.encode(), other))
    (rank,) = ringlab.start(os.path.join(root, "names"), 1, foreign, "-a", "shufflenet_v2_x0_5", "-b", "10", "--epochs", "1")
    assert rank.wait() == 0, rank.log()
    names = ringlab.torch_load(os.path.join(rank.dir, "checkpoint.pth.tar"))["input"]["classes"]
    assert len(names) == 10 and {"\\xb9\\xb7", "\\xc4\\xf1"} < set(names), names

    # A full disk: the old checkpoint stays complete.
    before = os.path.getmtime(path)
    limited = subprocess.run(["bash", "-c", f"ulimit -f 20000; exec {ringlab.BINARY} {data} --image-size 32 --threads 1 -b 20 --lr 0.01 --epochs 3 --resume {path}"], cwd=ranks[0].dir, capture_output=True, text=True)
    assert limited.returncode == 1 and "bytes needed" in limited.stderr, limited
    assert os.path.getmtime(path) == before and ringlab.torch_load(path)["epoch"] == 2
    assert not [name for name in os.listdir(ranks[0].dir) if ".tmp" in name]
