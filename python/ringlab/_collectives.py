"""Says where this rank stands among its collectives once none has moved for a while: for ranks that wait for each other.

Nothing on a collective's way is changed (before a group is destroyed there is a pause, see `_pause`): a thread looks once a second at the numbers that PyTorch's process groups count themselves, and only where
they rest it reads the Python stack. It is started by `init_process_group`, and ends with the last group.
"""

from __future__ import annotations

import _thread
import atexit
import functools
import os
import sys
import threading
import time
from typing import Any, Dict, List, Optional, Tuple

from . import _apart, _frames, _lines, _profile, _recorder, _store

QUIET_SECONDS = 10.0
END_SECONDS = 0.1
# A script that rests for longer from time to time is believed: each time it moves on the patience doubles.
MAX_QUIET_SECONDS = 160.0
# After so many lines the longest patience doubles, too. The watch does not end there: `resting` as the last line would be a rank that waits for ever.
LINES_TO_DOUBLE, MAX_GROUPS, MAX_RANKS = 500, 16, 128
TENSORS = ("tensor", "input", "input_tensor", "output_tensor", "output", "tensor_list", "input_list", "input_tensor_list", "output_tensor_list", "gather_list", "scatter_list")

_watch: Optional["_Watch"] = None


def quiet_seconds() -> float:
    try:
        return min(max(float(os.environ["RINGLAB_QUIET_SECONDS"]), 0.5), 3600.0)
    except (KeyError, ValueError):
        return QUIET_SECONDS


def attach(c10d: Any) -> None:
    """Lets the functions that make and destroy groups, which are called once, start the thread, note where a group's numbers begin, and pause."""
    _harmless(_store.default_store, sys.modules.get("torch.distributed"))
    _surround(c10d, "init_process_group", (lambda *_: _store.choose_store(), functools.partial(_begin, c10d)), (_joined,))
    _surround(c10d, "new_group", (), (_grown,))
    _surround(c10d, "destroy_process_group", (lambda *_: _pause(),), ())
    _harmless(_started, c10d)


def _surround(c10d: Any, name: str, before: Tuple[Any, ...], after: Tuple[Any, ...]) -> None:
    function = getattr(c10d, name, None)
    if not callable(function):
        return

    @functools.wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        for one in before:
            _harmless(one, given, named)
        result = function(*given, **named)
        for one in after:
            _harmless(one)
        return result

    setattr(c10d, name, call)


def _pause() -> None:
    """Gloo's threads take the interpreter's lock to free the last collectives' tensors. PyTorch (1.13) waits for these threads with the lock held when it destroys
    the group, and then never ends: here they get the lock before."""
    if _watch is not None and _watch.joined:
        _harmless(time.sleep, END_SECONDS)


def _harmless(function: Any, *given: Any) -> None:
    try:
        function(*given)
    except Exception:  # what is no part of the training must not end it
        pass


def _started(c10d: Any) -> None:
    """A script that never calls `init_process_group` trains in each process by itself: this line is then its only one. Its workers say nothing: one that is
    spawned imports the script before it knows its parent, and is inheriting then."""
    processes: Any = sys.modules.get("multiprocessing.process")
    if processes is not None and (processes.parent_process() is not None or getattr(processes.current_process(), "_inheriting", False)):
        return
    if _lines.folder() is not None and (_size_said() or 1) > 1:
        _Watch(c10d).say("started", (), 0.0)
    _profile_of(c10d)


def _profile_of(c10d: Any) -> None:
    """What the time of this process goes into, also of one that trains alone."""
    watch = _Watch(c10d)
    _profile.start(lambda: sum(count for _, count in watch.counts()) if watch.groups() else None, lambda: watch.rank() if watch.groups() else _rank_said() or 0)


def _begin(c10d: Any, given: Any, named: Any) -> None:
    global _watch
    _profile_of(c10d)
    if _lines.folder() is None or (_apart.launched() or (_size_said(),))[0] == 1:
        return
    if _watch is None or _watch.ended or _watch.process != os.getpid():
        _watch = _Watch(c10d)
        # A script that never destroys its group leaves that to the interpreter's end.
        atexit.register(_pause)
        _watch.address = _apart.address_of(given[1] if len(given) > 1 else named.get("init_method"))
        # Now: older versions of PyTorch hold the interpreter's lock while they wait for the others.
        _watch.say("joining", (), 0.0, _frames.places(sys._getframe(1), __file__))
        # Not of `threading`: a script that joins all threads would wait for it.
        _thread.start_new_thread(_watch.run, ())


def _joined() -> None:
    if _watch is not None:
        # A group of an earlier `init_process_group` may have had the same name.
        _watch.bases.clear()
        _watch.note_bases()
        _watch.joined = True
        _harmless(_watch.note_size)


def _grown() -> None:
    if _watch is not None:
        _watch.note_bases()


def _size_said() -> Optional[int]:
    text = os.environ.get("WORLD_SIZE", "")
    return int(text) if text.isdigit() else None


def _rank_said() -> Optional[int]:
    text = os.environ.get("RANK", "")
    return int(text) if text.isdigit() else None


def count_of(group: Any) -> Optional[int]:
    """How many collectives this process has begun in the group, DistributedDataParallel's own included, from the group's own first number."""
    try:
        return int(group._get_sequence_number_for_group())
    except Exception:
        pass
    try:  # a group with a back end for each kind of device
        return sum(int(group._get_backend(device)._get_sequence_number_for_group()) for device in group._device_types)
    except Exception:
        return None


class _Watch:
    def __init__(self, c10d: Any) -> None:
        self.c10d = c10d
        self.process = os.getpid()
        self.joined = False
        self.ended = False
        self.bases: Dict[str, int] = {}
        self.lines = 0
        self.address = ""
        self.size: Optional[int] = None

    def groups(self) -> List[Tuple[str, Any]]:
        names = getattr(self.c10d, "_pg_names", {})
        found = list(getattr(self.c10d, "_pg_map", {}))
        return [(str(names.get(group, index))[:80], group) for index, group in enumerate(found[:MAX_GROUPS])]

    def counts(self) -> Tuple[Tuple[str, int], ...]:
        found = [(name, count_of(group)) for name, group in self.groups()]
        return tuple((name, count) for name, count in found if count is not None)

    def note_bases(self) -> None:
        for name, count in self.counts():
            self.bases.setdefault(name, count)

    def note_size(self) -> None:
        self.size = int(self.c10d.get_world_size())

    def run(self) -> None:
        try:
            self._follow()
        except BaseException:  # at the interpreter's end anything may be gone
            pass
        self.ended = True

    def _follow(self) -> None:
        first = quiet = quiet_seconds()
        poll = min(1.0, first / 4)
        before: Any = None
        moved = time.monotonic()
        said: Any = None
        again, greeted = 0.0, False
        while not (self.joined and not self.groups()):
            now = time.monotonic()
            longest = max(MAX_QUIET_SECONDS, first) * 2 ** (self.lines // LINES_TO_DOUBLE)
            counts = self.counts() if self.joined else ()
            if self.joined and not greeted:
                greeted = self.say("moving", counts, 0.0)
            if (self.joined, counts) != before:
                before = (self.joined, counts)
                moved = now
                if said is not None:
                    self.say("moving", counts, 0.0)
                    quiet = min(2 * quiet, longest)
                    said = None
            elif self.joined and now - moved >= quiet and now >= again:
                stack = self.stack()
                if stack != said:
                    # A rank that computes is elsewhere at each look: fewer and fewer of them are kept.
                    gap = quiet if said is None else min(2 * gap, longest)
                    again = now + gap
                    said = stack
                    self.say("resting", counts, now - moved, stack)
            time.sleep(poll)
        if self.joined and not self.groups():
            self.say("left", (), 0.0)

    def rank(self) -> Optional[int]:
        """In the first group."""
        try:
            return int(self.c10d.get_rank())
        except Exception:
            return _rank_said()

    def say(self, state: str, counts: Tuple[Tuple[str, int], ...], quiet: float, stack: Optional[Dict[str, Any]] = None) -> bool:
        rank = self.rank() if counts else _rank_said()
        if rank is None:
            return False
        line: Dict[str, Any] = {"rank": rank, "state": state, "quiet": round(quiet, 1)}
        members = dict(self.groups())
        line["groups"] = [self.group(name, members.get(name), count) for name, count in counts]
        apart = _apart.said_of(self.size, self.address)
        if apart is not None:
            line["apart"] = apart
        line.update(stack or {})
        self.lines += 1
        return _lines.report("collectives", line, "stack")

    def group(self, name: str, group: Any, count: int) -> Dict[str, Any]:
        base = self.bases.get(name)
        said: Dict[str, Any] = {"name": name, "count": count - base if base is not None else count}
        try:
            said["ranks"] = sorted(self.c10d._pg_group_ranks[group])[:MAX_RANKS]
        except Exception:
            pass
        return said

    def stack(self) -> Dict[str, Any]:
        """Of the thread that is in a collective, else of the main one."""
        own = _thread.get_ident()
        frames = {thread: frame for thread, frame in sys._current_frames().items() if thread != own}
        main = frames.get(threading.main_thread().ident or 0)
        order = ([main] if main is not None else []) + [frame for frame in frames.values() if frame is not main]
        for frame in order:
            operation = self.operation(frame)
            if operation is not None:
                return {"operation": operation, **_frames.places(frame, __file__)}
        place = _frames.places(order[0], __file__) if order else {}
        operation = self.recorded()
        return place if operation is None else {"operation": operation, **place}

    def recorded(self) -> Optional[Dict[str, Any]]:
        """One that PyTorch began by itself, in a newer version."""
        try:
            operation = _recorder.under_way()
        except Exception:
            return None
        if operation is not None and operation.get("group") not in [name for name, _ in self.groups()]:
            operation.pop("group", None)
        return operation

    def operation(self, frame: Any) -> Optional[Dict[str, Any]]:
        """The collective that the frame is in: its name is the outermost function of the module, its tensors are the innermost one's."""
        file = getattr(self.c10d, "__file__", None)
        found: List[Any] = []
        for _ in range(_frames.MAX_WALK):
            if frame is None:
                break
            within = frame.f_code.co_filename
            if within == file:
                if not frame.f_code.co_name.startswith("_"):
                    found.append(frame)
            elif found and os.path.basename(within) not in ("c10d_logger.py", os.path.basename(__file__)):
                break
            frame = frame.f_back
        if not found:
            return None
        said: Dict[str, Any] = {"name": found[-1].f_code.co_name[:80]}
        inner = found[0].f_locals
        for name in TENSORS:
            value = inner.get(name)
            one = value[0] if isinstance(value, (list, tuple)) and value else value
            shape = getattr(one, "shape", None)
            if shape is None:
                continue
            said["shape"] = [int(edge) for edge in list(shape)[:8]]
            said["dtype"] = str(getattr(one, "dtype", "")).replace("torch.", "")[:40]
            if one is not value:
                said["tensors"] = len(value)
            break
        group = found[-1].f_locals.get("group")
        for name, known in self.groups():
            if known is group:
                said["group"] = name
        return said
