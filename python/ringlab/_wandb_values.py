"""What a W&B script keeps by name: its settings and its summary. Changes are written at once."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional

from . import _lines, _numbers, _record


class State:
    """Of this process."""

    disabled = False
    step_metrics: Dict[str, str] = {}
    last: Dict[str, Any] = {}


state = State()


def settings_of(value: Any) -> Dict[str, Any]:
    try:
        if isinstance(value, (str, os.PathLike)):
            value = _read(value)
        return {key: _unwrapped(one) for key, one in _numbers.mapping(value).items()}
    except Exception as error:
        _lines.say_once("settings were left out: %s" % error)
        return {}


def _read(path: Any) -> Any:
    """A file of settings: YAML, of which JSON is a part."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return json.loads(text)
    except ValueError:
        import yaml  # W&B needs it, too

        return yaml.safe_load(text)


def _unwrapped(value: Any) -> Any:
    """A setting written as ``{"value": x, "desc": …}``."""
    if isinstance(value, dict) and "value" in value and set(value) <= {"value", "desc"}:
        return value["value"]
    return value


def write_config(values: Mapping[str, Any]) -> None:
    if not state.disabled:
        _record.config(values)


def write(values: Mapping[str, Any], step: Optional[int], advance: bool) -> float:
    return 0 if state.disabled else _record.write_values(values, step, advance)


class Config(Dict[str, Any]):
    """The run's settings, by key and by attribute. What changes is written."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError("config has no '%s'" % name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        dict.__setitem__(self, name, value)
        self._changed({name: value})

    def update(self, *values: Any, allow_val_change: Optional[bool] = None, **more: Any) -> None:  # type: ignore[override]
        new: Dict[str, Any] = {}
        for one in values:
            new.update(settings_of(one))
        new.update(more)
        dict.update(self, new)
        self._changed(new)

    def setdefaults(self, values: Any) -> None:
        self.update({key: value for key, value in settings_of(values).items() if key not in self})

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def __reduce__(self) -> Any:
        return _Copy, (dict(self),)

    def _changed(self, values: Mapping[str, Any]) -> None:
        write_config(values)

    def as_dict(self) -> Dict[str, Any]:
        return dict(self)


class _Copy(Config):
    """A copy of a run's settings, also in a worker process: what changes is no setting of the run."""

    def _changed(self, values: Mapping[str, Any]) -> None:
        pass


class Summary(Dict[str, Any]):
    """The last value of everything, and what the script sets itself, which is logged."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __setitem__(self, name: str, value: Any) -> None:
        dict.__setitem__(self, name, _numbers.kept(value))
        write({name: value}, None, advance=False)

    def update(self, *values: Any, **more: Any) -> None:  # type: ignore[override]
        for one in (*values, more):
            for key, value in settings_of(one).items():
                self[key] = value

    def remember(self, values: Mapping[str, Any]) -> None:
        dict.update(self, {key: _numbers.kept(value) for key, value in values.items()})
