"""Where the system refuses threads, the loader and `pack` decode with those there are.

usage: e2e_fewer_threads.py BINARY NO_THREAD

NO_THREAD is no_thread's library.
"""
import os
import subprocess
import sys

import ringlab

LIBRARY = os.path.abspath(sys.argv[2])


def at_most(threads):
    return ringlab.preloaded(LIBRARY, RINGLAB_TEST_THREADS=str(threads))


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=48, val=20)
    options = ("-a", "shufflenet_v2_x0_5", "-b", "8", "--epochs", "2")
    train = lambda name, env, *more: ringlab.start(os.path.join(root, name), 1, data, *options, *more, env=env)[0]
    losses = lambda rank: [(line["step"], line["loss"]) for line in rank.lines("step")] + [(line["epoch"], line["loss"]) for line in rank.lines("eval")]

    # Beside the main thread fewer than four: said once, not in each epoch and each evaluation.
    whole, fewer = train("whole", None, "-j", "4"), train("fewer", at_most(3), "-j", "4")
    assert [whole.wait(), fewer.wait()] == [0, 0], fewer.log()
    (warning,) = [line for line in fewer.lines("warning") if line["code"] == "loader_threads"]
    assert any(f"by {count} of 4 threads" in warning["message"] for count in (1, 2)), warning
    assert losses(whole) == losses(fewer)
    assert not whole.lines("warning"), whole.lines("warning")

    packs = []
    for name, env in (("all", None), ("few", at_most(3))):
        out = os.path.join(root, name)
        done = subprocess.run([ringlab.BINARY, "pack", data, "--out", out, "--workers", "4"], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done
        assert (env is None) == ("decoding threads could be started" not in done.stderr), done.stderr
        assert sorted(os.listdir(out)) == ["train.pack", "val.pack"], os.listdir(out)
        with open(os.path.join(out, "train.pack"), "rb") as file:
            packs.append(file.read())
    assert packs[0] == packs[1]
