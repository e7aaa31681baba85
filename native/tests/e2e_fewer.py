"""--on-lost-rank continue: ranks are killed, and the others go on: each image of an epoch is in the model once, and the ranks' weights stay equal.

usage: e2e_fewer.py BINARY

Ranks are killed at any moment: in a step, between two, in an exchange, in an evaluation. RINGLAB_ALL=1: more modes, and each of them twice.
"""
import json
import os
import random
import signal
import subprocess
import tempfile
import time

import ringlab
from going_on import BATCH, COMMON, EPOCHS, IMAGES, check, kill, wait_for

ringlab.need_torch()
import torch  # noqa: E402

SEED = int(os.environ.get("RINGLAB_SEED", str(random.randrange(1 << 30))))
moments = random.Random(SEED)


def report(label, ranks, first, killed_at):
    change = first.lines("membership")[-1]
    after = [line["t"] for line in first.lines("step") if line["t"] > change["t"]]
    delay = f"{min(after) - killed_at:.1f} s" if after else "none"
    print(f"{label}: ranks {change['ranks']} went on from step {change['step']}, {change['seconds']:.1f} s after they noticed; next step after {delay}", flush=True)


def case(root, data, mode, world, victims):
    """`victims`: one after the other, at any moment."""
    label = f"{mode}, {world} ranks, {victims} killed"
    for _ in range(20):
        there = tempfile.mkdtemp(dir=root)  # also where a case is repeated: ranks read no lines of another run
        secret = ["--secret-file", os.path.join(root, "secret")] if world == 3 else []
        ranks = ringlab.start(there, world, data, *COMMON, "--sync", mode, *secret)
        lost = []
        killed_at = 0
        for victim in victims:
            witness = next(rank for rank in ranks if rank.rank not in lost and rank.rank != victim)
            steps = len(witness.lines("step")) + moments.randrange(2, 9)
            wait_for(witness, "step", steps)
            time.sleep(moments.random() * 0.2)
            if ranks[victim].process.poll() is not None or any(rank.lines("end") for rank in ranks):
                break
            killed_at = kill(ranks[victim])
            lost.append(victim)
            if not wait_for(witness, "membership", len(lost)):
                break
        done = len(lost) == len(victims) and all(rank.lines("membership") for rank in ranks if rank.rank not in lost)
        if done and len(next(rank for rank in ranks if rank.rank not in lost).lines("membership")) == len(victims):
            first = check(ranks, lost, label)
            report(label, ranks, first, killed_at)
            return ranks
        for rank in ranks:  # a busy machine was done before the kill
            code = rank.wait()
            assert code in (0, -9), (label, code, rank.log())
    raise AssertionError(f"{label}: 20 times the ranks were done before the kill")


def go_on_without_rank_0(ranks):
    """Kills rank 0 of three. The others take two more steps, save, and stop."""
    kill(ranks[0])
    wait_for(ranks[1], "membership", 1)
    wait_for(ranks[1], "step", len(ranks[1].lines("step")) + 2)
    ranks[1].process.send_signal(signal.SIGTERM)
    codes = [rank.wait() for rank in ranks]
    assert codes == [-9, 7, 7], (codes, ranks[1].log())


def check_best(ranks):
    """Each model_best.pth.tar is what was saved last as the best in its folder, and says its own top-1."""
    for rank in ranks:
        evaluated, kept = {}, None
        for line in rank.lines():
            if line["kind"] == "epoch" and "val_top1" in line:
                evaluated[line["epoch"] + 1] = line["val_top1"]
            elif line["kind"] == "checkpoint" and line["best"]:
                kept = evaluated[line["epoch"]]
        path = os.path.join(rank.dir, "model_best.pth.tar")
        assert os.path.exists(path) == (kept is not None), (rank.rank, kept)
        if kept is not None:
            best = ringlab.torch_load(path)
            assert abs(best["val_top1"] - kept) < 1e-4 and best["val_top1"] <= best["best_top1"], (rank.rank, kept, best["val_top1"], best["best_top1"])


def come_back(root, data, mode, unbeaten=False):
    """All ranks again, each with its own --resume file: rank 0, which was lost, has an older checkpoint than rank 1, which went on without it."""
    there = os.path.join(root, f"together-{unbeaten}-" + mode.replace(":", "_"))
    options = [*COMMON, "--sync", mode]
    ranks = ringlab.start(there, 3, data, *options)
    wait_for(ranks[0], "checkpoint", 1)
    wait_for(ranks[1], "step", len(ranks[0].lines("step")) + 2)
    go_on_without_rank_0(ranks)
    steps = [ringlab.torch_load(os.path.join(rank.dir, "checkpoint.pth.tar"))["position"]["step"] for rank in ranks[:2]]
    assert steps[0] < steps[1], steps
    check_best(ranks)
    if unbeaten:
        # Rank 0's best model, with the top-1 of the run that goes on without it.
        for path in (os.path.join(ranks[0].dir, "model_best.pth.tar"), os.path.join(ranks[1].dir, "checkpoint.pth.tar")):
            saved = ringlab.torch_load(path)
            torch.save({**saved, "best_acc1": torch.tensor(100.0), "best_top1": 100.0, **({"val_top1": 100.0} if "val_top1" in saved else {})}, path)
    before = [len(rank.lines()) for rank in ranks]
    logs = [len(rank.log()) for rank in ranks]
    again = ringlab.start(there, 3, data, *options, "--resume", "checkpoint.pth.tar", "--fresh-rank-state")
    assert [rank.wait() for rank in again] == [0] * 3, again[0].log()
    new = [[line for line in rank.lines()[count:]] for rank, count in zip(again, before)]
    for lines in new:
        start = next(line for line in lines if line["kind"] == "start")
        assert start["start_step"] == steps[1] and start["world_size"] == 3, (start, steps)
    epochs = [line for line in new[0] if line["kind"] == "epoch"]
    assert [line["epoch"] for line in epochs] == list(range(start["start_epoch"], EPOCHS)), epochs
    assert all(line["images_seen"] == IMAGES for line in epochs), epochs
    best = ringlab.torch_load(os.path.join(again[0].dir, "model_best.pth.tar"))
    if unbeaten:
        assert best["val_top1"] == 100 and best["position"]["step"] <= steps[0], (best["val_top1"], best["position"])
    else:
        check_best(again)
    # With local steps the two others continue from their own weights and momenta, and rank 0 gets what they have in common.
    comes_new = ["this rank has no state of that save" in rank.log()[length:] for rank, length in zip(again, logs)]
    assert comes_new == ([False] * 3 if mode == "allreduce" else [True, False, False]), (mode, comes_new)
    shared = [line["what"] for line in new[0] if line["kind"] == "sharing"]
    assert ("optimizer state" in shared) == (mode == "allreduce"), (mode, shared)
    print(f"{mode}: rank 0 is back, and all three continue from rank 1's step {steps[1]}, not from rank 0's {steps[0]}", flush=True)


def too_few(root, data, mode):
    """Two of three at once: the third must not go on, and saves before it ends. All continue from there."""
    there = os.path.join(root, "few-" + mode.replace(":", "_").replace(",", "_"))
    options = [*COMMON, "--sync", mode]
    ranks = ringlab.start(there, 3, data, *options)
    wait_for(ranks[2], "step", moments.randrange(3, 12))
    assert not ranks[2].lines("checkpoint")
    kill(ranks[0])
    kill(ranks[1])
    assert [rank.wait() for rank in ranks] == [-9, -9, 4], ranks[2].log()
    (error,) = ranks[2].lines("error")
    assert error["code"] == "peer_lost" and "too few ranks are left" in error["message"], error
    step = ringlab.torch_load(os.path.join(ranks[2].dir, "checkpoint.pth.tar"))["position"]["step"]
    assert step >= len(ranks[2].lines("step")) > 0, step
    assert not ranks[2].lines("membership")
    again = ringlab.start(there, 3, data, *options, "--resume", "checkpoint.pth.tar", "--fresh-rank-state")
    assert [rank.wait() for rank in again] == [0] * 3, again[0].log()
    assert [rank.lines("start")[-1]["start_step"] for rank in again] == [step] * 3
    assert {line["epoch"]: line["images_seen"] for line in again[0].lines("epoch")} == dict.fromkeys(range(EPOCHS), IMAGES)
    print(f"{mode}: one of three was left, and all continue from its step {step}", flush=True)


def without_small_steps(root, data, mode, images=210, size=72):
    """What is left for one of two ranks would end in a batch of 2, in this epoch and in each later one: the last two batches share it. Also through a stop and a resume."""
    batch = 16  # 105 images a rank: the last batch of two ranks has 9
    there = os.path.join(root, f"small-{images}-" + mode.replace(":", "_").replace(",", "_"))
    options = [*COMMON, "--sync", mode, "-b", str(batch), "--image-size", str(size)]
    ranks = ringlab.start(there, 2, data, *options)
    wait_for(ranks[0], "step", moments.randrange(2, 5))
    kill(ranks[1])
    wait_for(ranks[0], "membership", 1)
    lost = ranks[0].lines("membership")[0]["step"]
    wait_for(ranks[0], "step", lost + moments.randrange(1, 25))
    ranks[0].process.send_signal(signal.SIGTERM)
    assert ranks[0].wait() == 7, ranks[0].log()
    path = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
    position = ringlab.torch_load(path)["position"]
    assert position["evened"] == batch, position
    resumed = ringlab.start(os.path.join(there, "more"), 1, data, *options, "--resume", path)[0]
    assert resumed.wait() == 0, resumed.log()
    steps = [line for line in ranks[0].lines("step") if line["step"] >= lost]
    cut = [line["images"] for line in steps]
    assert cut and min(cut) >= batch // 2, cut
    seen = {line["epoch"]: line["images_seen"] for rank in (ranks[0], resumed) for line in rank.lines("epoch")}
    assert seen == dict.fromkeys(range(EPOCHS), images), seen
    # The epoch of the resume is that of the deal; those after it are of a run of one rank, as its user started it.
    here = [line["images"] for line in resumed.lines("step") if line["epoch"] == position["epoch"]]
    assert not here or min(here) >= batch // 2, here
    print(f"{mode}: a rank alone takes {cut}, then after a resume from step {position['step']} {here}", flush=True)


def with_its_global_batch(root, data, label, sync, world, victims, batch, options=()):
    """`batch`: of a rank that is left, the images of each of its steps' batches."""
    there = os.path.join(root, f"global-{label}")
    start = 8
    ranks = ringlab.start(there, world, data, *COMMON, "--sync", sync, "-b", str(start), "--keep-global-batch", *options)
    wait_for(ranks[0], "step", moments.randrange(2, 4))
    for count, victim in enumerate(victims, 1):
        kill(ranks[victim])
        assert wait_for(ranks[0], "membership", count), ranks[0].log()
    first = check(ranks, victims, label)
    changes = first.lines("membership")
    left = world - len(victims)
    images = sum(batch)
    assert changes[-1]["batch_size"] == left * images, (label, changes)
    all_images = start * (int(options[1]) if options else 1)
    last = -(-IMAGES // world) % all_images
    after = [line for line in first.lines("step") if line["step"] >= changes[-1]["step"]]
    assert [line for line in after if line["images"] == images], (label, after)
    assert all(min(images // 2, last or images) <= line["images"] <= images for line in after), (label, [line["images"] for line in after])
    rate = first.lines("step")[0]["lr"]
    scaled = rate if sync.startswith("local") else rate * left * images / (world * all_images)
    assert all(abs(line["lr"] - scaled) < 1e-9 for line in after), (label, rate, scaled, after[0]["lr"])
    steps = {line["epoch"]: line["batches"] for line in after}
    assert steps[EPOCHS - 1] == -(-(-(-IMAGES // left)) // images), (label, steps)
    print(f"{label}: {left} of {world} ranks keep the global batch with {batch} images each", flush=True)


def resumed_in_a_later_epoch(root, data, mode):
    """By all ranks, in an epoch that two of three began: no image is seen twice, and none is left out."""
    for attempt in range(20):
        there = os.path.join(root, f"later-{mode}-{attempt}".replace(":", "_"))
        options = [*COMMON, "--sync", mode]
        ranks = ringlab.start(there, 3, data, *options)
        wait_for(ranks[1], "step", 3)
        kill(ranks[0])
        wait_for(ranks[1], "membership", 1)
        wait_for(ranks[1], "epoch", 1)
        wait_for(ranks[1], "step", len(ranks[1].lines("step")) + moments.randrange(2, 9))
        ranks[1].process.send_signal(signal.SIGTERM)
        assert [rank.wait() for rank in ranks[1:]] == [7, 7], ranks[1].log()
        path = os.path.join(ranks[1].dir, "checkpoint.pth.tar")
        position = ringlab.torch_load(path)["position"]
        # Its 8 images a step are no whole steps of 12.
        if position["epoch"] == 1 and position["batch"] % 3 != 0:
            break
    epoch = position["epoch"]
    assert epoch == 1 and position["batch"] % 3 != 0 and "dealt" not in position, position
    resumed = ringlab.start(os.path.join(there, "more"), 3, data, *options, "--resume", path, "--fresh-rank-state")
    assert [rank.wait() for rank in resumed] == [0] * 3, resumed[0].log()
    assert not [line for line in resumed[0].lines("warning") if line["code"] == "position_changed"], resumed[0].lines("warning")
    assert {line["epoch"]: line["images_seen"] for line in resumed[0].lines("epoch")} == {1: IMAGES, 2: IMAGES}
    images = sum(line["images"] for rank in (*ranks[1:], *resumed) for line in rank.lines("step") if line["epoch"] == epoch)
    # Each deal fills up its last round.
    assert IMAGES <= images < IMAGES + 2 + 3, (images, position)
    print(f"{mode}: resumed by all ranks after {position['batch']} steps of an epoch that two began: {images} images", flush=True)


print(f"RINGLAB_SEED={SEED}", flush=True)
with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=IMAGES, val=40)
    with open(os.open(os.path.join(root, "secret"), os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        file.write("0123456789abcdef0123456789abcdef\n")
    modes = ["allreduce", "local:4", "local:2,stream=0.3,overlap=1"]
    if ringlab.ALL:
        modes += ["fp16", "powersgd:2,late", "local:4,fragments=2,overlap=1", "diloco:4", "local:4,8bit", "local:1,stream=0.1,overlap=1,adapt=0.5"]
    for mode in modes:
        for _ in range(2 if ringlab.ALL else 1):
            case(root, data, mode, 3, [1])
            case(root, data, mode, 3, [0])
    case(root, data, "allreduce", 4, [2, 0])
    case(root, data, "local:4", 4, [0, 1])
    case(root, data, "allreduce", 2, [0])
    case(root, data, "local:2,stream=0.3,overlap=1", 2, [1])

    for mode in modes[:3]:
        too_few(root, data, mode)
    small = ringlab.make_shapes(os.path.join(root, "small"), train=210, val=40)
    for mode in modes[:3]:
        without_small_steps(root, small, mode)
    # 97 images a rank: two ranks omit a last batch of one, as training does at this size. It makes no small batch a usual one.
    without_small_steps(root, ringlab.make_shapes(os.path.join(root, "smaller"), train=194, val=40), "allreduce", 194, 64)

    with_its_global_batch(root, data, "two of four", "allreduce", 4, [2, 3], [8, 8])
    with_its_global_batch(root, data, "two of three", "allreduce", 3, [1], [6, 6])
    with_its_global_batch(root, data, "one of two", "allreduce", 2, [1], [8, 8, 8, 8], ("--accumulate", "2"))
    # Local steps are each rank's own.
    with_its_global_batch(root, data, "local steps", "local:4", 2, [1], [4, 4])

    # A run that went on is resumed from its first member's checkpoint, in the middle of the epoch that lost a rank, by any number of ranks.
    for world, options in ((2, []), (3, []), (3, ["--keep-global-batch"])):
        there = os.path.join(root, f"resumed-{world}-{len(options)}")
        options = [*COMMON, *options]
        ranks = ringlab.start(there, 3, data, *options)
        wait_for(ranks[0], "step", 5)
        go_on_without_rank_0(ranks)
        path = os.path.join(ranks[1].dir, "checkpoint.pth.tar")
        position = ringlab.torch_load(path)["position"]
        assert position["batch"] > 0 and position["dealt"] > 0 and position["world_size"] == 2, position
        resumed = ringlab.start(os.path.join(there, "more"), world, data, *options, "--resume", path, "--fresh-rank-state")
        assert [rank.wait() for rank in resumed] == [0] * world, resumed[0].log()
        seen = {line["epoch"]: line["images_seen"] for line in resumed[0].lines("epoch")}
        assert seen == {0: IMAGES, 1: IMAGES, 2: IMAGES}, seen
        print(f"resumed by {world} ranks {options[len(COMMON):]} from step {position['step']}: {seen}", flush=True)

    for mode in modes[:2]:
        resumed_in_a_later_epoch(root, data, mode)

    for mode in ("allreduce", "local:4", "local:2,stream=0.3,overlap=1", *(("local:4,fragments=2,overlap=1", "diloco:4", "local:1,stream=0.1,overlap=1,adapt=0.5") if ringlab.ALL else ())):
        come_back(root, data, mode)
    come_back(root, data, "allreduce", unbeaten=True)

    # A machine that is shut down sends its processes SIGTERM: its rank leaves after a save of all ranks, and the others go on. Otherwise they stop together, and its last line says why.
    programs = os.path.join(root, "programs")
    os.mkdir(programs)
    with open(os.open(os.path.join(programs, "systemctl"), os.O_CREAT | os.O_WRONLY, 0o755), "w") as file:
        file.write("#!/bin/sh\necho stopping\nexit 1\n")
    ending = {**os.environ, "PATH": programs + ":" + os.environ["PATH"]}
    for goes_on in (True, False):
        there = os.path.join(root, f"shut-down-{goes_on}")
        options = [*COMMON[:-2], *(COMMON[-2:] if goes_on else ()), "--epochs", "2" if goes_on else "30", "--checkpoint-every", "3600"]
        port = ringlab.free_port()
        others = ringlab.start(there, 3, data, *options, port=port, ranks=[0, 2])
        leaving = ringlab.start(there, 3, data, *options, port=port, ranks=[1], env=ending)[0]
        wait_for(leaving, "step", 3)
        leaving.process.send_signal(signal.SIGTERM)
        assert leaving.wait() == 7, leaving.log()
        end = leaving.lines("end")[-1]
        assert end["shutdown"] is True and end["reason"] == "stopped", end
        codes = [rank.wait() for rank in others]
        if not goes_on:
            assert codes == [7, 7], (codes, others[0].log())
            assert all("shutdown" not in rank.lines("end")[-1] for rank in others), [rank.lines("end") for rank in others]
            continue
        assert codes == [0, 0], (codes, others[0].log())
        change = others[0].lines("membership")[0]
        assert change["lost"] == [1] and "shut down" in change["why"], change
        saved = others[0].lines("checkpoint")[0]
        assert saved["step"] == change["step"] == end["step"], (saved, change, end)
        print(f"a rank whose machine was shut down left after step {end['step']}, which was saved: {change['why']}", flush=True)

    # Rank 1 alone hears nothing of a rank 0 that is only stopped: it must not go on, since rank 0 may.
    ranks = ringlab.start(os.path.join(root, "silent"), 2, data, *COMMON)
    wait_for(ranks[1], "step", 3)
    ranks[0].process.send_signal(signal.SIGSTOP)
    assert ranks[1].wait() == 4, ranks[1].log()
    assert not ranks[1].lines("membership"), ranks[1].lines("membership")
    ranks[0].process.send_signal(signal.SIGCONT)
    assert wait_for(ranks[0], "membership", 1), ranks[0].log()
    assert ranks[0].lines("membership")[0]["ranks"] == [0]
    kill(ranks[0])
    print("rank 1 of two ended where rank 0 was silent; rank 0 went on alone", flush=True)

    # --peer-timeout is also how long the others wait for a rank 0 that is silent.
    ranks = ringlab.start(os.path.join(root, "patient"), 3, data, *COMMON, "--epochs", "100", "--peer-timeout", "60")
    wait_for(ranks[1], "step", 3)
    ranks[0].process.send_signal(signal.SIGSTOP)
    time.sleep(12)
    ranks[0].process.send_signal(signal.SIGCONT)
    wait_for(ranks[1], "step", len(ranks[1].lines("step")) + 2)
    assert [(rank.process.poll(), rank.lines("membership")) for rank in ranks] == [(None, [])] * 3, [rank.log() for rank in ranks]
    for rank in ranks:
        kill(rank)

    # The one that was stopped is left out, and ends when it continues.
    ranks = ringlab.start(os.path.join(root, "left-out"), 3, data, *COMMON)
    wait_for(ranks[1], "step", 3)
    ranks[2].process.send_signal(signal.SIGSTOP)
    assert wait_for(ranks[0], "membership", 1), ranks[0].log()
    ranks[2].process.send_signal(signal.SIGCONT)
    assert ranks[2].wait() == 4, ranks[2].log()
    assert not ranks[2].lines("membership"), "one history"
    assert [rank.process.poll() for rank in ranks[:2]] == [None, None], ranks[0].log()
    for rank in ranks[:2]:
        kill(rank)

    # Ranks of one launcher: the exit code is that of those that went on.
    there = os.path.join(root, "launched")
    os.makedirs(there)
    launched = subprocess.Popen([ringlab.BINARY, data, "--threads", "1", "-j", "1", "--seed", "1", *COMMON, "-b", "12", "--epochs", "1", "--nproc-per-node", "3", "--metrics", "metrics.jsonl"], cwd=there, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    victim = None
    deadline = time.time() + 120
    while victim is None and time.time() < deadline:
        time.sleep(0.2)
        path = os.path.join(there, "rank-1", "metrics.jsonl")
        if os.path.exists(path):
            with open(path) as file:
                lines = [json.loads(line) for line in file if line.endswith("\n")]
            if sum(line["kind"] == "step" for line in lines) >= 3:
                victim = next(line["pid"] for line in lines if line["kind"] == "start")
    assert victim is not None, launched.communicate()[0]
    os.kill(victim, signal.SIGKILL)
    output = launched.communicate(timeout=180)[0]
    assert launched.returncode == 0, output

refused = subprocess.run([ringlab.BINARY, "data", "--keep-global-batch"], capture_output=True, text=True)
assert refused.returncode == 2 and "belongs to --on-lost-rank continue" in refused.stderr, refused.stderr
# Refused where it cannot work.
for option in (["--sync-bn"], ["--sharded-data"], ["--dist-backend", "nccl"], ["--cuda-graph"]):
    refused = subprocess.run([ringlab.BINARY, "data", "--on-lost-rank", "continue", *option], capture_output=True, text=True)
    assert refused.returncode == 2 and "--on-lost-rank continue" in refused.stderr, (option, refused.stderr)
