"""A resumed run is bit-identical to the uninterrupted one, also with three or more ranks: buckets determine the order of summation.

usage: e2e_equal_resume.py BINARY

Three ranks, one step per epoch: resumed after each of the first steps, and compared with Python's resume; stopped in an evaluation. With
RINGLAB_ALL=1 at more world sizes, and with every other synchronisation mode, stopped repeatedly within epochs.
"""
import os
import signal
import time

import ringlab

ringlab.need_torch()
import distributed_reference  # noqa: E402
import reference  # noqa: E402
import torch  # noqa: E402

EPOCHS, SEED, LR = 4, 5, 0.02
# Its gradients need two buckets, as those of all but the smallest models.
ARCH = "resnet18" if ringlab.ALL else "shufflenet_v2_x0_5"


def our_ranks(there, world, data, batch, *more):
    ranks = ringlab.start(there, world, data, "-a", ARCH, "-b", str(batch), "--epochs", str(EPOCHS), "--lr", str(LR), "--seed", str(SEED), *more)
    codes = [rank.wait(600) for rank in ranks]
    assert codes == [0] * world, ranks[0].log()
    return ranks


def checkpoint(ranks, name="checkpoint.pth.tar"):
    return os.path.join(ranks[0].dir, name)


def warned(ranks):
    return [line["code"] for line in ranks[0].lines("warning")]


def check(mine, theirs, what):
    weights, optimizer = distributed_reference.differences(torch.load(mine), torch.load(theirs))
    print(f"{what}: {weights:g}; optimizer {optimizer:g}", flush=True)
    assert weights == 0 and optimizer == 0, what


def after_each_step(world, all_of_python):
    with ringlab.folder() as root:
        batch = max(2, -(-10 // world))
        data = ringlab.make_shapes(os.path.join(root, "data"), train=batch * world, val=10)
        initial = os.path.join(root, "initial.pth")
        torch.save(distributed_reference.fresh_model(ARCH, 11).state_dict(), initial)
        whole = our_ranks(os.path.join(root, "whole"), world, data, batch, "--pretrained", initial, "--keep-every", "1")
        for epoch in (1, 2, 3) if all_of_python else (1, 2):
            kept = checkpoint(whole, f"checkpoint-epoch-{epoch}.pth.tar")
            ranks = our_ranks(os.path.join(root, f"from-{epoch}"), world, data, batch, "--resume", kept)
            assert warned(ranks) == [], ranks[0].lines("warning")
            for rank, other in zip(ranks, whole):
                assert [s["loss"] for s in rank.lines("step")] == [s["loss"] for s in other.lines("step")][epoch:], f"{world} ranks, resumed after step {epoch}"
            check(checkpoint(ranks), checkpoint(whole), f"{world} ranks, resumed after step {epoch} against uninterrupted")

        # Python does not save buckets and starts with one for all. So does ours, if a checkpoint has none, and reports it.
        def python(name, epochs, **where):
            return distributed_reference.train(os.path.join(root, name), world, data, ARCH, batch=batch, epochs=epochs, seed=SEED, lr=LR, **where)[0]

        two = checkpoint(whole, "checkpoint-epoch-2.pth.tar")
        saved = torch.load(two)
        order = saved.get("buckets", {"order": []})["order"]
        assert world == 1 or len(order) > 1, order
        assert world == 1 or sorted(sum(order, [])) == sorted(name for name, _ in distributed_reference.fresh_model(ARCH, 0).named_parameters()), order
        without = os.path.join(root, "whole", "rank-0", "without.pth.tar")
        torch.save({key: value for key, value in saved.items() if key != "buckets"}, without)
        ranks = our_ranks(os.path.join(root, "without"), world, data, batch, "--resume", without)
        assert warned(ranks) == (["buckets_unknown"] if world > 2 else []), ranks[0].lines("warning")
        check(checkpoint(ranks), python("python-from-ours", EPOCHS, resume=two), f"{world} ranks, Python resumed from ours against ours that lacks its buckets")
        if not all_of_python:
            return
        half = python("python-half", 2, initial=initial)
        resumed = python("python-resumed", EPOCHS, resume=half)
        ranks = our_ranks(os.path.join(root, "from-python"), world, data, batch, "--resume", half)
        assert warned(ranks) == [], ranks[0].lines("warning")
        check(checkpoint(ranks), resumed, f"{world} ranks, ours resumed from Python's against Python resumed from it")
        through = python("python-whole", EPOCHS, initial=initial)
        check(checkpoint(whole), through, f"{world} ranks, uninterrupted against Python's")
        own, _ = distributed_reference.differences(torch.load(resumed), torch.load(through))
        print(f"{world} ranks, Python resumed against Python uninterrupted: {own:g}", flush=True)
        assert (own == 0) == (world < 3), own


def stopped_over_and_over(world, *mode):
    """Two epochs of four steps: stopped after each step, as often as needed. With dropout, whose generator continues, too."""
    with ringlab.folder() as root:
        data = ringlab.make_shapes(os.path.join(root, "data"), train=16 * world, val=10)
        arguments = ("-a", "mobilenet_v3_small", "-b", "4", "--epochs", "2", "--lr", "0.005", "--seed", str(SEED), *mode)
        whole = ringlab.start(os.path.join(root, "whole"), world, data, *arguments)
        assert [rank.wait(600) for rank in whole] == [0] * world, whole[0].log()
        there = os.path.join(root, "parts")
        resume, stops = (), 0
        while True:
            ranks = ringlab.start(there, world, data, *arguments, *resume)
            before = len(ranks[0].lines("step"))
            # A run that was stopped after its last step has none left.
            while len(ranks[0].lines("step")) == before and ranks[0].process.poll() is None:
                time.sleep(0.01)
            ranks[-1].process.send_signal(signal.SIGTERM)
            codes = [rank.wait(600) for rank in ranks]
            assert codes in ([0] * world, [7] * world), ranks[0].log()
            if codes[0] == 0:
                break
            stops += 1
            resume = ("--resume", checkpoint(ranks))
        assert stops > 0
        for rank, other in zip(ranks, whole):
            assert [s["loss"] for s in rank.lines("step")] == [s["loss"] for s in other.lines("step")], mode
        largest = reference.largest_difference(torch.load(checkpoint(ranks))["state_dict"], torch.load(checkpoint(whole))["state_dict"])
        print(f"{world} ranks, {' '.join(mode)}, stopped {stops} times against uninterrupted: {largest:g}", flush=True)
        assert largest == 0, (mode, largest)


def stopped_in_evaluation(world, *mode):
    """After an epoch's last step, during its validation: the state common to the ranks is averaged twice then."""
    with ringlab.folder() as root:
        data = ringlab.make_shapes(os.path.join(root, "data"), train=16 * world, val=600)
        arguments = ("-a", "mobilenet_v3_small", "-b", "4", "--epochs", "1", "--lr", "0.005", "--seed", str(SEED), *mode)
        whole = ringlab.start(os.path.join(root, "whole"), world, data, *arguments)
        assert [rank.wait(600) for rank in whole] == [0] * world, whole[0].log()
        there = os.path.join(root, "parts")
        ranks = ringlab.start(there, world, data, *arguments)
        ranks[0].wait_for_steps(4)
        ranks[-1].process.send_signal(signal.SIGTERM)
        assert [rank.wait(600) for rank in ranks] == [7] * world and not ranks[0].lines("eval"), ranks[0].log()
        ranks = ringlab.start(there, world, data, *arguments, "--resume", checkpoint(ranks))
        assert [rank.wait(600) for rank in ranks] == [0] * world, ranks[0].log()
        assert len(ranks[0].lines("step")) == 4, ranks[0].lines("step")
        largest = reference.largest_difference(torch.load(checkpoint(ranks))["state_dict"], torch.load(checkpoint(whole))["state_dict"])
        print(f"{world} ranks, {' '.join(mode)}, stopped in the evaluation against uninterrupted: {largest:g}", flush=True)
        assert largest == 0, (mode, largest)


MODES = ["fp16", "bf16", "powersgd:2", "powersgd:2,fp16", "powersgd:1,start=3", "powersgd:1,late", "fp16,late", "topk:0.01", "topk:0.01,late"]
MODES += ["local:2", "local:2,fp16", "local:2,8bit", "local:2,4bit", "local:2,sparse=1", "local:1,stream=1,overlap=1", "local:3,stream=0.3,overlap=2", "local:2,topk=0.01", "local:2,2", "diloco:2", "diloco:4,fragments=2,overlap=1", "local:2,start=3"]

stopped_in_evaluation(3, "--sync", "local:2")
if ringlab.ALL:
    for count in (1, 2, 3, 5):
        after_each_step(count, count == 3)
    # Two and three ranks take turns.
    options = [("--sync", mode) for mode in MODES]
    options += [("--sync-bn",), ("--accumulate", "2"), ("--sync-bn", "--accumulate", "3"), ("--optimizer", "adamw"), ("--channels-last",), ("--amp", "bf16"), ("--freeze", "features.0")]
    for index, one in enumerate(options):
        stopped_over_and_over(2 + index % 2, *one)
else:
    after_each_step(3, False)
