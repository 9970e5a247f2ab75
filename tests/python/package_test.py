#!/usr/bin/env python3
"""The Python package gpx, on virtual devices; with pandas where it is there, and without.

package_test.py FOLDER: the folder that holds the package. Run by ./dev python-test.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

FOLDER = sys.argv.pop(1)
sys.path.insert(0, FOLDER)

import gpx  # noqa: E402

try:
    import pandas
except ImportError:
    pandas = None
try:
    import pyarrow
except ImportError:
    pyarrow = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADS = "sweep n 1..2, threads 32..256 step 32 < load unique(128B) x n >"


def run(text=LOADS, **more):
    return gpx.run(text, device=more.pop("device", "k20"), **more)


def columns(table):
    """A DataFrame and a dict of lists alike."""
    return {name: list(table[name]) for name in table}


class Runs(unittest.TestCase):
    def test_curves_and_samples_are_tables(self):
        found = run(settings={"n": 2}, seed=3)
        curves = columns(found.curves)
        self.assertEqual(curves["threads"], list(range(32, 257, 32)))
        self.assertEqual(set(curves["n"]), {2})
        self.assertTrue(all(latency > 100 for latency in curves["latency"]))
        self.assertEqual(columns(found.samples)["repetition"], [0] * 8)
        self.assertEqual(found.only.units["latency"], "clocks")
        self.assertTrue(found.only.is_virtual)
        self.assertEqual(found.document["experiments"][0]["provenance"]["seed"], 3)

    def test_a_run_is_what_the_program_would_write(self):
        found = run()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.json"
            found.save(path)
            again = gpx.read(path)
        self.assertEqual(again.document, found.document)
        self.assertEqual(repr(again), repr(found))
        self.assertEqual(found.document["schema"], 1)

    def test_findings_have_values_intervals_and_verdicts(self):
        found = gpx.run(ROOT / "experiments" / "kepler_prt.gpx")
        kind = found.finding("outstanding.kind")
        self.assertEqual((kind.value, kind.verdict), ("PRT", "modelled"))
        entries = found.finding("outstanding.entries")
        self.assertEqual((entries.value, entries.unit), (42, "entries"))
        self.assertTrue(entries.low <= entries.value <= entries.high)
        self.assertTrue(entries.note)
        with self.assertRaisesRegex(KeyError, "outstanding.kind"):
            found.finding("no.such")
        rows = found.findings
        if pandas is None:
            self.assertIn("outstanding.kind", [row["name"] for row in rows])
            self.assertEqual(rows[0]["experiment"], "kepler_prt")
        else:
            row = rows[rows.name == "outstanding.kind"].iloc[0]
            self.assertEqual((row.experiment, row.value), ("kepler_prt", "PRT"))

    def test_a_finding_has_all_fields_and_a_models_value_says_so(self):
        import dataclasses
        fields = {field.name for field in dataclasses.fields(gpx.Finding)}
        self.assertEqual(fields, set(gpx._gpx.finding_fields))
        found = gpx.run(ROOT / "experiments" / "kepler_prt.gpx").finding("outstanding.entries")
        self.assertTrue(found.modelled)
        self.assertEqual((found.verdict, found.proof), ("modelled", "verified"))
        self.assertTrue(found.evidence)

    def test_the_name_of_a_file_is_no_text(self):
        with self.assertRaisesRegex(gpx.InputError, r"pathlib.Path\('kepler.gpx'\)"):
            gpx.run("kepler.gpx")

    def test_several_experiments_are_asked_by_name(self):
        two = run("experiment a \"A\" { threads 32 < load unique(4B) > }\n"
                  "experiment b \"B\" { threads 64 < load unique(4B) > }\n")
        self.assertEqual([each.name for each in two], ["a", "b"])
        self.assertEqual(len(two), 2)
        self.assertEqual(list(columns(two["b"].curves))[:1], list(columns(two[1].curves))[:1])
        with self.assertRaisesRegex(ValueError, "a, b"):
            two.curves
        with self.assertRaisesRegex(KeyError, "'c'"):
            two["c"]

    def test_progress_is_told_and_can_stop(self):
        told = []
        run(progress=lambda done, total: told.append((done, total)))
        self.assertEqual(told[-1], (16, 16))

        def stop(done, total):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            run(progress=stop)


class Errors(unittest.TestCase):
    def test_a_mistake_has_its_place_and_hint(self):
        with self.assertRaises(gpx.InputError) as caught:
            run("sweep threads 2..4 < load uniqe(128B) >")
        self.assertIsInstance(caught.exception, ValueError)
        problem = caught.exception.problems[0]
        self.assertEqual((problem.line, problem.column), (1, 27))
        self.assertIn("unique", problem.hint)
        self.assertIn("^", str(caught.exception))

    def test_a_device_that_is_not_there_is_an_error(self):
        with self.assertRaises(gpx.Error):
            run(device="k200")

    def test_wrong_types_are_python_s_errors(self):
        with self.assertRaises(TypeError):
            gpx.run(3)
        with self.assertRaises(ValueError):
            gpx.compare()


class Displays(unittest.TestCase):
    def test_a_plot_is_an_svg_with_its_curves_and_says_that_it_is_a_model(self):
        plot = run().plot()
        root = xml.dom.minidom.parseString(plot.svg).documentElement
        self.assertEqual(root.tagName, "svg")
        text = plot._repr_svg_()
        for part in ("threads", "latency (clocks)", "n=1", "n=2", "a model, not a measurement"):
            self.assertIn(part, text)
        curves = [path for path in root.getElementsByTagName("path")
                  if path.getAttribute("stroke-linejoin")]
        self.assertEqual([len(re.findall("[ML]", curve.getAttribute("d"))) for curve in curves][:2],
                         [8, 8])
        self.assertNotEqual(*[curve.getAttribute("stroke") for curve in curves][:2])
        with self.assertRaisesRegex(IndexError, "no plot 9"):
            run().plot(9)

    def test_a_run_shows_plots_and_findings_and_escapes_what_it_shows(self):
        found = run('experiment x "<script>alert(1)</script>" { sweep threads 32..256 step 32 '
                    "< load unique(128B) > analyze outstanding(x = threads) }")
        html = found._repr_html_()
        self.assertIn("<svg", html)
        self.assertIn("<table>", html)
        self.assertIn("a model, not a measurement", html)
        self.assertNotIn("<script>alert", html)

    def test_a_report_is_the_page_of_the_program(self):
        report = gpx.compare(run(), run(device="m2070"), names=["one", "two"])
        self.assertTrue(report.html.lower().startswith("<!doctype html>"))
        self.assertIn("m2070", report.html)
        self.assertIn("<iframe srcdoc=", report._repr_html_())
        self.assertNotIn("<!doctype", report._repr_html_().lower())

    def test_the_text_is_the_terminal_s(self):
        text = str(run())
        self.assertIn("latency (clocks)", text)
        self.assertIn("virtual GPU k20", text)


class Tables(unittest.TestCase):
    @unittest.skipIf(pandas is None, "no pandas")
    def test_with_pandas_tables_are_frames(self):
        curves = run().curves
        self.assertIsInstance(curves, pandas.DataFrame)
        self.assertEqual(curves.attrs["units"]["latency"], "clocks")
        self.assertTrue(curves.attrs["virtual"])
        self.assertTrue(pandas.api.types.is_numeric_dtype(curves.latency))

    def test_repetitions_have_intervals(self):
        text = "sweep threads 32..128 step 32 repeat until 2% at most 20 < load unique(128B) >"
        found = gpx.run(text, device="k20")
        curves = columns(found.curves)
        self.assertEqual(set(curves["reached"]), {1})
        for low, value, high in zip(curves["latency_low"], curves["latency"],
                                    curves["latency_high"]):
            self.assertLessEqual(low, value)
            self.assertLessEqual(value, high)
        self.assertGreaterEqual(min(curves["repetitions"]), 10)

    @unittest.skipIf(pyarrow is None, "no pyarrow")
    def test_with_pyarrow_tables_are_arrow_s(self):
        self.assertEqual(run().to_arrow().column_names[0], "threads")

    @unittest.skipIf(pyarrow is not None, "pyarrow is there")
    def test_without_pyarrow_to_arrow_says_so(self):
        with self.assertRaisesRegex(ImportError, "pyarrow"):
            run().to_arrow()

    def test_without_pandas_tables_are_dicts_and_lists(self):
        code = (
            "import sys; sys.modules['pandas'] = None; sys.path.insert(0, sys.argv[1]); import gpx;"
            "r = gpx.run('sweep threads 32..96 step 32 < load unique(4B) > ', device='k20');"
            "import json; print(json.dumps([r.curves['threads'], r.findings]))"
        )
        out = subprocess.run([sys.executable, "-c", code, FOLDER], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
        self.assertEqual(json.loads(out), [[32, 64, 96], []])


class Files(unittest.TestCase):
    def test_what_is_no_document_is_refused(self):
        for text in ("root:x:0:0", "{}", "[]"):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(text)
                file.flush()
                with self.assertRaises(gpx.InputError):
                    gpx.read(file.name)

    def test_a_file_without_an_end_is_not_read_to_its_end(self):
        limited = (
            "import resource, sys\n"
            f"sys.path.insert(0, {FOLDER!r})\n"
            "import gpx, gpx._calls, pathlib\n"
            "gpx._calls._MOST_DOCUMENT_BYTES = 1 << 20\n"
            "resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))\n"
            "for read in (gpx.read, lambda path: gpx.run(pathlib.Path(path))):\n"
            "    try:\n"
            "        read('/dev/zero')\n"
            "    except ValueError as error:\n"
            "        print(error)\n"
        )
        ran = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True)
        self.assertEqual(ran.stdout.count("too large to be what it should be"), 2, ran.stderr)


class Others(unittest.TestCase):
    def test_predict(self):
        prediction = gpx.predict(
            ROOT / "tests" / "kernels" / "stencil.cu", "heat", grid=(8, 32), block=(32, 8),
            args={"width": 256, "height": 256, "rate": 0.2}, registers=16, device="fx5600",
            buffers={"out": "256KB:zero", "in": "256KB:uniform(0, 1)"},
        )
        self.assertGreater(prediction.prediction["model"]["cycles"], 0)
        self.assertIn("heat", repr(prediction))
        self.assertIn("<pre>", prediction._repr_html_())

    def test_characterize(self):
        ended = []
        found = gpx.characterize("k20", only=["clock"], progress=lambda *at: ended.append(at))
        self.assertTrue(ended)
        self.assertEqual(found.device["name"], "k20")
        rows = found.findings
        names = [row["name"] for row in rows] if pandas is None else list(rows.name)
        self.assertTrue(names)
        self.assertEqual(found.finding(names[0]).name, names[0])
        self.assertIn("a model, not a measurement", found._repr_html_())

    def test_devices_and_format(self):
        self.assertIn("k20", gpx.devices())
        self.assertIn("sweep threads", gpx.format("sweep   threads 2..4 <load unique(4B)>"))

    def test_the_magic_runs_a_cell(self):
        from gpx import _magic

        class Shell:
            user_ns = {}

        result = _magic.cell(Shell, "found --device k20 --set n=2", LOADS)
        self.assertIs(Shell.user_ns["found"], result)
        self.assertEqual(set(columns(result.curves)["n"]), {2})
        with self.assertRaisesRegex(ValueError, "NAME=VALUE"):
            _magic.cell(Shell, "--set n", LOADS)
        with self.assertRaisesRegex(ValueError, "unrecognized"):
            _magic.cell(Shell, "--no-such", LOADS)


if __name__ == "__main__":
    os.environ.setdefault("GPX_STORE", "")
    unittest.main(verbosity=2)
