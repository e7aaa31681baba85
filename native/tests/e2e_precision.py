"""--amp bf16 compared with Python's autocast, --channels-last with contiguous memory, `auto` between them; on a CPU fp16 is refused.
RINGLAB_ALL=1: stopped and resumed by two ranks, and `auto` compared with the format that it chose, by one and by two ranks."""
import os
import subprocess

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402
from reference import RankImages, largest_difference, train  # noqa: E402

BATCH, SEED, LR = 16, 5, 0.005
torch.set_num_threads(1)


def run(root, name, *arguments, images=None):
    (rank,) = ringlab.start(os.path.join(root, name), 1, images or data, "-b", str(BATCH), "--epochs", "1", "--lr", str(LR), "--seed", str(SEED), *arguments)
    assert rank.wait() == 0, rank.log()
    return rank, ringlab.torch_load(os.path.join(rank.dir, "checkpoint.pth.tar"))


def losses(rank):
    return [step["loss"] for step in rank.lines("step")]


def autocast(model, images, labels):
    with torch.autocast("cpu", torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    return loss.detach()


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=64 if ringlab.ALL else 32, val=10)
    torch.manual_seed(11)
    model = torchvision.models.resnet18(num_classes=10)
    initial = os.path.join(root, "initial.pth")
    torch.save(model.state_dict(), initial)
    plain, plain_saved = run(root, "plain", "--pretrained", initial)

    expected = train(model, RankImages(data, SEED, BATCH), 1, LR, autocast)
    mixed, saved = run(root, "bf16", "--amp", "bf16", "--pretrained", initial)
    largest = largest_difference(saved["state_dict"], model.state_dict())
    print(f"bf16: largest difference from Python's autocast after {len(expected)} steps: {largest:g}; from float {largest_difference(saved['state_dict'], plain_saved['state_dict']):g}", flush=True)
    assert losses(mixed) == expected and largest == 0, (losses(mixed), expected, largest)
    assert 0 < abs(losses(mixed)[0] - losses(plain)[0]) < 0.05, (losses(mixed), losses(plain))
    assert all(tensor.dtype in (torch.float32, torch.int64) for tensor in saved["state_dict"].values()), "weights stay floats"

    # One step: a second one would multiply the rounding by a hundred.
    one = ringlab.make_shapes(os.path.join(root, "one"), train=BATCH, val=10)
    saved = {}
    for name, more in (("straight", ()), ("last", ("--channels-last",))):
        rank, saved[name] = run(root, name, "--pretrained", initial, *more, images=one)
        saved[name]["losses"] = losses(rank)
    last_saved = saved["last"]
    largest = largest_difference(last_saved["state_dict"], saved["straight"]["state_dict"])
    print(f"channels-last: loss differs by {abs(last_saved['losses'][0] - saved['straight']['losses'][0]):g}, weights and buffers after a step by {largest:g}", flush=True)
    assert len(last_saved["losses"]) == 1 and abs(last_saved["losses"][0] - saved["straight"]["losses"][0]) < 1e-5 and largest < 1e-5
    weight = last_saved["state_dict"]["layer1.0.conv1.weight"]
    assert weight.is_contiguous(memory_format=torch.channels_last) and not weight.is_contiguous()
    torchvision.models.resnet18(num_classes=10).load_state_dict(last_saved["state_dict"])

    if ringlab.ALL:
        # Both, over two ranks, stopped within an epoch: the resumed run is bit-identical.
        def ranks(name, *more):
            return ringlab.start(os.path.join(root, name), 2, data, "-a", "shufflenet_v2_x0_5", "-b", "8", "--epochs", "2", "--channels-last", "--amp", "bf16", "--check-sync", *more)

        whole = ranks("whole")
        assert [rank.wait() for rank in whole] == [0, 0], whole[0].log()
        parts = ringlab.stopped(lambda attempt: ranks(f"parts-{attempt}"), 2, 8)
        parts = ranks(os.path.basename(os.path.dirname(parts[0].dir)), "--resume", os.path.join(parts[0].dir, "checkpoint.pth.tar"))
        assert [rank.wait() for rank in parts] == [0, 0], parts[0].log()
        assert losses(parts[0]) == losses(whole[0]) and len(losses(whole[0])) == 8

    # The measurement at the start has no side effects: dropout and norms continue as with a given format.
    def formats(name, world, *more):
        ranks = ringlab.start(os.path.join(root, name), world, data, "-a", "mobilenet_v3_small", "-b", "8", "--epochs", "1", *more)
        assert [rank.wait() for rank in ranks] == [0] * world, ranks[0].log()
        return ranks, {rank.lines("start")[-1]["memory_format"] for rank in ranks}

    def saved_by(ranks):
        return ringlab.torch_load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))["state_dict"]

    for world in (1, 2) if ringlab.ALL else ():
        automatic, chosen = formats(f"auto-{world}", world, "--channels-last", "auto")
        assert len(chosen) == 1 and "=> memory format: " in automatic[0].log(), (chosen, automatic[0].log())
        named, same = formats(f"named-{world}", world, "--channels-last", {"channels_last": "on", "contiguous": "off"}[chosen.copy().pop()])
        assert same == chosen and losses(automatic[0]) == losses(named[0]) and largest_difference(saved_by(automatic), saved_by(named)) == 0, chosen
    # A resumed run keeps its memory format, whichever is faster now.
    world = 2 if ringlab.ALL else 1
    for word, format in (("on", "channels_last"), ("off", "contiguous")) if ringlab.ALL else (("off", "contiguous"),):
        ranks, _ = formats(f"first-{word}", world, "--channels-last", word)
        ranks, resumed = formats(f"resumed-{word}", world, "--channels-last", "auto", "--epochs", "2", "--fresh-rank-state", "--resume", os.path.join(ranks[0].dir, "checkpoint.pth.tar"))
        assert resumed == {format} and "=> memory format" not in ranks[0].log(), (word, resumed)

    for arguments, words in ((("--amp", "fp16"), ("--amp fp16", "off, bf16")), (("--amp", "fp61"), ("fp16",)), (("--amp", "fp16", "--sync", "powersgd:2"), ("--sync powersgd:2", "--amp fp16"))):
        said = subprocess.run([ringlab.BINARY, data, *arguments, "--no-accel", "--metrics", "m.jsonl"], capture_output=True, text=True, cwd=root)
        assert said.returncode == 2 and said.stderr.count("\n") == 1 and all(word in said.stderr for word in words), (arguments, said.stderr)
    assert "m.jsonl" not in os.listdir(root), "nothing was written"
