"""The machine's clock is set by a day, forwards and back, while processes run (fault 33): their lines keep the right time. Argument 2: set_clock's library."""
import json
import os
import subprocess
import sys
import time

import ringlab
from supervised import TRAIN, checkpoints, expect_one_curve, kill_trainer, logs, supervised, until

DAY = 86_400
LIBRARY = os.path.abspath(sys.argv[2])


class Clock:
    """What the processes that are started with `env` take for the machine's clock."""

    def __init__(self, path):
        self.path = path
        # A build with sanitizers wants to be loaded before the library.
        sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.env = {**os.environ, "LD_PRELOAD": LIBRARY, "RINGLAB_TEST_CLOCK": path, "ASAN_OPTIONS": sanitizer.lstrip(":")}

    def set(self, seconds):
        with open(self.path + ".new", "w") as file:
            file.write(str(seconds))
        os.replace(self.path + ".new", self.path)


def boot_id():
    with open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()


def expect_right(lines, since, until_):
    """Within the time in which they were written, and in its order."""
    times = [line["t"] for line in lines]
    wrong = [line for line in lines if not since <= line["t"] <= until_]
    assert not wrong, (since, until_, wrong[:3])
    assert times == sorted(times), [(a, b) for a, b in zip(times, times[1:]) if b < a]


def monitored(root, clock, **variables):
    """The time of a monitor's first line."""
    path = os.path.join(root, "monitor.jsonl")
    if os.path.exists(path):
        os.remove(path)
    process = subprocess.Popen([ringlab.BINARY, "monitor", "--metrics", path, "--interval", "0.05"], env={**clock.env, **variables})
    try:
        deadline = time.time() + 60
        while True:
            if os.path.exists(path):
                with open(path) as file:
                    line = file.readline()
                if line.endswith("\n"):
                    return float(line.split('"t":')[1].split(",")[0])
            assert time.time() < deadline, "a monitor writes a line"
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()


def test_ranks_that_are_started_again(root):
    """The clock is set in mid-run, a trainer is killed and started again, and the clock is set back, farther than it was."""
    clocks = [Clock(os.path.join(root, f"clock-{k}")) for k in range(2)]
    data = ringlab.make_shapes(os.path.join(root, "data"), train=TRAIN, val=10)
    since = time.time()
    ranks = supervised(os.path.join(root, "run"), data, "--checkpoint-every", "0.001", epochs=20, env=lambda k: clocks[k].env)
    until(lambda: len(checkpoints(ranks[0])) >= 2, ranks)
    clocks[0].set(DAY)
    clocks[1].set(-DAY)
    saved = len(checkpoints(ranks[0]))
    until(lambda: len(checkpoints(ranks[0])) > saved, ranks)
    kill_trainer(ranks[1])
    until(lambda: len(ranks[0].lines("start")) == 2 and len(ranks[1].lines("start")) == 2, ranks)
    saved = len(checkpoints(ranks[0]))
    until(lambda: len(checkpoints(ranks[0])) > saved, ranks)
    clocks[0].set(-DAY)
    clocks[1].set(DAY)
    codes = [rank.wait() for rank in ranks]
    assert codes == [0, 0], logs(ranks)
    for rank in ranks:
        expect_right(rank.lines(), since, time.time())
        assert rank.lines("end")[-1]["reason"] == "finished", rank.lines("end")
    assert len(ranks[0].lines("restart")) == 1, "one attempt and the next"
    expect_one_curve(ranks, 20)


def test_a_wrong_clock_at_the_start(root):
    """RINGLAB_CLOCK_ABOUT is what the app has measured, RINGLAB_CLOCK what a supervisor gives its trainers."""
    clock = Clock(os.path.join(root, "clock"))
    clock.set(DAY)
    at_boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    about = f"{at_boot:.3f},{boot_id()}"
    ahead = lambda **variables: monitored(root, clock, **variables) - time.time()
    assert abs(ahead() - DAY) < 60, "nothing else is known"
    assert abs(ahead(RINGLAB_CLOCK_ABOUT=about)) < 60
    assert abs(ahead(RINGLAB_CLOCK=f"{at_boot + 1000:.6f}", RINGLAB_CLOCK_ABOUT=about) - 1000) < 60, "the exact one counts"
    clock.set(0)
    assert abs(ahead(RINGLAB_CLOCK_ABOUT=f"{at_boot - 5000},{boot_id()}") + 5000) < 60
    before = time.time()
    assert before <= monitored(root, clock, RINGLAB_CLOCK_ABOUT=f"{at_boot - 1.9},{boot_id()}"), "a clock that is right is more exact"
    for nonsense in ("", "x", "nan", "inf", "-5", "1e300", "1700000000x", " 1700000000", "1700000000,"):
        assert abs(ahead(RINGLAB_CLOCK=nonsense)) < 60, nonsense
    for nonsense in ("", ",", "0,", "0", "0,another", f"x,{boot_id()}", f"0 ,{boot_id()}", f"0,{boot_id()},"):
        assert abs(ahead(RINGLAB_CLOCK_ABOUT=nonsense)) < 60, nonsense


def test_what_a_script_writes(root):
    """Its records bear the machine's clock, and so do its files."""
    clock = Clock(os.path.join(root, "clock"))
    folder, work = os.path.join(root, "rank-0"), os.path.join(root, "code")
    os.makedirs(folder)
    os.makedirs(work)
    metrics = os.path.join(folder, "metrics.jsonl")
    for path in (os.path.join(folder, "launch.sh"), os.path.join(work, "old.pt"), os.path.join(work, "kept.pt")):
        with open(path, "w") as file:
            file.write("x")
    for name in ("old.pt", "kept.pt"):
        os.utime(os.path.join(work, name), (time.time() - 100, time.time() - 100))
    since = time.time()
    wrong = 0

    def log(step, value):
        with open(os.path.join(folder, "ringlab.jsonl"), "a") as file:
            file.write(json.dumps({"t": time.time() + wrong, "step": step, "values": {"loss": value}}) + "\n")

    def lines(kind=None):
        if not os.path.exists(metrics):
            return []
        with open(metrics) as file:
            found = [json.loads(line) for line in file if line.endswith("\n")]
        return [line for line in found if kind in (None, line["kind"])]

    def seen(count):
        deadline = time.time() + 60
        while len(lines("scalar")) < count:
            assert time.time() < deadline, lines()
            time.sleep(0.02)

    process = subprocess.Popen([ringlab.BINARY, "collect", "--rank", f"0={folder}:{work}"], env=clock.env)
    try:
        log(1, 0.5)
        seen(1)
        for number, wrong in enumerate((DAY, -DAY), 2):
            clock.set(wrong)
            log(number, 0.5)
            seen(number)
        for name in ("new.pt", "old.pt"):
            with open(os.path.join(work, name), "w") as file:
                file.write("written")
            os.utime(os.path.join(work, name), (time.time() - DAY, time.time() - DAY))
        with open(os.path.join(folder, "exit.json"), "w") as file:
            file.write('{"code":0,"signal":null,"t":0,"attempt":1}')
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
    expect_right(lines(), since - 0.01, time.time() + 0.01)
    assert sorted(line["path"] for line in lines("file")) == ["new.pt", "old.pt"], lines("file")


for test in (test_a_wrong_clock_at_the_start, test_what_a_script_writes, test_ranks_that_are_started_again):
    with ringlab.folder() as folder_:
        test(folder_)
        print(test.__name__)
