"""What a rank's time goes into: seen from outside, without a call of the script changed."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from collections import Counter
from pathlib import Path

from harness import PACKAGE
from test_collectives import STARTUP, torch_python


class Profile(unittest.TestCase):
    def setUp(self):
        self.python = torch_python()
        if self.python is None:
            self.skipTest("no torch with torch.distributed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def start(self, program, rank=0, size=1, **environment):
        (self.folder / f"rank-{rank}").mkdir()
        script = self.folder / f"train-{rank}.py"
        script.write_text(textwrap.dedent(program), "utf-8")
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(STARTUP)]), "RINGLAB_RANK_DIR": str(self.folder / f"rank-{rank}"), "RINGLAB_PROFILE_SCALE": "0.03", "RANK": str(rank), "WORLD_SIZE": str(size)}
        variables.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(self.port), OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo", **environment)
        process = subprocess.Popen([self.python, str(script)], env=variables, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return process

    def profiles(self, rank=0):
        path = self.folder / f"rank-{rank}" / "ringlab.jsonl"
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
        return [line["profile"] for line in lines if "profile" in line]

    def until(self, count, rank=0):
        """The rank's lines, once there are as many; the test's own time limit ends the wait."""
        for _ in range(3000):
            found = self.profiles(rank)
            if len(found) >= count:
                return found
            time.sleep(0.1)
        raise AssertionError(f"rank {rank} wrote {self.profiles(rank)}")

    def shares(self, profiles):
        """Of all lines together: a single one is of a moment."""
        total = Counter()
        for profile in profiles:
            self.assertAlmostEqual(sum(profile["shares"].values()), 1, delta=0.01)
            self.assertGreaterEqual(profile["samples"], 50)
            for part, share in profile["shares"].items():
                total[part] += share * profile["samples"]
        samples = sum(profile["samples"] for profile in profiles)
        return {part: value / samples for part, value in total.items()}

    def test_a_script_that_waits_for_its_data(self):
        program = """
            import time, torch
            class Slow(torch.utils.data.Dataset):
                def __len__(self): return 10**6
                def __getitem__(self, index):
                    time.sleep(0.02)
                    return torch.nn.Identity()(torch.ones(8))
            model = torch.nn.Linear(8, 8)
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            for batch in torch.utils.data.DataLoader(Slow(), 4):
                optimizer.zero_grad()
                model(batch).sum().backward()
                optimizer.step()
        """
        self.start(program)
        profiles = self.until(2)
        self.assertGreater(self.shares(profiles).get("data", 0), 0.8)
        place = profiles[-1]["places"][0]
        self.assertEqual((place["file"], place["text"], place["part"]), ("train-0.py", "time.sleep(0.02)", "data"))
        self.assertEqual((profiles[-1]["rank"], place["function"]), (0, "__getitem__"))

    def test_a_line_of_the_script_that_takes_the_time(self):
        program = """
            import time, torch
            def evaluate(model): time.sleep(0.05)
            model = torch.nn.Linear(8, 8)
            while True:
                model(torch.ones(4, 8)).sum().backward()
                evaluate(model)
        """
        self.start(program)
        profiles = self.until(2)
        self.assertGreater(self.shares(profiles).get("other", 0), 0.8)
        self.assertEqual(profiles[-1]["places"][0]["function"], "evaluate")

    def test_computing_is_told_from_waiting_for_a_slower_rank(self):
        """The quick rank waits within its backward pass, where no frame of Python says it."""
        program = """
            import os, time, torch, torch.distributed as dist
            from torch.nn.parallel import DistributedDataParallel
            dist.init_process_group("gloo")
            model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(300, 300), torch.nn.Linear(300, 300)))
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            def late(): time.sleep(0.1)
            while True:
                loss = model(torch.ones(4, 300)).sum()
                if dist.get_rank() == 1: late()
                loss.backward()
                optimizer.step()
        """
        for rank in (0, 1):
            self.start(program, rank, 2)
        quick, slow = self.until(2, 0), self.until(2, 1)
        self.assertGreater(self.shares(quick).get("exchange", 0), 0.5, quick)
        self.assertGreater(self.shares(slow).get("other", 0), 0.5, slow)
        self.assertLess(self.shares(slow).get("exchange", 0), 0.3, slow)
        self.assertEqual((quick[-1]["rank"], slow[-1]["rank"]), (0, 1))
        self.assertEqual(slow[-1]["places"][0]["function"], "late")

    def shares_on_a_gpu(self, size, late):
        """Of rank 0, where each step has 400 products of matrices of `size`, and rank 1 sleeps for `late` seconds. NCCL takes the ranks for two machines: they share a GPU."""
        has_gpu = "import torch; torch.cuda.init(); assert torch.distributed.is_nccl_available()"
        if subprocess.run([self.python, "-c", has_gpu], capture_output=True, check=False).returncode != 0:
            self.skipTest("no GPU with NCCL")
        program = f"""
            import os, time, torch, torch.distributed as dist
            os.environ.update(NCCL_HOSTID=os.environ["RANK"], NCCL_IB_DISABLE="1", NCCL_SOCKET_IFNAME="lo")
            dist.init_process_group("nccl")
            model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(2000, 2000), torch.nn.Linear(2000, 2000)).cuda())
            optimizer = torch.optim.SGD(model.parameters(), 1e-6)
            x = torch.ones(4, 2000, device="cuda")
            large = torch.randn({size}, {size}, device="cuda")
            while True:
                for _ in range(400): torch.mm(large, large)
                loss = model(x).sum()
                if dist.get_rank() == 1: time.sleep({late})
                loss.backward()
                optimizer.step()
                model.module[0].weight.sum().item()
        """
        for rank in (0, 1):
            self.start(program, rank, 2, TORCH_NCCL_ENABLE_TIMING="1")
        return self.shares(self.until(2))

    def test_waiting_for_a_slower_rank_is_told_from_waiting_for_the_gpu(self):
        """Python waits for both in one line."""
        shares = self.shares_on_a_gpu(8, 0.2)
        self.assertGreater(shares.get("exchange", 0), 0.5, shares)

    def test_waiting_for_the_gpu_is_no_waiting_for_other_ranks(self):
        shares = self.shares_on_a_gpu(3000, 0)
        self.assertGreater(shares.get("device", 0), 0.5, shares)

    def test_the_scripts_own_random_numbers_are_left_alone(self):
        """A seeded script is to draw what it draws without Ringlab: the moments of the samples come from a stream of our own."""
        program = """
            import os, random, time, torch
            random.seed(1)
            before = random.getstate()
            model = torch.nn.Linear(8, 8)
            path = os.path.join(os.environ["RINGLAB_RANK_DIR"], "ringlab.jsonl")
            # A pause is drawn behind each report.
            while not os.path.exists(path) or open(path).read().count("\\n") < 2:
                model(torch.ones(4, 8)).sum().backward()
            print("untouched" if random.getstate() == before else "drawn from")
        """
        process = self.start(program)
        self.assertEqual((process.communicate(timeout=300)[0], process.returncode), ("untouched\n", 0))

    def test_workers_of_a_data_loader_are_not_looked_at(self):
        """One that is spawned or comes from a fork server imports the script anew, before it knows its parent: its lines would replace the rank's with `data` alone."""
        program = """
            import os, sys, torch
            class Looked(torch.utils.data.Dataset):
                def __len__(self): return 1
                def __getitem__(self, index): return sys.modules["ringlab._profile"]._profiler is not None
            def is_looked_at(way):
                return [bool(batch) for batch in torch.utils.data.DataLoader(Looked(), num_workers=1, multiprocessing_context=way)]
            if __name__ == "__main__":
                print(Looked()[0], *(is_looked_at(way) for way in ("spawn", "forkserver")))
        """
        process = self.start(program, size=2)
        self.assertEqual((process.communicate(timeout=300)[0], process.returncode), ("True [False] [False]\n", 0))
        lines = [json.loads(line) for line in (self.folder / "rank-0" / "ringlab.jsonl").read_text("utf-8").splitlines()]
        self.assertEqual([line["collectives"]["state"] for line in lines if "collectives" in line], ["started"])

    def test_what_never_trains_or_does_not_want_it_says_nothing(self):
        program = """
            import time, torch, torch.distributed
            if %s: torch.nn.Linear(8, 8)(torch.ones(1, 8)).sum().backward()
            time.sleep(3)
            print("passed")
        """
        starts = self.start(program % "False")
        declines = self.start(program % "True", rank=1, RINGLAB_PROFILE="0")
        for rank, process in enumerate((starts, declines)):
            self.assertEqual((process.communicate(timeout=120)[0], process.returncode), ("passed\n", 0))
            self.assertEqual(self.profiles(rank), [])


if __name__ == "__main__":
    unittest.main()
