#!/usr/bin/env python3
"""Which findings count as alike, and by how much: the table of tests/gpu/agree.py."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import agree

HERTZ = {"name": "l2.map.clock", "unit": "Hz", "verdict": "measured"}


def document(*findings):
    return {"experiments": [{"name": "e", "findings": [{"verdict": "measured", **f} for f in findings]}]}


def said_of(*documents):
    """What agree.py prints of such documents: its lines."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, one in enumerate(documents):
            path = pathlib.Path(folder, f"{number}.json")
            path.write_text(json.dumps(one), encoding="utf-8")
            paths.append(str(path))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            agree.main(paths)
        return out.getvalue().splitlines()


class Agree(unittest.TestCase):
    def alike(self, kind, one, other):
        """Whether two findings of that kind agree."""
        lines = said_of(document(one), document(other))
        counted = [line for line in lines if line.startswith(f"{kind}: ") and " of 1 agree" in line]
        self.assertEqual(len(counted), 1, lines)
        return counted[0] == f"{kind}: 1 of 1 agree"

    def test_each_kind_has_its_measure(self):
        rows = [
            ("discrete", {"name": "l1.ways", "value": 4}, {"value": 4}, True),
            ("discrete", {"name": "l1.ways", "value": 4}, {"value": 5}, False),
            ("discrete", {"name": "l1.policy", "value": "LRU"}, {"value": "FIFO"}, False),
            ("clocks", {"name": "l1.latency", "value": 200.0, "unit": "clocks"}, {"value": 200.9}, True),
            ("clocks", {"name": "l1.latency", "value": 200.0, "unit": "clocks"}, {"value": 201.2}, False),
            ("rates", {"name": "l2.bandwidth", "value": 100.5, "unit": "B/clk"}, {"value": 102.4}, True),
            ("rates", {"name": "l2.bandwidth", "value": 100.5, "unit": "B/clk"}, {"value": 102.9}, False),
            ("rates", {"name": "op.issue", "value": 2.0, "unit": "clocks"}, {"value": 2.03}, True),
            ("estimates", {"name": "l2.sets", "value": 100, "low": 90, "high": 110},
             {"value": 115, "low": 105, "high": 125}, True),
            ("estimates", {"name": "l2.sets", "value": 100, "low": 95, "high": 105},
             {"value": 115, "low": 110, "high": 120}, False),
            ("estimates", {"name": "energy.op[op=add.u32]", "value": 12.5, "low": 12.2, "high": 12.8, "unit": "pJ"},
             {"value": 12.9, "low": 12.6, "high": 13.2}, True),
            ("estimates", {"name": "tma.over_load", "value": 24.4, "low": 23.9, "high": 24.9, "unit": "clocks"},
             {"value": 26.0, "low": 25.5, "high": 26.5}, False),
        ]
        for kind, one, changes, alike in rows:
            with self.subTest(name=one["name"], other=changes["value"]):
                self.assertEqual(self.alike(kind, one, {**one, **changes}), alike)

    def test_latencies_are_compared_in_ns_where_clocks_differ(self):
        def run(clocks, hertz):
            return document({"name": "l2.map.latency", "value": clocks, "unit": "clocks"}, {**HERTZ, "value": hertz})
        self.assertIn("clocks: 1 of 1 agree", said_of(run(198.0, 1.98e9), run(199.5, 1.995e9)))
        self.assertIn("clocks: 0 of 1 agree", said_of(run(198.0, 1.98e9), run(199.5, 1.98e9)))

    def test_what_is_not_measured_everywhere_is_told(self):
        measured, open_one = {"name": "a", "value": 1}, {"name": "a", "value": None, "verdict": "inconclusive"}
        lines = said_of(document(measured), document(open_one))
        self.assertIn("a: 1, inconclusive", lines)
        self.assertIn("not measured in every run: 1", lines)
        self.assertIn("a: 1, absent", said_of(document(measured), document()))


if __name__ == "__main__":
    unittest.main()
