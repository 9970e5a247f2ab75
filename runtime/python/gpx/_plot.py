"""Plots of curves as SVG, drawn by the native module as `gpx plot` draws them."""

from __future__ import annotations

import base64
import os
import pathlib
from html import escape
from typing import Any, Dict, Union


class Plot:
    """A figure: panels of curves over one axis. `figure` has its numbers, `svg` its picture."""

    def __init__(self, figure: Dict[str, Any]):
        self.svg: str = figure["svg"]
        self.figure = {key: value for key, value in figure.items() if key != "svg"}

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes an SVG file."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        # An image: converters strip the elements of an SVG that stands in a page.
        data = base64.b64encode(self.svg.encode("utf-8")).decode("ascii")
        return (f'<img style="max-width: 100%" alt="{escape(repr(self))}" '
                f'src="data:image/svg+xml;base64,{data}"/>')

    def __repr__(self) -> str:
        names = ", ".join(panel["name"] for panel in self.figure["panels"])
        return (f"{self.figure['experiment']}: {names} over {self.figure['x']} "
                f"({self.figure['note']})")
