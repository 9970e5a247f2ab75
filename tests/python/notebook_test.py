#!/usr/bin/env python3
"""A notebook with %%gpx, executed by Jupyter: outputs of a real kernel, written as a page.

notebook_test.py FOLDER [PAGE]: the folder that holds the package; the page goes where it is named.
Where Jupyter is missing it says that it is left out. Run by ./dev python-test.
"""

import json
import os
import pathlib
import sys
import tempfile

CELLS = [
    "import gpx\n%load_ext gpx",
    '%%gpx loads --device k20\nexperiment loads "One or two loads a thread" {\n'
    "  sweep n 1..2, threads 32..1024 step 32\n  < load unique(128B) x n >\n"
    "  analyze outstanding(x = threads, loads = n)\n}",
    "loads.curves.head()",
    "loads.plot()",
    "loads.findings",
    "loads.report()",
    "gpx.compare(loads, gpx.run('sweep threads 32..256 step 32 < load unique(128B) >', "
    "device='m2070'))",
    "%%gpx\nsweep threads 2..4 < load uniqe(128B) >",
]


def notebook(nbformat):
    v4 = nbformat.v4
    cells = [v4.new_code_cell(text) for text in CELLS]
    cells[-1].metadata["tags"] = ["raises-exception"]
    return v4.new_notebook(cells=cells)


def outputs(cell, kind):
    return [o["data"][kind] for o in cell["outputs"] if kind in o.get("data", {})]


def check(cells):
    """What is wrong with the executed cells, a line each."""
    wrong = []

    def expect(what, truth):
        if not truth:
            wrong.append(what)

    html = "".join("".join(outputs(cells[1], "text/html")))
    expect("the cell's run is shown", "<svg" in html and "outstanding" in html)
    expect("it says that it is a model", "a model, not a measurement" in html)
    expect("curves are a table", any("threads" in text for text in outputs(cells[2], "text/html") +
                                      outputs(cells[2], "text/plain")))
    expect("a plot is an SVG", any("<svg" in text for text in outputs(cells[3], "image/svg+xml")))
    expect("and an image where SVG is stripped",
           any("data:image/svg" in text for text in outputs(cells[3], "text/html")))
    expect("findings are a table", bool(cells[4]["outputs"]))
    for k in (5, 6):
        expect(f"cell {k} shows a page", any("<iframe" in t for t in outputs(cells[k], "text/html")))
    errors = [o for o in cells[7]["outputs"] if o["output_type"] == "error"]
    expect("a mistake is an error of the cell", len(errors) == 1)
    expect("with its place and hint", errors and "unique" in errors[0]["evalue"])
    expect("and without the package's lines", errors and len(errors[0]["traceback"]) == 1)
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    try:
        import nbformat
        from nbconvert import HTMLExporter
        from nbconvert.preprocessors import ExecutePreprocessor
        import ipykernel  # noqa: F401
    except ImportError as missing:
        print(f"notebook_test: left out: it needs Jupyter ({missing})")
        return 0
    os.environ["PYTHONPATH"] = str(folder)
    os.environ.setdefault("GPX_STORE", "")
    made = notebook(nbformat)
    with tempfile.TemporaryDirectory() as work:
        # Nothing of the user's: this interpreter's own kernel.
        kernels = pathlib.Path(work) / "kernels" / "gpx-test"
        kernels.mkdir(parents=True)
        (kernels / "kernel.json").write_text(json.dumps({
            "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": "gpx-test", "language": "python"}))
        os.environ["JUPYTER_PATH"] = work
        ExecutePreprocessor(timeout=300, kernel_name="gpx-test").preprocess(
            made, {"metadata": {"path": work}})
    wrong = check(made.cells)
    if len(sys.argv) > 2:
        page, _ = HTMLExporter().from_notebook_node(made)
        pathlib.Path(sys.argv[2]).write_text(page, encoding="utf-8")
    for line in wrong:
        print(f"notebook_test: wrong: {line}")
    print("notebook_test: " + ("FAILED" if wrong else f"passed: {len(CELLS)} cells"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
