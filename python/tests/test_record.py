"""log, config and save: what they write, and that nothing they meet reaches the training."""

import contextlib
import io
import json
import math
import os
import subprocess
import sys
import threading
import time
import unittest
from argparse import Namespace
from collections import namedtuple
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from harness import PACKAGE, RankTest


def alone(program, **environment):
    """Runs a program in a process of its own; its stderr."""
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment}, stderr=subprocess.PIPE, timeout=60, check=False
    )
    return done.returncode, done.stderr.decode()


class Log(RankTest):
    def test_a_line_a_call(self):
        before = time.time()
        self.ringlab.log({"train/loss": 0.5, "lr": 1e-3})
        (line,) = self.lines()
        self.assertEqual(set(line), {"t", "step", "values"})
        self.assertTrue(before <= line["t"] <= time.time())
        self.assertEqual((line["step"], line["values"]), (0, {"train/loss": 0.5, "lr": 0.001}))

    def test_steps_are_counted_and_continue_after_given_ones(self):
        for step in (None, None, 10, None, 3):
            self.ringlab.log({"a": 1}, step=step)
        self.assertEqual([step for step, _ in self.points()], [0, 1, 10, 11, 3])

    def test_a_step_need_not_be_whole(self):
        for step in (0.5, None, 2.0):
            self.ringlab.log({"a": 1}, step=step)
        self.assertEqual([repr(step) for step, _ in self.points()], ["0.5", "1", "2"])

    def test_a_step_that_is_no_number_is_said(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            for step in ("7", math.nan, 3):
                self.ringlab.log({"a": 1}, step=step)
        self.assertEqual([step for step, _ in self.points()], [0, 1, 3])
        self.assertEqual(said.getvalue().splitlines(), ["ringlab: a step that is no number (%s) was not taken: values are at the next step" % one for one in ("'7'", "nan")])

    def test_nested_names(self):
        self.ringlab.log({"val": {"acc": {"top1": 1, 5: 2}}})
        self.assertEqual(self.points(), [(0, {"val/acc/top1": 1, "val/acc/5": 2})])

    def test_names_are_made_short_and_printable(self):
        self.ringlab.log({"a\x1b[31m\nb": 1, "x" * 500: 2, "": 3, "精度": 4})
        self.assertEqual(list(self.points()[0][1]), ["a[31mb", "x" * 171 + "…0ab2ce51", "value", "精度"])

    def test_long_names_stay_apart(self):
        layer = "decoder/" * 30
        self.ringlab.log({layer: {"weight": 1, "bias": 2}})
        self.ringlab.config({layer + "lr": 1, layer + "decay": 2})
        names = list(self.points()[0][1])
        self.assertEqual(list(self.points()[0][1].values()), [1, 2])
        self.assertEqual([len(name) for name in names], [180, 180])
        self.assertEqual(list(self.lines()[1]["config"].values()), [1, 2])
        self.ringlab.log({layer: {"weight": 3, "bias": 4}})
        self.assertEqual(list(self.points()[1][1]), names)

    def test_numbers_that_are_not_finite(self):
        self.ringlab.log({"a": math.nan, "b": math.inf, "c": -math.inf, "d": 10**400, "e": 2**70})
        self.assertEqual(self.points()[0][1], {"a": "NaN", "b": "Infinity", "c": "-Infinity", "d": "Infinity", "e": float(2**70)})

    def test_numbers_of_other_kinds(self):
        self.ringlab.log({"flag": True, "decimal": Decimal("0.25")})
        values = self.points()[0][1]
        self.assertEqual(values, {"flag": 1, "decimal": 0.25})
        self.assertNotIsInstance(values["flag"], bool)

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        self.ringlab.log({"f": numpy.float32(0.5), "i": numpy.int64(3), "b": numpy.bool_(True), "a": numpy.array([[2.0]]), "n": numpy.float64("nan")})
        self.assertEqual(self.points()[0][1], {"f": 0.5, "i": 3, "b": 1, "a": 2.0, "n": "NaN"})

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        self.ringlab.log({"loss": torch.tensor(0.5, requires_grad=True), "half": torch.ones(1, dtype=torch.bfloat16), "n": torch.tensor(7)})
        self.assertEqual(self.points()[0][1], {"loss": 0.5, "half": 1.0, "n": 7})

    def test_torch_and_numpy_are_not_imported(self):
        code, said = alone("import sys, ringlab; ringlab.log({'a': 1}); sys.exit('torch' in sys.modules or 'numpy' in sys.modules)")
        self.assertEqual((code, said), (0, ""))

    def test_what_is_no_number_is_left_out_and_said_once(self):
        class Hostile:
            def __float__(self):
                raise RuntimeError("no")

        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            for _ in range(3):
                self.ringlab.log({"text": "abc", "list": [1, 2], "none": None, "hostile": Hostile(), "good": 1})
        self.assertEqual(self.points(), [(step, {"good": 1}) for step in range(3)])
        self.assertEqual(len(said.getvalue().splitlines()), 4)

    def test_wrong_arguments_do_not_raise(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.ringlab.log(None)
            self.ringlab.log([("a", 1)])
            self.ringlab.log({"a": 1}, step="ten")
            self.ringlab.log({"a": 1}, step=math.nan)
        self.assertEqual([values for _, values in self.points()], [{"a": 1}, {"a": 1}])


class ConfigAndSave(RankTest):
    def test_settings_of_every_usual_form(self):
        @dataclass
        class Settings:
            depth: int = 18

        self.ringlab.config({"lr": 0.1, "model": {"name": "r", "sizes": (1, 2)}, "out": Path("runs")}, seed=3)
        self.ringlab.config(Namespace(batch=64, none=None))
        self.ringlab.config(Settings())
        self.assertEqual(
            [line["config"] for line in self.lines()],
            [{"lr": 0.1, "model": {"name": "r", "sizes": [1, 2]}, "out": "runs", "seed": 3}, {"batch": 64, "none": None}, {"depth": 18}],
        )

    def test_settings_without_a_dict(self):
        class Slots:
            __slots__ = ("depth", "_own", "unset")

            def __init__(self):
                self.depth, self._own = 18, 1

        @dataclass
        class Fields:
            __slots__ = ("width",)
            width: int

        self.ringlab.config(namedtuple("Settings", "lr batch")(0.1, 64))
        self.ringlab.config(Slots())
        self.ringlab.config(Fields(8))
        self.assertEqual([line["config"] for line in self.lines()], [{"lr": 0.1, "batch": 64}, {"depth": 18}, {"width": 8}])

    def test_settings_that_contain_themselves(self):
        endless = {"a": 1}
        endless["self"] = endless
        self.ringlab.config(endless)
        self.assertEqual(self.lines()[0]["config"]["a"], 1)

    def test_half_a_character(self):
        self.ringlab.config({"name": "\udc80"})
        self.assertEqual(self.lines()[0]["config"], {"name": "?"})

    def test_a_saved_file_by_its_whole_path(self):
        self.ringlab.save("out/best.pt")
        self.ringlab.save(self.folder / "b.pt")
        self.assertEqual([line["save"] for line in self.lines()], [os.path.abspath("out/best.pt"), str(self.folder / "b.pt")])


class Harmless(RankTest):
    def test_silent_without_the_variable(self):
        del os.environ["RINGLAB_RANK_DIR"]
        code, said = alone("import ringlab; ringlab.log({'a': 'b'}); ringlab.config(3); ringlab.save(None)")
        self.assertEqual((code, said), (0, ""))

    def test_a_folder_that_is_gone_is_said_once(self):
        code, said = alone("import ringlab\nfor i in range(5): ringlab.log({'a': i})", RINGLAB_RANK_DIR=str(self.folder / "gone"))
        self.assertEqual((code, len(said.splitlines())), (0, 1))
        self.assertIn("ringlab.jsonl was not written", said)

    def test_a_full_disk_costs_lines_and_no_more(self):
        # Where a file may not grow further, a write is cut as on a full disk.
        program = """
import resource, ringlab
for i in range(3): ringlab.log({'a': i})
resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))
for i in range(3, 9): ringlab.log({'a': i})
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for i in range(9, 12): ringlab.log({'a': i})
"""
        code, said = alone(program)
        self.assertEqual(code, 0)
        self.assertIn("was not written", said)
        seen = []
        for line in (self.folder / "ringlab.jsonl").read_text().splitlines():
            with contextlib.suppress(ValueError):
                seen.append(json.loads(line)["values"]["a"])
        self.assertEqual(seen[:3], [0, 1, 2])
        self.assertEqual(seen[-3:], [9, 10, 11])

    def test_a_line_that_an_earlier_attempt_left_half_stays_its_own(self):
        (self.folder / "ringlab.jsonl").write_text('{"t":1,"val')
        self.ringlab.log({"a": 1})
        self.ringlab.log({"a": 2})
        lines = (self.folder / "ringlab.jsonl").read_text().split("\n")
        self.assertEqual(lines[0], '{"t":1,"val')
        self.assertEqual([json.loads(line)["values"]["a"] for line in lines[1:-1]], [1, 2])

    def test_closed_files(self):
        code, _ = alone("import os, sys, ringlab\nringlab.log({'a': 0})\nos.closerange(0, 100)\nsys.stderr = None\nringlab.log({'a': 1, 'b': 'text'})")
        self.assertEqual(code, 0)
        self.assertEqual([values for _, values in self.points()], [{"a": 0}, {"a": 1}])

    def test_a_pipe_in_place_of_the_file_does_not_block(self):
        os.mkfifo(self.folder / "ringlab.jsonl")
        code, said = alone("import ringlab\nringlab.log({'a': 0})")
        self.assertEqual(code, 0)
        self.assertIn("it is not a file", said)

    def test_threads_and_forks_write_whole_lines(self):
        children, each = 4, 50
        self.ringlab.log({"first": 0})

        def write(name):
            for i in range(each):
                self.ringlab.log({name: i, "long" * 20: 1})

        threads = [threading.Thread(target=write, args=(f"thread{i}",)) for i in range(children)]
        for thread in threads:
            thread.start()
        processes = []
        for i in range(children):
            pid = os.fork()
            if pid == 0:
                write(f"process{i}")
                os._exit(0)
            processes.append(pid)
        for thread in threads:
            thread.join()
        for pid in processes:
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(len(self.points()), 1 + 2 * children * each)


if __name__ == "__main__":
    unittest.main()
