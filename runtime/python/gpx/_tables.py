"""Tables of a run's document: of pandas, of Arrow, or as plain dicts and lists."""

from __future__ import annotations

from typing import Any, Dict, List

Columns = Dict[str, List[Any]]


def columns_of(table: Dict[str, Any]) -> Columns:
    """The columns of `samples` or `curves` of a document (docs/output.md)."""
    columns: Columns = {name: [] for name in table["columns"]}
    for row in table["rows"]:
        for name, value in zip(table["columns"], row):
            columns[name].append(value)
    return columns


def frame(columns: Columns, **about: Any) -> Any:
    """A pandas DataFrame with `about` in its attrs; without pandas the columns themselves."""
    try:
        import pandas
    except ImportError:
        return columns
    made = pandas.DataFrame(columns)
    # A column of numbers in which some are missing.
    for name, values in columns.items():
        if made[name].dtype == object and not any(isinstance(v, (str, bool, list)) for v in values):
            made[name] = pandas.to_numeric(made[name])
    made.attrs.update(about)
    return made


def arrow(columns: Columns) -> Any:
    """A pyarrow Table; ImportError where there is no pyarrow."""
    import pyarrow

    return pyarrow.table(columns)
