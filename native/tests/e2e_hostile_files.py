"""Malicious checkpoints and images: refused with an error, without a crash, an endless loop or unbounded memory."""
import os
import resource
import struct
import subprocess
import zlib

import ringlab

ringlab.need_torch()
import torch  # noqa: E402  after the check above

HUGE = (2**62, 2**63 - 1, 9_000_000_000_000_000_000)


def png(width, height):
    """Rows of zeros, one bit per pixel: 30,000 x 30,000 of them are 110 kB."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    data = b"".join(rows.compress(row) for _ in range(height)) + rows.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def limited():
    # More than the trainer needs here, less than such an image used.
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=32, val=10, size=32)
    options = [data, "-a", "shufflenet_v2_x0_5", "--image-size", "32", "-b", "8", "--threads", "1", "-j", "1", "--lr", "0.01", "--seed", "1"]
    good = os.path.join(root, "rank-0", "checkpoint.pth.tar")
    rank = ringlab.Rank(root, 0, [*options, "--epochs", "1"])
    assert rank.wait() == 0, rank.log()
    sound = torch.load(good)

    def resumed(name, change, *extra):
        checkpoint = torch.load(good)
        change(checkpoint)
        path = os.path.join(root, f"{name}.pth.tar")
        torch.save(checkpoint, path)
        run = subprocess.run([ringlab.BINARY, *options, "--epochs", "2", "--resume", path, *extra], cwd=root, capture_output=True, text=True, timeout=300, preexec_fn=limited)
        return run.returncode, run.stdout + run.stderr

    # Finding 8: batch * global_batch wrapped to a negative batch, whose images were read before the list's beginning.
    def middle(batch, global_batch):
        return lambda checkpoint: checkpoint["position"].update(batch=batch, global_batch=global_batch)

    for name, change in (
        ("wraps", middle(2**33, 2**31)),
        ("negative", middle((2**63 - 1) // 3, 5)),
        ("beyond", middle(2**52, 2**39)),
        ("past-the-end", middle(2**40, 8)),
    ):
        code, log = resumed(name, change)
        assert code in (0, 1, 3), f"{name}: {code}\n{log[-800:]}"
    for field in ("epoch", "step", "batch", "global_batch", "world_size"):
        for number in (*HUGE, -1) if ringlab.ALL or field == "batch" else (2**63 - 1, -1):
            code, log = resumed(f"position-{field}", lambda checkpoint: checkpoint["position"].update({field: number}))
            assert code == 3 and f"'{field}' is" in log, f"{field} = {number}: {code}\n{log[-800:]}"

    # An epoch of 9e18, and the largest valid one: no loop over all of them.
    def epoch(number):
        def change(checkpoint):
            checkpoint["epoch"] = number
            del checkpoint["position"], checkpoint["rank_state"]
        return change

    for number in HUGE if ringlab.ALL else HUGE[1:2]:
        code, log = resumed("epoch", epoch(number))
        assert code == 3 and "'epoch' is" in log, f"{code}\n{log[-800:]}"
    code, log = resumed("last-epoch", epoch(10_000_000), "--step-size", "1", "--gamma", "0.9999999")
    assert code == 0, f"{code}\n{log[-800:]}"
    run = subprocess.run([ringlab.BINARY, *options, "--epochs", "9000000000000000000"], cwd=root, capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and "out of range; valid: 0 to 10000000" in run.stderr, run.stderr

    # A shape with strides of 0 claims more than its storage holds.
    def expanded(checkpoint):
        checkpoint["rank_state"]["generators"]["cpu"] = torch.zeros(1, dtype=torch.uint8).expand(1 << 40)

    code, log = resumed("expanded", expanded)
    assert code == 3 and "claims more elements than its storage has" in log, f"{code}\n{log[-800:]}"

    # A module with shared parts has 2 ** 60 names in 2 kB.
    module = {"_parameters": {"weight": torch.zeros(3)}, "_modules": {}}
    for _ in range(60):
        module = {"_parameters": {}, "_modules": {"a": module, "b": module}}
    weights = os.path.join(root, "shared.pth")
    torch.save(module, weights)
    run = subprocess.run([ringlab.BINARY, *options, "--epochs", "1", "--pretrained", weights], cwd=root, capture_output=True, text=True, timeout=300, preexec_fn=limited)
    assert run.returncode == 3 and "modules with more names" in run.stderr and weights in run.stderr, f"{run.returncode}\n{run.stderr[-800:]}"

    # An image of 110 kB that used gigabytes: training replaces it by the next one and reports its file.
    bomb = png(30_000, 30_000)
    assert len(bomb) < 200_000, len(bomb)
    for split, few in (("train", 1), ("val", 0)):
        folder = os.path.join(data, split)
        first = os.path.join(folder, sorted(os.listdir(folder))[0])
        if few:
            victim = os.path.join(first, sorted(os.listdir(first))[0])
            os.remove(victim)
            with open(os.path.splitext(victim)[0] + ".png", "wb") as file:
                file.write(bomb)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    rank = ringlab.Rank(os.path.join(root, "bomb"), 0, [*options, "--epochs", "1"])
    code = rank.wait()
    warnings = [line for line in rank.lines("warning") + rank.lines("error") if "30000 x 30000" in line["message"]]
    assert warnings and warnings[0]["path"].endswith(".png"), rank.log()
    assert code == 3, f"one of 32 images is more than 1 %: {code}\n{rank.log()}"
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"peak of all trainers here: {max(before, peak) // 1024} MB")
    assert peak < 900 * 1024, f"{peak // 1024} MB"
