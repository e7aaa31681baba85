"""Builds the wheel and the source archive (PEP 517), the same bytes each time. A backend of our own, so that installing needs no index."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

ROOT = Path(__file__).resolve().parent.parent
NAME = "ringlab"
# The earliest time that a zip can hold.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def version() -> str:
    found = re.search(r'__version__ = "([^"]+)"', (ROOT / NAME / "_version.py").read_text("utf-8"))
    if found is None:
        raise RuntimeError("ringlab/_version.py names no version")
    return found.group(1)


def modules() -> List[Tuple[str, bytes]]:
    files = sorted(path for path in (ROOT / NAME).rglob("*") if path.suffix == ".py" or path.name == "py.typed")
    return [(path.relative_to(ROOT).as_posix(), path.read_bytes()) for path in files]


def metadata() -> bytes:
    fields = [
        "Metadata-Version: 2.1",
        f"Name: {NAME}",
        f"Version: {version()}",
        "Summary: Values, settings and files of a training script for Ringlab; its training over slow links for any model",
        "License: MIT",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    return ("\n".join(fields) + "\n\n").encode() + (ROOT / "README.md").read_bytes()


def distribution_info() -> List[Tuple[str, bytes]]:
    folder = f"{NAME}-{version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: {NAME} wheel_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return [(f"{folder}/METADATA", metadata()), (f"{folder}/WHEEL", wheel.encode()), (f"{folder}/top_level.txt", f"{NAME}\n".encode())]


def build_wheel(wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    return _write_wheel(wheel_directory, modules())


def build_editable(wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    return _write_wheel(wheel_directory, [(f"__editable__.{NAME}.pth", f"{ROOT}\n".encode())])


def _write_wheel(wheel_directory: str, content: List[Tuple[str, bytes]]) -> str:
    files = content + distribution_info()
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files)
    place = f"{NAME}-{version()}.dist-info/RECORD"
    files.append((place, (record + f"{place},,\n").encode()))
    name = f"{NAME}-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as archive:
        for path, data in files:
            entry = zipfile.ZipInfo(path, ZIP_TIME)
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3
            # Stored: zlib's versions compress differently.
            archive.writestr(entry, data, zipfile.ZIP_STORED)
    return name


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    base = f"{NAME}-{version()}"
    own = [(path, (ROOT / path).read_bytes()) for path in ("README.md", "pyproject.toml", "packaging/wheel_backend.py")]
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in [("PKG-INFO", metadata()), *own, *modules()]:
            entry = tarfile.TarInfo(f"{base}/{path}")
            entry.size = len(data)
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(data))
    name = f"{base}.tar.gz"
    with open(Path(sdist_directory) / name, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(raw.getvalue())
    return name
