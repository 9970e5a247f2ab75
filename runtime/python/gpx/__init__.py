"""gpx: find out how GPUs work, from Python.

>>> import gpx
>>> run = gpx.run("sweep threads 32..256 step 32 < load unique(128B) x3 >", device="k20")
>>> run.curves      # a pandas DataFrame; a dict of lists where there is no pandas
>>> run.plot()      # draws itself in Jupyter
>>> run.findings

`%load_ext gpx` adds the cell magic `%%gpx` to Jupyter. docs/python.md has all of it.
"""

from ._calls import characterize, devices, format, predict, read, run
from ._native import DeviceError, Error, InputError, Problem, version
from ._plot import Plot
from ._results import Characterization, Experiment, Finding, Prediction, Report, Run, compare

__version__ = version
__all__ = [
    "Characterization", "DeviceError", "Error", "Experiment", "Finding", "InputError", "Plot",
    "Prediction", "Problem", "Report", "Run", "characterize", "compare", "devices", "format",
    "predict", "read", "run",
]


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext gpx` calls."""
    from ._magic import register

    register(shell)
