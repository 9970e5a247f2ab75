"""What can be asked of gpx."""

from __future__ import annotations

import os
from typing import Callable, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _gpx
from ._native import InputError, answer, paths
from ._results import Characterization, Prediction, Run

Progress = Callable[[int, int], object]
Extent = Union[int, str, Sequence[Union[int, str]]]
Number = Union[int, float, str]

_MOST_EXPERIMENT_BYTES = 64 << 20  # The language takes less, and says so.
_MOST_DOCUMENT_BYTES = 2 << 30  # As the program's: kMostDocumentBytes.


def run(
    source: Union[str, "os.PathLike[str]"],
    device: str = "auto",
    *,
    settings: Optional[Mapping[str, object]] = None,
    seed: int = 1,
    progress: Optional[Progress] = None,
) -> Run:
    """Runs the experiments of a text, or of a file where `source` is a path object.

    device    auto, cuda, cuda:1, a virtual device's name, or the path of a device's file
    settings  parameters and axes to replace: {"n": 2, "threads": "32..1024 step 32"}
    seed      of a virtual GPU's noise
    progress  called with the points done and in all; what it raises ends the run

    Raises InputError for a mistake in the text, DeviceError for a device or a tool that fails.
    """
    if isinstance(source, str):
        text, name = source, "<experiment>"
    else:
        name = os.fspath(source)
        text = _text_of(name, _MOST_EXPERIMENT_BYTES)
    pairs = [(key, str(value)) for key, value in (settings or {}).items()]
    try:
        return Run(answer(_gpx.run(paths(), text, name, device, pairs, seed, progress)))
    except InputError as error:
        if isinstance(source, str) and "\n" not in source and source.strip().endswith(".gpx"):
            hint = f"a str is an experiment's text; a file is gpx.run(pathlib.Path({source!r}))"
            raise InputError(f"{error}\nhint: {hint}", error.problems) from None
        raise


def read(path: Union[str, "os.PathLike[str]"]) -> Run:
    """A run from a file that `Run.save` or `gpx run --json` wrote."""
    return Run(_text_of(path, _MOST_DOCUMENT_BYTES))


def _text_of(path: Union[str, "os.PathLike[str]"], most: int) -> str:
    """A file without an end, such as /dev/zero, would take all memory."""
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{os.fspath(path)!r} is larger than {most >> 20} MB: too large to be what "
                         "it should be")
    return data.decode("utf-8")


def characterize(
    device: str = "auto",
    *,
    only: Iterable[str] = (),
    budget: Optional[float] = None,
    seed: int = 1,
    progress: Optional[Progress] = None,
) -> Characterization:
    """Everything that can be measured of a device. `only` names groups or families ("memory");
    after `budget` seconds no group begins; `progress` is called as groups end."""
    text, table = answer(
        _gpx.characterize(paths(), device, list(only), budget or 0.0, seed, progress)
    )
    return Characterization(text, table)


def predict(
    file: Union[str, "os.PathLike[str]"],
    entry: str,
    *,
    grid: Extent,
    block: Extent,
    args: Optional[Mapping[str, Number]] = None,
    buffers: Optional[Mapping[str, str]] = None,
    shared: Optional[Number] = None,
    registers: Optional[int] = None,
    machine: Optional[Mapping[str, float]] = None,
    device: str = "auto",
    measure: bool = False,
    fit: bool = False,
) -> Prediction:
    """How long a CUDA kernel takes by the MWP/CWP model, why, and what would change it.

    buffers  sizes, and contents where they matter: {"a": "4MB", "b": "4MB:uniform(0, 1)"}
    machine  parameters of the model in place of the fitted ones
    measure  runs the kernel, too
    fit      fits the model to the device anew
    """
    document, table = answer(
        _gpx.predict(
            paths(), os.fspath(file), entry, _extent(grid), _extent(block), _assigned(args),
            _assigned(buffers), _text(shared), _text(registers), _assigned(machine), device,
            measure, fit,
        )
    )
    return Prediction(document, table)


def format(text: str) -> str:
    """An experiment's text in its canonical layout; InputError where it does not parse."""
    formatted: str = answer(_gpx.format(text, "<experiment>"))
    return formatted


def devices() -> List[str]:
    """Names of the virtual devices of the standard library."""
    return _gpx.devices(paths())


def _extent(extent: Extent) -> List[str]:
    if isinstance(extent, (int, str)):
        return [str(extent)]
    return [str(size) for size in extent]


def _assigned(values: Optional[Mapping[str, object]]) -> List[str]:
    return [f"{name}={value}" for name, value in (values or {}).items()]


def _text(value: object) -> str:
    return "" if value is None else str(value)
