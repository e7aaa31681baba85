"""--sync-bn: two ranks of eight images equal one process of sixteen, in weights and running statistics; without it they do not.
RINGLAB_ALL=1: after one step, too, and with gradient accumulation and compression."""
import os
import subprocess

import ringlab

ringlab.need_torch()


def difference(ours, theirs):
    """The largest difference of any weight or buffer; for numbers above 1 relative to the largest number of their tensor."""
    assert set(ours) == set(theirs)
    return max((ours[name].double() - theirs[name].double()).abs().max().item() / max(1.0, theirs[name].double().abs().max().item()) for name in ours)


def train(root, name, world, batch, *arguments):
    ranks = ringlab.start(os.path.join(root, name), world, data, "-b", str(batch), "--epochs", "1", "--lr", "0.005", *arguments)
    assert [rank.wait() for rank in ranks] == [0] * world, ranks[0].log()
    losses = [sum(steps) / world for steps in zip(*([step["loss"] for step in rank.lines("step")] for rank in ranks))]
    return losses, ringlab.torch_load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))["state_dict"], ranks


with ringlab.folder() as root:
    for steps, max_difference in ((1, 1e-5), (2, 1e-3)) if ringlab.ALL else ((2, 1e-3),):  # rounding, which each step multiplies by a hundred, in Python, too
        data = ringlab.make_shapes(os.path.join(root, f"data-{steps}"), train=16 * steps, val=10)
        whole, weights, _ = train(root, f"whole-{steps}", 1, 16)
        losses, synchronised, ranks = train(root, f"sync-{steps}", 2, 8, "--sync-bn", "--check-sync")
        assert len(losses) == len(whole) == steps
        first, largest = abs(losses[0] - whole[0]), difference(synchronised, weights)
        print(f"two ranks against one: first loss {first:g}, weights and buffers after {steps} steps {largest:g}", flush=True)
        assert first < 1e-5 and largest < max_difference, (first, largest)
    apart, each, plain = train(root, "plain", 2, 8)
    print(f"without --sync-bn {abs(apart[0] - whole[0]):g}, {difference(each, weights):g}")
    assert abs(apart[0] - whole[0]) > 1e-3 and difference(each, weights) > 1e-2

    # Two rows of numbers per layer and direction are little compared with the gradients.
    sent = ranks[0].lines("step")[0]["bytes_sent"] - plain[0].lines("step")[0]["bytes_sent"]
    assert 0 < sent < 0.01 * plain[0].lines("step")[0]["bytes_sent"], sent

    data = ringlab.make_shapes(os.path.join(root, "data"), train=48, val=10)
    # With gradient accumulation, and with a compression that communicates on the same thread.
    cases = (("accumulate", ("--accumulate", "2")), ("powersgd", ("--sync", "powersgd:2")), ("late", ("--sync", "fp16,late")))
    for name, more in cases if ringlab.ALL else ():
        _, _, ranks = train(root, name, 2, 8, "-a", "shufflenet_v2_x0_5", "--sync-bn", "--check-sync", *more)
    for arguments, word in ((("--parallel", "none"), "--parallel none"), (("--parallel", "dp"), "--parallel dp"), (("--sync", "local:4"), "--sync local:4")):
        said = subprocess.run([ringlab.BINARY, data, "--sync-bn", *arguments], capture_output=True, text=True)
        assert said.returncode == 2 and said.stderr.count("\n") == 1 and word in said.stderr and "--sync-bn" in said.stderr, (arguments, said.stderr)
