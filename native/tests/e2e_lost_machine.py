"""--on-lost-rank continue: the machine of the first ranks is cut off, all of them at once. The others wait for one of them, not for one after the other."""
import os

import ringlab
from going_on import wait_for
from namespaces import joined

FIRST = 5  # ranks of the machine that is lost
SECOND = 6
ADDRESSES = ["10.213.8.1", "10.213.8.2"]
PORT = 29400  # inside a separate namespace, where no other program listens
# Waits for each of the four that could have kept the store after rank 0, one after the other: 3 s, and 5 s for each later one (PROTOCOL.md, 'Going on with fewer').
ONE_AFTER_THE_OTHER = 3 + 3 * 5


with ringlab.folder() as root, joined(ADDRESSES) as machines:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=1000, val=10, size=32)
    world = FIRST + SECOND
    ranks = []
    for k in range(world):
        at = 0 if k < FIRST else 1
        arguments = [data, "-a", "shufflenet_v2_x0_5", "--image-size", "32", "--threads", "1", "-j", "1", "-b", "4", "--lr", "0.001", "--seed", "1", "--world-size", str(world), "--rank", str(k)]
        arguments += ["--dist-url", f"tcp://{ADDRESSES[0]}:{PORT}", "--address", ADDRESSES[at], "--on-lost-rank", "continue"]
        ranks.append(ringlab.Rank(root, k, arguments, inside=machines[at].inside))
    try:
        for rank in ranks:
            rank.wait_for_steps(3)
        # Nothing is refused any more, as where a machine has lost its power.
        machines[0].ip("link", "set", "cable0", "down")
        left = ranks[FIRST:]
        for rank in left:
            assert wait_for(rank, "membership", 1), rank.log()
            line = rank.lines("membership")[0]
            assert line["ranks"] == list(range(FIRST, world)) and line["lost"] == list(range(FIRST)), line
            assert line["seconds"] < ONE_AFTER_THE_OTHER, line
        print(f"{FIRST} of {world} ranks lost with their machine: the others go on after {max(rank.lines('membership')[0]['seconds'] for rank in left):.1f} s", flush=True)
        # The smaller side does not go on by itself.
        for rank in ranks[:FIRST]:
            assert rank.wait(120) == 4, rank.log()
            assert rank.lines("membership") == [] and rank.lines("error")[-1]["code"] == "peer_lost", rank.log()
    finally:
        for rank in ranks:
            rank.process.kill()
            rank.process.wait()
