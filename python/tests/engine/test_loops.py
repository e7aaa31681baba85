"""Training loops as scripts write them, on two processes: what DistributedDataParallel does with them, `ringlab.slow` and `ringlab.hook` do, too, or
say why not. RINGLAB_TRAINER and RINGLAB_TEST_DEVICE as in test_engine.py."""

import unittest

from cases import Cases
from test_engine import needs

WORLD = 2


@needs
class Loops(Cases, unittest.TestCase):
    script = "loops.py"
    world = WORLD

    def each_mode(self, name):
        for found in self.ranks:
            for mode, one in found[name].items():
                if isinstance(one, str):
                    self.fail("%s: %s" % (mode, one))
                yield mode, one

    def test_backward_passes_before_the_first_step(self):
        for found in self.each("buckets"):
            for loop, same in found.items():
                with self.subTest(loop=loop):
                    self.assertTrue(same)

    def test_eval_mode_does_not_end_the_average(self):
        self.assertEqual(self.each("eval"), [[True] * 3] * WORLD)

    def test_weights_that_are_loaded_later_are_trained_on(self):
        for mode, one in self.each_mode("loaded"):
            for when in ("at the start", "back to the best", "by rank 0"):
                self.assertGreater(one[when], one["before"] - 0.1, "%s, %s" % (mode, when))

    def test_a_run_continues_to_the_bit_where_its_model_is_loaded_later(self):
        for mode, same in self.each_mode("with state"):
            self.assertTrue(same, mode)

    def test_frozen_parameters_are_rank_zeros(self):
        for found in self.each("frozen"):
            self.assertTrue(found["same"])
            self.assertIn("rank 1 differ", found["said"])

    def test_a_step_that_overflows_is_the_only_one_that_is_lost(self):
        for mode, taken in self.each_mode("overflow"):
            self.assertEqual(taken, [True, False, True, True, True], mode)

    def test_complex_parameters_are_refused_by_name(self):
        for found in self.each("refused"):
            self.assertIn("'weight' is complex", found["complex"])

    def test_a_parameter_without_a_gradient_is_named(self):
        for found in self.each("refused"):
            for which in ("unused, allreduce", "unused, powersgd:1", "unused later"):
                self.assertIn("aside.weight, aside.bias", found[which])
                self.assertIn("ringlab.hook on DistributedDataParallel(find_unused_parameters=True)", found[which])
                self.assertNotIn("network", found[which])
            self.assertEqual(found["unused, local:1,stream=0.145,overlap=1"], "")

    def test_what_libtorch_refuses_is_no_broken_network(self):
        for found in self.each("refused"):
            # Later versions of libtorch add them up.
            if found["bfloat16"] != "":
                self.assertIn("Invalid scalar type", found["bfloat16"])
                self.assertNotIn("network", found["bfloat16"])

    def test_another_memory_format_is_refused_where_it_counts(self):
        for found in self.each("refused"):
            for mode in ("allreduce", "powersgd:1", "local:1,stream=0.145,overlap=1"):
                self.assertIn("rank 1 has weight, strides 27 9 3 1 (Float [4, 3, 3, 3]), rank 0 has weight, strides 27 1 9 3", found["order, " + mode])
            self.assertEqual(found["order, local:2"], "")

    def test_buffers_of_every_type_and_new_ones_are_synchronised(self):
        for found in self.each("buffers"):
            self.assertEqual(found["values"], [True, 0.0, 0, 2j])
            self.assertEqual(found["mean"], [True] * WORLD)
            self.assertTrue(found["moved"])

    def test_it_can_be_copied_averaged_and_saved(self):
        self.assertEqual(self.each("copied"), [[True] * 3] * WORLD)

    def test_parameters_may_get_other_memory(self):
        for mode, one in self.each_mode("replaced"):
            with self.subTest(mode=mode):
                self.assertTrue(one["in each step"])
                self.assertTrue(one["after an average"])
                self.assertIn("0.weight", one["said"])

    def test_what_was_not_sent_counts_at_the_end(self):
        for mode, far in self.each_mode("last"):
            with self.subTest(mode=mode):
                self.assertLess(max(far), 1e-6)

    def test_an_optimizer_with_a_rate_of_its_own(self):
        self.assertEqual(self.each("own rate"), [1] * WORLD)


if __name__ == "__main__":
    unittest.main()
