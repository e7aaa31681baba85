"""--on-lost-rank continue: a second rank is lost while the others connect to each other after the first one. Those that are left go on all the same.

usage: e2e_lost_together.py BINARY SIGNAL_IN

SIGNAL_IN is signal_in's library: it kills or stops a rank in a call that the test names. RINGLAB_ALL=1: more modes and moments.
"""
import itertools
import os
import random
import signal
import sys
import time

import ringlab
from going_on import COMMON, check, kill, wait_for

ringlab.need_torch()
LIBRARY = os.path.abspath(sys.argv[2])
SEED = int(os.environ.get("RINGLAB_SEED", str(random.randrange(1 << 30))))
moments = random.Random(SEED)
# A rank's calls: it publishes who has met, connects to them, and has taken its place.
PUBLISHES = "next/members"
CONNECTS = "listen"
TAKES_PLACE = '"kind":"membership"'


def start(there, data, world, victim, call, options, number=signal.SIGKILL):
    """The ranks, and a function after which `victim` gets a signal in `call`."""
    os.makedirs(there)
    file = os.path.join(there, "now")
    env = ringlab.with_signal_in(LIBRARY, call, file, number)
    port = ringlab.free_port()
    others = ringlab.start(there, world, data, *options, port=port, ranks=[rank for rank in range(world) if rank != victim])
    dying = ringlab.start(there, world, data, *options, port=port, ranks=[victim], env=env)
    ranks = sorted([*others, *dying], key=lambda rank: rank.rank)

    def arm():
        with open(file, "w"):
            pass

    return ranks, arm


def in_a_call(root, data, mode, call, first, second):
    label = f"{mode}: {first} is killed, then {second} in {call}"
    there = os.path.join(root, f"{mode}-{first}-{second}-{len(call)}".replace(":", "_").replace(",", "_"))
    ranks, arm = start(there, data, 4, second, call, [*COMMON, "--sync", mode])
    for rank in ranks:
        wait_for(rank, "step", moments.randrange(2, 6))
    arm()
    kill(ranks[first])
    assert ranks[second].wait() == -9, ranks[second].log()
    left = check(ranks, [first, second], label)
    changes = left.lines("membership")
    print(f"{label}: {[(line['generation'], line['lost'], line['step'], round(line['seconds'], 1)) for line in changes]}", flush=True)


def silent(root, data, call, world):
    """Rank 0 is only stopped, while the others wait for it."""
    ranks, arm = start(os.path.join(root, f"silent-{world}"), data, world, 0, call, COMMON, signal.SIGSTOP)
    for rank in ranks:
        wait_for(rank, "step", moments.randrange(2, 6))
    arm()
    killed_at = kill(ranks[-1])
    for rank in ranks[1:-1]:
        wait_for(rank, "membership", 1)
    seconds = time.time() - killed_at
    kill(ranks[0])
    left = check(ranks, [0, world - 1], f"{call} of {world}")
    print(f"rank 0 of {world} is silent in {call}: {[(line['lost'], line['why']) for line in left.lines('membership')]} after {seconds:.0f} s", flush=True)


def scattered(root, data):
    """Two ranks have connected to the successor of rank 0 when it is killed, too. The one after it has not, and still looks for it while they look for this one."""
    ranks = ringlab.start(os.path.join(root, "scattered"), 5, data, *COMMON)
    for rank in ranks:
        wait_for(rank, "step", moments.randrange(2, 6))
    ranks[2].process.send_signal(signal.SIGSTOP)
    kill(ranks[0])
    time.sleep(0.5)
    kill(ranks[1])
    time.sleep(0.2)
    ranks[2].process.send_signal(signal.SIGCONT)
    left = check(ranks, [0, 1], "scattered")
    print(f"0 and 1, and 2 comes late: {[(line['lost'], round(line['seconds'], 1)) for line in left.lines('membership')]}", flush=True)


def at_any_moment(root, data, mode, number):
    """Two of five, within a third of a second."""
    there = os.path.join(root, f"any-{mode}-{number}".replace(":", "_").replace(",", "_"))
    ranks = ringlab.start(there, 5, data, *COMMON, "--sync", mode)
    first, second = moments.sample(range(5), 2)
    for rank in ranks:
        wait_for(rank, "step", moments.randrange(2, 6))
    kill(ranks[first])
    time.sleep(moments.random() ** 2 / 3)
    kill(ranks[second])
    left = check(ranks, [first, second], f"{mode}, {first} and {second}")
    print(f"{mode}: {first} and {second}: {[(line['generation'], line['lost'], line['step']) for line in left.lines('membership')]}", flush=True)


def saved(root, data, first, second):
    """With --on-lost-rank save the ranks that are left save together, and end."""
    there = os.path.join(root, f"saved-{first}-{second}")
    ranks, arm = start(there, data, 4, second, CONNECTS, [*COMMON[:-1], "save"])
    for rank in ranks:
        wait_for(rank, "step", 3)
    arm()
    kill(ranks[first])
    codes = [rank.wait() for rank in ranks]
    assert codes == [-9 if rank.rank in (first, second) else 4 for rank in ranks], (codes, [rank.log() for rank in ranks])
    left = next(rank for rank in ranks if rank.rank not in (first, second))
    position = ringlab.torch_load(os.path.join(left.dir, "checkpoint.pth.tar"))["position"]
    assert position["world_size"] == 2, position
    print(f"{first} and {second}: the others saved step {position['step']}", flush=True)


def stopped(root, data, mode, lost, after, code):
    """The ranks that are left are asked to stop while they look for each other: they have work to save, and save it."""
    ranks = ringlab.start(os.path.join(root, f"stopped-{mode}-{len(lost)}".replace(":", "_")), 3, data, *COMMON, "--sync", mode)
    for rank in ranks:
        wait_for(rank, "step", 3)
    for rank in lost:
        kill(ranks[rank])
    left = [rank for rank in ranks if rank.rank not in lost]
    time.sleep(after)
    for rank in left:
        rank.process.send_signal(signal.SIGTERM)
    assert [rank.wait() for rank in left] == [code] * len(left), [rank.log() for rank in left]
    saved = ringlab.torch_load(os.path.join(left[0].dir, "checkpoint.pth.tar"))["position"]
    assert saved["world_size"] == len(left) and saved["step"] >= left[-1].lines("step")[-1]["step"], (saved, [rank.log() for rank in left])
    print(f"{mode}: {lost} killed, the others asked to stop after {after} s: they saved step {saved['step']}", flush=True)


print(f"RINGLAB_SEED={SEED}", flush=True)
with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=203, val=40)
    cases = [("allreduce", CONNECTS, 3, 2), ("local:4", CONNECTS, 3, 0), ("local:2,stream=0.3,overlap=1", TAKES_PLACE, 0, 1)]
    if ringlab.ALL:
        modes = ("allreduce", "powersgd:2,late", "local:4,fragments=2,overlap=1", "local:2,stream=0.3,overlap=1")
        cases = [(mode, call, *pair) for mode, call, pair in itertools.product(modes, (CONNECTS, TAKES_PLACE), ((3, 2), (3, 0), (0, 1), (1, 2)))]
    for one in cases:
        in_a_call(root, data, *one)
    silent(root, data, CONNECTS, 4)
    silent(root, data, PUBLISHES, 5)
    scattered(root, data)
    saved(root, data, 3, 2)
    stopped(root, data, "allreduce", [0, 1], 1.5, 4)
    stopped(root, data, "local:4", [0], 0.1, 7)
    if ringlab.ALL:
        saved(root, data, 0, 1)
        for mode, number in itertools.product(("allreduce", "fp16", "local:4", "local:1,stream=0.1,overlap=1,adapt=0.5"), range(5)):
            at_any_moment(root, data, mode, number)
