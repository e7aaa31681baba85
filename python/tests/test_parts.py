"""Which part of training a stack is in: stacks of functions that say they are PyTorch's."""

import sys
import types
import unittest
from unittest import mock

from harness import PACKAGE  # noqa: F401

from ringlab import _parts

SITE = "/usr/lib/python3/site-packages/"


def stack(*frames):
    """Calls functions of these (file, name) pairs, outermost first, and looks from the innermost one."""
    seen = []

    def innermost():
        seen.append(_parts.look(sys._getframe(1)))

    call = innermost
    for file, name in reversed(frames):
        scope = {"call": call}
        exec(compile(f"def {name}():\n    call()\n", file, "exec"), scope)
        call = scope[name]
    call()
    (found,) = seen
    return found


TRAIN = ("/home/me/project/train.py", "main")
FORWARD = (SITE + "torch/nn/modules/module.py", "_call_impl")
BACKWARD = (SITE + "torch/autograd/__init__.py", "backward")
STEP = (SITE + "torch/optim/sgd.py", "step")
LOADER = (SITE + "torch/utils/data/dataloader.py", "__next__")
REDUCE = (SITE + "torch/distributed/distributed_c10d.py", "all_reduce")
SAVE = (SITE + "torch/serialization.py", "save")


class Parts(unittest.TestCase):
    def part(self, *frames):
        return stack(TRAIN, *frames)[0]

    def test_each_part(self):
        self.assertEqual(self.part(), "other")
        self.assertEqual(self.part(FORWARD), "forward")
        self.assertEqual(self.part(BACKWARD), "backward")
        self.assertEqual(self.part(STEP), "optimizer")
        self.assertEqual(self.part(LOADER), "data")
        self.assertEqual(self.part(REDUCE), "exchange")
        self.assertEqual(self.part((SITE + "torch/nn/parallel/distributed.py", "_sync_buffers")), "exchange")
        self.assertEqual(self.part(SAVE), "saving")
        self.assertEqual(self.part((SITE + "torch/serialization.py", "load")), "other")
        self.assertEqual(self.part((SITE + "torch/optim/lr_scheduler.py", "step")), "other")

    def test_the_innermost_counts_but_what_calls_others_for_itself(self):
        self.assertEqual(self.part(STEP, BACKWARD), "backward", "a closure")
        self.assertEqual(self.part(FORWARD, REDUCE), "exchange", "batch norm over all ranks")
        self.assertEqual(self.part(BACKWARD, FORWARD), "backward", "activations are computed again")
        self.assertEqual(self.part(LOADER, TRAIN, FORWARD), "data", "a transform")
        self.assertEqual(self.part(FORWARD, (SITE + "torch/_dynamo/convert_frame.py", "compile_inner"), FORWARD), "compile")
        self.assertEqual(self.part(("<frozen importlib._bootstrap>", "_find_and_load"), STEP), "other", "an import runs a module's own lines")
        self.assertEqual(self.part(("<frozen importlib._bootstrap>", "_find_and_load"), (SITE + "torch/utils/data/_typing.py", "__new__")), "other", "no data is loaded")

    def test_the_line_is_the_innermost_of_the_script(self):
        part, line, backward = stack(TRAIN, FORWARD, ("/home/me/project/model.py", "forward"), (SITE + "torch/nn/functional.py", "relu"))
        self.assertEqual((part, line, backward), ("forward", ("/home/me/project/model.py", "forward", 2), None))
        _, line, _ = stack(TRAIN, LOADER)
        self.assertEqual(line, (*TRAIN, 2))
        part, _, backward = stack(TRAIN, BACKWARD, FORWARD)
        self.assertEqual((part, backward.f_code.co_name), ("backward", "backward"))

    def test_a_line_that_reads_a_tensor_waits_for_the_gpu_where_there_is_one(self):
        with mock.patch.object(_parts.linecache, "getline", return_value="    total += loss.item()\n"):
            self.assertEqual(self.part(), "other")
            for used, part in ((True, "device"), (False, "other")):
                torch = types.SimpleNamespace(cuda=types.SimpleNamespace(is_initialized=lambda used=used: used))
                with mock.patch.dict(sys.modules, torch=torch):
                    self.assertEqual(self.part(), part)
                    self.assertEqual(self.part(LOADER), "data")
                    self.assertEqual(self.part(BACKWARD), "backward")

    def test_a_copy_to_the_gpu_waits_for_it(self):
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(is_initialized=lambda: True))
        for line, part in (("x = x.to(device)", "device"), ("x = x.cuda(0)", "device"), ("x = x.to(torch.float32)", "other")):
            with mock.patch.dict(sys.modules, torch=torch), mock.patch.object(_parts.linecache, "getline", return_value=line):
                self.assertEqual(self.part(), part)


if __name__ == "__main__":
    unittest.main()
