"""Says what this rank's time goes into, from samples of the main thread's Python stack: for 'Why is it slow'.

No call of the script is changed. A thread looks 100 times a second for one second in ten, at random moments, which costs less than a thousandth of the
time. Where ranks wait within a backward pass no frame says it: DistributedDataParallel waits in C++ until its last bucket has arrived. There the process
groups' own numbers are asked: a sample after the last collective of the pass has begun is waiting. Where Python waits for the GPU, NCCL's flight recorder is
asked whether the GPU waits for other ranks.
"""

from __future__ import annotations

import _thread
import os
import random
import sys
import threading
import time
from collections import Counter
from types import FrameType
from typing import Any, Callable, Dict, Optional, Tuple

from . import _frames, _lines, _parts, _recorder

BURST_SECONDS = 1.0
TICK_SECONDS = 0.01
PAUSE_SECONDS = 9.0
FIRST_REPORT_SECONDS = 12.0
REPORT_SECONDS = 30.0
# Reports become rarer in a long run.
REPORTS_BEFORE_RARER = 100
MAX_REPORTS = 800
# A backward pass that is under way at the end of a burst is followed for as long.
PASS_SECONDS = 60.0
MIN_SAMPLES = 50
MAX_PLACES = 6
TRAINS = ("data", "forward", "backward", "optimizer")

# A stream of our own: the script's would be moved on at moments that differ from run to run and from rank to rank.
_random = random.Random()
_profiler: Optional["Profiler"] = None


def start(count: Callable[[], Optional[int]], rank: Callable[[], Optional[int]]) -> None:
    """Begins to look at this process, if nothing does yet. `count`: of the collectives that it has begun."""
    global _profiler
    if _lines.folder() is None or os.environ.get("RINGLAB_PROFILE") == "0":
        return
    if _profiler is None or _profiler.process != os.getpid():
        _profiler = Profiler(count, rank)
        # Not of `threading`: a script that joins all threads would wait for it.
        _thread.start_new_thread(_profiler.run, (seconds_scale(),))


def seconds_scale() -> float:
    """Tests are in a hurry."""
    try:
        return min(max(float(os.environ["RINGLAB_PROFILE_SCALE"]), 0.01), 1.0)
    except (KeyError, ValueError):
        return 1.0


class Profiler:
    def __init__(self, count: Callable[[], Optional[int]], rank: Callable[[], Optional[int]]) -> None:
        self.process = os.getpid()
        self._count = count
        self._rank = rank
        self._samples: "Counter[Tuple[str, Optional[_parts.Line]]]" = Counter()
        self._trains = False
        self._reports = 0
        self._pass: Optional[FrameType] = None  # the backward pass that is under way
        self._pass_samples: "Counter[Tuple[Optional[int], Optional[_parts.Line]]]" = Counter()  # by the number of collectives begun until then
        self._count_now: Optional[int] = None
        self._count_before: Optional[int] = None  # the pass

    def run(self, scale: float) -> None:
        try:
            begun = time.monotonic()
            while self._reports < MAX_REPORTS:
                end = time.monotonic() + BURST_SECONDS * max(scale, 0.2)
                while time.monotonic() < end:
                    self.look(1)
                    time.sleep(TICK_SECONDS)
                self.follow_pass()
                now = time.monotonic()
                if now - begun >= scale * self.report_seconds() and self.report(now - begun):
                    begun = now
                time.sleep(PAUSE_SECONDS * scale * _random.uniform(0.6, 1.4))
        except BaseException:  # at the interpreter's end anything may be gone
            pass

    def report_seconds(self) -> float:
        """The first one soon: somebody looks."""
        return FIRST_REPORT_SECONDS if self._reports == 0 else REPORT_SECONDS * 2.0 ** (self._reports // REPORTS_BEFORE_RARER)

    def look(self, weight: int) -> None:
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        if frame is None:
            return
        part, line, backward = _parts.look(frame)
        del frame
        # NCCL's collectives are queued as kernels are: Python waits for both at the same place.
        if part == "device" and _recorder.gpu_waits_for_others():
            part = "exchange"
        # What comes before, imports and downloads, is no part of a step.
        self._trains = self._trains or part in TRAINS
        if not self._trains:
            return
        count = self._count()
        if self._pass is not None and backward is not self._pass:
            self._end_pass(None if backward is not None else count)
        if backward is None:
            self._count_now = count
            self._samples[(part, line)] += weight
            return
        if self._pass is None:
            # A frame that is held is not the next pass's.
            self._pass = backward
            self._count_before = self._count_now
        self._count_now = count
        self._pass_samples[(count, line)] += weight

    def follow_pass(self) -> None:
        """Whether a pass waits is known at its end."""
        end = time.monotonic() + PASS_SECONDS
        while self._pass is not None and time.monotonic() < end:
            time.sleep(5 * TICK_SECONDS)
            self.look(0)
        # It would keep what the script has in memory.
        if self._pass is not None:
            self._end_pass(None)

    def _end_pass(self, count: Optional[int]) -> None:
        """After the last collective of a backward pass had begun nothing was left to compute. `count`: after the pass; None: the next pass has begun, or none has ended."""
        last, before = self._count_now, self._count_before
        at_last = sum(samples for (then, _), samples in self._pass_samples.items() if then == last)
        moved = last is not None and before is not None and last > before
        # Where forward and optimizer are too short to be seen, backward is, too, but for its waiting.
        waited = moved and (count == last if count is not None else at_last >= 3)
        for (then, line), samples in self._pass_samples.items():
            self._samples[("exchange" if waited and then == last else "backward", line)] += samples
        self._pass_samples.clear()
        self._pass = None

    def report(self, seconds: float) -> bool:
        """False: there is too little to say. A process that never trains, such as one that starts others, never has samples."""
        samples = sum(self._samples.values())
        rank = self._rank()
        if samples < MIN_SAMPLES or rank is None:
            return False
        shares: "Counter[str]" = Counter()
        lines: Dict[_parts.Line, "Counter[str]"] = {}
        for (part, line), count in self._samples.items():
            if count == 0:
                continue
            shares[part] += count
            if line is not None:
                lines.setdefault(line, Counter())[part] += count
        self._samples.clear()
        most = sorted(lines.items(), key=lambda item: -sum(item[1].values()))[:MAX_PLACES]
        said: Dict[str, Any] = {"rank": rank, "process": self.process, "seconds": round(seconds, 1), "samples": samples}
        said["shares"] = {part: round(count / samples, 4) for part, count in shares.most_common()}
        said["places"] = [_place(line, parts, samples) for line, parts in most]
        self._reports += 1
        return _lines.report("profile", said, "places")


def _place(line: _parts.Line, parts: "Counter[str]", samples: int) -> Dict[str, Any]:
    file, function, number = line
    share = round(sum(parts.values()) / samples, 4)
    return {**_frames.place_of(file, number, function), "share": share, "part": parts.most_common(1)[0][0]}


