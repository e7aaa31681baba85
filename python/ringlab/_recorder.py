"""The collectives that PyTorch's own flight recorder knows to be under way: those that no frame of Python names, as DistributedDataParallel's.

Gloo's is there from PyTorch 2.8 on, NCCL's from 2.5 on. Both are asked in this process, as JSON: their dumps to files are pickles.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any, Dict, List, Optional

_NCCL = "_dump_nccl_trace_json"
_DUMPS = (_NCCL, "_dump_fr_trace_json")
_TIMING = "TORCH_NCCL_ENABLE_TIMING"
# The recorder looks at events outside its lock (2.8): they live on only where they are kept for other collectives, which is PyTorch's default.
_EVENT_CACHE = "TORCH_NCCL_CUDA_EVENT_CACHE"
# A recorder that takes longer than this is not asked again.
_MAX_SECONDS = 0.005
# 2,000 records, PyTorch's own limit, are 1 MB; more would hold the interpreter's lock for long.
_MAX_BYTES = 8 << 20
# As Python's functions are called, where the recorder's names are others.
_NAMES = {
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "_all_gather_base": "all_gather_into_tensor",
    "_allgather_base": "all_gather_into_tensor",
    "_reduce_scatter_base": "reduce_scatter_tensor",
    "reducescatter": "reduce_scatter",
    "alltoall": "all_to_all",
}
_DTYPES = {
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
}


_too_slow = False


def gpu_waits_for_others() -> bool:
    """Is the newest collective that the GPU was given under way on it? What comes before it is computed then, and what comes after it waits. False where that is not known:
    NCCL's recorder says when a collective begins where TORCH_NCCL_ENABLE_TIMING is set. That costs an event for each, and where kernels start in the order of their
    launch it delays the next one (pytorch#143890): the user's choice."""
    global _too_slow
    if _too_slow or not os.environ.get(_TIMING) or os.environ.get(_EVENT_CACHE) == "0":
        return False
    dump = getattr(sys.modules.get("torch._C._distributed_c10d"), _NCCL, None)
    if not callable(dump):
        return False
    begun = time.perf_counter()
    left = _unfinished(dump, True)
    _too_slow = time.perf_counter() - begun > _MAX_SECONDS
    return bool(left) and max(left, key=_created).get("state") == "started"


def under_way() -> Optional[Dict[str, Any]]:
    """The newest collective that was begun and has not ended: `name`, `shape`, `dtype`, `group`, as far as they are known."""
    c10d = sys.modules.get("torch._C._distributed_c10d")
    found: List[Dict[str, Any]] = []
    for name in _DUMPS:
        dump = getattr(c10d, name, None)
        if callable(dump):
            # Not those alone that a device has not finished: Gloo has no device, and says when it is done with one.
            found.extend(one for one in _unfinished(dump, False) if not one.get("is_p2p"))
    if not found:
        return None
    return _said(max(found, key=_created))


def _created(entry: Dict[str, Any]) -> Any:
    return entry.get("time_created_ns") or 0


def _unfinished(dump: Any, active_only: bool) -> List[Dict[str, Any]]:
    try:
        text = dump(True, active_only)
        if len(text) > _MAX_BYTES:
            return []
        entries = json.loads(text).get("entries") or []
        return [one for one in entries if one.get("state") != "completed" and not one.get("retired")]
    except Exception:
        return []


def _said(entry: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    name = str(entry.get("profiling_name") or "").rpartition(":")[2]
    if not name:
        return None
    said: Dict[str, Any] = {"name": _NAMES.get(name, name)[:80]}
    sizes, dtypes, group = entry.get("input_sizes"), entry.get("input_dtypes"), entry.get("process_group")
    if isinstance(sizes, list) and sizes and isinstance(sizes[0], list):
        said["shape"] = [int(edge) for edge in sizes[0][:8]]
        if len(sizes) > 1:
            said["tensors"] = len(sizes)
    if isinstance(dtypes, list) and dtypes:
        said["dtype"] = _DTYPES.get(str(dtypes[0]), str(dtypes[0]).lower())[:40]
    if isinstance(group, list) and group:
        said["group"] = str(group[0])[:80]
    return said
