"""`ringlab.slow` and `ringlab.hook`: the native trainer's synchronisation for any model."""

from __future__ import annotations

import atexit
import functools
import os
import types
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Set

import torch
import torch.distributed as dist

from . import _engine, _lines

# The user's own choice for every call with `auto`.
_CHOSEN = "RINGLAB_SYNC"
# How fast the slowest drawn link carries an all-reduce's ring, from the app.
_RING = "RINGLAB_RING_MBPS"
# An all-reduce of all gradients in less time hides behind most steps: nothing is gained by sending less.
_EXACT_SECONDS = 0.05
# 1/200 of the bytes of all-reduce: what the app takes where links are slow (src/shared/cost/auto-sync.ts).
_CAREFUL = "local:1,stream=0.145,overlap=1"
# Changes of the weights without a step of ours, in a row, after which they are another optimizer's.
_OTHERS_STEPS = 8


def _all_reduce_seconds(model: torch.nn.Module, ranks: int) -> Optional[float]:
    """By the drawn links; None without any."""
    try:
        mbps = float(os.environ.get(_RING, ""))
    except ValueError:
        return None
    if not mbps > 0:
        return None
    size = sum(one.numel() * one.element_size() for one in model.parameters() if one.requires_grad)
    return 2 * (ranks - 1) / ranks * size * 8 / (mbps * 1e6)


def _resolved(mode: str, model: torch.nn.Module, ranks: int) -> str:
    if mode != "auto":
        return mode
    chosen = os.environ.get(_CHOSEN)
    if chosen:
        return chosen
    if any(one.dtype == torch.float64 for one in model.parameters() if one.requires_grad):
        _lines.say_once("mode 'auto': the model has parameters of float64, which modes that send much less would train in float32, so it is 'allreduce'")
        return "allreduce"
    seconds = _all_reduce_seconds(model, ranks)
    if seconds is None:
        _lines.say_once("mode 'auto': no link is drawn, so it is '%s'; 'allreduce' loses nothing where the network is fast" % _CAREFUL)
        return _CAREFUL
    found = "allreduce" if seconds < _EXACT_SECONDS else _CAREFUL
    _lines.say_once("mode 'auto': an all-reduce takes %.3g s over the drawn links, so it is '%s'" % (seconds, found))
    return found


def _joined() -> bool:
    """Are there other ranks? Raises where there should be."""
    if dist.is_available() and dist.is_initialized():
        return dist.get_world_size() > 1
    if int(os.environ.get("WORLD_SIZE") or 1) > 1:
        raise RuntimeError("this is one of %s processes: call torch.distributed.init_process_group first" % os.environ["WORLD_SIZE"])
    return False


def _sparse(model: torch.nn.Module) -> Dict[str, Any]:
    """Modules whose gradients are sparse, by the names of the parameters that get them."""
    kinds = (torch.nn.Embedding, torch.nn.EmbeddingBag)
    return {name + ".weight" if name else "weight": one for name, one in model.named_modules() if isinstance(one, kinds) and one.sparse and one.weight.requires_grad}


class SlowLinks(torch.nn.Module):
    """`model`, trained by all ranks. Calls like the model; `module` is the model. Made by ``ringlab.slow``."""

    def __init__(self, model: torch.nn.Module, optimizer: torch.optim.Optimizer, mode: str, steps_per_epoch: Optional[int], peer_timeout: float) -> None:
        super().__init__()
        _engine.refuse_wrapped(model)
        self.module = model
        joined = _joined()
        self.mode = _resolved(mode, model, dist.get_world_size() if joined else 1)
        # Not a submodule, and nothing that is copied or saved with one.
        self._engine: Any = None
        self._synchronises = True
        self._closed = False
        # Of the weights when they were last looked at, and how often others than our steps have changed them since our last.
        self._version, self._unseen, self._stepping = -1, 0, False
        self._averaged = False  # since the last step, where gradients are averaged
        if joined:
            self._engine = _engine.connect(model, self.mode, steps_per_epoch or 0, peer_timeout, False)
            # While Python's modules are there.
            atexit.register(self.close)
        self._averages_parameters = self._engine is not None and bool(self._engine.averages_parameters())
        self._follow(optimizer)

    def __getstate__(self) -> Dict[str, Any]:
        # A copy, for an average of weights or in a file, calls the model and exchanges nothing. What torch compiled is no part of one (torch's own, from 2.0 on).
        kept = {name: value for name, value in self.__dict__.items() if name != "_compiled_call_impl"}
        return {**kept, "_engine": None, "_averages_parameters": False}

    def _follow(self, optimizer: torch.optim.Optimizer) -> None:
        """Every step of the optimizer is one of ours."""
        engine = self._engine
        if engine is None:
            return
        trained = {id(parameter) for parameter in self.module.parameters() if parameter.requires_grad}
        stepped = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
        if not trained <= stepped:
            raise ValueError("the optimizer does not have all parameters of the model that require a gradient: freeze the others first")
        if not self._averages_parameters:
            self._make_dense(optimizer)
        step = optimizer.step

        # wraps: schedulers look at what they have put on it. A method: one that is made later takes it apart as it does an optimizer's own.
        @functools.wraps(step)
        def synchronised_step(_: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> Any:
            self._need_known(trained)
            if self._averages_parameters:
                engine.begin_steps()
            elif not args and not kwargs:
                self._need_gradients()
            # Adafactor and others may find their own rate.
            rate = float(optimizer.param_groups[0]["lr"] or 0)
            self._stepping = True
            try:
                result = step(*args, **kwargs)
            finally:
                self._stepping = False
            engine.after_step(rate)
            self._version, self._unseen, self._averaged = self._versions(), 0, False
            return result

        optimizer.step = types.MethodType(synchronised_step, optimizer)  # type: ignore[method-assign]

    def _make_dense(self, optimizer: torch.optim.Optimizer) -> None:
        """Gradients are averaged as dense ones, which have the same values."""
        names = ", ".join(list(_sparse(self.module))[:5])
        if names and isinstance(optimizer, torch.optim.SparseAdam):
            raise ValueError(
                "%s has sparse gradients, and mode %s averages dense ones, which SparseAdam does not take: use torch.optim.Adam, or a mode that exchanges weights (%s)"
                % (names, self.mode, _CAREFUL)
            )
        if names:
            _lines.say_once("%s gets dense gradients: mode %s averages no sparse ones" % (names, self.mode))
        for module in _sparse(self.module).values():
            module.sparse = False

    def _versions(self) -> int:
        return sum(one._version for one in self.module.parameters() if one.requires_grad)

    def _notice_others(self) -> None:
        """Another optimizer trains each rank alone. Weights that are loaded or averaged change once between two of our steps, and those of a closure within one."""
        version = self._version if self._stepping else self._versions()
        if version == self._version:
            return
        self._version = version
        self._unseen += 1
        if self._unseen == _OTHERS_STEPS:
            _lines.say_once(
                "the weights have changed %d times without a step of the optimizer that ringlab.slow was given: steps of another one are not exchanged, and each rank trains alone. "
                "Give ringlab.slow the optimizer that steps the model; to replace it in mid-training, call synchronise(last=True) and close(), and then ringlab.slow with the new one"
                % _OTHERS_STEPS
            )

    def _need_known(self, trained: Set[int]) -> None:
        """What is trained on each rank alone makes the ranks drift apart. The engine keeps those that it has, so that their ids stay theirs."""
        unknown = [name for name, one in self.module.named_parameters() if one.requires_grad and id(one) not in trained]
        if unknown and not self._closed:
            raise RuntimeError(
                "%s requires a gradient now, and did not, or was not there, when ringlab.slow took the model: each rank would train its own. Unfreeze it before ringlab.slow; "
                "to do so in mid-training, call synchronise(last=True) and close(), and then ringlab.slow with a new optimizer" % ", ".join(unknown[:5])
            )

    def _need_gradients(self) -> None:
        """Where gradients are averaged, all of them are: the exchange waits for each. A step without any is the script's own affair."""
        gradients = {name: one.grad for name, one in self.module.named_parameters() if one.requires_grad}
        lacking = [name for name, gradient in gradients.items() if gradient is None]
        if not self._averaged and any(gradient is not None and bool(gradient.any()) for gradient in gradients.values()):
            _lines.say_once(
                "a step has gradients that no exchange averaged, so that each rank trains alone: call what ringlab.slow returned, not the model inside (.module), and call it outside of no_sync() "
                "before the step"
            )
        elif lacking and len(lacking) < len(gradients):
            raise RuntimeError(
                "%s got no gradient, and mode %s averages those of all parameters. Freeze what is not used before ringlab.slow, take a mode that exchanges "
                "weights (%s), or ringlab.hook on DistributedDataParallel(find_unused_parameters=True)" % (", ".join(lacking[:5]), self.mode, _CAREFUL)
            )

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        engine = self._engine
        if engine is None or self._closed or not torch.is_grad_enabled():
            return self.module(*args, **kwargs)
        if self._averages_parameters:
            # An evaluation may ask for gradients, too, and is of the weights that all ranks have.
            if self.training:
                engine.begin_steps()
                self._notice_others()
            return self.module(*args, **kwargs)
        # In eval mode, too: it is how layers are frozen that have a mode of their own.
        engine.before_forward(self._synchronises)
        out = self.module(*args, **kwargs)
        if self._synchronises:
            engine.before_backward()
            self._averaged = True
        return out

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Gradients of the passes inside are added up on this rank, as with DistributedDataParallel."""
        before = self._synchronises
        self._synchronises = False
        try:
            yield
        finally:
            self._synchronises = before

    def synchronise(self, last: bool = False) -> None:
        """On every rank at the same step: all ranks get the same weights and buffers, for an evaluation or a save. The next training step
        continues; after ``last=True`` there is none."""
        if self._engine is not None:
            _engine.use_buffers(self._engine, self.module)
            self._engine.synchronise(last)

    def check_sync(self) -> None:
        """On every rank, after synchronise(): raises RuntimeError that names the ranks whose weights differ from rank 0's by any bit."""
        if self._engine is not None:
            self._engine.check()

    @property
    def steps(self) -> int:
        """Optimizer steps so far, over resumed runs too."""
        return 0 if self._engine is None else int(self._engine.step())

    @property
    def bytes_sent(self) -> int:
        """By this rank's exchanges."""
        return 0 if self._engine is None else int(self._engine.bytes_sent())

    def sync_state_dict(self) -> Dict[str, Any]:
        """What this rank needs to continue exactly, beside the model's and its own optimizer's state: each rank saves its own. A copy."""
        if self._engine is None:
            return {"mode": self.mode, "step": 0, "rank": 0, "world_size": 1, "tensors": {}, "buckets": []}
        _engine.use_buffers(self._engine, self.module)
        names: List[str] = self._engine.state_names()
        tensors: List[torch.Tensor] = self._engine.state_tensors()
        return {
            "mode": self.mode,
            "step": self.steps,
            "rank": dist.get_rank(),
            "world_size": dist.get_world_size(),
            "tensors": dict(zip(names, tensors)),
            "buckets": self._engine.buckets(),
        }

    def load_sync_state_dict(self, state: Dict[str, Any]) -> None:
        """On every rank, after the model's state and before the first step. Raises ValueError where it is of another mode, rank or number of ranks."""
        if self._engine is None:
            return
        own = {"mode": self.mode, "rank": dist.get_rank(), "world_size": dist.get_world_size()}
        for key, value in own.items():
            if state.get(key) != value:
                raise ValueError("this state is of %s %s, here it is %s" % (key.replace("_", " "), state.get(key), value))
        tensors = state["tensors"]
        _engine.use_buffers(self._engine, self.module)
        self._engine.load_state(list(tensors), list(tensors.values()), int(state["step"]), [list(bucket) for bucket in state["buckets"]])

    def close(self) -> None:
        """Ends the connection to the other ranks, and lets go of the model; at the process's end it happens by itself."""
        if self._engine is not None:
            self._closed = True
            self._engine.close()
            # It would keep the model for good.
            atexit.unregister(self.close)


def hook(ddp: Any, mode: str = "powersgd:2", peer_timeout: float = 30.0) -> Any:
    """Registers the compressed average of `mode` with a DistributedDataParallel. Returns the engine; None where this is the only rank."""
    if not isinstance(ddp, torch.nn.parallel.DistributedDataParallel):
        raise ValueError("ringlab.hook takes a DistributedDataParallel, not a %s: wrap the model in one, or take ringlab.slow for the model itself" % type(ddp).__name__)
    if not _joined():
        return None
    sparse = ", ".join(list(_sparse(ddp.module))[:5])
    if sparse:
        raise ValueError("%s has sparse gradients, and ringlab.hook averages dense ones: make the embedding with sparse=False" % sparse)
    engine = _engine.connect(ddp.module, mode, 0, peer_timeout, True)
    atexit.register(engine.close)
    # By themselves, not by their memory, which a script may change (p.data = …).
    numbers = {parameter: i for i, parameter in enumerate(one for one in ddp.module.parameters() if one.requires_grad)}

    # DistributedDataParallel refuses annotations other than its own.
    def average(_, bucket):  # type: ignore[no-untyped-def]
        which = [numbers[parameter] for parameter in bucket.parameters()]
        engine.average(which, bucket.gradients())
        done: Any = torch.futures.Future()
        done.set_result(bucket.buffer())
        return done

    ddp.register_comm_hook(None, average)
    return engine
