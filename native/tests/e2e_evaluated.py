"""The checkpoint of an epoch's end holds the weights that were evaluated there, in each kind of mode: it evaluates to the same loss.

usage: e2e_evaluated.py BINARY

The next epoch begins while it is copied, and with streamed averages puts each rank's own weights back.
"""
import os

import ringlab

# Large enough to be copied for longer than the next epoch takes to begin.
COMMON = ("-a", "resnet18", "-b", "8", "--image-size", "32", "--seed", "1")
EPOCHS = 3
MODES = ["allreduce", "local:3,stream=0.3,overlap=2", "local:3"]
if ringlab.ALL:
    MODES += ["local:1,stream=0.1,overlap=1,adapt=0.5", "local:4,fragments=2,overlap=1", "diloco:4,fragments=2,overlap=1", "local:2,sparse=1", "powersgd:2,late", "topk:0.01", "fp16"]

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=64, val=16)
    for mode in MODES:
        ranks = ringlab.start(os.path.join(root, mode.replace(":", "-")), 2, data, *COMMON, "--lr", "0.02", "--epochs", str(EPOCHS), "--sync", mode, "--keep-every", "1")
        assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log()
        measured = {line["epoch"]: line["loss"] for line in ranks[0].lines("eval")}
        for epoch in range(EPOCHS):
            file = os.path.join(ranks[0].dir, f"checkpoint-epoch-{epoch + 1}.pth.tar")
            (rank,) = ringlab.start(os.path.join(root, f"{mode.replace(':', '-')}-{epoch}"), 1, data, *COMMON, "--evaluate", "--resume", file)
            assert rank.wait() == 0, rank.log()
            loss = rank.lines("eval")[0]["loss"]
            assert abs(loss - measured[epoch]) <= 1e-5 * abs(measured[epoch]), f"{mode}: epoch {epoch} had {measured[epoch]}, its checkpoint has {loss}"
        print(f"{mode}: {measured}", flush=True)
