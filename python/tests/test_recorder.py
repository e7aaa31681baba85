"""What is read from PyTorch's flight recorder: a module that says it is PyTorch's."""

import json
import os
import sys
import time
import types
import unittest
from unittest import mock

from harness import PACKAGE  # noqa: F401

from ringlab import _recorder


def entry(state, created, **more):
    return {"profiling_name": "nccl:all_reduce", "state": state, "time_created_ns": created, **more}


class Recorder(unittest.TestCase):
    def setUp(self):
        _recorder._too_slow = False

    def waits(self, *entries, dump=None, **environment):
        def records(collectives, active):
            self.assertTrue(collectives and active)
            return json.dumps({"entries": list(entries)}).encode()

        module = types.SimpleNamespace(_dump_nccl_trace_json=dump or records)
        with mock.patch.dict(sys.modules, {"torch._C._distributed_c10d": module}), mock.patch.dict(os.environ, {"TORCH_NCCL_ENABLE_TIMING": "1", **environment}):
            return _recorder.gpu_waits_for_others()

    def test_the_gpu_waits_where_the_newest_collective_has_begun(self):
        self.assertTrue(self.waits(entry("completed", 1), entry("started", 2)))
        self.assertTrue(self.waits(entry("started", 3), entry("started", 2), entry("completed", 4), entry("scheduled", 5, retired=True)))
        self.assertFalse(self.waits(entry("started", 1), entry("scheduled", 2)), "what comes before it is computed")
        self.assertFalse(self.waits(entry("completed", 1)))
        self.assertFalse(self.waits())

    def test_a_recorder_of_another_form_is_left_alone(self):
        self.assertFalse(self.waits(dump=lambda: b""))
        self.assertFalse(self.waits(dump=lambda collectives, active: b"[]"))
        self.assertFalse(self.waits(dump=3))
        with mock.patch.dict(sys.modules):
            sys.modules.pop("torch._C._distributed_c10d", None)
            self.assertFalse(_recorder.gpu_waits_for_others())

    def test_one_that_takes_long_is_not_asked_again(self):
        asked = []

        def slow(collectives, active):
            asked.append(1)
            time.sleep(0.01)
            return json.dumps({"entries": [entry("started", 1)]}).encode()

        self.assertTrue(self.waits(dump=slow))
        self.assertFalse(self.waits(dump=slow))
        self.assertEqual(len(asked), 1)

    def test_events_that_may_be_gone_are_not_asked(self):
        self.assertFalse(self.waits(entry("started", 1), TORCH_NCCL_CUDA_EVENT_CACHE="0"))

    def test_without_timing_it_is_not_asked(self):
        self.assertFalse(self.waits(dump=lambda *_: self.fail("asked"), TORCH_NCCL_ENABLE_TIMING=""))


if __name__ == "__main__":
    unittest.main()
