"""A link that goes down: two ranks in separate network namespaces, joined by a veth pair, one end of which is set down."""
import os
import time

import ringlab
from namespaces import joined

ADDRESSES = ["10.213.7.1", "10.213.7.2"]
PORT = 29400  # inside a separate namespace, where no other program listens


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=1000, val=10, size=32)
    for pulled in (0, 1):
        with joined(ADDRESSES) as ends:
            ranks = []
            for k, end in enumerate(ends):
                arguments = [data, "-a", "shufflenet_v2_x0_5", "--image-size", "32", "--threads", "1", "-j", "1", "-b", "4", "--seed", "1", "--world-size", "2", "--rank", str(k), "--dist-url", f"tcp://{ADDRESSES[0]}:{PORT}", "--address", ADDRESSES[k]]
                ranks.append(ringlab.Rank(os.path.join(root, f"end {pulled}"), k, arguments, inside=end.inside))
            try:
                for rank in ranks:
                    rank.wait_for_steps(2)
                ends[pulled].ip("link", "set", f"cable{pulled}", "down")
                lost_at = time.time()
                for rank in ranks:
                    other = 1 - rank.rank
                    assert rank.wait(60) == 4, rank.log()
                    error = rank.lines("error")[0]
                    assert error["code"] == "peer_lost" and error["peer_rank"] == other and error["peer_address"] == ADDRESSES[other], error
                    assert f"rank {other} ({ADDRESSES[other]}) was lost" in error["message"], error
                    noticed = error["t"] - lost_at  # about 2.4 s on an idle machine
                    assert noticed < 30, f"rank {rank.rank} noticed after {noticed:.2f} s"
                    assert rank.lines("end")[0]["exit_code"] == 4
                    assert not [name for name in os.listdir(rank.dir) if ".tmp-" in name]
                    print(f"end {pulled} pulled: rank {rank.rank} noticed after {noticed:.2f} s: {error['message']}")
            finally:
                for rank in ranks:
                    rank.process.kill()
                    rank.process.wait()
