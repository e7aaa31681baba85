"""ringlab.wandb in place of wandb: what scripts commonly call."""

import contextlib
import copy
import importlib
import io
import json
import os
import pickle
import sys
import types
import unittest
import weakref
from argparse import Namespace
from unittest import mock

from harness import RankTest


class Scalar:
    """As a tensor of one element."""

    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value


class Wandb(RankTest):
    def setUp(self):
        super().setUp()
        self.wandb = importlib.import_module("ringlab.wandb")
        self.said = io.StringIO()
        redirected = contextlib.redirect_stderr(self.said)
        redirected.__enter__()
        self.addCleanup(redirected.__exit__, None, None, None)

    def configs(self):
        return [line["config"] for line in self.lines() if "config" in line]

    def test_a_whole_script(self):
        wandb = self.wandb
        run = wandb.init(project="p", name="first", entity="me", config={"lr": 0.1}, tags=["a"], save_code=True, reinit=True)
        self.assertIs(wandb.run, run)
        wandb.config.update({"epochs": 2})
        self.assertEqual(wandb.config.lr, 0.1)
        self.assertEqual(wandb.config["epochs"], 2)
        for epoch in range(wandb.config.epochs):
            wandb.log({"train": {"loss": 1.0 / (epoch + 1)}, "epoch": epoch})
        run.summary["best"] = 0.5
        wandb.finish()
        self.assertIsNone(wandb.run)
        self.assertEqual(self.configs(), [{"lr": 0.1}, {"epochs": 2}])
        self.assertEqual(self.points(), [(0, {"train/loss": 1.0, "epoch": 0}), (1, {"train/loss": 0.5, "epoch": 1}), (2, {"best": 0.5})])
        self.assertEqual(self.said.getvalue(), "")

    def test_what_a_run_was_given_can_be_read(self):
        run = self.wandb.init(notes="a baseline", job_type="train")
        self.assertEqual((run.notes, run.job_type, run.sweep_id), ("a baseline", "train", None))
        self.assertEqual(os.path.join("out", run.job_type), "out/train")
        self.wandb.init(reinit=True)
        self.assertEqual((self.wandb.run.notes, self.wandb.run.job_type), ("", ""))
        self.assertEqual(self.said.getvalue(), "")

    def test_with_a_run(self):
        with self.wandb.init(config=Namespace(batch=8)) as run:
            run.log({"a": 1})
            run.log({"a": 2}, step=7)
            self.assertEqual(run.config.batch, 8)
            self.assertEqual(run.summary["a"], 2)
        self.assertEqual(self.points(), [(0, {"a": 1}), (7, {"a": 2})])

    def test_parts_of_one_step(self):
        self.wandb.init()
        self.wandb.log({"a": 1}, commit=False)
        self.wandb.log({"b": 2})
        self.wandb.log({"a": 3})
        self.wandb.log({"a": 4}, step=9)
        self.wandb.log({"b": 5}, step=9)
        self.wandb.log({"b": 6}, step=10)
        self.assertEqual([step for step, _ in self.points()], [0, 0, 1, 9, 9, 10])

    def test_metrics_over_a_step_of_their_own(self):
        self.wandb.init()
        self.wandb.define_metric("epoch")
        self.wandb.define_metric("val/*", step_metric="epoch")
        self.wandb.log({"loss": 1})
        self.wandb.log({"loss": 2})
        self.wandb.log({"val/acc": 50, "epoch": 1, "loss": 3})
        self.assertEqual(self.points(), [(0, {"loss": 1}), (1, {"loss": 2}), (1, {"val/acc": 50}), (2, {"epoch": 1, "loss": 3})])

    def test_disabled(self):
        self.wandb.init(mode="disabled", config={"lr": 1})
        self.wandb.log({"a": 1})
        self.wandb.run.summary["b"] = 2
        self.assertEqual(self.wandb.config.lr, 1)
        self.wandb.finish()
        os.environ["WANDB_MODE"] = "disabled"
        self.wandb.init()
        self.wandb.log({"a": 1})
        self.assertEqual(self.lines(), [])

    def test_a_second_init_is_of_the_same_run(self):
        wandb = self.wandb
        first = wandb.init(project="p", config={"lr": 0.1}, mode="disabled")
        wandb.define_metric("val/*", step_metric="epoch")
        self.assertIs(wandb.init(), first)
        self.assertTrue(wandb.run.disabled)
        wandb.log({"a": 1})
        self.assertEqual(self.lines(), [])
        self.assertIs(wandb.init(config={"depth": 2}, reinit="return_previous"), first)
        self.assertEqual((wandb.config.lr, wandb.config.depth), (0.1, 2))
        # A new one, where that is asked for or the first has ended.
        second = wandb.init(reinit=True)
        self.assertIsNot(second, first)
        self.assertFalse(second.disabled)
        self.assertEqual(dict(wandb.config), {})
        wandb.finish()
        self.assertIsNot(wandb.init(), second)

    def test_a_second_init_keeps_step_metrics(self):
        self.wandb.init()
        self.wandb.define_metric("val/*", step_metric="epoch")
        self.wandb.init()
        self.wandb.log({"val/acc": 50, "epoch": 3})
        self.assertIn((3, {"val/acc": 50}), self.points())

    def test_a_step_metric_that_is_not_whole(self):
        self.wandb.init()
        self.wandb.define_metric("*", step_metric="epoch")
        for epoch in (0, 0.25, 0.5, 1.0):
            self.wandb.log({"epoch": epoch, "loss": 1 - epoch / 2})
        self.assertEqual([(step, values) for step, values in self.points() if "loss" in values], [(0, {"loss": 1}), (0.25, {"loss": 0.875}), (0.5, {"loss": 0.75}), (1, {"loss": 0.5})])
        self.assertEqual([step for step, values in self.points() if "epoch" in values], [0, 1, 2, 3])

    def test_version(self):
        self.assertRegex(self.wandb.__version__, r"^\d+\.\d+")

    def test_settings_as_older_scripts_write_them(self):
        self.wandb.init()
        self.wandb.config = {"lr": {"value": 3, "desc": "rate"}}
        self.wandb.config.depth = 4
        self.wandb.config.setdefaults({"depth": 5, "width": 6})
        self.assertEqual((self.wandb.config.lr, self.wandb.config.get("depth"), self.wandb.config.width), (3, 4, 6))
        self.assertEqual(self.configs(), [{"lr": 3}, {"depth": 4}, {"width": 6}])
        self.assertFalse(hasattr(self.wandb.config, "absent"))

    def test_a_summary_of_the_module(self):
        self.wandb.init()
        self.wandb.log({"loss": 1})
        self.wandb.summary["best"] = 0.9
        self.wandb.summary.update({"epochs": 3})
        self.assertEqual(self.wandb.summary["loss"], 1)
        self.assertIs(self.wandb.summary, self.wandb.run.summary)
        self.assertEqual([values for _, values in self.points()], [{"loss": 1}, {"best": 0.9}, {"epochs": 3}])
        self.wandb.init(reinit=True)
        self.assertNotIn("best", self.wandb.summary)
        self.assertEqual(self.said.getvalue(), "")

    def test_an_id_that_is_kept_to_resume(self):
        one = self.wandb.util.generate_id()
        self.assertRegex(one, r"^[a-z0-9]{8}$")
        self.assertNotEqual(one, self.wandb.util.generate_id())
        (self.folder / "id.txt").write_text(one)
        run = self.wandb.init(project="p", id=one, resume="allow")
        self.assertEqual(json.loads(json.dumps({"path": run.path, "id": run.id})), {"path": "p/" + run.id, "id": run.id})
        self.assertEqual(os.path.join("runs", run.path), "runs/p/" + run.id)
        self.wandb.util.image_id_from_k8s()
        self.assertEqual(self.said.getvalue(), "ringlab: wandb.util.image_id_from_k8s does nothing here\n")

    def test_settings_of_a_file(self):
        (self.folder / "config.json").write_text('{"lr": {"value": 0.1, "desc": "rate"}}')
        self.wandb.init(config=str(self.folder / "config.json"))
        self.assertEqual(self.wandb.config.lr, 0.1)
        (self.folder / "config.yaml").write_text("batch:\n  desc: size\n  value: 64\ndepth: 18\n")
        # Python of a test has it or not.
        yaml = types.ModuleType("yaml")
        yaml.safe_load = lambda text: {"batch": {"desc": "size", "value": 64}, "depth": 18} if "batch:" in text else None
        with mock.patch.dict(sys.modules, {"yaml": yaml}):
            self.wandb.init(config=self.folder / "config.yaml", reinit=True)
        self.assertEqual((self.wandb.config.batch, self.wandb.config.depth), (64, 18))
        with mock.patch.dict(sys.modules, {"yaml": None}):
            self.wandb.init(config=str(self.folder / "config.yaml"), reinit=True)
        self.assertIn("settings were left out", self.said.getvalue())
        self.wandb.init(config="absent.yaml", reinit=True)
        self.assertEqual(self.configs(), [{"lr": 0.1}, {"batch": 64, "depth": 18}])

    def test_files(self):
        for name in ("a.pt", "b.pt", "c.txt"):
            (self.folder / name).write_text("x")
        self.wandb.save(str(self.folder / "*.pt"))
        self.assertEqual([line["save"] for line in self.lines()], [str(self.folder / "a.pt"), str(self.folder / "b.pt")])

    def test_what_is_not_taken_is_said_once_and_returns_something(self):
        wandb = self.wandb
        run = wandb.init()
        for _ in range(3):
            wandb.log({"picture": wandb.Image([[1]], caption="x"), "table": wandb.Table(columns=["a"], data=[[1]]), "loss": 1})
            wandb.watch(object(), log="all", log_freq=10)
            wandb.plot.confusion_matrix(probs=None, y_true=[1], preds=[1], class_names=["a"])
            artifact = wandb.Artifact("model", type="model")
            artifact.add_file("x")
            run.log_artifact(artifact).wait()
            for one in wandb.Api().runs("p"):
                self.fail(str(one))
        self.assertEqual([values for _, values in self.points()], [{"loss": 1}] * 3)
        said = self.said.getvalue().splitlines()
        self.assertEqual(len(said), len(set(said)))
        self.assertIn("ringlab: wandb.watch does nothing here", said)
        self.assertIn("ringlab: wandb.plot does nothing here", said)

    def test_an_except_clause_and_a_question_for_a_class_that_is_not_here(self):
        wandb = self.wandb
        with self.assertRaisesRegex(ValueError, "the script's own"):
            try:
                raise ValueError("the script's own")
            except (wandb.errors.CommError, wandb.errors.UsageError, wandb.Error):
                self.fail("it is none of W&B's")
        self.assertFalse(isinstance(wandb.init(), wandb.sdk.wandb_run.Run))
        self.assertFalse(isinstance(3, wandb.Object3D))

    def test_what_is_kept_is_the_value_and_not_what_computed_it(self):
        wandb = self.wandb
        wandb.init()
        wandb.define_metric("val/*", step_metric="epoch")
        loss, epoch = Scalar(2.5), Scalar(4)
        wandb.log({"loss": loss, "epoch": epoch})
        wandb.summary["best"] = loss
        loss.value, epoch.value = 9.0, 5
        self.assertEqual((wandb.summary["loss"], wandb.summary["best"]), (2.5, 2.5))
        wandb.log({"val/acc": 50})
        self.assertIn((4, {"val/acc": 50}), self.points())
        gone = weakref.ref(loss)
        del loss
        self.assertIsNone(gone())

    def test_a_copy_of_the_settings_is_no_setting(self):
        wandb = self.wandb
        wandb.init(config={"lr": 0.1, "model": {"depth": 3}})
        for copied in (copy.deepcopy(wandb.config), copy.copy(wandb.config), pickle.loads(pickle.dumps(wandb.config)), copy.copy(copy.copy(wandb.config))):
            copied.lr = 7
            copied.update({"batch": 2})
            self.assertEqual((copied.lr, copied["model"], copied.batch), (7, {"depth": 3}, 2))
        self.assertEqual(self.configs(), [{"lr": 0.1, "model": {"depth": 3}}])
        self.assertEqual(wandb.config.lr, 0.1)

    def test_a_sweep_that_trains_nothing_says_what_to_do(self):
        self.wandb.agent(self.wandb.sweep({"method": "grid"}, project="p"), function=self.fail, count=3)
        self.assertIn("its function was not called and nothing was trained", self.said.getvalue())

    def test_nothing_raises_before_init_or_with_wrong_arguments(self):
        self.wandb.log({"a": 1})
        self.wandb.log("text")
        self.wandb.log({"a": 1}, step=object())
        run = self.wandb.init(config=3.5)
        run.define_metric("a", "b", True)
        self.wandb.save(None)
        self.wandb.finish()
        self.wandb.finish()
        self.assertEqual(len(self.points()), 2)


if __name__ == "__main__":
    unittest.main()
