"""Links that become slower in mid-run, and faster again: three ranks change together to what they hide, and say why."""
import os
import shutil
import sys
import time

import ringlab

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
import shaped_network  # noqa: E402

if os.geteuid() != 0 or any(shutil.which(tool) is None for tool in ("ip", "tc", "unshare", "nsenter")):
    print("skipped: network namespaces need root, iproute2 and util-linux")
    sys.exit(77)

WORLD = 3
# Many bits: at 1 Mbps an exchange takes two seconds, longer than computing even on a busy machine.
MODE = "local:1,stream=4,overlap=1,adapt=4"


def pace(text):
    """Bits a step: fewer of them, or a longer period."""
    period, bits = text.removeprefix("local:").split(",")[:2]
    return float(bits.removeprefix("stream=")) / int(period)


def change_after(rank, moment, why):
    """The first change for that reason since then."""
    deadline = time.time() + 120
    while time.time() < deadline:
        found = [line for line in rank.lines("sync_change") if line["t"] > moment and line["why"] == why]
        if found:
            return found[0]
        assert rank.process.poll() is None, rank.log()
        time.sleep(0.1)
    raise AssertionError(f"no {why} within two minutes: {rank.lines('sync_change')}")


with ringlab.folder() as root, shaped_network.Network("chain", WORLD, 100) as network:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=9600, val=12, size=32)
    ranks = []
    try:
        for k, node in enumerate(network.nodes):
            arguments = [data, "-a", "shufflenet_v2_x0_5", "--image-size", "32", "--threads", "1", "-j", "1", "-b", "8", "--lr", "0.01", "--seed", "1", "--sync", MODE, "--check-sync", "--peer-timeout", "30"]
            arguments += ["--world-size", str(WORLD), "--rank", str(k), "--dist-url", f"tcp://{shaped_network.address(0)}:29400", "--address", shaped_network.address(k)]
            ranks.append(ringlab.Rank(root, k, arguments, inside=node.inside))
        for rank in ranks:
            rank.wait_for_steps(4)
        # Heartbeats wait behind what is sent, and the change may come before all links are slow.
        moment = time.time()
        network.shape(1)
        slower = change_after(ranks[0], moment, "link_slower")
        assert pace(slower["to"]) < pace(slower["from"]) and slower["exchange_seconds"] > 1.1 * slower["hiding_seconds"], slower
        # What a step sends follows, on every rank.
        for rank in ranks:
            rank.wait_for_steps(slower["step"] + 6)
            steps = {step["step"]: step["bytes_sent"] for step in rank.lines("step")}
            before, after = sum(steps[slower["step"] - k] for k in range(1, 3)), sum(steps[slower["step"] + k] for k in range(3, 5))
            assert after < before, (slower, steps)
        moment = time.time()
        network.shape(1000)
        faster = change_after(ranks[0], moment, "link_faster")
        assert pace(faster["to"]) > pace(faster["from"]) and faster["exchange_seconds"] < 0.9 * faster["hiding_seconds"], faster
        assert [rank.lines("sync_change") for rank in ranks[1:]] == [[], []], "rank 0 alone says it"
        for rank in ranks:
            rank.process.terminate()
        assert [rank.wait(60) for rank in ranks] == [7] * WORLD, "".join(rank.log() for rank in ranks)
        print(f"step {slower['step']}: {slower['from']} -> {slower['to']}; step {faster['step']}: {faster['from']} -> {faster['to']}")
    finally:
        for rank in ranks:
            rank.process.kill()
            rank.process.wait()
