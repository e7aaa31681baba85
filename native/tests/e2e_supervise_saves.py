"""--on-lost-rank save under supervisors: a rank is killed or freezes before any checkpoint, the others save what they have, and all continue from there: no step is done again.

usage: e2e_supervise_saves.py BINARY SIGNAL_IN

SIGNAL_IN is signal_in's library: it kills a rank in a call that the test names.
RINGLAB_ALL=1: more modes.
"""
import os
import random
import shutil
import signal
import sys
import time

import ringlab
from supervised import checkpoints, logs, nothing_left, supervised, trainer, until

IMAGES = 203  # not a multiple of anything
EVEN = 204
EPOCHS = 4
LIBRARY = os.path.abspath(sys.argv[2])
SMALL = ("-a", "shufflenet_v2_x0_5", "-b", "4", "--epochs", str(EPOCHS), "--image-size", "72", "--lr", "0.001")
SEED = int(os.environ.get("RINGLAB_SEED", str(random.randrange(1 << 30))))
moments = random.Random(SEED)
CASES = [("allreduce", 3, 1), ("allreduce", 2, 0), ("local:4,stream=0.3,overlap=2", 3, 0), ("local:4", 2, 1)]
if ringlab.ALL:
    CASES += [(mode, world, victim) for mode in ("fp16", "powersgd:2,late", "topk:0.1", "local:3,overlap=1", "diloco:4,fragments=2,overlap=1", "local:2,sparse=1", "local:2,stream=0.1,overlap=1,adapt=0.5")
              for world in (2, 3, 4) for victim in range(2)]


def train(there, data, mode, world, *extra, options=()):
    return supervised(there, data, "--sync", mode, "--on-lost-rank", "save", "--image-size", "72", "--lr", "0.001", "-b", "4", *extra, world=world, epochs=EPOCHS, options=options)


def lose(ranks, victims, number):
    """At once, in the first epoch or in one that has a checkpoint."""
    witness = next(rank for rank in ranks if rank.rank not in victims)
    count = len(witness.lines("step")) + moments.randrange(3, 20)
    until(lambda: len(witness.lines("step")) >= count, ranks)
    time.sleep(moments.random() * 0.1)
    for pid in [trainer(ranks[victim]) for victim in victims]:
        os.kill(pid, number)


def check(ranks, victims, images=IMAGES):
    """`victims`: for each restart, the ranks that were lost at once."""
    codes = [rank.wait() for rank in ranks]
    assert codes == [0] * len(ranks), (codes, logs(ranks))
    restarts = ranks[0].lines("restart")
    assert len(restarts) == len(victims) and all(line["rank"] in lost for line, lost in zip(restarts, victims)) and all(line["goes_on"] for line in restarts), restarts
    starts = ranks[0].lines("start")[1:]
    assert len(starts) == len(victims)
    for line, start in zip(restarts, starts):
        assert line["from_step"] == line["step"] == start["start_step"] and "trained_from" not in line, (line, start["start_step"])
    for rank in ranks:
        steps = [line["step"] for line in rank.lines("step")]
        assert steps == sorted(set(steps)), (rank.rank, "a step was done again", steps)
        # A rank that is killed may have sent its part of a step, and not written its line. One that is left, and that another rank gives the weights of that step, has not completed it by itself: it
        # writes none either.
        missing = set(range(max(steps) + 1)) - set(steps)
        last_before = {line["step"] - 1 for line in restarts}
        assert len(missing - last_before) <= sum(rank.rank in lost for lost in victims), (rank.rank, missing, last_before)
        assert not rank.lines("membership")
    for line in ranks[0].lines("epoch"):
        assert line["images_seen"] == images, line
    assert [line["epoch"] for line in ranks[0].lines("epoch")] == list(range(EPOCHS))


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=IMAGES, val=20)
    print(f"seed {SEED}", flush=True)
    for mode, world, victim in CASES:
        there = os.path.join(root, f"{mode}-{world}-{victim}".replace(":", "_").replace(",", "_"))
        ranks = train(there, data, mode, world)
        lose(ranks, [victim], signal.SIGKILL)
        until(lambda: len(ranks[0].lines("start")) == 2 and len(ranks[0].lines("step")) > 30, ranks)
        # Whoever saved last, all continue from the newest.
        other = 1 - victim
        lose(ranks, [other], signal.SIGKILL)
        check(ranks, [[victim], [other]])
        nothing_left(ranks, there)
        print(f"{mode}, {world} ranks, {victim} and {other} killed: from steps {[line['from_step'] for line in ranks[0].lines('restart')]}", flush=True)

    # Averaged gradients, where each step has as many images: all that is computed is equal to the bit to a run that lost nobody. Of rank 0, whose statistics of batch norm count, the
    # evaluation is not.
    even = ringlab.make_shapes(os.path.join(root, "even"), train=EVEN, val=20)
    reference = train(os.path.join(root, "reference"), even, "allreduce", 3)
    assert [rank.wait() for rank in reference] == [0, 0, 0], logs(reference)
    for victims in ([[1], [2]], [[0]], [[1, 2]], [[0, 1]]):
        there = os.path.join(root, "equal-" + "-".join("".join(map(str, lost)) for lost in victims))
        ranks = train(there, even, "allreduce", 3)
        for count, lost in enumerate(victims, 1):
            lose(ranks, lost, signal.SIGKILL)
            until(lambda: len(ranks[0].lines("start")) == count + 1, ranks)
        check(ranks, victims, EVEN)
        for rank, undisturbed in zip(ranks, reference):
            losses = {line["step"]: line["loss"] for line in undisturbed.lines("step")}
            for line in rank.lines("step"):
                assert line["loss"] == losses[line["step"]], (rank.rank, line["step"], line["loss"], losses[line["step"]], ranks[0].lines("restart"))
        fields = ("loss", "val_loss", "val_top1", "best_top1") if not any(0 in lost for lost in victims) else ()
        for line, undisturbed in zip(ranks[0].lines("epoch"), reference[0].lines("epoch")):
            assert [line[field] for field in fields] == [undisturbed[field] for field in fields], (line, undisturbed)
        print(f"{victims} killed: equal to a run that lost nobody", flush=True)

    # Rank 0 was lost right after all had saved, and before the others had trained on: they have saved that step again, and their parts of rank 0's checkpoint are gone.
    there = os.path.join(root, "again")
    all_saved = ringlab.start(os.path.join(root, "all"), 3, data, *SMALL, "--sync", "allreduce", "--on-lost-rank", "save")
    all_saved[0].wait_for_steps(5)
    all_saved[0].process.send_signal(signal.SIGTERM)
    assert [rank.wait() for rank in all_saved] == [7, 7, 7], logs(all_saved)
    step = checkpoints(all_saved[0])[-1]
    port = ringlab.free_port()
    dies = ringlab.with_signal_in(LIBRARY, f'"kind":"step","epoch":0,"step":{step - 1},', "/")
    left = [rank for ranks, env in (([0], dies), ([1, 2], None)) for rank in ringlab.start(there, 3, data, *SMALL, "--sync", "allreduce", "--on-lost-rank", "save", port=port, ranks=ranks, env=env)]
    assert [rank.wait() for rank in left] == [-9, 4, 4], logs(left)
    assert checkpoints(left[1]) == [step], (step, logs(left))
    for name in ("checkpoint.pth.tar", "rank-state.pth"):
        shutil.copy(os.path.join(all_saved[0].dir, name), os.path.join(left[0].dir, name))
    ranks = train(there, data, "allreduce", 3, "--resume", "checkpoint.pth.tar")
    until(lambda: len(ranks[0].lines("start")) == 2, ranks)
    assert ranks[0].lines("start")[-1]["start_step"] == step, (step, logs(ranks))
    for rank in ranks:
        rank.process.send_signal(signal.SIGKILL)
        rank.wait()
    print(f"saved by all, then by those that were left: continued from step {step}", flush=True)

    # Rank 0 is lost before any checkpoint of its own, and the run ends: a new start with --resume finds the one that rank 1 has, and where that is damaged begins anew.
    there = os.path.join(root, "ended")
    ranks = train(there, data, "allreduce", 2, options=("--restarts-per-hour", "0"))
    lose(ranks, [0], signal.SIGKILL)
    assert [rank.wait() for rank in ranks] == [-9, 4], logs(ranks)
    (line,) = ranks[0].lines("restart")
    (error,) = ranks[1].lines("error")
    assert not line["goes_on"] and line["why"] == "tooOften" and error["code"] == "peer_lost" and "rank 0" in error["message"], (line, error)
    assert not checkpoints(ranks[0]) and len(checkpoints(ranks[1])) == 1
    saved = os.path.join(ranks[1].dir, "checkpoint.pth.tar")
    with open(saved, "rb") as file:
        whole = file.read()
    damaged = bytearray(whole)
    damaged[len(damaged) // 2] ^= 1
    for content, from_step in ((bytes(damaged), 0), (whole, checkpoints(ranks[1])[0])):
        with open(saved, "wb") as file:
            file.write(content)
        before = len(ranks[0].lines("start"))
        ranks = train(there, data, "allreduce", 2, "--resume", "checkpoint.pth.tar")
        until(lambda: len(ranks[0].lines("start")) == before + 1 and len(ranks[0].lines("step")) > 0, ranks)
        assert ranks[0].lines("start")[-1]["start_step"] == from_step, (from_step, logs(ranks))
        for rank in ranks:
            rank.process.send_signal(signal.SIGKILL)
            rank.wait()

    # A rank that does not answer is killed once the others have saved.
    there = os.path.join(root, "frozen")
    ranks = train(there, data, "allreduce", 2)
    lose(ranks, [1], signal.SIGSTOP)
    check(ranks, [[1]])
    (line,) = ranks[0].lines("restart")
    assert line["silent"], line
    nothing_left(ranks, there)
    print("frozen: continued from step", line["from_step"])
