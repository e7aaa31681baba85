"""Which part of training a Python stack is in: loading data, forward, backward, an exchange, the optimizer, waiting for a GPU."""

from __future__ import annotations

import linecache
import re
import sys
from types import CodeType, FrameType
from typing import Any, Dict, List, Optional, Tuple

from . import _frames

# Below the folder `torch/`, or `ringlab/`: the beginning of a file's path, the functions that count (none: all), the part.
_RULES: Tuple[Tuple[str, Tuple[str, ...], str], ...] = (
    ("torch/utils/data/", (), "data"),
    ("torch/distributed/distributed_c10d.py", (), "exchange"),
    ("torch/distributed/_functional_collectives.py", (), "exchange"),
    ("torch/nn/parallel/distributed.py", ("_sync_params", "_sync_params_and_buffers", "_sync_buffers", "_sync_module_buffers", "_sync_module_states", "_distributed_broadcast_coalesced"), "exchange"),
    ("torch/nn/parallel/replicate.py", (), "exchange"),
    ("torch/nn/parallel/scatter_gather.py", (), "exchange"),
    ("torch/nn/parallel/comm.py", (), "exchange"),
    ("ringlab/_engine.py", (), "exchange"),
    ("ringlab/_slow.py", ("synchronised_step", "forward"), "exchange"),
    ("torch/autograd/__init__.py", ("backward", "grad"), "backward"),
    ("torch/autograd/graph.py", ("_engine_run_backward",), "backward"),
    ("torch/optim/lr_scheduler.py", (), "other"),
    ("torch/optim/", (), "optimizer"),
    ("torch/cuda/amp/grad_scaler.py", (), "optimizer"),
    ("torch/amp/grad_scaler.py", (), "optimizer"),
    ("torch/nn/utils/clip_grad.py", (), "optimizer"),
    ("torch/serialization.py", ("save", "_save", "_legacy_save"), "saving"),
    ("torch/_inductor/", (), "compile"),
    ("torch/_dynamo/convert_frame.py", (), "compile"),
    ("torch/_dynamo/eval_frame.py", (), "forward"),
    ("torch/nn/modules/module.py", ("_call_impl", "_wrapped_call_impl", "_slow_forward"), "forward"),
    ("torch/cuda/__init__.py", ("synchronize",), "device"),
    ("torch/cuda/streams.py", ("synchronize", "wait"), "device"),
)
# Whatever these call is theirs: a transform may be a module, and a compiler traces them.
_WHOLE = ("data", "compile", "saving")
# What waits for a GPU has no frame of its own. A copy to it from memory that is not pinned waits for what the GPU was given before.
_USES_DEVICE = re.compile(r"\.(item|cpu|tolist|numpy|cuda)\(|\.to\((?!torch\.)")
_MAX_KNOWN = 8192

# The code itself keeps its address from another one. Codes of two files may be equal: their files are not compared.
_Known = Tuple[CodeType, Optional[str], bool]
_known: Dict[int, _Known] = {}


def _part_of(code: CodeType) -> Optional[str]:
    file = code.co_filename.replace("\\", "/")
    if file.startswith("<frozen importlib"):
        return "importing"
    at = max(file.rfind("/torch/"), file.rfind("/ringlab/"))
    if at < 0:
        return None
    inner = file[at + 1 :]
    for begin, names, part in _RULES:
        if inner.startswith(begin) and (not names or code.co_name in names):
            return part
    return None


def _know(code: CodeType) -> _Known:
    known = _known.get(id(code))
    if known is None:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        known = _known[id(code)] = (code, _part_of(code), _frames.is_own(code.co_filename))
    return known


def _on_device() -> bool:
    torch: Any = sys.modules.get("torch")
    try:
        return bool(torch.cuda.is_initialized())
    except Exception:
        return False


# A line of the script: its file, function and number.
Line = Tuple[str, str, int]


def _line_of(frame: FrameType) -> Line:
    return frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno or 0


def look(frame: Optional[FrameType]) -> Tuple[str, Optional[Line], Optional[FrameType]]:
    """The part that the innermost frame is in, the innermost line of the script itself, and the frame of the backward pass."""
    innermost = frame
    whole: Optional[str] = None
    backward: Optional[FrameType] = None
    found: List[str] = []
    line: Optional[Line] = None
    for _ in range(_frames.MAX_WALK):
        if frame is None:
            break
        _, part, own = _know(frame.f_code)
        if own and line is None:
            line = _line_of(frame)
        # Functions that run while PyTorch is imported are no part of a step, whatever file they are in.
        if part == "importing":
            return "other", line or _own_line(frame), None
        whole = whole or (part if part in _WHOLE else None)
        if part is not None and part not in found:
            found.append(part)
        if part == "backward":
            backward = frame
        frame = frame.f_back
    if whole is not None:
        return whole, line, None
    part = found[0] if found else "other"
    # A forward pass within backward is computed again for it.
    if part == "forward" and "backward" in found:
        part = "backward"
    if part in ("other", "forward", "optimizer") and innermost is not None and _waits_for_device(innermost):
        part = "device"
    return part, line, backward if part == "backward" else None


def _own_line(frame: Optional[FrameType]) -> Optional[Line]:
    for _ in range(_frames.MAX_WALK):
        if frame is None:
            return None
        if _know(frame.f_code)[2]:
            return _line_of(frame)
        frame = frame.f_back
    return None


def _waits_for_device(frame: FrameType) -> bool:
    if not _on_device():
        return False
    return _USES_DEVICE.search(linecache.getline(frame.f_code.co_filename, frame.f_lineno or 0)) is not None
