"""The cell magic %%gpx."""

from __future__ import annotations

import argparse
import shlex
from typing import Any, Dict

from ._calls import run
from ._results import Run


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise ValueError(f"%%gpx: {message}")


def _parser() -> _Parser:
    parser = _Parser(prog="%%gpx", add_help=False)
    parser.add_argument("name", nargs="?", help="the variable that gets the run")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seed", type=int, default=1)
    return parser


def cell(shell: Any, line: str, text: str) -> Any:
    """%%gpx [NAME] [--device D] [--set NAME=VALUE]... [--seed N]: runs the cell's text, and leaves
    the run in NAME where one is given."""
    options = _parser().parse_args(shlex.split(line))
    settings: Dict[str, object] = {}
    for setting in options.set:
        name, equals, value = setting.partition("=")
        if not equals:
            raise ValueError(f"%%gpx: --set needs NAME=VALUE, not {setting!r}")
        settings[name] = value
    result: Run = run(text, options.device, settings=settings, seed=options.seed)
    if options.name:
        shell.user_ns[options.name] = result
    return result


def register(shell: Any) -> None:
    shell.register_magic_function(
        lambda line, text: cell(shell, line, text), magic_kind="cell", magic_name="gpx"
    )
