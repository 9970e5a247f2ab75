#!/usr/bin/env python3
"""How long gpx atlas takes for many runs: a store of made boards, its site, and the largest page.

  tests/fleet/atlas_speed.py GPX [BOARDS] [RUNS] [SEED]     (1000 boards of 10 runs each, seed 1)

Each run has a tenth of the findings of one H100's characterization; ten runs have them all.
"""
import csv
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = 10
NO_SAMPLES = {"columns": [], "units": [], "roles": [], "rows": []}


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def model():
    """The findings of one board by experiment."""
    experiments = {}
    with open(os.path.join(ROOT, "docs/results/characterize/h100_findings.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            value = number(row["value"])
            experiments.setdefault(row["experiment"], []).append({
                "name": row["finding"], "value": value if value is not None else row["value"] or None,
                "unit": row["unit"], "low": number(row["low"]), "high": number(row["high"]), "confidence": 0.99,
                "verdict": row["verdict"], "proof": "verified", "paper": None, "note": row["note"], "evidence": []})
    return experiments


def experiment(name, serial, findings):
    device = {"name": "NVIDIA H100 80GB HBM3", "kind": "cuda", "measured": True, "compute_capability": "9.0",
              "sm_count": 132, "warp_size": 32, "max_threads_per_block": 1024, "max_threads_per_sm": 2048,
              "memory_bytes": 85017493504, "clock_hz": 1980000000, "driver": "13.0", "uuid": serial}
    return {"name": name, "title": None, "file": "", "cites": [], "device": device, "interrupted": False,
            "failure": None, "points": 1, "points_total": 1, "findings": findings, "expectations": [], "claims": [],
            "printed": [], "warnings": [],
            "provenance": {"seed": 1, "ir": name, "compiler": None, "artifacts": [], "proof": None,
                           "values_digest": None}}


def scattered(findings, chance):
    out = []
    for finding in findings:
        factor = 1 + chance.gauss(0, 0.002)
        one = dict(finding)
        for key in ("value", "low", "high"):
            if isinstance(one[key], float) and one["unit"] not in ("", "B"):
                one[key] *= factor
        out.append(one)
    return out


def make_store(gpx, path, boards, runs, seed):
    first = {"schema": 1, "gpx": "0.1.0", "interrupted": False, "settings": [], "sources": [],
             "experiments": [{**experiment("first", "GPU-first", []), "samples": NO_SAMPLES, "curves": NO_SAMPLES}],
             "run": {"id": "a0", "status": "complete", "started": "2026-01-01T00:00:00Z", "ended": None, "host": None,
                     "command": None, "folder": None, "device": "cuda", "seed": 1}}
    document = path + ".json"
    with open(document, "w", encoding="utf-8") as file:
        json.dump(first, file)
    subprocess.run([gpx, "import", "-q", "--store", path, document], check=True)
    experiments = list(model().items())
    chance = random.Random(seed)
    with sqlite3.connect(path) as store:
        store.execute("DELETE FROM experiment")
        store.execute("DELETE FROM run")
        for board in range(boards):
            for run in range(runs):
                key = store.execute("INSERT INTO run (id, status, started, gpx, device, seed) VALUES (?, 'complete', "
                                    "'2026-01-01T00:00:00Z', '0.1.0', 'cuda', 1)", (f"b{board:06}{run:04}",)).lastrowid
                part = run % PARTS if runs >= PARTS else None
                chosen = [one for i, one in enumerate(experiments) if part is None or i % PARTS == part]
                for ordinal, (name, findings) in enumerate(chosen):
                    result = experiment(name, f"GPU-{board:08x}-0000", scattered(findings, chance))
                    store.execute("INSERT INTO experiment (run, ordinal, name, device, kind, ended, points, "
                                  "points_total, values_digest, columns, result) VALUES (?, ?, ?, 'H100', 'cuda', 1, "
                                  "1, 1, '', '', ?)", (key, ordinal, name, json.dumps(result)))


def main(gpx, boards=1000, runs=10, seed=1):
    with tempfile.TemporaryDirectory() as folder:
        store, site = os.path.join(folder, "made.db"), os.path.join(folder, "site")
        make_store(gpx, store, boards, runs, seed)
        print(f"{boards * runs} runs of {boards} boards, seed {seed}: a store of {os.path.getsize(store) / 1e6:.0f} MB")
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([gpx, "atlas", store, "-o", site], check=True)
        seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{seconds:.1f} s, {used:.1f} s of CPU, {after.ru_maxrss / 1024:.0f} MB")
        pages = [os.path.join(root, name) for root, _, names in os.walk(site) for name in names if name.endswith(".html")]
        largest = max(pages, key=os.path.getsize)
        print(f"{len(pages)} pages, the largest {os.path.getsize(largest)} bytes: {os.path.relpath(largest, site)}")
        sys.exit(0 if os.path.getsize(largest) <= 500000 else 1)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), *map(int, sys.argv[2:]))
