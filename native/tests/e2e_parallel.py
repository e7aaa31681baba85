"""--parallel: dp compared with Python's data_parallel by chunks, none with ddp of one process; impossible combinations are refused."""
import os
import subprocess

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402
from reference import RankImages, largest_difference, train  # noqa: E402

EPOCHS, BATCH, SEED, LR = 1, 16, 5, 0.002
torch.set_num_threads(1)


def by_chunks(model, images, labels):
    """torch.nn.DataParallel with two replicas, which Python supports only on GPUs: one graph over the chunks, whose gradients are added
    in one set of parameters; each chunk is normalised separately, and the first one's running statistics are kept."""
    first, second = images.chunk(2)
    answers = [model(first)]
    kept = [buffer.clone() for buffer in model.buffers()]
    answers.append(model(second))
    for buffer, old in zip(model.buffers(), kept):
        buffer.data.copy_(old)  # without autograd, which no longer needs them
    loss = torch.nn.functional.cross_entropy(torch.cat(answers), labels)
    loss.backward()
    return loss.detach()


def run(root, name, *arguments):
    (rank,) = ringlab.start(os.path.join(root, name), 1, data, "-b", str(BATCH), "--epochs", str(EPOCHS), "--lr", str(LR), "--seed", str(SEED), *arguments)
    assert rank.wait() == 0, rank.log()
    return [step["loss"] for step in rank.lines("step")], ringlab.torch_load(os.path.join(rank.dir, "checkpoint.pth.tar"))


with ringlab.folder() as root:
    # Two steps, the second of eight images: four per replica. More steps would only compare rounding, which each step multiplies
    # by a hundred.
    data = ringlab.make_shapes(os.path.join(root, "data"), train=24, val=10)
    torch.manual_seed(11)
    model = torchvision.models.resnet18(num_classes=10)
    initial = os.path.join(root, "initial.pth")
    torch.save(model.state_dict(), initial)
    expected = train(model, RankImages(data, SEED, BATCH), EPOCHS, LR, by_chunks)
    losses, saved = run(root, "dp", "--parallel", "dp", "--pretrained", initial, "--threads", "2")
    largest = largest_difference(saved["state_dict"], model.state_dict())
    print(f"dp: losses differ by {[abs(a - b) for a, b in zip(losses, expected)]}, weights and buffers by {largest:g}", flush=True)
    assert len(losses) == len(expected) == 2 and max(abs(a - b) for a, b in zip(losses, expected)) < 1e-5
    assert largest < 1e-4, largest

    one, _ = run(root, "ddp", "--pretrained", initial)
    alone, _ = run(root, "none", "--parallel", "none", "--pretrained", initial)
    assert one == alone, "one process is one process"
    assert abs(one[0] - losses[0]) > 1e-4, "a chunk's statistics are not the batch's"

    # Dropout in all replicas is reproducible.
    drawn = [run(root, f"drop-{k}", "-a", "mobilenet_v3_small", "--parallel", "dp", "--replicas", "3", "--threads", "3") for k in range(2)]
    assert drawn[0][0] == drawn[1][0]
    assert largest_difference(drawn[0][1]["state_dict"], drawn[1][1]["state_dict"]) == 0

    # Of a last batch of three images a replica would get one, and its batch norm one value of a channel.
    small = ringlab.make_shapes(os.path.join(root, "small"), train=19, val=10)
    (rank,) = ringlab.start(os.path.join(root, "chunks"), 1, small, "-a", "shufflenet_v2_x0_5", "-b", "16", "--epochs", "2", "--parallel", "dp", "--threads", "2")
    assert rank.wait() == 0, rank.log()
    assert [step["images"] for step in rank.lines("step")] == [16, 16], rank.lines("step")

    several = ("--world-size", "2", "--rank", "0", "--dist-url", "tcp://127.0.0.1:1")
    for arguments, words in (
        (("--parallel", "none", *several), ("--parallel none", "2 processes", "ddp")),
        (("--parallel", "dp", *several), ("--parallel dp", "2 processes", "ddp")),
        (("--parallel", "dp", "--nproc-per-node", "2"), ("--parallel dp", "2 processes", "ddp")),
        (("--parallel", "ddpp"), ("ddp", "none")),
        (("--replicas", "2"), ("--parallel dp",)),
        (("--parallel", "dp", "--replicas", "9", "-b", "8"), ("--replicas 9", "--batch-size 8")),
    ):
        said = subprocess.run([ringlab.BINARY, data, *arguments, "--metrics", "m.jsonl"], capture_output=True, text=True, cwd=root)
        assert said.returncode == 2 and said.stderr.count("\n") == 1 and all(word in said.stderr for word in words), (arguments, said.stderr)
    assert "m.jsonl" not in os.listdir(root), "nothing was written"
