"""The native module's answers as values and exceptions, and where the standard library is."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
from dataclasses import dataclass
from typing import Any, List, Tuple

from . import _gpx

version: str = _gpx.version


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong; `line` is 0 where there is no place."""

    message: str
    hint: str
    file: str
    line: int
    column: int


class Error(Exception):
    """`problems` lists all that is wrong; the text shows each with its line and a caret."""

    def __init__(self, text: str, problems: List[Problem]):
        super().__init__(text)
        self.problems = problems

    def _render_traceback_(self) -> List[str]:
        """What Jupyter shows: the places in the experiment's text, not those in this package."""
        return [f"{type(self).__name__}: {self}"]


class InputError(Error, ValueError):
    """An experiment, a device's file, an analysis or an argument is wrong."""


class DeviceError(Error, RuntimeError):
    """A GPU, its driver, a compiler or the file system failed."""


def answer(result: Any) -> Any:
    """What a function of the native module returned, or its error raised."""
    if not isinstance(result, tuple):
        return result
    fault, text, problems = result
    kind = InputError if fault == 2 else DeviceError
    raise kind(text.rstrip(), [Problem(**problem) for problem in json.loads(problems)])


def paths() -> Tuple[str, str, str]:
    """The standard library, the experiments, and the program gpx ("" where there is none). They lie
    beside this package (a wheel), or where an installed gpx has them, else the native module carries
    them; GPX_STDLIB names another."""
    here = pathlib.Path(__file__).resolve().parent
    program = shutil.which("gpx") or ""
    # PREFIX/lib/python3/dist-packages/gpx
    installed = [prefix / "share" / "gpx" for prefix in list(here.parents)[3:4]]
    roots = [here / "data", *installed, pathlib.Path("/usr/share/gpx")]
    if program:
        roots.insert(1, pathlib.Path(program).resolve().parents[1] / "share" / "gpx")
    root = next((str(root) for root in roots if (root / "stdlib").is_dir()), "embedded:")
    return os.environ.get("GPX_STDLIB") or f"{root}/stdlib", f"{root}/experiments", program
