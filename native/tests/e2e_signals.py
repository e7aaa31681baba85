"""Console and signals: lines are written at once, a first signal saves and reports it, a second one ends the run at once, ranks and their
launcher end together with the right exit code."""
import os
import pty
import re
import signal
import subprocess
import sys
import time

import ringlab

ringlab.need_torch()
# Also if these tests themselves run under nohup.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

SETTINGS = ["-a", "shufflenet_v2_x0_5", "--image-size", "32", "--threads", "1", "-j", "1", "--lr", "0.01", "--seed", "1", "-b", "12", "--epochs", "100000", "-p", "1"]


class Run:
    """One command with a pipe for its output, read while it runs."""

    def __init__(self, there, arguments, env=None, stdout=None, binary=None, **more):
        os.makedirs(there, exist_ok=True)
        self.dir = there
        self.process = subprocess.Popen([*(binary or [ringlab.BINARY]), *arguments], cwd=there, stdout=stdout or subprocess.PIPE, stderr=subprocess.STDOUT, env=env, **more)
        self.said = b""

    def until(self, words, seconds=120):
        deadline = time.time() + seconds
        os.set_blocking(self.process.stdout.fileno(), False)
        while words.encode() not in self.said:
            self.said += self.process.stdout.read() or b""
            assert time.time() < deadline, f"'{words}' did not come\n{self.said.decode()}"
            assert words.encode() in self.said or self.process.poll() is None, f"ended with {self.process.poll()}\n{self.said.decode()}"
            time.sleep(0.01)
        return self

    def end(self, seconds=120):
        os.set_blocking(self.process.stdout.fileno(), True)
        self.said += self.process.communicate(timeout=seconds)[0]
        return self.process.returncode, self.said.decode()


def living(pids):
    alive = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] != "Z":
                    alive.append(pid)
        except FileNotFoundError:
            pass
    return alive


def until_gone(pids, seconds=120):
    deadline = time.time() + seconds
    while living(pids):
        assert time.time() < deadline, f"still there: {living(pids)}"
        time.sleep(0.02)


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def between_saves(pipe):
    """Occupies a temporary file's name before the next save can."""
    while True:
        try:
            return os.mkfifo(pipe)
        except FileExistsError:
            time.sleep(0.001)


def saved_at(text, there):
    """The stop's line, and that its checkpoint is the one of that step."""
    found = re.search(r"^=> stopped on (\w+) after step (\d+) \(epoch (\d+), (\d+) of its (\d+) steps\); continue from its checkpoint: --resume (\S+)$", text, re.M)
    assert found, text
    assert os.path.realpath(found[6]) == os.path.realpath(os.path.join(there, "checkpoint.pth.tar")), text
    position = ringlab.torch_load(found[6])["position"]
    assert [position["step"], position["epoch"], position["batch"]] == [int(found[2]), int(found[3]), int(found[4])], (position, text)
    return found[1]


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=240, val=10)

    def there(name):
        return os.path.join(root, name.replace(" ", "-"))

    # Into a pipe: a line is written at once, long before the end; an error follows the lines before it.
    # A launcher passes on the signal that it got.
    for world, number in ((1, signal.SIGTERM), (2, signal.SIGINT), (3, signal.SIGTERM)) if ringlab.ALL else ((1, signal.SIGTERM), (2, signal.SIGINT)):
        name = f"term of {world}"
        run = Run(there(name), [data, *SETTINGS, "--nproc-per-node", str(world)]).until("Epoch: [0][")
        assert run.said.decode().startswith("=> creating model 'shufflenet_v2_x0_5'\n"), run.said
        run.process.send_signal(number)
        code, text = run.end()
        assert code == 7, (code, text)
        assert text.count(f"=> {number.name}: ") == 1 and text.count("=> stopped ") == 1, text
        assert saved_at(text, there(name)) == number.name
    gone = os.path.join(root, "gone.pth.tar")
    code, text = Run(there("order"), [data, *SETTINGS, "--resume", gone]).end()
    lines = text.splitlines()
    assert code == 3 and lines[-2] == f"=> loading checkpoint '{gone}'" and lines[-1].startswith("ringlab-train: error: "), text

    # SIGHUP stops as SIGTERM does, but not under nohup.
    run = Run(there("hup"), [data, *SETTINGS]).until("Epoch: [0][")
    run.process.send_signal(signal.SIGHUP)
    code, text = run.end()
    assert code == 7 and saved_at(text, there("hup")) == "SIGHUP", text
    run = Run(there("nohup"), [data, *SETTINGS], preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)).until("Epoch: [0][")
    run.process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert run.process.poll() is None and b"SIGHUP" not in run.said
    run.process.send_signal(signal.SIGTERM)
    assert run.end()[0] == 7

    # A second one ends the run at once: here while the first waits for a FIFO without a reader (an unreachable network file system).
    for world, number in ((1, signal.SIGTERM), (3, signal.SIGINT)):
        name = f"twice {number} of {world}"
        stuck = Run(there(name), [data, *SETTINGS, "--nproc-per-node", str(world)]).until("Epoch: [0][")
        ranks = children_of(stuck.process.pid)
        between_saves(os.path.join(there(name), f"checkpoint.pth.tar.tmp-{ranks[0]}"))
        stuck.process.send_signal(number)
        stuck.until("a second one ends at once")
        time.sleep(1)
        assert stuck.process.poll() is None, "it waits for the write"
        stuck.process.send_signal(number)
        code, text = stuck.end()
        assert code == 128 + number, (code, text)
        until_gone(ranks)
    # timeout(1) signals the command and then its whole group, which counts as one request; it forwards a signal in the same way.
    run = Run(there("timeout"), ["600", ringlab.BINARY, data, *SETTINGS], binary=["timeout"]).until("Epoch: [0][")
    run.process.send_signal(signal.SIGTERM)
    code, text = run.end()
    assert code == 7 and text.count("=> stopped ") == 1 and "second one ends" in text, text

    # Ctrl-C reaches the whole foreground group, the launcher and all its ranks: one message, one checkpoint.
    for world in (1, 2, 3) if ringlab.ALL else (1, 3):
        name = f"terminal of {world}"
        os.makedirs(there(name))
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(there(name))
            os.execv(ringlab.BINARY, [ringlab.BINARY, data, *SETTINGS, "--nproc-per-node", str(world)])
        seen = b""
        pressed = False
        while True:
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break
            if b"Epoch: [0][" in seen and not pressed:
                os.write(terminal, b"\x03")
                pressed = True
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        text = seen.decode().replace("\r\n", "\n")
        assert code == 7 and text.count("=> SIGINT: ") == 1 and text.count("=> stopped ") == 1, (code, text)
        assert saved_at(text, there(name)) == "SIGINT"
        os.close(terminal)

    # Its standard output is closed: it stops, with a checkpoint.
    os.makedirs(there("head"))
    reader, writer = os.pipe()
    run = Run(there("head"), [data, *SETTINGS, "--nproc-per-node", "2"], stdout=writer)
    os.close(writer)
    while b"Epoch: [0][" not in os.read(reader, 4096):
        pass
    os.close(reader)
    assert run.process.wait(120) == 7 and os.path.exists(os.path.join(there("head"), "checkpoint.pth.tar"))
    shown = subprocess.run(["bash", "-c", f"{ringlab.BINARY} --help | head -1; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True)
    assert shown.returncode == 0 and shown.stderr == "" and shown.stdout.startswith("usage: "), shown

    # A killed rank: the launcher names it and exits with the code of a lost peer; no process is left.
    for world, victim in ((2, 0), (2, 1), (3, 1)) if ringlab.ALL else ((2, 0), (3, 1)):
        run = Run(there(f"kill {victim} of {world}"), [data, *SETTINGS, "--nproc-per-node", str(world)]).until("Epoch: [0][")
        ranks = children_of(run.process.pid)
        assert len(ranks) == world
        os.kill(ranks[victim], signal.SIGKILL)
        code, text = run.end()
        assert code == 4 and f"rank {victim} was killed by SIGKILL" in text, (code, text)
        until_gone(ranks)
    run = Run(there("kill the only one"), [data, *SETTINGS, "--nproc-per-node", "1"]).until("Epoch: [0][")
    os.kill(children_of(run.process.pid)[0], signal.SIGKILL)
    assert run.end()[0] == 128 + 9
    # The launcher is killed: its ranks stop, with a checkpoint.
    run = Run(there("orphans"), [data, *SETTINGS, "--nproc-per-node", "3"]).until("Epoch: [0][")
    ranks = children_of(run.process.pid)
    run.process.kill()
    until_gone(ranks)
    assert os.path.exists(os.path.join(there("orphans"), "checkpoint.pth.tar"))

    # --resume on a single rank is refused on each rank; a checkpoint without an optimizer is reported and resumed.
    path = os.path.join(there("term of 2"), "checkpoint.pth.tar")
    for world in (2, 3) if ringlab.ALL else (3,):
        port = ringlab.free_port()
        ranks = [ringlab.start(there(f"one of {world}"), world, data, "-b", "12", "-a", "shufflenet_v2_x0_5", *(["--resume", path] if k == 1 else []), port=port, ranks=[k])[0] for k in range(world)]
        assert [rank.wait() for rank in ranks] == [4] * world
        assert "--resume: rank 0 has none, rank 1 has a value" in ranks[1].log(), ranks[1].log()
    import torch

    bare = os.path.join(root, "bare.pth.tar")
    whole = ringlab.torch_load(path)
    torch.save({"epoch": 0, "arch": whole["arch"], "state_dict": whole["state_dict"], "best_acc1": 0.0}, bare)
    for world in (1, 2) if ringlab.ALL else (2,):
        ranks = ringlab.start(there(f"bare of {world}"), world, data, "-a", "shufflenet_v2_x0_5", "-b", "120", "--epochs", "1", "--resume", bare)
        assert [rank.wait() for rank in ranks] == [0] * world, ranks[0].log()
        (warning,) = ranks[0].lines("warning")
        assert warning["code"] == "state_missing" and "no state of the optimizer" in warning["message"], warning
    sys.stdout.flush()
