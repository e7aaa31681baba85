"""An error of one rank's own, which no exchange had, ends that rank at once and names it. With --on-lost-rank continue the others go on, with save they save, with end they end.

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
    for policy in ("continue", "save", "end"):
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
                if policy == "end":
                    assert "internal: Resource temporarily unavailable" in error["message"], error
                else:
                    assert rank.lines("checkpoint")[-1]["members"] == 2, logs()
        if policy == "end":
            print("end: rank 1 ended by itself, and the others said so")
        else:
            print(f"{policy}: rank 1 ended by itself, and the others went on from step {left[0].lines('checkpoint')[-1]['step']}")

    # One image a rank, and one value a channel in the last batch norm: every rank fails by itself, and none blames the network.
    alone = ringlab.start(os.path.join(root, "alone"), 3, data, "-a", "resnet18", "-b", "1", "--epochs", "1", "--image-size", "32")
    logs = lambda: "".join(rank.log() for rank in alone)
    assert [rank.wait() for rank in alone] == [1, 1, 1], logs()
    for rank in alone:
        (error,) = rank.lines("error")
        assert error["code"] == "internal" and error["message"].startswith("Expected more than 1 value per channel"), error
    print("end: three ranks that all failed by themselves named no network")
