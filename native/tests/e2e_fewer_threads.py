"""Where the system refuses threads, the loader and `pack` decode with those there are; a start that lacks one ends with an error.

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

    # Beside the main thread one of four: said once, not in each epoch and each evaluation.
    whole, fewer = train("whole", None, "-j", "4"), train("fewer", at_most(2), "-j", "4")
    assert [whole.wait(), fewer.wait()] == [0, 0], fewer.log()
    (warning,) = [line for line in fewer.lines("warning") if line["code"] == "loader_threads"]
    assert "by 1 of 4 threads" in warning["message"] or "by 0 of 4 threads" in warning["message"], warning
    assert losses(whole) == losses(fewer)
    assert not whole.lines("warning"), whole.lines("warning")

    packs = []
    for name, env in (("all", None), ("few", at_most(2))):
        out = os.path.join(root, name)
        done = subprocess.run([ringlab.BINARY, "pack", data, "--out", out, "--workers", "4"], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done
        assert (env is None) == ("decoding threads could be started" not in done.stderr), done.stderr
        assert sorted(os.listdir(out)) == ["train.pack", "val.pack"], os.listdir(out)
        with open(os.path.join(out, "train.pack"), "rb") as file:
            packs.append(file.read())
    assert packs[0] == packs[1]

    # Whichever thread of a start of two ranks is refused, it ends with an exit code of its own, and not by a signal without a word.
    for number in range(1, 7):
        there = os.path.join(root, f"number-{number}")
        port = ringlab.free_port()
        short = ("-a", "squeezenet1_1", "-b", "8", "--epochs", "1", "-j", "0")
        (bad,) = ringlab.start(there, 2, data, *short, port=port, ranks=[1], env=ringlab.preloaded(LIBRARY, RINGLAB_TEST_NO_THREAD_NUMBER=str(number)))
        (other,) = ringlab.start(there, 2, data, *short, port=port, ranks=[0])
        code = bad.wait()
        other.process.kill()
        other.process.wait()
        print(f"thread {number}: {code} {[line['message'] for line in bad.lines('error')]}")
        assert code >= 0, (number, code, bad.log())
