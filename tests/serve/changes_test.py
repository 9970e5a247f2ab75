#!/usr/bin/env python3
"""gpx serve after changes: which results are stale, what a failed run leaves, and what a launch is.

  tests/serve/changes_test.py GPX [NAME...]     (NAME: only the cases that hold it)
"""
import os
import subprocess
import time

import case
from case import Case
from client import Server

KERNEL = """#include "factor.h"
__global__ void scale(float* x, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * f * FACTOR;
}
"""
DOCUMENT = """param n = 2048

# Its kernel is beside it.
experiment scaled {
  threads 128
  blocks n / threads
  kernel mine from "scale.cu" entry scale(x = buffer(4B * n, index(2)), f = 1 + 1, n = n)
  < run mine >
}

experiment loads {
  threads 32
  < load unique(128B) >
}
"""
LONG = """experiment long {
  sweep threads 32..1024 step 2, n 1..3
  < load unique(128B) x n >
}
"""


class Changes(Case):
    text = DOCUMENT

    def setUp(self):
        super().setUp()
        self.write("factor.h", "#define FACTOR 1\n")
        self.write("scale.cu", KERNEL)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def keys(self):
        return {cell["name"]: cell["keys"] for cell in self.server.ask("/api/state?since=0")["cells"]}

    def save(self, text):
        base = self.server.ask("/api/state?since=0")["version"]
        self.server.ask("/api/save", {"base": base, "text": text})

    def run_cell(self, cell, *phases):
        self.server.ask("/api/run", {"cells": [cell]})
        return self.server.until(cell, *phases)

    def is_current(self, cell):
        return self.server.records()[cell]["key"] == self.keys()[cell][0]

    def test_a_file_that_a_cell_uses_makes_it_stale(self):
        run = self.run_cell("scaled", "done")["run"]
        self.assertTrue(self.is_current("scaled"))
        for name, text in (("scale.cu", KERNEL.replace("x[i] *", "x[i] +")), ("factor.h", "#define FACTOR 2\n")):
            at, before = self.server.ask("/api/state?since=0")["at"], self.keys()
            self.write(name, text)
            state = self.server.ask(f"/api/state?since={at}&wait=5")
            self.assertFalse(state["whole"], name)
            changed = {cell["name"]: cell["keys"] for cell in state["cells"]}
            self.assertNotEqual(changed["scaled"], before["scaled"], name)
            self.assertEqual(changed["loads"], before["loads"], name)
            self.assertFalse(self.is_current("scaled"), name)
        self.server.close()
        self.server = Server(case.GPX, self.file)
        self.assertEqual(self.server.until("scaled", "done")["run"], run)
        self.assertFalse(self.is_current("scaled"), "a kernel that was written after its run")

    def test_a_failed_run_is_not_the_one_before_it(self):
        first = self.run_cell("scaled", "done")["run"]
        self.write("scale.cu", KERNEL.replace("float f", "float f f"))
        time.sleep(1)
        failed = self.run_cell("scaled", "failed")
        self.assertEqual((failed["run"], failed["before"]), (0, first))
        self.write("scale.cu", KERNEL)
        again = self.server.until("scaled", "done", seconds=5)
        self.assertEqual((again["run"], again["message"]), (first, ""))
        self.assertTrue(self.is_current("scaled"))

    def test_an_error_names_the_line_of_the_cell(self):
        first = self.run_cell("loads", "done")["run"]
        self.save(DOCUMENT.replace("< load", "< laod"))
        message = self.run_cell("loads", "failed")["message"]
        self.assertIn("line 3 of loads, column 5: error: unknown access 'laod'", message)
        self.assertIn("\n 3 |   < laod", message)
        self.assertNotIn("<stdin>", message)
        self.save(DOCUMENT)
        self.assertEqual(self.server.records()["loads"]["run"], first)
        self.assertTrue(self.is_current("loads"), "a text that had run has its result again")
        self.save(DOCUMENT.replace("f = 1 + 1", "f = 1 + 1B"))
        message = self.run_cell("scaled", "failed")["message"]
        self.assertIn("line 5 of scaled, column", message, "a cell with a comment above and a parameter")

    def test_a_launch_has_evaluated_values(self):
        launch = self.server.ask("/api/launch", {"cell": "scaled", "path": "scale.cu"})
        self.assertEqual(launch, {
            "entry": "scale", "grid": "16", "block": "128", "registers": "", "shared": "",
            "arg": ["f=2", "n=2048"], "buffer": ["x=8KB:index(2)"], "define": []})
        predicted = self.server.ask("/api/predict", {
            "path": "scale.cu", "device": "k20", **{key: value for key, value in launch.items()},
            "grid": [launch["grid"]], "block": [launch["block"]]})
        self.assertIn("scale", predicted["report"])
        for body in ({"cell": "loads", "path": "scale.cu"}, {"cell": "scaled", "path": "x.cu"}, {"cell": "none", "path": "scale.cu"}):
            self.assertEqual(self.server.request("POST", "/api/launch", body)[0], 400, body)

    def test_titles_of_the_gallery_are_whole(self):
        shelves = self.server.ask("/api/gallery")["shelves"]
        titles = {entry["name"]: entry["title"] for shelf in shelves for entry in shelf["entries"]}
        self.assertEqual(titles["templates/atomics"], "What do atomic additions to one address cost?")
        for name, title in titles.items():
            self.assertNotRegex(title, r"(,|\b(a|an|and|at|by|in|of|the|to|with))$", name)


class EndsAsItStops(Case):
    text = LONG

    def test_a_run_that_is_complete_needs_no_resume(self):
        self.server.ask("/api/run", {"cells": ["long"]})
        self.server.until("long", "running")
        while not self.server.records()["long"]["run"]:
            time.sleep(0.02)
        self.server.ask("/api/stop", {"cells": ["long"]})
        record = self.server.until("long", "stopped", "done")
        environment = dict(os.environ, GPX_STORE=os.path.join(self.folder, "store.db"))
        subprocess.run([case.GPX, "resume", str(record["run"]), "--quiet"], env=environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.server.ask("/api/resume", {"cell": "long"})
        after = self.server.until("long", "done", "failed")
        self.assertEqual((after["phase"], after["run"], after["message"]), ("done", record["run"], ""))


if __name__ == "__main__":
    case.run()
