#!/usr/bin/env python3
"""gpx serve over HTTP: runs while they go on, comparisons of runs, and traces of points.

  tests/serve/results_test.py GPX [NAME...]     (NAME: only the cases that hold it)
"""
import re
import time

import case
from case import Case

PAIR = """experiment plain {
  threads 32
  sweep words 1..4
  repeat 3
  < load shared stride(words * 4B) x 2 >
  plot latency over words
}

experiment slow {
  threads 32
  sweep words 1..4
  repeat 3
  < load shared stride(words * 128B) x 2 >
  plot latency over words
}
"""
LONG = """experiment long {
  sweep threads 32..1024 step 2, n 1..40
  < load unique(128B) x n >
  plot latency over threads
}
"""


class Live(Case):
    text = LONG

    def points(self):
        run = self.server.records()["long"]["run"]
        html = self.server.ask(f"/api/result?runs={run}")["html"] if run else ""
        self.assertNotIn("Interrupted", html)
        return int((re.search(r"over (\d+) points", html) or [0, 0])[1])

    def test_a_run_that_goes_on_shows_its_points(self):
        self.server.ask("/api/run", {"cells": ["long"]})
        seen, end = [0], time.time() + 60
        while len(seen) < 3 and time.time() < end:
            if (now := self.points()) > seen[-1]:
                seen.append(now)
            time.sleep(0.3)
        self.assertEqual(len(seen), 3)
        self.assertEqual(self.server.records()["long"]["phase"], "running")
        self.server.ask("/api/stop", {"cells": ["long"]})
        self.server.until("long", "stopped")


class Comparison(Case):
    text = PAIR

    def setUp(self):
        super().setUp()
        self.server.ask("/api/devices", {"devices": ["gtx780"]})
        self.server.ask("/api/run", {"cells": ["plain", "slow"]})
        self.runs = [self.server.until(name, "done")["run"] for name in ("plain", "slow")]

    def diff(self, a, b):
        return self.server.ask("/api/diff", {"runs": f"{a},{b}", "names": ["one", "two"]})

    def test_two_cells_are_compared_as_if_they_had_one_name(self):
        diff = self.diff(*self.runs)
        self.assertGreater(diff["different"] + diff["cannot_tell"], 0)
        self.assertEqual([one["name"] for one in diff["comparisons"]], ["latency over words"])
        self.assertNotEqual(diff["comparisons"][0]["likeness"], "same")
        for part in ("one", "two", 'data-kind="curves"'):
            self.assertIn(part, diff["html"])
        self.assertEqual(diff["html"].count('data-kind="curves"'), 1)

    def test_a_run_is_the_same_as_itself(self):
        diff = self.diff(self.runs[0], self.runs[0])
        self.assertEqual((diff["same"], diff["different"]), (1, 0))

    def test_what_cannot_be_compared_is_refused(self):
        for body in ({"runs": "1", "names": ["a", "b"]}, {"runs": "1,2,3", "names": ["a", "b"]},
                     {"runs": "1,2", "names": ["a"]}, {"runs": "1,999", "names": ["a", "b"]},
                     {"runs": "x", "names": ["a", "b"]}, {"runs": "1,2"}):
            self.assertEqual(self.server.request("POST", "/api/diff", body)[0], 400, body)

    def test_the_runs_of_an_experiment_are_listed(self):
        runs = self.server.ask("/api/runs?experiment=plain")["runs"]
        self.assertEqual([run["number"] for run in runs], self.runs[:1])
        self.assertEqual(self.server.ask("/api/runs?experiment=none")["runs"], [])

    def test_hostile_names_stay_text(self):
        names = ["</script><img src=x onerror=alert(1)>", "<b>"]
        diff = self.server.ask("/api/diff", {"runs": f"{self.runs[0]},{self.runs[1]}", "names": names})
        self.assertNotIn("<img", diff["html"])


class Trace(Case):
    text = PAIR

    def trace(self, cell, point):
        return self.server.ask("/api/trace", {"cell": cell, "device": "gtx780", "point": point})

    def test_the_timed_region_of_a_point_is_as_long_as_its_latency(self):
        self.server.ask("/api/devices", {"devices": ["gtx780"]})
        self.server.ask("/api/run", {"cells": ["slow"]})
        run = self.server.until("slow", "done")["run"]
        html = self.server.ask(f"/api/result?runs={run}")["html"]
        measured = [float(one) for one in re.search(r'"y":\[([\d.,]+)\]', html)[1].split(",")]
        for point in (0, 3):
            trace = self.trace("slow", point)
            first, last = trace["timed"]
            self.assertEqual(last - first, measured[point])
            self.assertEqual(trace["points"], ["words=1", "words=2", "words=3", "words=4"])
            self.assertTrue(any(event[1] == "load_store" for event in trace["lanes"][0]["events"]))
            self.assertIn("shared", trace["report"])

    def test_a_trace_leaves_no_run(self):
        self.trace("plain", 0)
        self.assertEqual(self.server.ask("/api/runs?experiment=plain")["runs"], [])

    def test_what_cannot_be_traced_is_said(self):
        for body in ({"cell": "none", "device": "k20", "point": 0}, {"cell": "plain", "device": "none", "point": 0},
                     {"cell": "plain", "device": "k20", "point": 4}, {"cell": "plain", "device": "k20", "point": -1},
                     {"cell": "plain", "device": "k20", "point": "0"}, {"cell": "plain", "device": "--help", "point": 0},
                     {"cell": "plain", "device": "k20"}):
            self.assertEqual(self.server.request("POST", "/api/trace", body)[0], 400, body)


if __name__ == "__main__":
    case.run()
