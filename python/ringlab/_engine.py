"""The trainer's engine for a model of Python: finds its library, and lets the ranks meet."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import warnings
from typing import Any, List, Tuple

import torch
import torch.distributed as dist

_rendezvous_count = 0


def load() -> Any:
    """The class `ScriptEngine`: of the library RINGLAB_ENGINE, else of the trainer RINGLAB_TRAINER, which holds it; Ringlab sets both. Raises
    RuntimeError with the reason where it cannot be loaded."""
    if not hasattr(load, "ready"):
        library, trainer = os.environ.get("RINGLAB_ENGINE"), os.environ.get("RINGLAB_TRAINER")
        problem = os.environ.get("RINGLAB_ENGINE_PROBLEM")
        if problem:
            raise RuntimeError("Ringlab could not build its engine for torch %s on this node; use DistributedDataParallel meanwhile. %s" % (torch.__version__, problem))
        if library:
            _load(library)
        elif trainer:
            _load_from(trainer)
        else:
            raise RuntimeError(
                "Ringlab's engine is not here: start the script with Ringlab, or build its trainer (native/README.md) for this Python's torch "
                "and give the path of ringlab-train in RINGLAB_TRAINER"
            )
        load.ready = True  # type: ignore[attr-defined]
    return torch.classes.ringlab.ScriptEngine


class _Denied(RuntimeError):
    pass


def _load(library: str) -> None:
    try:
        torch.classes.load_library(library)
    except OSError as error:
        if "failed to map segment" in str(error):
            raise _Denied("Ringlab's engine may not be executed from a file system that is mounted noexec: %s" % error) from error
        raise RuntimeError("Ringlab's engine was built for another libtorch than this Python's torch %s: %s" % (torch.__version__, error)) from error


def _load_from(trainer: str) -> None:
    """/tmp is mounted noexec on hardened machines. The rank's folder is below the home folder, which Ringlab has looked at."""
    places = [place for place in (tempfile.gettempdir(), os.environ.get("RINGLAB_RANK_DIR")) if place]
    for place in places:
        with tempfile.TemporaryDirectory(prefix="ringlab-", dir=place) as folder:
            library = _taken_out(trainer, folder)
            try:
                # Once loaded it needs no name.
                _load(library)
                return
            except _Denied as error:
                if place == places[-1]:
                    raise RuntimeError("%s. Set TMPDIR to a folder of another file system" % error) from error


def _taken_out(trainer: str, folder: str) -> str:
    library = os.path.join(folder, "libringlab_engine.so")
    try:
        subprocess.run([trainer, "python-engine", library], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", None) or str(error).encode()
        raise RuntimeError("%s gave no engine: %s" % (trainer, said.decode("utf-8", "replace").strip())) from error
    return library


def connect(model: torch.nn.Module, mode: str, steps_per_epoch: int, peer_timeout: float, gradients_elsewhere: bool) -> Any:
    """An engine that has met all other ranks': a collective of the default process group."""
    names, parameters = _parameters(model, True)
    frozen_names, frozen = _parameters(model, False)
    buffer_names, buffers = _buffers(model)
    for name, tensor in zip(names + frozen_names + buffer_names, parameters + frozen + buffers):
        if tensor.layout != torch.strided or tensor.is_meta:
            raise RuntimeError("'%s' is no dense tensor with values" % name)
    for name, tensor in zip(names, parameters):
        # Averages are of real numbers, and would leave the imaginary parts out.
        if tensor.is_complex():
            raise RuntimeError("'%s' is complex: keep it as real numbers (torch.view_as_real) and make it complex in forward" % name)
    statistics = [] if gradients_elsewhere else _statistics(model)
    made = load()
    host, port, secret = _meet()
    place = [dist.get_rank(), dist.get_world_size(), port]
    # Gloo takes a list; we need one.
    interface = os.environ.get("GLOO_SOCKET_IFNAME", "").split(",")[0]
    seconds = [120.0, float(peer_timeout)]
    return made(
        place, [host, secret, interface], seconds, names, parameters, frozen_names, frozen, buffer_names, buffers, statistics, mode, steps_per_epoch, gradients_elsewhere
    )


def refuse_wrapped(model: torch.nn.Module) -> None:
    """What exchanges by itself would send all gradients beside ours, and what splits the weights has no whole ones. By their names: FSDP need not be imported."""
    for where, one in model.named_modules():
        kinds = {kind.__name__ for kind in type(one).__mro__}
        said = "'%s' of the model" % where if where else "the model"
        if "DistributedDataParallel" in kinds:
            raise ValueError(
                "%s is a DistributedDataParallel, which sends all gradients in every step: give ringlab.slow the model inside (.module), or keep DistributedDataParallel and call ringlab.hook" % said
            )
        if kinds & {"FullyShardedDataParallel", "FSDPModule"}:
            raise ValueError("%s is sharded by FSDP, and ringlab.slow needs all weights on every rank: give it the model without FSDP" % said)


def use_buffers(engine: Any, model: torch.nn.Module) -> None:
    """Those that the model has now: its forward may have given a name another tensor."""
    names, buffers = _buffers(model)
    engine.use_buffers(names, buffers, _statistics(model))


def _named(pairs: Any) -> Tuple[List[str], List[torch.Tensor]]:
    names: List[str] = []
    tensors: List[torch.Tensor] = []
    for name, tensor in pairs:
        names.append(name)
        tensors.append(tensor)
    return names, tensors


def _parameters(model: torch.nn.Module, trained: bool) -> Tuple[List[str], List[torch.Tensor]]:
    return _named((name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad == trained)


def _buffers(model: torch.nn.Module) -> Tuple[List[str], List[torch.Tensor]]:
    return _named((name, buffer.detach()) for name, buffer in model.named_buffers())


def _statistics(model: torch.nn.Module) -> List[torch.Tensor]:
    """Running statistics of batch norm: each rank's come from its own batches."""
    found: List[torch.Tensor] = []
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._NormBase):
            found.extend(one.detach() for one in (module.running_mean, module.running_var) if one is not None)
    return found


def _meet() -> Tuple[str, int, str]:
    """Rank 0's address, a free port of its machine, and a secret for this rendezvous, through the store that all ranks have met at."""
    global _rendezvous_count
    store = dist.distributed_c10d._get_default_store()
    key = "ringlab/meeting/%d" % _rendezvous_count
    _rendezvous_count += 1
    if dist.get_rank() == 0:
        host = os.environ.get("MASTER_ADDR") or socket.gethostname()
        port = int(os.environ.get("RINGLAB_SYNC_PORT") or _free_port(host))
        store.set(key, "%s %d %s" % (host, port, os.urandom(32).hex()))
    host, port_text, secret = store.get(key).decode().split(" ")
    return host, int(port_text), secret


def _free_port(host: str) -> int:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as one:
            one.bind(address)
            return int(one.getsockname()[1])
    except OSError as error:
        warnings.warn("MASTER_ADDR %s is no address of rank 0's machine: %s" % (host, error), stacklevel=2)
        with socket.socket() as one:
            one.bind(("", 0))
            return int(one.getsockname()[1])
