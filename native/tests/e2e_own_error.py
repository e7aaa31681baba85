"""--on-lost-rank continue and save: an error of one rank's own, which no exchange had, ends that rank at once and names it; the others go on, or save.

usage: e2e_own_error.py BINARY NO_THREAD

NO_THREAD is no_thread's library: a thread that the rank starts is refused.
"""
import os
import signal
import sys

import ringlab
from going_on import wait_for

LIBRARY = os.path.abspath(sys.argv[2])

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=48, val=10)
    for policy in ("continue", "save"):
        there = os.path.join(root, policy)
        refused = os.path.join(root, f"{policy}-refused")
        options = ["-a", "shufflenet_v2_x0_5", "-b", "4", "--epochs", "100000", "--image-size", "32", "--lr", "0.001", "--on-lost-rank", policy]
        port = ringlab.free_port()
        fails = ringlab.preloaded(LIBRARY, RINGLAB_TEST_NO_THREAD_FILE=refused)
        left = ringlab.start(there, 3, data, *options, port=port, ranks=[0, 2])
        (bad,) = ringlab.start(there, 3, data, *options, port=port, ranks=[1], env=fails)
        logs = lambda: "".join(rank.log() for rank in [*left, bad])
        assert wait_for(bad, "step", 4), logs()
        open(refused, "w").close()
        assert bad.wait() == 1, logs()
        (error,) = bad.lines("error")
        assert error["code"] == "internal" and "Resource temporarily unavailable" in error["message"], error
        if policy == "continue":
            assert all(wait_for(rank, "membership", 1) for rank in left), logs()
            for rank in left:
                (change,) = rank.lines("membership")
                assert change["ranks"] == [0, 2] and "internal: Resource temporarily unavailable" in change["why"], change
                rank.process.send_signal(signal.SIGTERM)
            assert [rank.wait() for rank in left] == [7, 7], logs()
        else:
            assert [rank.wait() for rank in left] == [4, 4], logs()
            for rank in left:
                (error,) = rank.lines("error")
                assert error["code"] == "peer_lost" and error["peer_rank"] == 1, error
                assert rank.lines("checkpoint")[-1]["members"] == 2, logs()
        print(f"{policy}: rank 1 ended by itself, and the others went on from step {left[0].lines('checkpoint')[-1]['step']}")
