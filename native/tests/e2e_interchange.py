"""Interchange with Python's checkpoints: main.py's are trained on, ours are loaded by Python, and other files are refused."""
import collections
import os
import shutil
import tarfile

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402

ARCH = "shufflenet_v2_x0_5"


class Foreign:
    """Objects that users save beside their weights, and that no checkpoint reader constructs."""


class Calls:
    """An object that executes a command when Python reads it."""

    def __reduce__(self):
        return os.system, ("touch called",)


def sgd(model):
    return torch.optim.SGD(model.parameters(), 1e-6, momentum=0.9, weight_decay=0)


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=16, val=10)
    torch.manual_seed(5)
    model = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
    optimizer = sgd(model)
    model(torch.rand(4, 3, 32, 32)).sum().backward()
    optimizer.step()
    # Momenta so large that one step's gradient is negligible: the result identifies each parameter's momentum.
    momenta = []
    for parameter in model.parameters():
        momenta.append(1000 * torch.randn_like(parameter))
        optimizer.state[parameter]["momentum_buffer"].copy_(momenta[-1])
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    before = {name: value.clone() for name, value in model.state_dict().items()}

    def save(name, weights, **more):
        path = os.path.join(root, name)
        torch.save({"epoch": 1, "arch": ARCH, "state_dict": weights, "best_acc1": torch.tensor(12.5), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict(), **more}, path)
        return path

    def wrapped(values):
        return collections.OrderedDict((f"module.{name}", value) for name, value in values)

    kinds = {
        "plain.pth.tar": model.state_dict(),
        "wrapped.pth.tar": wrapped(model.state_dict().items()),
        "parameters.pth.tar": wrapped([*model.named_parameters(), *model.named_buffers()]),
        "dict.pth.tar": dict(model.state_dict()),
    }
    evaluated = []
    for name, weights in kinds.items():
        theirs = save(name, weights, **({"extra": Foreign(), "function": os.system} if name == "dict.pth.tar" else {}))
        (rank,) = ringlab.start(os.path.join(root, name + ".run"), 1, data, "-a", ARCH, "-b", "16", "--lr", "1e-6", "--wd", "0", "--epochs", "2", "--resume", theirs)
        assert rank.wait() == 0, rank.log()
        assert [(line["epoch"], line["step"]) for line in rank.lines("step")] == [(1, 1)], "one step of one epoch, the second"
        assert rank.lines("warning") == [], rank.lines("warning")
        ours = ringlab.torch_load(os.path.join(rank.dir, "checkpoint.pth.tar"))
        assert ours["epoch"] == 2 and ours["best_acc1"] >= 12.5 and list(ours["state_dict"]) == list(before), ours["best_acc1"]
        again = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
        again.load_state_dict(ours["state_dict"])
        loaded = sgd(again)
        loaded.load_state_dict(ours["optimizer"])
        torch.optim.lr_scheduler.StepLR(loaded, 30).load_state_dict(ours["scheduler"])
        assert ours["scheduler"]["last_epoch"] == 2 and ours["optimizer"]["param_groups"][0]["momentum"] == 0.9, ours["scheduler"]
        for (key, parameter), momentum in zip(again.named_parameters(), momenta):
            found = loaded.state[parameter]["momentum_buffer"]
            assert torch.allclose(found, 0.9 * momentum, rtol=1e-3, atol=30), f"{name}: {key}'s momentum"
            assert torch.allclose(parameter, before[key] - 1e-6 * found, rtol=1e-5, atol=1e-7), f"{name}: {key}"
        # The same file is valid for --pretrained, which reads only the weights.
        (rank,) = ringlab.start(os.path.join(root, name + ".weights"), 1, data, "-a", ARCH, "-b", "16", "--evaluate", "--pretrained", theirs)
        assert rank.wait() == 0, rank.log()
        evaluated.append(rank.lines("eval")[0])
        assert evaluated[-1]["epoch"] == 0 and evaluated[-1]["loss"] == evaluated[0]["loss"], evaluated

    # Refused, each with its reason, and the run's previous files are unchanged.
    there = os.path.join(root, "plain.pth.tar.run")
    ancient = os.path.join(root, "ancient.pth.tar")
    with tarfile.open(ancient, "w", format=tarfile.USTAR_FORMAT) as archive:
        archive.add(__file__, "sys_info")
    short = os.path.join(root, "short.pth.tar")
    shutil.copy(os.path.join(root, "plain.pth.tar"), short)
    os.truncate(short, os.path.getsize(short) // 2)
    fewer = save("fewer.pth.tar", collections.OrderedDict(list(model.state_dict().items())[:-1]))
    more = save("more.pth.tar", {**model.state_dict(), "fc.scale": torch.ones(1)})
    with open(os.path.join(there, "rank-0", "checkpoint.pth.tar"), "rb") as file:
        mine = file.read()
    for path, words in [
        (save("calls.pth.tar", model.state_dict(), extra=Calls()), "system"),
        (ancient, "before 0.2; save it once more"),
        (short, "is cut off"),
        (fewer, "it lacks fc.bias"),
        (more, "it holds fc.scale, which the model does not have"),
    ]:
        (rank,) = ringlab.start(there, 1, data, "-a", ARCH, "-b", "16", "--epochs", "3", "--resume", path)
        assert rank.wait() == 3, rank.log()
        error = rank.lines("error")[-1]
        assert error["code"] == "checkpoint_mismatch" and path in error["message"] and words in error["message"], error
        with open(os.path.join(rank.dir, "checkpoint.pth.tar"), "rb") as file:
            assert file.read() == mine
