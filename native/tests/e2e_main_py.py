"""A run continued by main.py and by us in turn, in the same folder: one process, and two with DistributedDataParallel."""
import argparse
import datetime
import multiprocessing
import os
import runpy
import subprocess
import sys

import ringlab

ringlab.need_torch()
import numpy  # noqa: E402
import torch  # noqa: E402
import torchvision  # noqa: E402

ARCH = "shufflenet_v2_x0_5"
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "main_py.py")


def as_script(there, arguments, env, out):
    """In a fork: as `python3 main_py.py ARGUMENTS >out 2>&1` in that folder."""
    os.chdir(there)
    os.environ.update(env)
    for stream in (1, 2):
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), stream)
    sys.argv = [SCRIPT, *arguments]
    runpy.run_path(SCRIPT, run_name="__main__")


def main_py(there, world, *arguments):
    """Its ranks are forks of this process, which has imported torch once for all of them."""
    port = ringlab.free_port()
    fork = multiprocessing.get_context("fork")
    ranks, outs = [], []
    with ringlab.folder() as logs:
        for rank in range(world):
            env = {"WORLD_SIZE": str(world), "RANK": str(rank), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
            outs.append(os.path.join(logs, str(rank)))
            ranks.append(fork.Process(target=as_script, args=(there, arguments, env, outs[-1]), daemon=True))
            ranks[-1].start()
        for rank in ranks:
            rank.join(180)
        said = [open(out).read() for out in outs]
        assert [rank.exitcode for rank in ranks] == [0] * world, said
    return said


def names(path):
    return list(torch.load(path, map_location="cpu")["state_dict"])


torch.set_num_threads(1)  # OpenMP's threads do not survive a fork
with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=16, val=10)
    plain = list(torchvision.models.shufflenet_v2_x0_5(num_classes=10).state_dict())
    wrapped = [f"module.{name}" for name in plain]
    for world, flags, expected in [(1, [], plain), (1, ["--module-prefix", "auto"], plain), (1, ["--module-prefix"], wrapped), (2, [], plain), (2, ["--module-prefix=auto"], wrapped), (2, ["--module-prefix", "off"], plain)]:
        there = os.path.join(root, f"{world}{''.join(flags)}")
        ranks = ringlab.start(there, world, data, "-a", ARCH, "-b", "8", "--epochs", "1", *flags)
        assert [rank.wait() for rank in ranks] == [0] * world, ranks[0].log()
        home = ranks[0].dir
        checkpoint, best = os.path.join(home, "checkpoint.pth.tar"), os.path.join(home, "model_best.pth.tar")
        assert names(checkpoint) == names(best) == expected, flags
        versions = torch.load(checkpoint, map_location="cpu")["state_dict"]._metadata
        assert set(versions) >= ({"", "module", "module.conv1.1"} if expected is wrapped else {"", "conv1.1"}), versions
        # A separate file: writes into one never change the other.
        assert not os.path.samefile(checkpoint, best) and os.stat(checkpoint).st_nlink == os.stat(best).st_nlink == 1
        if expected is (plain if world > 1 else wrapped) or flags == ["--module-prefix", "auto"]:
            continue  # main.py has the other form of names, or the file already had it
        # main.py continues in the same folder and replaces both files; it loads weights, optimizer, scheduler and the best accuracy.
        said = main_py(home, world, data, ARCH, "2", checkpoint)
        assert "(epoch 1)" in said[0], said
        theirs = torch.load(checkpoint, map_location="cpu")
        assert theirs["epoch"] == 2 and theirs["scheduler"]["last_epoch"] == 2 and list(theirs["state_dict"]) == expected
        assert len(theirs["optimizer"]["state"]) == len(list(torchvision.models.shufflenet_v2_x0_5(num_classes=10).parameters()))
        # Resumed by us, with any form of names.
        ranks = ringlab.start(there, world, data, "-a", ARCH, "-b", "8", "--epochs", "3", "--resume", checkpoint, *flags)
        assert [rank.wait() for rank in ranks] == [0] * world, ranks[0].log()
        assert all(rank.lines("warning") == [] for rank in ranks), ranks[0].lines("warning")
        assert ranks[0].lines("start")[-1]["start_epoch"] == 2
        ours = torch.load(checkpoint, map_location="cpu")
        assert ours["epoch"] == 3 and list(ours["state_dict"]) == expected and float(ours["best_acc1"]) == ours["best_top1"] >= float(theirs["best_acc1"])
        # main.py's write into model_best.pth.tar in between has changed nothing else.
        assert torch.load(best, map_location="cpu")["epoch"] in (2, 3)

    # Common additions to main.py: a best accuracy of NumPy's, settings, generators.
    theirs = torch.load(best, map_location="cpu")
    theirs.update(best_acc1=numpy.float64(99.5), args=argparse.Namespace(lr=0.1, when=datetime.datetime(2020, 2, 3)), random=numpy.random.get_state(), classes={"a", "b"})
    path = os.path.join(root, "people's.pth.tar")
    torch.save(theirs, path)
    ranks = ringlab.start(os.path.join(root, "people's"), 1, data, "-a", ARCH, "-b", "8", "--epochs", str(theirs["epoch"] + 1), "--resume", path)
    assert ranks[0].wait() == 0, ranks[0].log()
    ours = torch.load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"), map_location="cpu")
    assert ours["epoch"] == theirs["epoch"] + 1 and ours["best_top1"] >= 99.5, ours["best_top1"]

    # With other names than its model's, main.py ends with an error; our readers accept both.
    ddp = os.path.join(root, "2--module-prefix=auto", "rank-0", "model_best.pth.tar")
    torchvision.models.shufflenet_v2_x0_5(num_classes=10).load_state_dict({name[7:]: value for name, value in torch.load(ddp, map_location="cpu")["state_dict"].items()})
    image = os.path.join(data, "val", sorted(os.listdir(os.path.join(data, "val")))[0])
    image = os.path.join(image, sorted(os.listdir(image))[0])
    shown = subprocess.run([ringlab.BINARY, "classify", ddp, image], capture_output=True, text=True)
    assert shown.returncode == 0 and '"kind":"classified"' in shown.stdout, shown
    for arguments in (["--evaluate", "--resume", ddp], ["--evaluate", "--pretrained", ddp]):
        (rank,) = ringlab.start(os.path.join(root, "evaluates" + arguments[1]), 1, data, "-a", ARCH, "-b", "8", *arguments)
        assert rank.wait() == 0, rank.log()
    # Rewritten for another reader, everything else unchanged; two conversions restore the file, and a bare state_dict is accepted, too.
    original = os.path.join(root, "2", "rank-0", "checkpoint.pth.tar")
    other, back, bare = (os.path.join(root, name) for name in ("other.pth.tar", "back.pth.tar", "bare.pth"))
    subprocess.run([ringlab.BINARY, "module-prefix", "on", original, other], check=True)
    subprocess.run([ringlab.BINARY, "module-prefix", "off", other, back], check=True)
    first, second, third = (torch.load(path, map_location="cpu") for path in (original, other, back))
    assert list(second["state_dict"]) == wrapped and list(third["state_dict"]) == plain and set(first) == set(second) == set(third)
    assert second["state_dict"]._metadata["module.conv1.1"] == {"version": 2} and third["state_dict"]._metadata == first["state_dict"]._metadata
    assert all(torch.equal(first["state_dict"][name], second["state_dict"]["module." + name]) for name in plain)
    assert second["optimizer"]["param_groups"] == first["optimizer"]["param_groups"] and second["position"] == first["position"]
    assert all(torch.equal(first["optimizer"]["state"][i]["momentum_buffer"], second["optimizer"]["state"][i]["momentum_buffer"]) for i in first["optimizer"]["state"])
    os.replace(other, os.path.join(root, "2--module-prefix=auto", "rank-0", "checkpoint.pth.tar"))
    said = main_py(os.path.join(root, "2--module-prefix=auto", "rank-0"), 2, data, ARCH, "2", os.path.join(root, "2--module-prefix=auto", "rank-0", "checkpoint.pth.tar"))
    assert "(epoch 1)" in said[0], said
    torch.save(first["state_dict"], bare)
    subprocess.run([ringlab.BINARY, "module-prefix", "on", bare, bare], check=True)
    assert list(torch.load(bare)) == wrapped
    # MNASNet of less than full width is built by the version of its state_dict, which a file without `arch` has as well.
    narrow = torchvision.models.mnasnet0_5(num_classes=10)
    for value in (narrow.state_dict(), {"state_dict": narrow.state_dict()}):
        torch.save(value, bare)
        for to in ("on", "off"):
            subprocess.run([ringlab.BINARY, "module-prefix", to, bare, bare], check=True)
            written = torch.load(bare)
            written = written.get("state_dict", written)
            assert written._metadata["module" if to == "on" else ""] == {"version": 2}, written._metadata
        assert written._metadata == {name: {"version": versions["version"]} for name, versions in narrow.state_dict()._metadata.items()}
        torchvision.models.mnasnet0_5(num_classes=10).load_state_dict(written)
    for arguments, code, word in ((["on", original], 2, "two files"), (["auto", original, other], 2, "on or off"), (["on", os.path.join(data, "val"), other], 3, "val"), (["on", __file__, other], 3, "")):
        failed = subprocess.run([ringlab.BINARY, "module-prefix", *arguments], capture_output=True, text=True)
        assert failed.returncode == code and word in failed.stderr and not os.path.exists(other), failed
    wrong = subprocess.run([ringlab.BINARY, "--module-prefix=maybe", data], capture_output=True, text=True)
    assert wrong.returncode == 2 and "auto" in wrong.stderr, wrong
