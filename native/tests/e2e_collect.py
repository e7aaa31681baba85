"""`collect`: files and output of a script become metrics lines, each once, within a second, across kill -9."""
import contextlib
import json
import os
import signal
import struct
import subprocess
import time
import zlib

import ringlab


class Script:
    """The folders of a rank, and what its script writes."""

    def __init__(self, root, rank=0, work=None):
        self.rank = rank
        self.dir = os.path.join(root, f"rank-{rank}")
        self.work = work or os.path.join(root, "code")
        os.makedirs(self.dir)
        os.makedirs(self.work, exist_ok=True)
        self.append("launch.sh", "")  # as the launcher leaves it: older files are of another run

    def append(self, path, data):
        with open(os.path.join(self.dir, path), "ab") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def prints(self, text):
        self.append("log.txt", text)

    def end(self, attempt=1):
        path = os.path.join(self.dir, "exit.json")
        with open(path + ".tmp", "w") as file:
            json.dump({"code": 0, "signal": None, "t": time.time(), "attempt": attempt}, file)
        os.rename(path + ".tmp", path)

    def lines(self, kind=None):
        path = os.path.join(self.dir, "metrics.jsonl")
        if not os.path.exists(path):
            return []
        with open(path) as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        assert [line["seq"] for line in lines] == list(range(len(lines))), "numbered without a gap"
        return [line for line in lines if kind is None or line["kind"] == kind]

    def wait_for(self, condition, what, seconds=60):
        deadline = time.time() + seconds
        while not condition(self.lines()):
            assert time.time() < deadline, f"{what}\n{self.lines()[-5:]}"
            time.sleep(0.02)


@contextlib.contextmanager
def collecting(*scripts, options=()):
    command = [ringlab.BINARY, "collect"]
    for script in scripts:
        command += ["--rank", f"{script.rank}={script.dir}:{script.work}"]
    process = subprocess.Popen([*command, *options])
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def crc32c(data):
    """Bit by bit, from the polynomial of RFC 3720."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def event(step, tag=None, value=None):
    """A record of an event file, as torch.utils.tensorboard writes it; `value`: a number, or the bytes of a picture's or histogram's field."""
    field = value if isinstance(value, bytes) else b"" if value is None else b"\x15" + struct.pack("<f", value)
    summary = b"" if tag is None else message(5, message(1, message(1, tag.encode()) + field))
    data = b"\x09" + struct.pack("<d", time.time()) + (b"\x10" + varint(step) if step else b"") + (message(3, b"brain.Event:2") if tag is None else summary)
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def wandb_record(data):
    """A record of a run-*.wandb in one piece: LevelDB's log format."""
    return struct.pack("<IHB", zlib.crc32(b"\x01" + data), len(data), 1) + data


def values(script, source=None):
    return [(line.get("step"), line.get("epoch"), line["values"]) for line in script.lines("scalar") if source is None or line["from"] == source]


def test_lines_of_all_kinds(root):
    script = Script(root)
    with collecting(script, options=["--output", "out/metrics.jsonl"]) as process:
        script.append("ringlab.jsonl", json.dumps({"t": time.time(), "step": 3, "values": {"train": {"loss": 0.5}, "lr": 0.1}}) + "\n")
        script.append("ringlab.jsonl", json.dumps({"t": time.time(), "config": {"batch": 32, "model": "mine"}}) + "\n")
        os.makedirs(os.path.join(script.work, "out"))
        script.append(os.path.join(script.work, "out", "metrics.jsonl"), '{"epoch": 1, "global_step": 20, "acc": NaN, "note": "x"}\nnot json\n')
        script.append(os.path.join(script.work, "best.pt"), b"weights")
        script.append(os.path.join(script.work, "best.pt.txt"), b"no checkpoint")
        script.append("ringlab.jsonl", json.dumps({"t": time.time(), "save": os.path.join(script.work, "best.pt.txt")}) + "\n")
        script.prints("Using device cpu\nEpoch: [2][ 10/100]\tTime  0.100 ( 0.200)\tLoss 6.9e+00 (7.0e+00)\tAcc@1   1.50 (  0.75)\n")
        script.prints("Train Epoch: 3 [640/60000 (1%)]\tLoss: 2.")
        script.wait_for(lambda lines: len([line for line in lines if line["kind"] == "scalar"]) >= 3 and any(line["kind"] == "file" and line["path"] == "best.pt" for line in lines), "the lines come while the script runs")
        assert all("Loss: 2." not in line.get("values", {}) for line in script.lines()), "an incomplete line waits"
        script.prints("25\n")
        script.end()
        assert process.wait(60) == 0, "ends by itself"
    assert values(script, "ringlab") == [(3, None, {"train/loss": 0.5, "lr": 0.1})], values(script)
    assert values(script, "json") == [(20, 1, {"acc": "NaN"})], values(script)
    printed = values(script, "output")
    assert printed[0] == (10, 2, {"train/Time": 0.1, "train/Loss": 6.9, "train/Acc@1": 1.5}), printed
    assert printed[1][1:] == (3, {"train/Loss": 2.25}), printed
    assert {line["path"]: line["bytes"] for line in script.lines("file")} == {"best.pt": 7, "best.pt.txt": 13}, script.lines("file")
    assert [line["settings"] for line in script.lines("script_config")] == [{"batch": 32, "model": "mine"}]
    (problem,) = script.lines("collect_problem")
    assert problem["file"] == "out/metrics.jsonl" and "not a JSON object" in problem["reason"], problem
    assert script.lines("script_progress")[-1]["epoch"] == 3
    assert script.lines()[-1]["kind"] == "collect_end" and len(script.lines("collect_end")) == 1


def test_within_a_second(root):
    """Not an exact limit: ten lines a second apart, of which the quickest shows what a quiet machine does."""
    script = Script(root)
    took = []
    with collecting(script):
        for step in range(10):
            written = time.time()
            script.append("ringlab.jsonl", json.dumps({"step": step, "values": {"a": step}}) + "\n")
            script.wait_for(lambda lines, step=step: any(line.get("step") == step for line in lines), "the line comes")
            took.append(time.time() - written)
    assert min(took) < 1, took


def test_killed_at_any_time(root):
    """No line is lost or written twice, whenever the collector is killed."""
    script = Script(root)
    count = 0
    for attempt in range(8):
        with collecting(script) as process:
            for _ in range(150):
                script.append("ringlab.jsonl", json.dumps({"step": count, "values": {"package": count}}) + "\n")
                script.prints(f"step {count}: loss {count}.5\n")
                count += 1
                time.sleep(0.002)
            if attempt % 2 == 0:
                process.kill()
            else:
                process.terminate()
                # On a busy machine the signal may come before the collector handles it: then it ends it, as a kill does.
                assert process.wait(60) in (0, -signal.SIGTERM), "a stop is no error"
    with contextlib.suppress(FileNotFoundError):  # on a busy machine each was killed before it wrote one
        os.remove(os.path.join(script.dir, "collect.json"))  # the lines alone say how far it was
    script.prints("step 9999: loss 1.0\n")
    script.end()
    with collecting(script) as process:
        assert process.wait(60) == 0
    assert [step for step, _, _ in values(script, "ringlab")] == list(range(count))
    steps = [step for step, _, _ in values(script, "output")]
    assert steps == [*range(count), 9999], [step for index, step in enumerate(steps) if step != index][:20]
    with collecting(script) as process:
        assert process.wait(60) == 0
    assert not script.lines("collect_problem"), script.lines("collect_problem")
    assert len(script.lines("collect_end")) == 1, "a collector that is started again after the end adds nothing"


def test_two_attempts(root):
    script = Script(root)
    script.prints("loss: 1.5\n")
    script.end(1)
    with collecting(script, options=["--attempt", "1"]) as process:
        assert process.wait(60) == 0
    script.prints("loss: 2.5\n")
    os.remove(os.path.join(script.dir, "exit.json"))
    with collecting(script, options=["--attempt", "2"]) as process:
        script.wait_for(lambda lines: any(line.get("values") == {"loss": 2.5} for line in lines), "the second attempt goes on")
        script.end(2)
        assert process.wait(60) == 0
    assert [value["loss"] for _, _, value in values(script)] == [1.5, 2.5]
    assert [line["attempt"] for line in script.lines("collect_end")] == [1, 2]


def test_steps_of_two_attempts(root):
    """A script that continues from its own checkpoint counts from there, also behind a collector that was killed."""
    script = Script(root)
    script.prints("step 80 loss: 5\nstep 112 loss: 4\n")
    with collecting(script, options=["--attempt", "1"]) as process:
        script.wait_for(lambda lines: any(line.get("step") == 112 for line in lines), "the first attempt is read")
        process.kill()
    script.prints("step 113 loss: 3.5\n[ringlab] attempt 2\nstep 100 loss: 4.5\nstep 113 loss: 3\n")
    script.end(2)
    with collecting(script, options=["--attempt", "2"]) as process:
        assert process.wait(60) == 0
    assert [line.get("step") for line in script.lines() if line["kind"] in ("scalar", "collect_end")] == [80, 112, 113, None, 100, 113, None], "the end of the first attempt stands where it ended"
    assert [line["attempt"] for line in script.lines("collect_end")] == [1, 2]


def test_started_again_in_one_attempt(root):
    """A requeued job starts the same attempt again: behind a collector that saw the end, and behind one that was lost with its node."""
    script = Script(root)
    script.prints("step 1 loss: 5\n")
    script.end(1)
    with collecting(script) as process:
        assert process.wait(60) == 0
    os.remove(os.path.join(script.dir, "exit.json"))
    script.prints("[ringlab] attempt 1\nstep 1 loss: 4\n")
    with collecting(script) as process:
        script.wait_for(lambda lines: any(line.get("values") == {"loss": 4} for line in lines), "the second start goes on")
        script.end(1)
        assert process.wait(60) == 0
    assert [line.get("step") for line in script.lines() if line["kind"] in ("scalar", "collect_end")] == [1, None, 1, None]

    lost = Script(os.path.join(root, "lost"))
    lost.prints("step 1 loss: 5\n")
    with collecting(lost) as process:
        lost.wait_for(lambda lines: any(line.get("step") == 1 for line in lines), "the first start is read")
        process.terminate()
        process.wait(60)
    lost.prints("step 2 loss: 4\n[ringlab] attempt 1\nstep 1 loss: 3\n")
    with collecting(lost) as process:
        lost.wait_for(lambda lines: any(line.get("values") == {"loss": 3} for line in lines), "the second start goes on")
        lost.end(1)
        assert process.wait(60) == 0
    assert [line.get("step") for line in lost.lines() if line["kind"] in ("scalar", "collect_end")] == [1, 2, None, 1, None]

    third = Script(os.path.join(root, "third"))
    third.prints("step 1 loss: 5\n[ringlab] attempt 3\nstep 1 loss: 4\n")
    with collecting(third, options=["--attempt", "3"]) as process:
        third.wait_for(lambda lines: any(line.get("values") == {"loss": 4} for line in lines), "the third attempt is read")
        process.terminate()
        process.wait(60)
    third.prints("[ringlab] attempt 3\nstep 1 loss: 3\n")
    third.end(3)
    with collecting(third, options=["--attempt", "3"]) as process:
        assert process.wait(60) == 0
    assert [line["attempt"] for line in third.lines("collect_end")] == [2, 3, 3], "an attempt's second start, too"


def test_each_start_of_an_attempt_has_an_end(root):
    """Of three, the collectors of the first and the second were lost with their nodes; the third's was stopped before the rank's end."""
    script = Script(root)

    def read(step):
        with collecting(script) as process:
            script.wait_for(lambda lines: any(line.get("step") == step for line in lines), f"step {step}")
            process.terminate()
            process.wait(60)

    script.prints("step 1 loss: 5\n")
    read(1)
    script.prints("[ringlab] attempt 1\nstep 1 loss: 4\nstep 2 loss: 3\n")
    read(2)
    script.prints("[ringlab] attempt 1\nstep 1 loss: 2\nstep 3 loss: 1\n")
    read(3)
    os.remove(os.path.join(script.dir, "collect.json"))  # the lines alone say which ends are written
    script.end(1)
    with collecting(script) as process:
        assert process.wait(60) == 0
    assert [line.get("step") for line in script.lines() if line["kind"] in ("scalar", "collect_end")] == [1, None, 1, 2, None, 1, 3, None]


def test_event_folders_of_a_requeued_script(root):
    script = Script(root)

    def write(folder, step, value):
        os.makedirs(os.path.join(script.work, folder), exist_ok=True)
        script.append(os.path.join(script.work, folder, f"events.out.tfevents.{step}.host.1.0"), event(step, "loss", value))
        script.wait_for(lambda lines: any(line.get("step") == step for line in lines), folder)

    script.prints("starting\n")
    with collecting(script) as process:
        write("runs/Nov29_10-00_n1", 1, 0.5)
        script.end(1)
        process.wait(60)
    os.remove(os.path.join(script.dir, "exit.json"))
    script.prints("[ringlab] attempt 1\n")
    with collecting(script) as process:
        write("runs/Nov29_12-00_n1", 2, 0.25)
        script.end(1)
        process.wait(60)
    assert [line["values"] for line in script.lines("scalar")] == [{"loss": 0.5}, {"loss": 0.25}], "its names continue those of before"


def test_files_of_a_requeued_rank_stay_its_own(root):
    """The other node's collector begins first: it finds a file that changed after the end of the rank whose file it is."""
    first, second = Script(root), Script(root, 1)
    path = os.path.join(first.work, "log.jsonl")
    options = ["--output", "log.jsonl"]
    first.prints("here\n")
    second.prints("here\n")
    with collecting(second, options=options) as other, collecting(first, options=options) as one:
        first.append(path, '{"step": 1, "a": 1}\n')
        deadline = time.time() + 60
        while not (first.lines("scalar") or second.lines("scalar")):
            assert time.time() < deadline, "one of them reads the file"
            time.sleep(0.02)
        for script, process in ((first, one), (second, other)):
            script.end(1)
            process.wait(60)
    owner, guest = (first, second) if first.lines("scalar") else (second, first)
    for script in (first, second):
        os.remove(os.path.join(script.dir, "exit.json"))
        script.prints("[ringlab] attempt 1\n")
    time.sleep(1)  # the file is to be younger than the end
    with collecting(guest, options=options) as other:
        first.append(path, '{"step": 2, "a": 2}\n')
        time.sleep(3)  # it looks once a second
        with collecting(owner, options=options) as one:
            owner.wait_for(lambda lines: any(line.get("step") == 2 for line in lines), "its own rank goes on with it")
            for script, process in ((owner, one), (guest, other)):
                script.end(1)
                process.wait(60)
    assert [line["step"] for line in owner.lines("scalar")] == [1, 2]
    assert guest.lines("scalar") == []


def test_lines_that_the_disk_lost(root):
    """After a power cut: what is stored elsewhere is not written again, and its numbers are not used for other lines."""
    script = Script(root)
    script.prints("".join(f"step {step}: loss {step}.5\n" for step in range(6)))
    with collecting(script) as process:
        script.wait_for(lambda lines: any(line.get("step") == 5 for line in lines), "all is read")
        process.kill()
    stored, place = script.lines(), script.lines("scalar")[-1]["at"]
    path = os.path.join(script.dir, "metrics.jsonl")
    with open(path) as file:
        kept = file.readlines()[:2]
    with open(path, "w") as file:
        file.writelines(kept)
    script.prints("step 6: loss 6.5\n")
    script.end(2)
    options = ["--attempt", "2", "--stored", f"0={stored[-1]['seq'] + 1},{place}"]
    with collecting(script, options=options) as process:
        assert process.wait(60) == 0
    with open(path) as file:
        added = [json.loads(line) for line in file][2:]
    assert [line["values"] for line in added if line["kind"] == "scalar"] == [{"loss": 6.5}], added
    assert [line["seq"] for line in added] == [stored[-1]["seq"] + 1 + i for i in range(len(added))], added
    for wrong in ["1", "0=", "0=x", "0=1,2", "0=1,a:", "0=a:1", "x=1"]:
        assert subprocess.run([ringlab.BINARY, "collect", "--rank", f"0={script.dir}:{script.work}", "--stored", wrong], capture_output=True, check=False).returncode == 2, wrong


def test_two_ranks(root):
    first, second = Script(root), Script(root, 1)
    with collecting(first, second) as process:
        first.prints("loss: 1.5\n")
        second.prints("loss: 2.5\n")
        first.append(os.path.join(first.work, "a.ckpt"), b"x")
        first.end()
        first.wait_for(lambda lines: lines and lines[-1]["kind"] == "collect_end", "a rank that has ended is complete")
        assert process.poll() is None, "the other goes on"
        second.prints("loss: 3.5\n")
        second.end()
        assert process.wait(60) == 0
    assert [value["loss"] for _, _, value in values(first)] == [1.5]
    assert [value["loss"] for _, _, value in values(second)] == [2.5, 3.5]
    assert [line["path"] for line in first.lines("file")] == ["a.ckpt"] and not second.lines("file"), "a shared folder's files are listed once"


def test_files_of_before_are_not_listed(root):
    script = Script(root)
    script.append(os.path.join(script.work, "old.pt"), b"of another run")
    os.utime(os.path.join(script.work, "old.pt"), (time.time() - 100, time.time() - 100))
    script.append(os.path.join(script.work, "new.pt"), b"new")
    script.end()
    with collecting(script) as process:
        assert process.wait(60) == 0
    assert [line["path"] for line in script.lines("file")] == ["new.pt"]


def test_event_files(root):
    """Of two ranks in one working folder: by the pid in their names; in several folders, with a torn end and a damaged record."""
    first, second = Script(root), Script(root, 1)
    writer = subprocess.Popen(["sleep", "600"])
    with open(os.path.join(second.dir, "pid"), "w") as file:
        json.dump({"pid": writer.pid, "attempt": 1}, file)
    with collecting(first, second) as process:
        runs = os.path.join(first.work, "runs", "exp1")
        os.makedirs(os.path.join(runs, "val"))
        torn = event(2, "loss", 0.375)
        own = os.path.join(runs, "events.out.tfevents.1700000000.node1.1234.0")
        first.append(own, event(0) + event(1, "loss", 0.5) + event(1, "lr", 0.1) + torn[:20])
        first.wait_for(lambda lines: any(line.get("values") == {"loss": 0.5, "lr": 0.1} for line in lines), "a scalar of an event file comes; those of one step are one line")
        first.append(own, torn[20:])
        broken = bytearray(event(3, "loss", 9.0))
        broken[-6] ^= 1
        first.append(own, bytes(broken) + event(4, "loss", 0.125))
        first.append(os.path.join(runs, "val", "events.out.tfevents.1700000000.node1"), event(2, "loss", 0.75))
        first.append(os.path.join(runs, f"events.out.tfevents.1700000000.node1.{writer.pid}.0"), event(7, "loss", 0.0625))
        first.wait_for(lambda lines: any(line.get("step") == 4 for line in lines), "what follows a damaged record comes")
        second.wait_for(lambda lines: any(line.get("step") == 7 for line in lines), "the other rank's file is its own")
        first.end()
        second.end()
        assert process.wait(60) == 0
    writer.kill()
    writer.wait()
    read = values(first, "tensorboard")
    assert sorted(read, key=str) == sorted([(1, None, {"loss": 0.5, "lr": 0.1}), (2, None, {"loss": 0.375}), (4, None, {"loss": 0.125}), (2, None, {"val/loss": 0.75})], key=str), read
    assert values(second) == [(7, None, {"loss": 0.0625})], values(second)
    (problem,) = first.lines("collect_problem")
    assert problem["file"].endswith("1234.0") and "checksum" in problem["reason"], problem


def test_histograms_and_pictures(root):
    """Beside scalars, in one file and across a restart: each once, a picture by the place of its bytes."""
    script = Script(root)
    png = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
    histogram = b"\x09" + struct.pack("<d", 0) + b"\x11" + struct.pack("<d", 2) + message(6, struct.pack("<2d", 1, 1.7e308)) + message(7, struct.pack("<2d", 5, 10))
    picture = b"\x08\x04\x10\x08" + message(4, png)
    name = "runs/events.out.tfevents.1700000000.node1"
    path = os.path.join(script.work, name)
    os.makedirs(os.path.dirname(path))
    with collecting(script) as process:
        script.append(path, event(0) + event(1, "loss", 0.5) + event(1, "weights", message(5, histogram)) + event(1, "samples", message(4, picture)))
        script.wait_for(lambda lines: any(line["kind"] == "picture" for line in lines), "a picture comes")
        process.kill()
        process.wait()
    script.append(path, event(2, "weights", message(5, histogram)) + event(2, "loss", 0.25))
    script.end()
    with collecting(script) as process:
        assert process.wait(60) == 0
    assert values(script, "tensorboard") == [(1, None, {"loss": 0.5}), (2, None, {"loss": 0.25})], values(script)
    (found,) = script.lines("picture")
    assert (found["name"], found["step"], found["format"], found["width"], found["height"], found["file"]) == ("samples", 1, "png", 8, 4, name), found
    with open(path, "rb") as file:
        file.seek(found["offset"])
        assert file.read(found["length"]) == png
    for line in script.lines("histogram"):
        assert (line["name"], line["low"], line["high"], len(line["counts"])) == ("weights", 0, 2, 30), line
        assert abs(sum(line["counts"][:15]) - 5) < 0.01 and abs(sum(line["counts"][15:]) - 10) < 0.01, line
    assert [line["step"] for line in script.lines("histogram")] == [1, 2]


def test_one_home_of_two_nodes(root):
    """Two collectors see the same folders, as on NFS: what both see is collected once, by the rank whose process wrote it where that is known."""
    first, second = Script(root), Script(root, 1)
    writer = subprocess.Popen(["sleep", "600"])
    with open(os.path.join(second.dir, "pid"), "w") as file:
        json.dump({"pid": writer.pid, "attempt": 1}, file)
    options = ["--output", "log.jsonl"]
    with collecting(second, options=options) as two, collecting(first, options=options) as one:
        name = f"events.out.tfevents.1700000000.{os.uname().nodename}"
        first.append(os.path.join(first.work, f"{name}.{writer.pid}.0"), event(0) + event(7, "loss", 0.5))
        first.append(os.path.join(first.work, name), event(0) + event(8, "loss", 0.25))
        first.append(os.path.join(first.work, "log.jsonl"), '{"step": 1, "a": 1}\n')
        first.append(os.path.join(first.work, "model.pt"), b"weights")
        second.wait_for(lambda lines: any(line.get("step") == 7 for line in lines), "the second's own event file is its own")
        first.wait_for(lambda lines: {line.get("step") for line in lines} >= {1, 8} and any(line["kind"] == "file" for line in lines), "the rest is the lowest rank's")
        first.append(os.path.join(first.work, "log.jsonl"), '{"step": 2, "a": 2}\n')
        first.end()
        assert one.wait(60) == 0
        # Its rank has ended: the other goes on with what still changes, where it ended.
        first.append(os.path.join(first.work, "log.jsonl"), '{"step": 3, "a": 3}\n')
        first.append(os.path.join(first.work, "model.pt"), b"more")
        first.append(os.path.join(first.work, name), event(9, "loss", 0.125))
        second.wait_for(lambda lines: {line.get("step") for line in lines} >= {3, 9} and any(line["kind"] == "file" for line in lines), "a file whose rank has ended is taken over")
        second.end()
        assert two.wait(60) == 0
    writer.kill()
    writer.wait()
    assert values(first, "json") == [(1, None, {"a": 1}), (2, None, {"a": 2})], values(first)
    assert values(second, "json") == [(3, None, {"a": 3})], values(second)
    assert values(first, "tensorboard") == [(8, None, {"loss": 0.25})], values(first)
    assert values(second, "tensorboard") == [(7, None, {"loss": 0.5}), (9, None, {"loss": 0.125})], values(second)
    assert [[line["bytes"] for line in script.lines("file")] for script in (first, second)] == [[7], [11]]


def test_a_collector_that_is_gone(root):
    """The files of a node that was lost are taken over, each record once; a restart of who took over reads none again."""
    first, second = Script(root), Script(root, 1)
    path = os.path.join(first.work, "events.out.tfevents.1700000000.node1")
    with collecting(first) as one:
        first.append(path, event(0) + b"".join(event(step, "loss", step) for step in range(1, 6)))
        first.wait_for(lambda lines: any(line.get("step") == 5 for line in lines), "the first reads its file")
        one.kill()
        one.wait()
    for name in ["collect.lock", "launch.sh"]:
        os.utime(os.path.join(first.dir, name), (time.time() - 1000, time.time() - 1000))
    first.append(path, event(6, "loss", 6))
    with collecting(second):
        second.wait_for(lambda lines: any(line.get("step") == 6 for line in lines), "the second goes on")
    for file in os.listdir(second.dir):
        if file == "collect.json":
            os.remove(os.path.join(second.dir, file))
    first.append(path, event(7, "loss", 7))
    with collecting(second) as two:
        second.wait_for(lambda lines: any(line.get("step") == 7 for line in lines), "it goes on after a restart")
        second.end()
        assert two.wait(60) == 0
    steps = [step for script in (first, second) for step, _, _ in values(script)]
    assert steps == list(range(1, 8)), steps


def test_wandb_offline(root):
    script = Script(root)
    with collecting(script) as process:
        folder = os.path.join(script.work, "wandb", "offline-run-20261123_142233-abc")
        os.makedirs(folder)
        item = message(1, message(1, b"train/loss") + message(16, b"0.5")) + message(1, message(1, b"_step") + message(16, b"3"))
        script.append(os.path.join(folder, "run-abc.wandb"), b":W&B" + struct.pack("<HB", 0xBEE1, 0) + wandb_record(message(2, item + message(2, b"\x08\x03"))))
        script.end()
        assert process.wait(60) == 0
    assert values(script, "wandb") == [(3, None, {"train/loss": 0.5})], script.lines()


def test_users_patterns(root):
    script = Script(root)
    path = os.path.join(root, "patterns.json")
    with open(path, "w") as file:
        json.dump([{"name": "score", "pattern": r"Punkte=(\d+) Runde=(?<epoch>\d+)"}, {"name": "bad", "pattern": "("}], file)
    script.prints("\x1b[1mPunkte=12 Runde=3\x1b[0m\n")
    script.end()
    with collecting(script, options=["--patterns", path]) as process:
        assert process.wait(60) == 0
    assert values(script) == [(None, 3, {"score": 12})], script.lines()
    assert [line["file"] for line in script.lines("collect_problem")] == ["patterns"]


def test_names_are_bounded(root):
    script = Script(root)
    for start in range(0, 1200, 300):
        script.append("ringlab.jsonl", json.dumps({"step": start, "values": {f"name {i:04} " + "x" * 300: i for i in range(start, start + 300)}}) + "\n")
    script.append("ringlab.jsonl", json.dumps({"step": 9999, "values": {"name 0000 " + "x" * 300: 1.5, "\n\x1b": 2}}) + "\n")
    script.end()
    with collecting(script) as process:
        assert process.wait(60) == 0
    names = {name for _, _, line in values(script) for name in line}
    assert len(names) == 1000 and all(len(name) == 180 for name in names), len(names)
    assert values(script)[-1][0] == 9999, "known names go on"
    (problem,) = script.lines("collect_problem")
    assert "1,000 names" in problem["reason"], problem
    with open(os.path.join(script.dir, "metrics.jsonl")) as file:
        assert max(map(len, file)) < 128 * 1024, "a reader takes lines up to 128 KiB"


def test_a_flood(root):
    """A script that prints without end: the newest lines are kept, what was left out is said, memory stays small."""
    script = Script(root)
    with collecting(script) as process:
        line = "some output of a script that says a lot, 12345 of it, in every line of its output\n" * 2000
        for step in range(60):
            script.prints(line + "".join(f"step {step}: loss {i}.0\n" for i in range(500)))
        script.prints("step 1000: loss 0.25\n")
        script.wait_for(lambda lines: any(line.get("values") == {"loss": 0.25} for line in lines), "the newest line comes")
        with open(f"/proc/{process.pid}/status") as status:
            peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        # AddressSanitizer keeps freed memory in quarantine.
        assert peak < 100_000 or "ASAN_OPTIONS" in os.environ, f"{peak} kB"
        script.end()
        assert process.wait(60) == 0


def test_a_file_that_is_written_anew(root):
    """Open(path, "w") keeps the file's inode: in mid-run, and by a resumed script while nobody reads."""
    script = Script(root)
    path = os.path.join(script.work, "m.jsonl")

    def write_anew(first, last, loss):
        with open(path, "w") as file:
            for step in range(first, last):
                file.write(json.dumps({"step": step, "loss": loss + step}) + "\n")

    def read_up_to(step, loss):
        script.wait_for(lambda lines: any(line.get("values") == {"loss": loss + step} for line in lines), f"step {step} is read")

    options = ["--output", "m.jsonl"]
    with collecting(script, options=[*options, "--attempt", "1"]) as process:
        write_anew(1, 9, 100)
        read_up_to(8, 100)
        write_anew(5, 8, 200)
        read_up_to(7, 200)
        process.kill()
    write_anew(6, 8, 300)
    with collecting(script, options=[*options, "--attempt", "2"]) as process:
        read_up_to(7, 300)
        process.kill()
    # A collector that goes on takes nothing twice, whatever the app has stored of before.
    lines = script.lines()
    at = lines[-1]["at"].split(":")[0]
    with open(path, "a") as file:
        file.write(json.dumps({"step": 8, "loss": 308}) + "\n")
    script.end(2)
    with collecting(script, options=[*options, "--attempt", "2", "--stored", f"0=3,{at}:5000"]) as process:
        assert process.wait(60) == 0
    assert [value["loss"] for _, _, value in values(script)] == [*range(101, 109), 205, 206, 207, 306, 307, 308]


def test_event_folders_of_a_resumed_script(root):
    """Lightning writes version_1 then: its names continue those of version_0."""
    script = Script(root)
    logs = os.path.join(script.work, "lightning_logs")

    def write(folder, step, value):
        os.makedirs(os.path.join(logs, folder), exist_ok=True)
        script.append(os.path.join(logs, folder, f"events.out.tfevents.{step}.host.1.0"), event(step, "loss", value))
        script.wait_for(lambda lines: any(line.get("step") == step for line in lines), f"{folder} is read")

    with collecting(script, options=["--attempt", "1"]) as process:
        write("version_0", 1, 0.5)
        write("version_0/val", 2, 0.75)
        process.terminate()
        process.wait(60)
    with collecting(script, options=["--attempt", "2"]) as process:
        write("version_1", 3, 0.25)
        write("version_1/val", 4, 0.375)
        # In one attempt two folders are two curves.
        write("version_2", 5, 0.125)
        process.terminate()
        process.wait(60)
    with collecting(script, options=["--attempt", "3"]) as process:
        write("version_1/val", 6, 0.625)
        write("version_3", 7, 0.0625)
        script.end(3)
        assert process.wait(60) == 0
    read = [value for _, _, value in values(script)]
    assert read == [{"loss": 0.5}, {"val/loss": 0.75}, {"loss": 0.25}, {"val/loss": 0.375}, {"version_2/loss": 0.125}, {"val/loss": 0.625}, {"version_3/loss": 0.0625}], read


def test_usage(root):
    for arguments in [[], ["--rank", "0"], ["--rank", "0=/tmp"], ["--rank", "x=/tmp:/tmp"], ["--rank", f"0={root}/no:/tmp"], ["--rank", f"0={root}:{root}", "--attempt", "0"]]:
        result = subprocess.run([ringlab.BINARY, "collect", *arguments], capture_output=True, text=True, timeout=60)
        assert result.returncode == 2 and result.stderr.startswith("ringlab-train: error: collect"), (arguments, result)


for name, test in sorted(globals().items()):
    if name.startswith("test_") and callable(test):
        with ringlab.folder() as folder:
            test(folder)
            print(f"{name}: passed", flush=True)
