"""Which commands load libtorch, and how: from memory, or from a file if memory may not be executed. Argument 2: no_memfd's library."""
import json
import os
import re
import subprocess
import sys

import ringlab

NO_MEMFD = sys.argv[2]


def run(*arguments, cwd=None, **environment):
    return subprocess.run([ringlab.BINARY, *arguments], capture_output=True, text=True, cwd=cwd, timeout=120, env={**os.environ, **environment})


def mentions_libtorch(text):
    """The library's file: the build's folder may have `libtorch` in its name."""
    return re.search(r"libtorch\w*\.so", text) is not None


def maps_libtorch(*arguments, code=0, cwd=None):
    """The files that the dynamic linker maps."""
    done = run(*arguments, cwd=cwd, LD_DEBUG="files")
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr[-2000:])
    assert "libc.so" in done.stderr, "LD_DEBUG says nothing"
    return mentions_libtorch(done.stderr)


with ringlab.folder() as root:
    # A build for debuggers and with sanitizers links the engine: it loads nothing later.
    linked = mentions_libtorch(subprocess.run(["ldd", ringlab.BINARY], capture_output=True, text=True).stdout)
    assert maps_libtorch("facts", "--load"), "the test would see libtorch"
    if not linked:
        port = ringlab.free_port()
        gone = subprocess.Popen(["true"])
        gone.wait()
        for arguments, code in (
            (["--version"], 0),
            (["--help"], 0),
            (["facts"], 0),
            (["facts", "--lod"], 2),
            (["--arch", "resnet19", root], 2),
            (["--no-such-option"], 2),
            (["-a", "resnet18"], 2),
            (["probe", "--connect", f"127.0.0.1:{port}"], 4),
            (["supervise", "--", "--metrics", "lines", "--evaluate", root], 2),
            (["make-shapes", root + "/shapes", "--train", "20", "--val", "10", "--size", "32"], 0),
            (["pack", root + "/shapes", "--edge", "32", "--out", root + "/packed", "--workers", "1"], 0),
            (["monitor", "--metrics", root + "/samples", "--interval", "0.1", "--watch-pid", str(gone.pid)], 0),
        ):
            assert not maps_libtorch(*arguments, code=code, cwd=root), arguments

    # If anonymous memory may not be executed, the engine uses a file without a name; nothing of it is left.
    if not linked:
        os.mkdir(root + "/elsewhere")
        beside = set(os.listdir(os.path.dirname(ringlab.BINARY)))
        done = run("facts", "--load", LD_PRELOAD=NO_MEMFD, TMPDIR=root + "/elsewhere")
        assert done.returncode == 0 and json.loads(done.stdout)["libtorch"], done
        assert set(os.listdir(os.path.dirname(ringlab.BINARY))) == beside and os.listdir(root + "/elsewhere") == []

        # The loader's own message if a library is missing. The system's cache has it, so an invalid library of that name is placed before it.
        os.mkdir(root + "/broken")
        needed = next(line.split()[0] for line in subprocess.run(["ldd", "libringlab_engine.so"], capture_output=True, text=True, cwd=os.path.dirname(ringlab.BINARY)).stdout.splitlines() if "libtorch_cpu" in line)
        with open(f"{root}/broken/{needed}", "w") as file:
            file.write("no library")
        done = run("facts", "--load", LD_LIBRARY_PATH=root + "/broken")
        assert done.returncode == 2 and "libtorch cannot be loaded" in done.stderr and needed in done.stderr, done
        # Commands that do not need it still work.
        assert run("--version", LD_LIBRARY_PATH=root + "/broken").returncode == 0

    # Ranks of one machine are forks of their launcher, which has loaded libtorch once for all of them, or execute its file: both train.
    data = ringlab.make_shapes(root + "/data", train=24, val=10, size=16)
    os.mkdir(root + "/run")
    done = run(data, "-a", "squeezenet1_1", "--image-size", "32", "-b", "8", "--lr", "0.01", "--epochs", "1", "--nproc-per-node", "2", "--threads", "1", "-j", "0", "--no-accel", "--metrics", "m.jsonl", cwd=root + "/run")
    assert done.returncode == 0, done
    ranks = []
    for folder in ("", "rank-1/"):
        with open(f"{root}/run/{folder}m.jsonl") as file:
            ranks.append([json.loads(line) for line in file])
    starts = [lines[0] for lines in ranks]
    assert [line["rank"] for line in starts] == [0, 1] and starts[0]["pid"] != starts[1]["pid"], starts
    assert all(lines[-1]["kind"] == "end" and lines[-1]["exit_code"] == 0 for lines in ranks), ranks
print("ok")
