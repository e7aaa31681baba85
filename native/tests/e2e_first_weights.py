"""Equal weights before the first step: what is sent for it, and that it makes no difference where each rank has them from."""
import os
import time

import ringlab

ringlab.need_torch()
import reference  # noqa: E402
import torch  # noqa: E402
import torchvision  # noqa: E402

ARCH = "shufflenet_v2_x0_5"


def listens(port):
    with open("/proc/net/tcp") as file:
        return any(f":{port:04X} " in line and line.split()[3] == "0A" for line in file)


def started(root, name, data, *arguments, seed=("--seed", "1"), addresses=("127.0.0.1", "127.0.0.2"), prepare=None):
    """One rank an address, as on nodes of their own."""
    there, port = os.path.join(root, name), ringlab.free_port()
    common = [data, "-a", ARCH, "--image-size", "32", "--threads", "1", "-j", "1", "-b", "8", "--lr", "0.01", "--check-sync", *seed, *arguments]
    common += ["--world-size", str(len(addresses)), "--dist-url", f"tcp://127.0.0.1:{port}"]
    if prepare:
        prepare(there)
    ranks = []
    for k, address in enumerate(addresses):
        ranks.append(ringlab.Rank(there, k, [*common, "--rank", str(k), "--address", address]))
        # A connection that is refused is tried again from any address of this machine: here both work.
        while not listens(port) and ranks[0].process.poll() is None:
            time.sleep(0.02)
    return ranks


def train(*arguments, **settings):
    ranks = started(*arguments, **settings)
    codes = [rank.wait(300) for rank in ranks]
    assert codes == [0] * len(ranks), "".join(rank.log() for rank in ranks)
    return ranks, ringlab.torch_load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))


def shared(ranks):
    """The lines of all ranks about weights that were sent."""
    for rank in ranks:
        kinds = [line["kind"] for line in rank.lines()]
        assert "sharing" not in kinds[kinds.index("start"):], kinds
    return [[(line["tensors"], line["bytes"]) for line in rank.lines("sharing") if line["what"] == "weights"] for rank in ranks]


def shared_momenta(ranks):
    """The bytes of the optimizer's state that were sent, by rank."""
    return [[line["bytes"] for line in rank.lines("sharing") if line["what"] == "optimizer state"] for rank in ranks]


with ringlab.folder() as root:
    torch.set_num_threads(1)
    data = ringlab.make_shapes(os.path.join(root, "data"), train=48, val=10)
    torch.manual_seed(3)
    model = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
    weights = os.path.join(root, "weights.pth")
    torch.save(model.state_dict(), weights)
    largest = sum(parameter.numel() * parameter.element_size() for parameter in model.state_dict().values())

    # From one seed, given or drawn by rank 0, all ranks draw the same: nothing is sent.
    for name, seed in (("seed", ("--seed", "1")), ("no-seed", ())):
        ranks, _ = train(root, name, data, "--epochs", "1", seed=seed)
        assert shared(ranks) == [[], []], shared(ranks)
    assert ranks[0].lines("start")[0]["seed"] == ranks[1].lines("start")[0]["seed"]

    # A file that only rank 0 has is sent, but for the tensors that are as they were drawn (counts, and batch norms of ones and zeros).
    def rank_zeros(folder):
        os.makedirs(os.path.join(folder, "rank-0"))
        os.symlink(weights, os.path.join(folder, "rank-0", "own.pth"))

    ranks, sent = train(root, "sent", data, "--epochs", "1", "--pretrained", "own.pth", prepare=rank_zeros)
    ((tensors, size),) = shared(ranks)[0]
    assert shared(ranks) == [[(tensors, size)]] * 2 and 0 < tensors < len(model.state_dict()) and 0 < size < largest, shared(ranks)
    assert "=> sharing " in ranks[0].log() and "=> sharing " in ranks[1].log()

    # Where each node has it nothing is sent, and the result is the same. Ranks of rank 0's node receive it over the loopback.
    ranks, own = train(root, "own", data, "--epochs", "1", "--pretrained", weights)
    assert shared(ranks) == [[], []], shared(ranks)
    assert reference.largest_difference(own["state_dict"], sent["state_dict"]) == 0
    ranks, together = train(root, "together", data, "--epochs", "1", "--pretrained", weights, addresses=("127.0.0.1", "127.0.0.1"))
    assert shared(ranks) == [[(tensors, size)]] * 2, shared(ranks)
    assert reference.largest_difference(together["state_dict"], sent["state_dict"]) == 0

    # Another file of the same name on the other node, and a damaged one: rank 0's counts.
    def with_other(content):
        def prepare(folder):
            rank_zeros(folder)
            os.makedirs(os.path.join(folder, "rank-1"))
            with open(os.path.join(folder, "rank-1", "own.pth"), "wb") as file:
                file.write(content)

        return prepare

    torch.manual_seed(4)
    other = os.path.join(root, "other.pth")
    torch.save(torchvision.models.shufflenet_v2_x0_5(num_classes=10).state_dict(), other)
    with open(other, "rb") as file:
        content = file.read()
    for name, bad in (("other", content), ("damaged", content[:1000])):
        ranks, result = train(root, name, data, "--epochs", "1", "--pretrained", "own.pth", prepare=with_other(bad))
        assert shared(ranks)[0] == shared(ranks)[1] != [], shared(ranks)
        assert reference.largest_difference(result["state_dict"], sent["state_dict"]) == 0, name

    # A resume: from the file of rank 0 alone, or from one that both have. The weights and the momenta are the same.
    ranks, _ = train(root, "first", data, "--epochs", "1")
    start = os.path.join(ranks[0].dir, "checkpoint.pth.tar")

    def with_states(folder):
        for rank in ranks:
            own = os.path.join(folder, f"rank-{rank.rank}")
            os.makedirs(own)
            os.symlink(os.path.join(rank.dir, "rank-state.pth"), os.path.join(own, "rank-state.pth"))
        os.symlink(start, os.path.join(folder, "rank-0", "start.pth.tar"))

    alone, from_rank_zero = train(root, "alone", data, "--epochs", "2", "--resume", "start.pth.tar", prepare=with_states)
    both, from_own = train(root, "both", data, "--epochs", "2", "--resume", start, prepare=with_states)
    assert shared(alone)[0] == shared(alone)[1] != [] and shared(both) == [[], []], (shared(alone), shared(both))
    assert reference.largest_difference(from_own["state_dict"], from_rank_zero["state_dict"]) == 0
    for number, state in from_own["optimizer"]["state"].items():
        assert torch.equal(state["momentum_buffer"], from_rank_zero["optimizer"]["state"][number]["momentum_buffer"]), number
    # Rank 0's momenta are as many numbers as the model trains; batch norm's statistics have none.
    momenta = 4 * sum(parameter.numel() for parameter in model.parameters())
    assert shared_momenta(alone) == [[momenta]] * 2 and shared_momenta(both) == [[], []], (shared_momenta(alone), shared_momenta(both), momenta)

    # Ranks of local steps have weights and momenta of their own beside their state: rank 0's are not sent.
    local = ("--sync", "local:1,stream=1,overlap=1")
    ranks, _ = train(root, "local", data, "--epochs", "1", *local)
    start = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
    alone, _ = train(root, "local-alone", data, "--epochs", "2", *local, "--resume", "start.pth.tar", prepare=with_states)
    assert shared(alone) == [[], []] and shared_momenta(alone) == [[], []], (shared(alone), shared_momenta(alone))

    # With --pretrained, too, though no other rank has rank 0's checkpoint: stopped where all ranks stand on one point, they go on from there.
    each_step = ("--epochs", "2", "--sync", "local:1", "--pretrained", weights)
    whole = train(root, "pretrained-whole", data, *each_step)[1]
    stopped = ringlab.stopped(lambda attempt: started(root, f"pretrained-{attempt}", data, *each_step), 1, 6)
    name = os.path.basename(os.path.dirname(stopped[0].dir))
    position = ringlab.torch_load(os.path.join(stopped[0].dir, "checkpoint.pth.tar"))["position"]
    assert position["batch"] > 0, position
    _, resumed = train(root, name, data, *each_step, "--resume", "checkpoint.pth.tar")
    assert reference.largest_difference(resumed["state_dict"], whole["state_dict"]) == 0, position

    # A rank without its weights gets rank 0's; the result is the same.
    def without_weights(folder):
        with_states(folder)
        path = os.path.join(folder, "rank-1", "rank-state.pth")
        state = ringlab.torch_load(path)
        del state["weights"]
        os.remove(path)
        torch.save(state, path)

    sent_again, from_sent = train(root, "local-sent", data, "--epochs", "2", *local, "--resume", "start.pth.tar", prepare=without_weights)
    from_own = ringlab.torch_load(os.path.join(alone[0].dir, "checkpoint.pth.tar"))
    assert shared(sent_again)[0] == shared(sent_again)[1] != [] and reference.largest_difference(from_own["state_dict"], from_sent["state_dict"]) == 0, shared(sent_again)
    print(f"sent for a file that rank 0 alone has: {size} of {largest} bytes")
