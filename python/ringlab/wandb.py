"""``import ringlab.wandb as wandb``: a script that logs to Weights & Biases logs to Ringlab instead.

Values, settings, summary and saved files are taken. Pictures, tables, artifacts, sweeps and everything else can be called,
does nothing, and says so once. No server, no account, no thread; nothing here raises.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import secrets
import string
import sys
import time
import types
from typing import Any, Dict, List, Mapping, Optional, Tuple

from . import _lines, _numbers, _record
from ._nothing import (  # noqa: F401
    AlertLevel, Artifact, Audio, CommError, Error, Errors, Histogram,
    Html, Image, Nothing, Settings, Table, unknown, UsageError, Video,
)
from ._version import __version__  # noqa: F401
from ._wandb_values import Config, Summary, settings_of, write
from ._wandb_values import state as _state


class Run:
    """What ``init`` returns."""

    def __init__(self, name: Optional[str], project: Optional[str], config: Config, tags: Tuple[str, ...], group: Optional[str]) -> None:
        self.id = os.environ.get("RINGLAB_RUN_ID") or "local"
        self.name = name or self.id
        self.project = project or ""
        self.entity = ""
        self.group = group or ""
        self.tags = tags
        self.notes, self.job_type = "", ""
        self.sweep_id: Optional[str] = None
        self.dir = os.getcwd()
        self.url = ""
        self.resumed = False
        self.disabled = False
        self.path = "/".join(part for part in (self.entity, self.project, self.id) if part)
        self.offline = True
        self.start_time = time.time()
        self.config = config
        self.summary = Summary()
        self.step = 0

    def log(self, data: Mapping[str, Any], step: Optional[int] = None, commit: Optional[bool] = None, sync: Optional[bool] = None) -> None:
        log(data, step=step, commit=commit)

    def finish(self, exit_code: Optional[int] = None, quiet: Optional[bool] = None) -> None:
        finish()

    def save(self, glob_str: Any = None, base_path: Any = None, policy: str = "live") -> List[str]:
        return save(glob_str)

    def define_metric(self, name: str, step_metric: Any = None, *_: Any, **__: Any) -> "_Metric":
        return define_metric(name, step_metric)

    def alert(self, title: str, text: str = "", *_: Any, **__: Any) -> None:
        alert(title, text)

    def watch(self, *_: Any, **__: Any) -> None:
        unknown("watch")

    def unwatch(self, *_: Any, **__: Any) -> None:
        return None

    def get_url(self) -> str:
        return self.url

    def project_name(self) -> str:
        return self.project

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return unknown("run." + name)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: Any) -> None:
        finish()


class _Metric:
    def __init__(self, name: str) -> None:
        self.name = name


class _Util:
    """What scripts take from ``wandb.util``."""

    @staticmethod
    def generate_id(length: int = 8) -> str:
        return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(length))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return unknown("util." + name)


run: Optional[Run] = None
config: Any = Config()
summary: Any = Summary()
util = _Util()
errors = Errors()


def init(
    project: Any = None, *_: Any, name: Optional[str] = None, config: Any = None, tags: Any = None, group: Optional[str] = None,
    mode: Optional[str] = None, config_exclude_keys: Any = None, config_include_keys: Any = None, reinit: Any = None,
    notes: Optional[str] = None, job_type: Optional[str] = None, **__: Any
) -> Run:
    """Begins a run; in mode 'disabled' nothing is written. Where one is active, it is returned, unless ``reinit`` asks for another."""
    settings = settings_of(config) if config is not None else {}
    if config_include_keys:
        settings = {key: value for key, value in settings.items() if key in config_include_keys}
    settings = {key: value for key, value in settings.items() if key not in (config_exclude_keys or ())}
    active: Optional[Run] = _this.run
    if active is not None and reinit not in (True, "finish_previous", "create_new"):
        active.config.update(settings)
        return active
    _state.disabled = (mode or os.environ.get("WANDB_MODE")) == "disabled"
    _state.step_metrics = {}
    _state.last = {}
    # A project that is no text: older versions' first argument was another one.
    made = Run(name, project if isinstance(project, str) else None, Config(), tuple(tags or ()), group)
    made.notes, made.job_type = notes or "", job_type or ""
    made.disabled = _state.disabled
    _this.run = made
    made.config.update(settings)
    types.ModuleType.__setattr__(_this, "config", made.config)
    types.ModuleType.__setattr__(_this, "summary", made.summary)
    return made


def log(data: Mapping[str, Any], step: Optional[int] = None, commit: Optional[bool] = None, sync: Optional[bool] = None) -> None:
    """Logs values. The next call has the next step, unless ``commit=False``, or ``step`` is given and repeated."""
    if not isinstance(data, Mapping):
        _lines.say_once("wandb.log takes a dict, not %s" % type(data).__name__)
        return
    try:
        values: Dict[str, Any] = {}
        for key, value in _numbers.flat(data):
            if isinstance(value, Nothing):
                _lines.say_once("'%s': pictures, tables and the like are not taken" % key)
            else:
                values[key] = value
        _state.last.update({key: _numbers.kept(values[key]) for key in values if key in _state.step_metrics.values()})
        own: Dict[str, Dict[str, Any]] = {}
        for key in list(values):
            metric = _step_metric(key)
            if metric is not None and metric in _state.last and metric != key:
                own.setdefault(metric, {})[key] = values.pop(key)
        for metric, part in own.items():
            # Its own axis: the counted step is not touched.
            _write_at(part, _state.last[metric])
        # With a step W&B gathers until another step comes; what is counted afterwards continues there.
        advance = (step is None) if commit is None else bool(commit)
        taken = write(values, step, advance)
        if _this.run is not None:
            _this.run.step = int(taken) + (1 if advance else 0)
            _this.run.summary.remember({**values, **{key: value for part in own.values() for key, value in part.items()}})
    except Exception as error:
        _lines.say_once("values were left out: %s" % error)


def _step_metric(key: str) -> Optional[str]:
    for pattern, metric in reversed(list(_state.step_metrics.items())):
        if key == pattern or fnmatch.fnmatchcase(key, pattern):
            return metric
    return None


def _write_at(values: Mapping[str, Any], at: Any) -> None:
    step = _numbers.number(at)
    if _state.disabled or not isinstance(step, (int, float)):
        return
    with _record.kept_step():
        _record.write_values(values, step, advance=False)


def define_metric(name: Any, step_metric: Any = None, *_: Any, **__: Any) -> _Metric:
    """`name` (or a pattern such as ``val/*``) is drawn over `step_metric` instead of the counted step."""
    over = getattr(step_metric, "name", step_metric)
    if over is not None:
        _state.step_metrics[str(name)] = str(over)
    return _Metric(str(name))


def save(glob_str: Any = None, base_path: Any = None, policy: str = "live") -> List[str]:
    """Names the files that match, as ``ringlab.save`` does."""
    if glob_str is None or _state.disabled:
        return []
    try:
        found = sorted(glob.glob(os.fsdecode(glob_str)))
    except Exception as error:
        _lines.say_once("files were left out: %s" % error)
        return []
    for path in found[:1000]:
        _record.save(path)
    return found


def alert(title: str = "", text: str = "", *_: Any, **__: Any) -> None:
    """A line in the rank's log."""
    if not _state.disabled:
        _lines.say_once("%s: %s" % (title, text))


def finish(exit_code: Optional[int] = None, quiet: Optional[bool] = None) -> None:
    """Ends the run. Every line is written already."""
    _this.run = None
    _state.disabled = False


join = finish


def login(*_: Any, **__: Any) -> bool:
    """No account is needed."""
    return True


def agent(*_: Any, **__: Any) -> None:
    """Nothing chooses settings here."""
    _lines.say_once("wandb.agent: there are no sweeps here, so its function was not called and nothing was trained; call it yourself, with settings for wandb.init(config=…), or start a sweep in Ringlab")


def watch(*_: Any, **__: Any) -> None:
    """Gradients are not recorded."""
    unknown("watch")


def unwatch(*_: Any, **__: Any) -> None:
    return None


def setup(*_: Any, **__: Any) -> Nothing:
    return Nothing()


def teardown(*_: Any, **__: Any) -> None:
    return None


class _Module(types.ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        # `wandb.config = {…}`, as older scripts write.
        if name == "config" and not isinstance(value, Config):
            settings = Config()
            settings.update(value)
            value = settings
        types.ModuleType.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return unknown(name)


_this: Any = sys.modules[__name__]
_this.__class__ = _Module
