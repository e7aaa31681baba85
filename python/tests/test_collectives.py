"""Where a rank stands among its collectives: seen without changing one of them, and harmless wherever it is started."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

from harness import PACKAGE

STARTUP = PACKAGE / "ringlab" / "startup"


def torch_python():
    """A Python with torch.distributed: one that RINGLAB_SCRIPTS_PYTHON names, this one or the distribution's."""
    for python in (os.environ.get("RINGLAB_SCRIPTS_PYTHON"), sys.executable, "/usr/bin/python3"):
        if not python:
            continue
        done = subprocess.run([python, "-c", "import torch.distributed as d; assert d.is_available()"], capture_output=True, check=False)
        if done.returncode == 0:
            return python
    return None


class Collectives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, program, rank=None, size=2, port=0, python=sys.executable, path=(), **environment):
        place = self.folder / f"rank-{rank or 0}"
        place.mkdir(exist_ok=True)
        script = self.folder / "train.py"
        script.write_text(textwrap.dedent(program), "utf-8")
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(STARTUP), *path]), "RINGLAB_RANK_DIR": str(place), "RINGLAB_QUIET_SECONDS": "0.6", **environment}
        if rank is not None:
            variables.update(RANK=str(rank), WORLD_SIZE=str(size), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), OMP_NUM_THREADS="1")
            # Gloo warns where the machine's own name has no address.
            variables.setdefault("GLOO_SOCKET_IFNAME", "lo")
            variables.update(environment)
        process = subprocess.Popen([python, str(script)], env=variables, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return process

    def lines(self, rank):
        path = self.folder / f"rank-{rank}" / "ringlab.jsonl"
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
        return [line["collectives"] for line in lines if "collectives" in line]

    def until(self, rank, wanted):
        """The first line of the rank that is wanted; the test's own time limit ends a wait for one that does not come."""
        for _ in range(1200):
            for line in self.lines(rank):
                if wanted(line):
                    return line
            time.sleep(0.1)
        raise AssertionError(f"rank {rank} wrote {self.lines(rank)}")


class WithTorch(Collectives):
    def setUp(self):
        super().setUp()
        self.python = torch_python()
        if self.python is None:
            self.skipTest("no torch with torch.distributed")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def test_a_rank_that_leaves_out_a_collective(self):
        program = """
            import pathlib, time, torch, torch.distributed as dist
            from torch.nn.parallel import DistributedDataParallel
            def pause():
                while not pathlib.Path("go").exists(): time.sleep(0.05)
            dist.init_process_group("gloo")
            model = DistributedDataParallel(torch.nn.Linear(8, 8))
            for _ in range(3):
                model(torch.ones(2, 8)).sum().backward()
            if dist.get_rank() == 1: pause()
            dist.all_reduce(torch.ones(64))
            dist.barrier()
            print("passed")
        """
        ranks = [self.start(program, rank, port=self.port, python=self.python) for rank in (0, 1)]
        # On a busy machine a rank may rest elsewhere before.
        waiting = self.until(0, lambda line: line.get("operation", {}).get("name") == "all_reduce")
        missing = self.until(1, lambda line: line.get("place", {}).get("function") == "pause")
        # Newer versions say the group, too.
        self.assertEqual({**waiting["operation"], "group": "0"}, {"name": "all_reduce", "shape": [64], "dtype": "float32", "group": "0"})
        self.assertEqual(waiting["place"]["text"], "dist.all_reduce(torch.ones(64))")
        self.assertEqual((missing["place"]["file"], missing["place"]["function"]), ("train.py", "pause"))
        # DistributedDataParallel's own collectives are counted, and the same on both.
        (here,), (there,) = waiting["groups"], missing["groups"]
        self.assertGreater(there["count"], 3)
        self.assertEqual([line for rank in (0, 1) for line in self.lines(rank) if "apart" in line], [])
        self.assertEqual((here["name"], here["ranks"], here["count"]), (there["name"], [0, 1], there["count"] + 1))
        (self.folder / "go").touch()
        for process in ranks:
            self.assertEqual((process.communicate(timeout=120)[0], process.returncode), ("passed\n", 0))

    def test_a_script_that_makes_a_group_of_its_own_on_each_node(self):
        """As tutorials for one machine do: processes by `mp.spawn`, which meet at localhost."""
        program = f"""
            import os, pathlib, time
            os.environ["MASTER_ADDR"] = "localhost"
            os.environ["MASTER_PORT"] = "{self.port}"
            os.environ["WORLD_SIZE"] = "1"
            import torch, torch.distributed as dist, torch.multiprocessing as mp
            def work(rank, size):
                dist.init_process_group("gloo", rank=rank, world_size=size)
                dist.all_reduce(torch.ones(1))
                while not pathlib.Path("go").exists(): time.sleep(0.05)
                dist.destroy_process_group()
            if __name__ == "__main__":
                mp.spawn(work, args=(2,), nprocs=2)
        """

        def said():
            return [line["apart"] for line in self.lines(1) if line["state"] == "moving"]

        for given, others in ((4, {"MASTER_ADDR": "127.0.0.1"}), (2, {"MASTER_ADDR": "10.9.8.7"})):
            with self.subTest(given=given):
                process = self.start(program, 1, given, python=self.python, LOCAL_WORLD_SIZE="1", **others)
                # Not a group that has been destroyed: its process may end before the thread looks again.
                self.until(1, lambda _: len(said()) == 2)
                self.assertEqual(said(), [{"given": given, "address": "localhost", "size": 2}] * 2)
                (self.folder / "go").touch()
                self.assertEqual((process.communicate(timeout=240)[0], process.returncode), ("", 0))
                (self.folder / "go").unlink()
                shutil.rmtree(self.folder / "rank-1")

    def test_a_script_whose_ranks_look_for_each_other_on_their_own_node(self):
        program = f"""
            import torch.distributed as dist
            dist.init_process_group("gloo", "tcp://localhost:{self.port}", rank=1, world_size=2)
        """
        self.start(program, 1, 2, python=self.python, LOCAL_WORLD_SIZE="1", MASTER_ADDR="10.9.8.7")
        line = self.until(1, lambda line: line["state"] == "joining")
        self.assertEqual(line["apart"], {"given": 2, "address": "localhost"})

    def test_a_rank_that_leaves_out_what_pytorch_began_by_itself(self):
        program = """
            import pathlib, time, torch, torch.distributed as dist
            from torch.nn.parallel import DistributedDataParallel
            def pause():
                while not pathlib.Path("go").exists(): time.sleep(0.05)
            dist.init_process_group("gloo")
            model = DistributedDataParallel(torch.nn.Linear(8, 8))
            loss = model(torch.ones(2, 8)).sum()
            if dist.get_rank() == 1: pause()
            loss.backward()
            print("passed")
        """
        probe = "import torch.distributed as d, torch._C._distributed_c10d as c; print(hasattr(c, '_dump_fr_trace_json'))"
        records = subprocess.run([self.python, "-c", probe], capture_output=True, text=True, check=True).stdout.strip() == "True"
        ranks = [self.start(program, rank, port=self.port, python=self.python) for rank in (0, 1)]
        waiting = self.until(0, lambda line: line["state"] == "resting" and line.get("place", {}).get("text") == "loss.backward()")
        missing = self.until(1, lambda line: line.get("place", {}).get("function") == "pause")
        (here,), (there,) = waiting["groups"], missing["groups"]
        self.assertEqual(here["count"], there["count"] + 1)
        # All gradients are one bucket.
        expected = {"name": "all_reduce", "shape": [72], "dtype": "float32", "group": "0"}
        self.assertEqual(waiting.get("operation"), expected if records else None)
        self.assertNotIn("operation", missing)
        (self.folder / "go").touch()
        for process in ranks:
            self.assertEqual((process.communicate(timeout=120)[0], process.returncode), ("passed\n", 0))

    def test_the_end_of_a_group_whose_threads_need_the_interpreters_lock(self):
        """Without the package PyTorch 1.13 waits for ever in one of these rounds."""
        program = """
            import os, sys, torch, torch.distributed as dist
            from torch.nn.parallel import DistributedDataParallel
            sys.setswitchinterval(100)
            def count():
                total = torch.ones(3)
                dist.all_reduce(total)
                return float(total[0])
            def train(round):
                dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/meet-{round}", rank=int(os.environ["RANK"]), world_size=2)
                model = DistributedDataParallel(torch.nn.Linear(64, 64))
                for _ in range(5):
                    model(torch.ones(4, 64)).sum().backward()
                count()
                dist.destroy_process_group()
            for round in range(12):
                train(round)
            print("passed")
        """
        ranks = [self.start(program, rank, port=self.port, python=self.python) for rank in (0, 1)]
        for process in ranks:
            self.assertEqual((process.communicate(timeout=120)[0], process.returncode), ("passed\n", 0))

    def test_a_rank_that_does_not_join(self):
        program = """
            import torch.distributed as dist
            dist.init_process_group("gloo")
        """
        process = self.start(program, 0, port=self.port, python=self.python)
        line = self.until(0, lambda line: line["state"] == "joining")
        self.assertEqual((line["rank"], line["groups"]), (0, []))
        self.assertEqual(line["place"]["text"], 'dist.init_process_group("gloo")')
        process.kill()

    def test_one_process_alone_has_no_record(self):
        program = """
            import torch.distributed as dist, torch, time
            dist.init_process_group("gloo")
            dist.all_reduce(torch.ones(1)); time.sleep(1.5); print(dist.all_reduce.__module__)
        """
        process = self.start(program, 0, size=1, port=self.port, python=self.python)
        self.assertEqual(process.communicate(timeout=120)[0], "torch.distributed.distributed_c10d\n")
        self.assertEqual(self.lines(0), [])


class WithoutTorch(Collectives):
    def test_the_next_sitecustomize_is_run_and_ours_is_gone(self):
        own = self.folder / "own"
        own.mkdir()
        (own / "sitecustomize.py").write_text("value = 7\n", "utf-8")
        program = "import sys, sitecustomize; print(sitecustomize.value, 'torch' in sys.modules, any('startup' in p for p in sys.path), sys.flags.no_site)"
        self.assertEqual(self.start(program, path=[str(own)]).communicate(timeout=60)[0], "7 False False 0\n")

    def test_without_another_one_nothing_is_said(self):
        self.assertEqual(self.start("print('ran')").communicate(timeout=60)[0], "ran\n")

    def test_an_error_in_the_users_own_is_the_users(self):
        own = self.folder / "own"
        own.mkdir()
        (own / "sitecustomize.py").write_text("raise ValueError('mine')\n", "utf-8")
        said = self.start("print('ran')", path=[str(own)]).communicate(timeout=60)[0]
        self.assertIn("ValueError: mine", said)
        self.assertIn("ran\n", said)

    def torch_of(self, text):
        package = self.folder / "fake" / "torch" / "distributed"
        package.mkdir(parents=True)
        (package.parent / "__init__.py").write_text("", "utf-8")
        (package / "__init__.py").write_text("from .distributed_c10d import *\n", "utf-8")
        (package / "distributed_c10d.py").write_text(textwrap.dedent(text), "utf-8")
        return [str(self.folder / "fake")]

    def test_a_torch_of_another_shape_is_left_alone(self):
        path = self.torch_of(
            """
            _pg_map = 7
            def init_process_group(backend): return backend
            class Broken:
                def __call__(self): return 5
                def __getattr__(self, name): raise RuntimeError(name)
            new_group = Broken()
            """
        )
        program = "import torch.distributed as d, time; print(d.init_process_group('x'), d.new_group()); time.sleep(1.5)"
        self.assertEqual(self.start(program, 0, path=path).communicate(timeout=60)[0], "x 5\n")

    def test_a_group_that_counts_by_kind_of_device(self):
        path = self.torch_of(
            """
            class Counter:
                def __init__(self, count): self.count = count
                def _get_sequence_number_for_group(self): return self.count
            class Group:
                _device_types = ("cpu", "cuda")
                def _get_backend(self, device): return Counter({"cpu": 3, "cuda": 4}[device])
            group = Group()
            _pg_map, _pg_names, _pg_group_ranks = {}, {}, {}
            def get_rank(): return 1
            def init_process_group(): _pg_map[group] = 1; _pg_names[group] = "0"; _pg_group_ranks[group] = {0: 0, 1: 1}
            """
        )
        program = "import torch.distributed as d, time; d.init_process_group(); time.sleep(2)"
        self.start(program, 1, path=path).communicate(timeout=60)
        # One that still rests says so again where its stack is another.
        states = [line["state"] for line in self.lines(1)]
        self.assertEqual((states[:4], set(states[4:]) - {"resting"}), (["started", "joining", "moving", "resting"], set()))
        self.assertEqual(self.lines(1)[3]["groups"], [{"name": "0", "count": 0, "ranks": [0, 1]}])

    def test_a_rank_that_rests_again_and_again(self):
        path = self.torch_of(
            """
            class Group:
                count = 0
                def _get_sequence_number_for_group(self): return self.count
            group = Group()
            _pg_map, _pg_names, _pg_group_ranks = {}, {}, {}
            def get_rank(): return 1
            def init_process_group(): _pg_map[group] = 1; _pg_names[group] = "0"; _pg_group_ranks[group] = {0: 0, 1: 1}
            def destroy_process_group(): _pg_map.clear()
            """
        )
        program = """
            import json, os, time
            import ringlab._collectives as watch
            watch.LINES_TO_DOUBLE, watch.MAX_QUIET_SECONDS = 4, 0.6
            import torch.distributed as d
            from torch.distributed import distributed_c10d as c
            def until(state):
                while True:
                    with open(os.path.join(os.environ["RINGLAB_RANK_DIR"], "ringlab.jsonl")) as file:
                        said = [json.loads(line)["collectives"]["state"] for line in file if line.endswith("\\n")]
                    if said[-1] == state: return
                    time.sleep(0.05)
            c.init_process_group()
            for _ in range(4):
                until("resting")
                c.group.count += 1
                until("moving")
            c.destroy_process_group()
            until("left")
        """
        self.start(program, 1, path=path).communicate(timeout=100)
        lines = self.lines(1)
        # A rank whose stack is another at each look says `resting` again.
        states = [line["state"] for line, before in zip(lines, [{"state": ""}, *lines]) if line["state"] != before["state"]]
        self.assertEqual(states, ["started", "joining", "moving", *["resting", "moving"] * 4, "left"])
        self.assertEqual([line["groups"][0]["count"] for line in lines if line["state"] == "moving"], [0, 1, 2, 3, 4])
        # The more it has said, the longer it is believed.
        self.assertGreaterEqual([line["quiet"] for line in lines if line["state"] == "resting"][-1], 1.2)

    def recorded_by(self, dump):
        """The last line of a rank that rests, with a flight recorder of this source."""
        path = self.torch_of(
            """
            import torch._C._distributed_c10d
            class Group:
                def _get_sequence_number_for_group(self): return 3
            group = Group()
            _pg_map, _pg_names, _pg_group_ranks = {}, {}, {}
            def get_rank(): return 1
            def init_process_group(): _pg_map[group] = 1; _pg_names[group] = "0"; _pg_group_ranks[group] = {0: 0, 1: 1}
            """
        )
        inner = self.folder / "fake" / "torch" / "_C"
        inner.mkdir()
        (inner / "__init__.py").write_text("", "utf-8")
        (inner / "_distributed_c10d.py").write_text(textwrap.dedent(dump), "utf-8")
        program = "import torch.distributed as d, time; d.init_process_group(); time.sleep(2)"
        self.start(program, 1, path=path).communicate(timeout=60)
        return self.lines(1)[-1]

    def test_what_the_flight_recorder_knows_to_be_under_way(self):
        line = self.recorded_by(
            """
            import json
            def entry(name, t, **more):
                return {"profiling_name": name, "time_created_ns": t, "process_group": ["0", "default_pg"], "input_sizes": [[64, 2], [3]], "input_dtypes": ["BFloat16", "Float"], **more}
            def _dump_fr_trace_json(collectives, active):
                entries = [entry("gloo:all_reduce", 1), entry("gloo:_all_gather_base", 5), entry("gloo:barrier", 8, retired=True), entry("gloo:send", 9, is_p2p=True)]
                return json.dumps({"entries": entries}).encode()
            def _dump_nccl_trace_json(collectives, active):
                return json.dumps({"entries": [entry("nccl:broadcast", 7, state="completed")]}).encode()
            """
        )
        self.assertEqual(line["state"], "resting")
        self.assertEqual(line["operation"], {"name": "all_gather_into_tensor", "shape": [64, 2], "tensors": 2, "dtype": "bfloat16", "group": "0"})

    def test_a_flight_recorder_of_another_form_is_left_alone(self):
        line = self.recorded_by(
            """
            def _dump_fr_trace_json(collectives, active): return b'{"entries": [7, {"profiling_name": 3}]}'
            def _dump_nccl_trace_json(): return b""
            """
        )
        self.assertEqual(line["state"], "resting")
        self.assertNotIn("operation", line)

    @unittest.skipIf(shutil.which("sh") is None, "no shell")
    def test_a_process_without_a_ranks_folder_has_nothing_of_ours(self):
        process = self.start("import sys; print([f for f in sys.meta_path if 'Finder' in repr(f) and 'sitecustomize' in repr(f)])", RINGLAB_RANK_DIR="")
        self.assertEqual(process.communicate(timeout=60)[0], "[]\n")


if __name__ == "__main__":
    unittest.main()
