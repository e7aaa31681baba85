"""What tests of ranks that go on without others have in common: small runs, and what must be true after them."""
import os
import signal
import time

import ringlab

IMAGES = 203  # not a multiple of anything: some are dealt twice, and counted once
EPOCHS = 3
BATCH = 4
# At 32 px the last layers have one value an image: in a last batch of two their variance can be almost 0, gradients explode, and a validation can overflow with no rank lost, too (in PyTorch a loss of 1.2e8 was seen).
COMMON = ("--lr", "0.001", "--image-size", "72", "-a", "shufflenet_v2_x0_5", "-b", str(BATCH), "--epochs", str(EPOCHS), "--check-sync", "--on-lost-rank", "continue")


def wait_for(rank, kind, count, seconds=120):
    """Or until the rank has ended."""
    deadline = time.time() + seconds
    while len(rank.lines(kind)) < count and rank.process.poll() is None:
        assert time.time() < deadline, rank.log()
        time.sleep(0.01)
    return len(rank.lines(kind)) >= count


def kill(rank):
    rank.process.send_signal(signal.SIGKILL)
    return time.time()


def counted_images(ranks, left, epoch):
    """Over all ranks: those of the steps that are in the model, by the `membership` lines. In a step every rank has as many as the others, so that one line says it for all: a
    killed rank may not have written its own."""
    images = {}
    for rank in [*ranks, *left]:  # the survivors' lines last: theirs count
        images.update({line["batch"]: line["images"] for line in rank.lines("step") if line["epoch"] == epoch})
    changes = left[0].lines("membership")
    earlier = [change for change in changes if change["epoch"] < epoch]
    members = len(earlier[-1]["ranks"] if earlier else ranks)
    total = 0
    first = 0
    for change in [change for change in changes if change["epoch"] == epoch]:
        assert len(change["counted"]) == members, changes
        total += sum(images[batch] for steps in change["counted"] for batch in range(first, first + steps))
        first = change["batch"]
        members = len(change["ranks"])
    return total + members * sum(count for batch, count in images.items() if batch >= first)


def check(ranks, lost, label):
    codes = [rank.wait() for rank in ranks]
    log = "".join(f"--- rank {rank.rank}\n{rank.log()}" for rank in ranks)
    assert codes == [-9 if rank.rank in lost else 0 for rank in ranks], (label, codes, log)
    left = [rank for rank in ranks if rank.rank not in lost]
    first = left[0]
    for rank in left:
        assert rank.lines("end")[-1]["reason"] == "finished", log
        assert not rank.lines("error"), rank.lines("error")
        changes = rank.lines("membership")
        assert changes, (label, "no rank was lost before the end", log)
        assert changes[-1]["ranks"] == [one.rank for one in left], changes
        # Of ranks that are lost together there is one line.
        generations = [line["generation"] for line in changes]
        assert generations == sorted(set(generations)) and generations == [line["generation"] for line in first.lines("membership")], changes
        assert sorted(number for line in changes for number in line["lost"]) == sorted(lost), changes
    begun = {line["epoch"]: line["batches"] for line in first.lines("step") if line["batch"] == 0}
    for change, later in zip(changes, [*changes[1:], {"epoch": EPOCHS}]):
        said = {batches for epoch, batches in begun.items() if change["epoch"] < epoch < later["epoch"]}
        assert said <= {change["next_epoch_steps"]}, (label, change, begun)
    epochs = {line["epoch"]: line for line in first.lines("epoch")}
    assert sorted(epochs) == list(range(EPOCHS)), (label, epochs)
    for epoch, line in epochs.items():
        assert line["images_seen"] == IMAGES, (label, line)
        # Each deal fills up its last round: less than an image a rank. Of a rank that is lost soon after another, what it had before that counted then.
        images = counted_images(ranks, left, epoch)
        changes = first.lines("membership")
        max_images = IMAGES + len(ranks) * (1 + len(changes)) + (32 if "local" in label and len(changes) > 1 else 0)
        assert IMAGES <= images < max_images, (label, epoch, images, changes)
    checkpoint = ringlab.torch_load(os.path.join(first.dir, "checkpoint.pth.tar"))
    assert checkpoint["epoch"] == EPOCHS and checkpoint["position"]["world_size"] == len(left), checkpoint["position"]
    return first
