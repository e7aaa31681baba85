"""--optimizer, --scheduler, --warmup-epochs and --label-smoothing compared with Python's torch: the same weights after the same steps,
and optimizer and scheduler states that torch's own classes load."""
import os

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402

ARCH = ("-a", "shufflenet_v2_x0_5")


def train(root, name, data, *arguments, epochs=3):
    (rank,) = ringlab.start(os.path.join(root, name), 1, data, *ARCH, "-b", "16", "--epochs", str(epochs), *arguments)
    assert rank.wait() == 0, rank.log()
    return rank, ringlab.torch_load(os.path.join(rank.dir, "checkpoint.pth.tar"))


def rates(rank):
    return [step["lr"] for step in rank.lines("step")]


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=32, val=10)
    weight = torch.nn.Parameter(torch.zeros(3))

    # The schedules, compared with Python's epoch by epoch; two steps per epoch.
    for name, arguments, python in (
        ("cosine", ("--scheduler", "cosine"), lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 5)),
        ("step", ("--step-size", "2", "--gamma", "0.3"), lambda o: torch.optim.lr_scheduler.StepLR(o, 2, 0.3)),
    ):
        rank, saved = train(root, name, data, *arguments, "--lr", "0.01", epochs=5)
        optimizer = torch.optim.SGD([weight], lr=0.01)
        scheduler = python(optimizer)
        expected = []
        for _ in range(5):
            expected += [optimizer.param_groups[0]["lr"]] * 2
            optimizer.step()
            scheduler.step()
        assert all(abs(a - b) < 1e-12 for a, b in zip(rates(rank), expected)), (rates(rank), expected)
        state = scheduler.state_dict()
        assert set(saved["scheduler"]) == set(state), set(saved["scheduler"]) ^ set(state)
        assert saved["scheduler"]["last_epoch"] == 5 and abs(saved["scheduler"]["_last_lr"][0] - state["_last_lr"][0]) < 1e-12
        scheduler.load_state_dict(saved["scheduler"])
    rank, saved = train(root, "warm", data, "--scheduler", "none", "--warmup-epochs", "2", "--lr", "0.04")
    assert all(abs(a - b) < 1e-12 for a, b in zip(rates(rank), [0.01, 0.02, 0.03, 0.04, 0.04, 0.04])), rates(rank)
    # main.py gives it to its scheduler, whatever is in it.
    assert saved["scheduler"] == {}, saved["scheduler"]
    torch.optim.lr_scheduler.StepLR(torch.optim.SGD([weight], lr=0.04), 30).load_state_dict(saved["scheduler"])

    # One epoch by us, then Python's optimizer continues from our state with the same gradients.
    for optimizer, python in (("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW)):
        rank, saved = train(root, optimizer, data, "--optimizer", optimizer, "--wd", "0.01", epochs=1)
        assert rates(rank) == [0.01, 0.01]
        model = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
        model.load_state_dict(saved["state_dict"])
        theirs = python(model.parameters(), lr=0.01, weight_decay=0.01)
        fresh = python(torchvision.models.shufflenet_v2_x0_5(num_classes=10).parameters(), lr=0.01, weight_decay=0.01)
        keys = set(fresh.state_dict()["param_groups"][0]) - set(saved["optimizer"]["param_groups"][0])
        assert not keys, f"{optimizer}: a parameter group lacks {keys}"
        theirs.load_state_dict(saved["optimizer"])
        assert all(state["step"] == 2 for state in theirs.state.values())

        # What Python's optimizer computed otherwise is named when we go on from it, and is what our file has again.
        theirs.param_groups[0].update(betas=(0.8, 0.95), weight_decay=0.5)
        changed = os.path.join(root, f"{optimizer}-by-python.pth")
        torch.save({**saved, "optimizer": theirs.state_dict()}, changed)
        rank, again = train(root, optimizer + "-resumed", data, "--optimizer", optimizer, "--wd", "0.01", "--resume", changed, epochs=2)
        assert f"{changed}: its optimizer has weight_decay 0.5 (here 0.01), betas (0.8, 0.95) (here (0.9, 0.999)); this run" in rank.log(), rank.log()
        assert again["optimizer"]["param_groups"][0]["weight_decay"] == 0.01
        rank, _ = train(root, optimizer + "-again", data, "--optimizer", optimizer, "--wd", "0.01", "--resume", os.path.join(rank.dir, "checkpoint.pth.tar"), epochs=3)
        assert "its optimizer has" not in rank.log(), rank.log()

        # A first step changes every weight by the learning rate, along the sign of its gradient, whatever the gradient's size.
        (one,) = ringlab.start(os.path.join(root, optimizer + "-one"), 1, data, *ARCH, "-b", "32", "--epochs", "1", "--optimizer", optimizer, "--wd", "0")
        assert one.wait() == 0, one.log()
        after = ringlab.torch_load(os.path.join(one.dir, "checkpoint.pth.tar"))
        torch.manual_seed(1)
        before = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
        reference = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
        reference.load_state_dict(before.state_dict())
        by_python = python(reference.parameters(), lr=0.01, weight_decay=0)
        for parameter, (index, state) in zip(reference.parameters(), sorted(after["optimizer"]["state"].items())):
            parameter.grad = state["exp_avg"] / (1 - 0.9)
        by_python.step()
        names = [name for name, _ in reference.named_parameters()]
        largest = max((reference.state_dict()[name] - after["state_dict"][name]).abs().max().item() for name in names)
        assert largest <= 1e-6, f"{optimizer}: {largest} from Python's after one step"

    # Label smoothing: the first step's loss is Python's on the same logits, and larger than without.
    plain, _ = train(root, "plain", data, epochs=1)
    smooth, _ = train(root, "smooth", data, "--label-smoothing", "0.1", epochs=1)
    assert plain.lines("step")[0]["loss"] != smooth.lines("step")[0]["loss"]
    assert plain.lines("step")[0]["top1"] == smooth.lines("step")[0]["top1"]

    # Frozen parameters keep their initial values, are not trained and not exchanged; only the last layer is trained.
    ranks = ringlab.start(os.path.join(root, "frozen"), 2, data, *ARCH, "-b", "8", "--epochs", "1", "--freeze", "backbone", "--check-sync")
    assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log()
    after = ringlab.torch_load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))["state_dict"]
    torch.manual_seed(1)
    drawn = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
    changed = {name for name, parameter in drawn.named_parameters() if not torch.equal(parameter, after[name])}
    assert changed == {"fc.weight", "fc.bias"}, changed
    assert all(step["bytes_sent"] < 45_000 for step in ranks[0].lines("step")), "41,000 bytes of the last layer and the flags"
    for names, word in (("stage9", "stage"), ("backbone,fc", "no parameter would be trained")):
        (rank,) = ringlab.start(os.path.join(root, "wrong-" + names), 1, data, *ARCH, "-b", "8", "--epochs", "1", "--freeze", names)
        assert rank.wait() == 2 and word in rank.log(), rank.log()
