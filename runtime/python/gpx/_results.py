"""What gpx found: runs, characterizations and predictions, which display themselves in Jupyter."""

from __future__ import annotations

import json
import os
import pathlib
from dataclasses import dataclass, field
from html import escape
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from . import _gpx
from ._native import answer
from ._plot import Plot
from ._tables import Columns, arrow, columns_of, frame

_FIELDS = ("name", "value", "low", "high", "unit", "verdict", "confidence", "note", "proof")


@dataclass(frozen=True)
class Finding:
    """One thing that an analysis says, with its interval, its verdict and how it was read. It has
    all fields that gpx knows of a finding (finding_fields of the native module)."""

    name: str
    value: Any
    low: Optional[float]
    high: Optional[float]
    unit: str
    verdict: str  # "measured", of a model "modelled", "not_observed", "inconclusive"
    confidence: Optional[float]
    note: Optional[str]
    evidence: List[Dict[str, Any]]
    proof: Optional[str] = None  # "verified", "unverified"; None: nothing was timed
    paper: Optional[Dict[str, Any]] = None  # "value", "cite", of a range "high"
    modelled: bool = False  # of a virtual device, or of a model's equations
    steps: List[str] = field(default_factory=list)  # how it was found
    probes: List[Dict[str, Any]] = field(default_factory=list)  # "what", "first", "last", "points"

    def __str__(self) -> str:
        return f"{self.name} {self._value_text()} ({self.verdict})"

    def _value_text(self) -> str:
        text = "" if self.value is None else _shown(self.value)
        if self.low is not None and self.high is not None and self.low != self.high:
            text += f" ({_shown(self.low)}..{_shown(self.high)})"
        return f"{text} {self.unit}".strip() if text else ""


def _shown(value: Any) -> str:
    """Numbers with six digits, whole ones whole."""
    if not isinstance(value, float):
        return str(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"


def _fields_of(document: Dict[str, Any]) -> List[Dict[str, Any]]:
    """The findings of an experiment's document; nothing that a model gave is measured."""
    return [{name: vars(found)[name] for name in _FIELDS} for found in _findings_of(document)]


def _findings_of(document: Dict[str, Any]) -> List[Finding]:
    return [_finding_of(found, document) for found in document["findings"]]


def _finding_of(found: Dict[str, Any], document: Dict[str, Any]) -> Finding:
    row = {name: found[name] for name in _gpx.finding_fields if name in found}
    row["modelled"] = bool(found.get("modelled")) or document["device"]["kind"] == "virtual"
    if row["modelled"] and row["verdict"] == "measured":
        row["verdict"] = "modelled"
    return Finding(**row)


def _findings_html(found: List[Finding]) -> str:
    if not found:
        return ""
    rows = "".join(
        f"<tr><td>{escape(f.name)}</td><td>{escape(f._value_text())}</td>"
        f"<td>{escape(f.verdict.replace('_', ' '))}</td><td>{escape(f.note or '')}</td></tr>"
        for f in found
    )
    head = "".join(f"<th>{name}</th>" for name in ("finding", "value", "verdict", "note"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _device_text(device: Dict[str, Any]) -> str:
    if device["kind"] == "virtual":
        return f"virtual GPU {device['name']}: a model, not a measurement"
    return str(device["name"])


class Experiment:
    """The results of one experiment."""

    def __init__(self, document: Dict[str, Any], plots: List[Plot]):
        self.document = document  #: Its part of the document of docs/output.md.
        self.plots = plots

    @property
    def name(self) -> str:
        return str(self.document["name"])

    @property
    def title(self) -> str:
        return self.document["title"] or ""

    @property
    def device(self) -> Dict[str, Any]:
        """What the device reports of itself."""
        device: Dict[str, Any] = self.document["device"]
        return device

    @property
    def is_virtual(self) -> bool:
        """What it gave is a model's answer, not a GPU's."""
        return bool(self.device["kind"] == "virtual")

    @property
    def samples(self) -> Any:
        """One row for each repetition of each point (or record of it): a pandas DataFrame; without
        pandas a dict of lists. Units are in `attrs["units"]`, and in `units`."""
        return self._frame("samples")

    @property
    def curves(self) -> Any:
        """The samples reduced over repetitions, as `samples`; with the number of `repetitions` and
        NAME_low and NAME_high of each value where there are several."""
        return self._frame("curves")

    @property
    def units(self) -> Dict[str, str]:
        """Of each column: "B", "s", "Hz", "clocks", or ""."""
        table = self.document["samples"]
        return dict(zip(table["columns"], table["units"]))

    @property
    def findings(self) -> Any:
        """What its analyses say: a pandas DataFrame; without pandas a list of dicts."""
        return _rows_frame(_fields_of(self.document), _FIELDS, device=self.device["name"],
                           virtual=self.is_virtual)

    def finding(self, name: str) -> Finding:
        """The finding of that name; KeyError where there is none."""
        return _find(_findings_of(self.document), name)

    def to_arrow(self, table: str = "curves") -> Any:
        """`samples` or `curves` as a pyarrow Table."""
        return arrow(self._columns(table))

    def plot(self, number: int = 1) -> Plot:
        """A plot, counted from 1 in the order of the report."""
        if not 1 <= number <= len(self.plots):
            raise IndexError(f"there is no plot {number}: {self.name} has {len(self.plots)}")
        return self.plots[number - 1]

    def _columns(self, table: str) -> Columns:
        if table not in ("samples", "curves"):
            raise ValueError(f"there is no table {table!r}: there are samples and curves")
        return columns_of(self.document[table])

    def _frame(self, table: str) -> Any:
        return frame(self._columns(table), units=self.units, device=self.device["name"],
                     virtual=self.is_virtual)

    def __repr__(self) -> str:
        found = "".join(f"\n  {finding}" for finding in _findings_of(self.document))
        points = f"{self.document['points']} of {self.document['points_total']} points"
        return f"{self.name} on {_device_text(self.device)}, {points}{found}"

    def _repr_html_(self) -> str:
        parts = [f"<h4>{escape(self.name)} {escape(self.title)}</h4>"]
        parts.append(f"<p>{escape(_device_text(self.device))}</p>")
        for text in _troubles(self.document):
            parts.append(f"<p><b>{escape(text)}</b></p>")
        parts += [plot.svg for plot in self.plots]
        parts.append(_findings_html(_findings_of(self.document)))
        return "\n".join(parts)


def _troubles(document: Dict[str, Any]) -> List[str]:
    texts = list(document["warnings"])
    if document["failure"]:
        texts.append(f"failed: {document['failure']['message']}")
    if document["interrupted"]:
        texts.append("interrupted: what was measured until then")
    return texts


def _rows_frame(rows: List[Dict[str, Any]], names: Tuple[str, ...], **about: Any) -> Any:
    made = frame({name: [row[name] for row in rows] for name in names}, **about)
    return rows if isinstance(made, dict) else made


def _find(found: List[Finding], name: str) -> Finding:
    for finding in found:
        if finding.name == name:
            return finding
    raise KeyError(f"no finding {name!r}; there are: {', '.join(f.name for f in found) or 'none'}")


class Run:
    """The results of a text, experiment by experiment. Where it has one, what an Experiment has can
    be asked of the Run; `run["name"]` and `run[0]` are the experiments."""

    def __init__(self, text: str):
        figures = json.loads(answer(_gpx.figures(text)))  # Refuses what is no document.
        self.text = text  #: The JSON document of docs/output.md.
        self.document: Dict[str, Any] = json.loads(text)
        plots: Dict[str, List[Plot]] = {}
        for figure in figures:
            plots.setdefault(figure["experiment"], []).append(Plot(figure))
        self.experiments = [Experiment(each, plots.get(each["name"], []))
                            for each in self.document["experiments"]]

    def __getitem__(self, which: Union[int, str]) -> Experiment:
        if isinstance(which, int):
            return self.experiments[which]
        for experiment in self.experiments:
            if experiment.name == which:
                return experiment
        raise KeyError(f"no experiment {which!r}; there are: {', '.join(self._names())}")

    def __iter__(self) -> Iterator[Experiment]:
        return iter(self.experiments)

    def __len__(self) -> int:
        return len(self.experiments)

    @property
    def only(self) -> Experiment:
        """The experiment of a run that has one."""
        if len(self.experiments) != 1:
            raise ValueError(f"the run has {len(self.experiments)} experiments: name one of "
                             f"{', '.join(self._names())}, as run[name]")
        return self.experiments[0]

    @property
    def samples(self) -> Any:
        return self.only.samples

    @property
    def curves(self) -> Any:
        return self.only.curves

    @property
    def device(self) -> Dict[str, Any]:
        return self.only.device

    @property
    def findings(self) -> Any:
        """Of all experiments, with the experiment's name first."""
        rows = [
            {"experiment": each.name, **row}
            for each in self.experiments
            for row in _fields_of(each.document)
        ]
        return _rows_frame(rows, ("experiment",) + _FIELDS)

    def finding(self, name: str) -> Finding:
        """The first finding of that name; KeyError where there is none."""
        return _find([f for each in self for f in _findings_of(each.document)], name)

    def plot(self, number: int = 1) -> Plot:
        """A plot, counted from 1 in the order of the report."""
        plots = [plot for each in self for plot in each.plots]
        if not 1 <= number <= len(plots):
            raise IndexError(f"there is no plot {number}: the run has {len(plots)}")
        return plots[number - 1]

    @property
    def warnings(self) -> List[str]:
        return [text for each in self for text in _troubles(each.document)]

    def report(self) -> "Report":
        """The page that `gpx run --report` writes."""
        return compare(self)

    def to_arrow(self, table: str = "curves") -> Any:
        return self.only.to_arrow(table)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """The document, for gpx.read(), `gpx report` and `gpx import`."""
        pathlib.Path(path).write_text(self.text, encoding="utf-8")

    def _names(self) -> List[str]:
        return [each.name for each in self.experiments]

    def __repr__(self) -> str:
        return "\n".join(repr(each) for each in self.experiments)

    def __str__(self) -> str:
        return str(answer(_gpx.report(self.text, 100)))

    def _repr_html_(self) -> str:
        return "\n".join(each._repr_html_() for each in self.experiments)


class Report:
    """A page that needs nothing else."""

    def __init__(self, html: str):
        self.html = html

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" '
                'style="width: 100%; height: 40em; border: 1px solid #ccc"></iframe>')


def compare(*runs: Run, names: Optional[List[str]] = None) -> Report:
    """One page of several runs: experiments of one name side by side."""
    if not runs:
        raise ValueError("compare() needs a run")
    called = names or [f"run {i + 1}" for i in range(len(runs))]
    if len(called) != len(runs):
        raise ValueError(f"{len(called)} names for {len(runs)} runs")
    return Report(answer(_gpx.page([(name, run.text) for name, run in zip(called, runs)])))


class Characterization:
    """Everything that was found about a device."""

    def __init__(self, text: str, table: str):
        self.text = text  #: The JSON document of docs/output.md, as of a run.
        self.document: Dict[str, Any] = json.loads(text)
        self._table = table

    @property
    def device(self) -> Dict[str, Any]:
        device: Dict[str, Any] = self.document["experiments"][0]["device"]
        return device

    @property
    def findings(self) -> Any:
        """A pandas DataFrame; without pandas a list of dicts."""
        rows = [
            {"family": group["group"]["family"], "group": group["name"], **row}
            for group in self.document["experiments"]
            for row in _fields_of(group)
        ]
        return _rows_frame(rows, ("family", "group") + _FIELDS, device=self.device["name"],
                           virtual=self.device["kind"] == "virtual")

    def finding(self, name: str) -> Finding:
        return _find([f for each in self.document["experiments"] for f in _findings_of(each)], name)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        pathlib.Path(path).write_text(self.text, encoding="utf-8")

    def __repr__(self) -> str:
        return self._table

    def _repr_html_(self) -> str:
        parts = [f"<p>{escape(_device_text(self.device))}</p>"]
        for group in self.document["experiments"]:
            parts.append(f"<h4>{escape(group['name'])} {escape(group['title'] or '')}</h4>")
            if group["failure"]:
                parts.append(f"<p><b>failed: {escape(group['failure']['messages'][0])}</b></p>")
            elif group["interrupted"]:
                parts.append(f"<p><b>not run: {escape(group['group']['reason'])}</b></p>")
            parts.append(_findings_html(_findings_of(group)))
        return "\n".join(parts)


class Prediction:
    """How long a kernel takes by the model, and why. `document["prediction"]` has all numbers."""

    def __init__(self, text: str, table: str):
        self.text = text  #: The JSON document of docs/predict.md.
        self.document: Dict[str, Any] = json.loads(text)
        self._table = table

    @property
    def prediction(self) -> Dict[str, Any]:
        prediction: Dict[str, Any] = self.document["prediction"]
        return prediction

    def __repr__(self) -> str:
        return self._table

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self._table)}</pre>"
