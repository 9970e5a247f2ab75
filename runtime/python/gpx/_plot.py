"""Plots of curves as SVG, which needs nothing of the machine."""

from __future__ import annotations

import base64
import math
import os
import pathlib
from html import escape
from typing import Any, Dict, List, Optional, Tuple, Union

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#8a6d00", "#444444")
_DASHES = ("", "6 3", "2 2", "8 3 2 3")
_WIDTH, _HEIGHT = 720, 260  # of a panel, in pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 150, 26, 40


def number_text(value: float) -> str:
    """Six digits, whole numbers whole."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"


def _steps(low: float, high: float) -> List[float]:
    """Some five round numbers within an interval: multiples of 1, 2 or 5 times a power of ten."""
    if high <= low:
        return [low]
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    first = math.ceil(low / step)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _decades(low: float, high: float) -> List[float]:
    """1, 2 and 5 times the powers of ten within an interval; the powers alone where many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1, 2, 5) if len(powers) <= 4 else (1,)
    ticks = [m * 10.0 ** p for p in powers for m in factors]
    return [tick for tick in ticks if low <= tick <= high] or [low, high]


class _Axis:
    """From values to pixels."""

    def __init__(self, values: List[float], log: bool, pixels: Tuple[float, float]):
        self.log = log and bool(values) and min(values) > 0
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        if low == high:
            low, high = (low / 2, high * 2) if self.log else (low - 0.5, high + 0.5)
        self.low, self.high, self.pixels = low, high, pixels

    def at(self, value: float) -> float:
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        begin, end = self.pixels
        return begin + (value - low) / (high - low) * (end - begin)

    def ticks(self) -> List[float]:
        return _decades(self.low, self.high) if self.log else _steps(self.low, self.high)


Point = Tuple[float, Optional[float]]


class Plot:
    """A figure: panels of curves over one axis. `figure` has its numbers."""

    def __init__(self, figure: Dict[str, Any], about: str = ""):
        self.figure = figure
        self.about = about  #: The device, said of a model that it is one.

    def _of(self, about: str) -> "Plot":
        return Plot(self.figure, about)

    @property
    def svg(self) -> str:
        panels = self.figure["panels"]
        height = 20 + _HEIGHT * len(panels)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
            f'width="{_WIDTH}" height="{height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
            f'<text x="{_LEFT}" y="14" font-weight="bold">{escape(self._title())}</text>',
        ]
        for row, panel in enumerate(panels):
            parts.append(f'<g transform="translate(0 {20 + row * _HEIGHT})">')
            parts += self._panel(panel)
            parts.append("</g>")
        return "\n".join(parts + ["</svg>"])

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes an SVG file."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        # An image: converters strip the elements of an SVG that stands in a page.
        data = base64.b64encode(self.svg.encode("utf-8")).decode("ascii")
        return (f'<img width="{_WIDTH}" alt="{escape(repr(self))}" '
                f'src="data:image/svg+xml;base64,{data}"/>')

    def __repr__(self) -> str:
        names = ", ".join(panel["name"] for panel in self.figure["panels"])
        return f"{self.figure['experiment']}: {names} over {self.figure['x']} ({self.about})"

    def _title(self) -> str:
        left_out = self.figure["left_out"]
        more = f", {left_out} curves left out" if left_out else ""
        return f"{self.figure['experiment']} · {self.about}{more}"

    def _places(self) -> List[float]:
        """Of all panels: one axis for them."""
        return [at for panel in self.figure["panels"] for curve in panel["curves"]
                for at in curve["x"] if at is not None]

    def _panel(self, panel: Dict[str, Any]) -> List[str]:
        curves: List[List[Point]] = [list(zip(c["x"], c["y"])) for c in panel["curves"]]
        seen = [(x, y) for curve in curves for x, y in curve if x is not None and y is not None]
        if not seen:
            return [f'<text x="{_LEFT}" y="60">{escape(panel["name"])}: no value</text>']
        x = _Axis(self._places(), self.figure["log_x"], (_LEFT, _WIDTH - _RIGHT))
        bars = [_bars(curve) for curve in panel["curves"]]
        ends = [end for each in bars for _, low, high in each for end in (low, high)
                if end > 0 or not panel["log"]]
        y = _Axis([at for _, at in seen] + ends, panel["log"], (_HEIGHT - _BOTTOM, _TOP))
        parts = self._grid(panel, x, y)
        for mark in self.figure["marks"]:
            if x.low <= mark["x"] <= x.high:
                parts.append(
                    f'<line x1="{x.at(mark["x"]):.1f}" x2="{x.at(mark["x"]):.1f}" y1="{_TOP}" '
                    f'y2="{_HEIGHT - _BOTTOM}" stroke="#888" stroke-dasharray="3 3">'
                    f'<title>{escape(mark["text"])}</title></line>')
        for i, curve in enumerate(curves):
            parts += _intervals(bars[i], x, y, i)
            parts += _curve(curve, x, y, i)
            parts += _legend(panel["curves"][i]["label"], i)
        return parts

    def _grid(self, panel: Dict[str, Any], x: _Axis, y: _Axis) -> List[str]:
        left, right, bottom = _LEFT, _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
        parts = [f'<rect x="{left}" y="{_TOP}" width="{right - left}" height="{bottom - _TOP}" '
                 'fill="none" stroke="#444"/>']
        for tick in y.ticks():
            at = y.at(tick)
            parts.append(f'<line x1="{left}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}" '
                         'stroke="#ddd"/>'
                         f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">'
                         f'{number_text(tick)}</text>')
        words = self.figure["x_words"]
        for tick in range(len(words)) if words else x.ticks():
            text = words[int(tick)] if words else number_text(tick)
            parts.append(f'<text x="{x.at(tick):.1f}" y="{bottom + 16}" text-anchor="middle">'
                         f"{escape(text)}</text>")
        parts.append(f'<text x="{left}" y="{_TOP - 6}">{escape(_with_unit(panel))}</text>')
        name = _with_unit({"name": self.figure["x"], "unit": self.figure["x_unit"]})
        parts.append(f'<text x="{(left + right) / 2}" y="{bottom + 32}" text-anchor="middle">'
                     f"{escape(name)}</text>")
        return parts


def _with_unit(named: Dict[str, Any]) -> str:
    return f"{named['name']} ({named['unit']})" if named["unit"] else str(named["name"])


def _stroke(i: int) -> str:
    dash = _DASHES[i // len(_COLOURS) % len(_DASHES)]
    stroke = f'stroke="{_COLOURS[i % len(_COLOURS)]}"'
    return stroke + (f' stroke-dasharray="{dash}"' if dash else "")


def _bars(curve: Dict[str, Any]) -> List[Tuple[float, float, float]]:
    """x, low and high of each point whose interval has a length."""
    return [(x, low, high) for x, low, high in zip(curve["x"], curve["low"], curve["high"])
            if x is not None and low is not None and high is not None and low < high]


def _intervals(bars: List[Tuple[float, float, float]], x: _Axis, y: _Axis, i: int) -> List[str]:
    """A line through each point; on a logarithmic axis from its lower end at least."""
    path = "".join(f"M{x.at(px):.1f} {y.at(max(low, y.low)):.1f}V{y.at(high):.1f}"
                   for px, low, high in bars if high > y.low)
    if not path:
        return []
    return [f'<path d="{path}" stroke="{_COLOURS[i % len(_COLOURS)]}" stroke-width="3" '
            'stroke-opacity="0.35"/>']


def _curve(points: List[Point], x: _Axis, y: _Axis, i: int) -> List[str]:
    """Lines between neighbours that both have a value; a point that stands alone is a dot."""
    path, parts, alone = "", [], True
    last: Optional[Tuple[float, float]] = None
    for px, py in points + [(math.nan, None)]:
        if py is None or px is None or (y.log and py <= 0):
            if last and alone:
                parts.append(f'<circle cx="{last[0]:.1f}" cy="{last[1]:.1f}" r="2.5" '
                             f'fill="{_COLOURS[i % len(_COLOURS)]}"/>')
            last, alone = None, True
            continue
        at = (x.at(px), y.at(py))
        path += f"{'L' if last else 'M'}{at[0]:.1f} {at[1]:.1f}"
        alone, last = last is None, at
    return parts + [f'<path d="{path}" fill="none" stroke-width="1.5" {_stroke(i)}/>']


def _legend(label: str, i: int) -> List[str]:
    at, row = _WIDTH - _RIGHT + 10, _TOP + 8 + 15 * i
    if not label or row > _HEIGHT - _BOTTOM:
        return []
    return [f'<line x1="{at}" x2="{at + 18}" y1="{row}" y2="{row}" stroke-width="2" {_stroke(i)}/>'
            f'<text x="{at + 24}" y="{row + 4}">{escape(label)}</text>']
