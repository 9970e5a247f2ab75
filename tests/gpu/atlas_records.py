#!/usr/bin/env python3
"""Source stores of docs/atlas: the boards of docs/results, a store for each device.

  tests/gpu/atlas_records.py GPX                        makes the stores anew
  tests/gpu/atlas_records.py GPX --add DOCUMENT...      the same with more boards: documents of gpx characterize --json,
                                                        of one device or of several

Each board of an added document becomes a record, docs/results/characterize/h200_UUID.json: its findings without samples,
texts and proofs. A second run of it is h200_UUID_2.json; a run that is there already is refused.


Documents of docs/results keep their findings; samples, texts and proofs stay in the documents. A board of
a table, whose UUID nobody wrote down, has the table and its number there as its serial.
"""
import csv
import glob
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULTS = os.path.join(ROOT, "docs", "results")
RECORDS = os.path.join(RESULTS, "characterize")
ATLAS = os.path.join(ROOT, "docs", "atlas")
DEVICES = {"h100": "NVIDIA H100 80GB HBM3", "h200": "NVIDIA H200"}
KEPT = ("name", "value", "unit", "low", "high", "confidence", "verdict", "proof")
FACTS = ("name", "kind", "measured", "architecture", "code", "compute_capability", "sm_major", "sm_minor", "sm_count",
         "warp_size", "max_threads_per_block", "max_threads_per_sm", "clock_hz", "memory_clock_hz", "memory_bus_bits",
         "l2_bytes", "memory_bytes", "driver", "uuid")
# Rows of the table of differences between H100s in boards.md, as findings.
TABLE = {"L2, mean over SMs": "l2.latency", "L2, SM 0": "global.cg.level1.latency",
         "far half, SM 0": "global.cg.level2.latency", "memory": "miss.latency",
         "a miss of the second TLB": "tlb.miss.latency"}


def finding(name, value, unit="", low=None, high=None, verdict="measured", **more):
    return {"name": name, "value": value, "unit": unit, "low": low, "high": high, "confidence": None,
            "verdict": verdict, "proof": None, "paper": None, "note": None, "evidence": [], **more}


def rounded(value):
    """Six digits are more than boards agree in."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def device_of(name, serial):
    return {"name": name, "kind": "cuda", "measured": True, "architecture": "sm_90", "code": "SASS", "compute_capability": "9.0", "sm_major": 9,
            "sm_minor": None, "sm_count": 132, "warp_size": 32, "max_threads_per_block": 1024,
            "max_threads_per_sm": 2048, "clock_hz": 1980000000, "driver": None, "uuid": serial}


def experiment(name, device, findings, provenance=None):
    findings = [f for f in findings if not f["name"].startswith("outcome[")]  # Points, not findings of a board.
    kept = [{**finding(f["name"], None), **{key: rounded(f.get(key)) for key in KEPT}} for f in findings]
    device = {key: value for key, value in device.items() if key in FACTS}
    none = {"columns": [], "units": [], "roles": [], "rows": []}
    provenance = provenance or {}
    return {"name": name, "title": None, "file": "", "cites": [], "device": device, "interrupted": False,
            "failure": None, "findings": kept, "expectations": [], "claims": [], "printed": [], "warnings": [],
            "provenance": {"seed": 1, "ir": provenance.get("ir"), "compiler": provenance.get("compiler"),
                           "artifacts": [], "proof": None, "values_digest": None,
                           "before": provenance.get("before"), "after": provenance.get("after")},
            "samples": none, "curves": none}


def document(place, experiments):
    identity = "a" + hashlib.sha256(place.encode()).hexdigest()[:15]
    return {"schema": 1, "gpx": "0.1.0", "interrupted": False, "settings": [], "sources": [], "experiments": experiments,
            "run": {"id": identity, "status": "complete", "started": None, "ended": None, "host": None,
                    "command": place, "folder": None, "device": "cuda", "seed": 1}}


def read_json(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if "operations" in document:
        cells = [row[what] for row in document["operations"] for what in ("latency", "throughput")]
        return [experiment("operations", document["device"], [cell for cell in cells if cell])]
    whole = document.get("experiments") or [e for g in document["groups"] for e in g["experiments"]]
    return [experiment(e["name"], e["device"], e["findings"], e["provenance"]) for e in whole]


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def read_characterization(path, device):
    """All findings of one characterization. Which board it was is not written down."""
    experiments = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            value = number(row["value"])
            value = value if value is not None else row["value"] or None
            experiments.setdefault(row["experiment"], []).append(finding(
                row["finding"], value if row["verdict"] == "measured" else None, row["unit"], number(row["low"]),
                number(row["high"]), row["verdict"]))
    return [experiment(name, device, found) for name, found in experiments.items()]


def table_values():
    """Of boards.md: the values of boards 1 to 17, by board and finding."""
    with open(os.path.join(RESULTS, "boards.md"), encoding="utf-8") as file:
        lines = [[cell.strip() for cell in line.split("|")[1:]] for line in file if line.startswith("| ")]
    boards = {}
    for title, name in TABLE.items():
        cells = next(line[1] for line in lines if line[0] == title)
        for board, value in enumerate(re.findall(r"[\d.]+", cells), 1):
            boards.setdefault(board, []).append(finding(name, float(value), "clocks"))
    return boards


def discrete_values(path):
    """By board, a list of runs, each a list of findings."""
    boards = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            runs = boards.setdefault(int(row["board"]), [])
            if not runs or any(f["name"] == row["finding"] for f in runs[-1]):
                runs.append([])
            value = number(row["gpx"])
            unit = "B" if row["finding"].endswith((".capacity", ".line")) else ""
            runs[-1].append(finding(row["finding"], value if value is not None else row["gpx"], unit, number(row["low"]),
                                    number(row["high"])))
    return boards


def documents_of(short):
    name = DEVICES[short]
    for folder in (short, "operations", "characterize"):
        pattern = "*.json" if folder == short else short + "*.json"
        for path in sorted(glob.glob(os.path.join(RESULTS, folder, pattern))):
            place = os.path.relpath(path, ROOT)
            yield document(place, read_json(path))
    place = "docs/results/characterize/" + short + "_findings.csv"
    serial = short + "_findings.csv"
    yield document(place, read_characterization(os.path.join(ROOT, place), device_of(name, serial)))
    discrete = discrete_values(os.path.join(RESULTS, short, "discrete.csv"))
    tables = table_values() if short == "h100" else {}
    for board in sorted(set(discrete) | set(tables)):
        device = device_of(name, f"boards.md, {short.upper()} {board:02}")
        if board in tables:
            yield document(f"docs/results/boards.md, {short} {board}", [experiment("boards", device, tables[board])])
        for run, found in enumerate(discrete.get(board, []), 1):
            place = f"docs/results/{short}/discrete.csv, board {board}, run {run}"
            yield document(place, [experiment("discrete", device, found)])


def boards_of(whole):
    """The experiments of each board of a document, by UUID."""
    boards = {}
    for each in whole["experiments"]:
        boards.setdefault(each["device"]["uuid"], []).append(
            experiment(each["name"], each["device"], each["findings"], each["provenance"]))
    return boards


def text_of(whole):
    """A document as JSON, a line for each finding."""
    mark, lines = "finding ", []
    for each in whole["experiments"]:
        for at, found in enumerate(each["findings"]):
            lines.append(json.dumps(found, ensure_ascii=False))
            each["findings"][at] = f"{mark}{len(lines) - 1}"
    text = json.dumps(whole, ensure_ascii=False)
    return re.sub(f'(, )?"{mark}(\\d+)"', lambda found: (found[1] or "").rstrip() + "\n" + lines[int(found[2])], text) + "\n"


def add(path):
    """The boards of a document as records."""
    with open(path, encoding="utf-8") as file:
        boards = boards_of(json.load(file))
    for uuid, experiments in boards.items():
        name = experiments[0]["device"]["name"]
        short = next((short for short, full in DEVICES.items() if full == name), None)
        if not uuid or not short:
            sys.exit(f"{path}: '{name}' without a UUID, or no model of the atlas ({', '.join(DEVICES.values())})")
        first = os.path.join(RECORDS, f"{short}_{uuid[4:12]}")
        known = sorted(glob.glob(first + "*.json"))
        for other in known:
            with open(other, encoding="utf-8") as file:
                if json.load(file)["experiments"] == json.loads(json.dumps(experiments)):
                    sys.exit(f"{path}: {os.path.relpath(other, ROOT)} is this run")
        out = f"{first}_{len(known) + 1}.json" if known else first + ".json"
        with open(out, "w", encoding="utf-8") as file:
            file.write(text_of(document(os.path.relpath(out, ROOT), experiments)))
        print(os.path.relpath(out, ROOT), sum(len(each["findings"]) for each in experiments), "findings")


def make_store(gpx, short):
    store = os.path.join(ATLAS, short + ".db")
    if os.path.exists(store):
        os.remove(store)
    with tempfile.TemporaryDirectory() as made:
        files = []
        for count, one in enumerate(documents_of(short)):
            files.append(os.path.join(made, f"{count:03}.json"))
            with open(files[-1], "w", encoding="utf-8") as file:
                json.dump(one, file)
        subprocess.run([gpx, "import", "--quiet", "--store", store, *files], check=True)
    with sqlite3.connect(store, isolation_level=None) as database:
        for statement in ("PRAGMA journal_mode = DELETE", "PRAGMA page_size = 1024", "VACUUM"):
            database.execute(statement)
        boards = database.execute("SELECT count(DISTINCT result ->> '$.device.uuid') FROM experiment").fetchone()[0]
    print(os.path.relpath(store, ROOT), os.path.getsize(store), "bytes,", len(files), "runs,", boards, "boards")


def main(gpx, documents):
    for path in documents:
        add(path)
    for short in DEVICES:
        make_store(os.path.abspath(gpx), short)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:3] not in ([], ["--add"]):
        sys.exit(__doc__)
    for added in sys.argv[3:]:
        try:
            with open(added, encoding="utf-8") as opened:
                json.load(opened)
        except (OSError, ValueError) as wrong:
            sys.exit(f"{added}: {wrong}")
    main(sys.argv[1], sys.argv[3:])
