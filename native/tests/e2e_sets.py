"""A checkpoint and every rank's own file are one set: resumed as a whole or not at all; the checkpoint that remains after a divergence."""
import os
import shutil

import ringlab

ringlab.need_torch()
import torch  # noqa: E402

STATE = "rank-state.pth"
PREVIOUS = "rank-state.previous.pth"
SMALL = ["-a", "shufflenet_v2_x0_5", "-b", "8"]

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=32, val=10)
    there = os.path.join(root, "run")
    ranks = ringlab.start(there, 2, data, *SMALL, "--epochs", "2")
    assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log() + ranks[1].log()
    path = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
    saved = ringlab.torch_load(path)
    states = [ringlab.torch_load(os.path.join(rank.dir, STATE)) for rank in ranks]
    assert [state["rank"] for state in states] == [0, 1]
    assert {state["position"]["epoch_id"] for state in states} == {saved["position"]["epoch_id"]} and saved["position"]["epoch"] == 2
    for state in states:
        torch.set_rng_state(state["generators"]["cpu"])  # refuses non-finite values
        assert state["parts"] == {}
    before = [ringlab.torch_load(os.path.join(rank.dir, PREVIOUS))["position"] for rank in ranks]
    assert [position["epoch"] for position in before] == [1, 1] and before[0]["epoch_id"] == before[1]["epoch_id"] != saved["position"]["epoch_id"]
    for rank in ranks:
        lines = [line for line in rank.lines("checkpoint") if line["file"] == "rank-state"]
        assert [line["epoch"] for line in lines] == [1, 2] and all(os.path.exists(line["path"]) and 0 <= line["stall_seconds"] <= line["seconds"] for line in lines), lines

    def resume(name, *extra, world=2, change=None):
        """Copies and changes the run's folders, resumes for one more epoch; returns exit codes and ranks."""
        copy = os.path.join(root, name)
        shutil.copytree(there, copy)
        for k in range(2):
            os.remove(os.path.join(copy, f"rank-{k}", "metrics.jsonl"))
        if change:
            change(copy)
        again = ringlab.start(copy, world, data, *SMALL, "--epochs", "3", "--resume", os.path.join(copy, "rank-0", "checkpoint.pth.tar"), *extra)
        return [rank.wait() for rank in again], again

    # A part is missing, of another save, or another rank's: all end with an error that names the rank and the searched folders.
    def remove(copy):
        for name in (STATE, PREVIOUS):
            os.remove(os.path.join(copy, "rank-1", name))

    def older(copy):
        os.replace(os.path.join(copy, "rank-1", PREVIOUS), os.path.join(copy, "rank-1", STATE))

    def others(copy):
        os.remove(os.path.join(copy, "rank-1", PREVIOUS))
        shutil.copy(os.path.join(copy, "rank-0", STATE), os.path.join(copy, "rank-1", STATE))

    for name, change, words in [
        ("missing", remove, "no rank-state.pth in "),
        ("older", older, "is of another save, epoch 1 "),
        ("others", others, "is rank 0's"),
    ]:
        codes, again = resume(name, change=change)
        assert codes == [3, 3], again[0].log() + again[1].log()
        for rank in again:
            error = rank.lines("error")[0]
            assert error["code"] == "checkpoint_mismatch" and "epoch 2" in error["message"] and "is not a whole set: rank 1 (127.0.0.1): " in error["message"] and words in error["message"], error
            assert rank.lines("step") == [] and rank.lines("checkpoint") == []
        copy = os.path.join(root, name, "rank-0", "checkpoint.pth.tar")
        with open(copy, "rb") as one, open(path, "rb") as two:
            assert one.read() == two.read(), "the checkpoint is as it was"

    # A rank killed between its own file and the checkpoint's final name: the previous set is used.
    def killed(copy):
        os.replace(os.path.join(copy, "rank-1", STATE), os.path.join(copy, "rank-1", PREVIOUS))
        with open(os.path.join(copy, "rank-1", STATE), "wb") as file:
            file.write(b"PK\x03\x04 not the end")

    codes, again = resume("killed", change=killed)
    assert codes == [0, 0], again[1].log()
    assert ringlab.torch_load(os.path.join(again[0].dir, "checkpoint.pth.tar"))["epoch"] == 3
    whole, others = resume("untouched")
    assert whole == [0, 0] and [s["loss"] for s in again[1].lines("step")] == [s["loss"] for s in others[1].lines("step")]

    # Another number of ranks resumes from the checkpoint only, and reports the lost state.
    for world in (1, 3) if ringlab.ALL else (3,):
        codes, again = resume(f"world of {world}", world=world)
        assert codes == [0] * world, again[0].log()
        warning = again[0].lines("warning")[0]
        assert warning["code"] == "world_changed" and f"is of 2 ranks, this run has {world}" in warning["message"], warning

    # Every second epoch's set is kept, and the best one: resumed in other folders, bit-identical. If a rank lacks its part
    # the others start theirs from the initial value, too, with --fresh-rank-state, and report it.
    ranks = ringlab.start(os.path.join(root, "kept"), 2, data, *SMALL, "--epochs", "5", "--keep-every", "2", "--sync", "topk:0.01")
    assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log()
    kept = [(line["epoch"], line.get("kept")) for line in ranks[0].lines("checkpoint") if line["file"] == "checkpoint"]
    assert kept == [(1, None), (2, "checkpoint-epoch-2.pth.tar"), (3, None), (4, "checkpoint-epoch-4.pth.tar"), (5, None)], kept
    best = ringlab.torch_load(os.path.join(ranks[0].dir, "model_best.pth.tar"))["epoch"] if os.path.exists(os.path.join(ranks[0].dir, "model_best.pth.tar")) else 2
    for file, epoch in (("checkpoint-epoch-2.pth.tar", 2), ("model_best.pth.tar" if best != 2 else "checkpoint-epoch-4.pth.tar", best if best != 2 else 4)):
        path = os.path.join(ranks[0].dir, file)
        assert ringlab.torch_load(path)["epoch"] == epoch
        again = ringlab.start(os.path.join(root, f"from-{file}"), 2, data, *SMALL, "--epochs", "5", "--sync", "topk:0.01", "--resume", path, "--fresh-rank-state")
        assert [rank.wait() for rank in again] == [0, 0], again[0].log()
        for one, other in zip(again, ranks):
            assert one.lines("warning") == [] and [s["loss"] for s in one.lines("step")] == [s["loss"] for s in other.lines("step") if s["epoch"] >= epoch], file
    os.remove(os.path.join(ranks[1].dir, "rank-state-epoch-2.pth"))
    path = os.path.join(ranks[0].dir, "checkpoint-epoch-2.pth.tar")
    again = ringlab.start(os.path.join(root, "fresh"), 2, data, *SMALL, "--epochs", "3", "--sync", "topk:0.01", "--resume", path, "--fresh-rank-state")
    assert [rank.wait() for rank in again] == [0, 0], again[0].log()
    (warning,) = again[0].lines("warning")
    assert warning["code"] == "rank_state_fresh" and "rank 1 (127.0.0.1): " in warning["message"] and [s["epoch"] for s in again[0].lines("step")] == [2, 2], warning

    # A validation that overflows while the weights are good is a warning: what is saved has only finite numbers, and the next validation may be well.
    def far_statistics(copy):
        file = os.path.join(copy, "rank-0", "checkpoint.pth.tar")
        changed = ringlab.torch_load(file)
        for name, value in changed["state_dict"].items():
            if name.endswith("running_mean"):
                value.fill_(1e30)
            elif name.endswith("running_var"):
                value.fill_(1e-10)
        torch.save(changed, file)

    codes, again = resume("overflows", change=far_statistics)
    assert codes == [0, 0], again[0].log()
    assert [line["code"] for line in again[0].lines("warning")] == ["validation_overflow"], again[0].log()
    assert again[0].lines("eval")[-1]["loss"] in ("NaN", "Infinity"), again[0].lines("eval")
    assert all(torch.isfinite(value).all() for value in ringlab.torch_load(os.path.join(again[0].dir, "checkpoint.pth.tar"))["state_dict"].values())

    # A diverged loss ends the run with the step and the checkpoint to resume, which contains only finite numbers.
    codes, again = resume("diverges", "--lr", "1e30")
    assert codes == [5, 5], again[0].log()
    for rank in again:
        error = rank.lines("error")[0]
        assert error["code"] == "diverged" and f"in step {error['step']} (epoch 2)" in error["message"], error
        good = os.path.join(root, "diverges", "rank-0", "checkpoint.pth.tar")
        assert error["message"].endswith(f"the last good checkpoint is {good}"), error
    (rank,) = ringlab.start(os.path.join(root, "later"), 1, data, *SMALL, "--epochs", "60", "--lr", "1e7", "--wd", "100", "--momentum", "0")
    assert rank.wait() == 5, rank.log()
    error = rank.lines("error")[0]
    written = [line for line in rank.lines("checkpoint") if line["file"] == "checkpoint"]
    assert f"(epoch {len(written)}); " in error["message"], (error, written)
    if written:
        assert f"rank 0's checkpoint.pth.tar of epoch {written[-1]['epoch']} (step {written[-1]['step']}) in {rank.dir}" in error["message"], error
        values = ringlab.torch_load(written[-1]["path"])["state_dict"].values()
        assert all(torch.isfinite(value).all() for value in values)
