#!/usr/bin/env python3
"""The virtual H100 beside records of a real one: virtual time over real time, point by point.

Usage: twin_check.py GPX [--device FILE] [--points]
  GPX       the program
  --device  the device instead of h100
  --points  every point, not only a line for each curve

Runs the experiments of docs/results/h100 that keep their samples, and loads and copies of tests/data. Each
line: a curve of a record, its points, the mean, the median and the 90th percentile of |virtual/real - 1|,
and the worst point. No GPU is needed."""
import argparse
import collections
import csv
import json
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDS = {  # record: the experiments of it whose time says something about a rate
    "kepler_prt": None,
    "fermi_mshr": None,
    "scoreboard_limit": None,
    "gt200_barrier": None,
    "l2_capacity": None,
}
LOADS = """experiment loads "tests/data/h100_thread_latency.csv" {
  sweep   n in [1, 2, 3, 4, 6, 8], threads in [2, 32, 64, 128, 256, 512, 768, 1024]
  repeat  3 reduce median
  measure cg { < load unique(128B) x n cache cg > }
  measure ca { < load unique(128B) x n > }
}
"""


def run(gpx, device, source):
    """Rows of the samples of each experiment in `source`, as dictionaries."""
    done = subprocess.run([gpx, "run", source, "--device", device, "--json", "-"], capture_output=True,
                          text=True, check=False, cwd=ROOT)
    if not done.stdout:
        raise SystemExit(done.stderr)
    return {e["name"]: rows_of(e) for e in json.loads(done.stdout)["experiments"]}


def rows_of(experiment):
    samples = experiment["samples"]
    return [dict(zip(samples["columns"], row)) for row in samples["rows"]] if samples else []


def points(rows):
    """Key of a point: median of what was observed."""
    found = collections.defaultdict(list)
    for row in rows:
        value = row.get("latency", row.get("time"))
        key = tuple((k, v) for k, v in sorted(row.items()) if k not in ("repetition", "latency", "time"))
        if value is not None:
            found[key].append(value)
    return {key: statistics.median(values) for key, values in found.items()}


def curves(real, virtual, axis):
    """Curve, without the axis along which it runs: its (point, virtual over real)."""
    found = collections.defaultdict(list)
    for key, value in real.items():
        if key in virtual and value:
            rest = tuple(p for p in key if p[0] != axis)
            found[rest].append((dict(key).get(axis), virtual[key] / value))
    return found


def report(record, found, every):
    for curve, ratios in sorted(found.items(), key=str):
        off = sorted(abs(ratio - 1) for _, ratio in ratios)
        worst = max(ratios, key=lambda pair: abs(pair[1] - 1))
        name = " ".join(f"{k}={v}" for k, v in curve)
        print(f"{record:17} {name:32} {len(off):5} {statistics.mean(off):7.1%} {statistics.median(off):7.1%} "
              f"{off[int(0.9 * (len(off) - 1))]:7.1%}   {worst[1]:5.2f} at {worst[0]}")
        if every:
            for at, ratio in ratios:
                print(f"{'':17} {at}: {ratio:.3f}")
    return [abs(ratio - 1) for ratios in found.values() for _, ratio in ratios]


def loads_of_record():
    rows = []
    for row in csv.DictReader(open(ROOT / "tests/data/h100_thread_latency.csv", encoding="utf-8")):
        if row["dram"] == "0" and row["stride"] == "128":
            rows.append({"measure": ("cg", "ca")[int(row["mode"])], "n": int(row["n"]),
                         "threads": int(row["t"]), "latency": float(row["lat"])})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("gpx")
    parser.add_argument("--device", default="h100")
    parser.add_argument("--points", action="store_true")
    options = parser.parse_args()
    gpx = str(pathlib.Path(options.gpx).resolve())
    print(f"{'record':17} {'curve':32} points    mean  median    90 %   worst virtual/real")
    all_off = []
    for record in RECORDS:
        real = json.loads((ROOT / f"docs/results/h100/{record}.json").read_text(encoding="utf-8"))
        virtual = run(gpx, options.device, f"experiments/{record}.gpx")
        for experiment in real["experiments"]:
            axis = {"kepler_prt": "threads", "fermi_mshr": "threads", "l2_capacity": "size",
                    "gt200_barrier": "count", "scoreboard_limit": "n"}[record]
            found = curves(points(rows_of(experiment)), points(virtual[experiment["name"]]), axis)
            all_off += report(experiment["name"], found, options.points)
    with tempfile.NamedTemporaryFile("w", suffix=".gpx") as file:
        file.write(LOADS)
        file.flush()
        virtual = run(gpx, options.device, file.name)["loads"]
    all_off += report("h100_thread_lat", curves(points(loads_of_record()), points(virtual), "threads"), options.points)
    all_off.sort()
    print(f"{len(all_off)} points: mean {statistics.mean(all_off):.1%}, median {statistics.median(all_off):.1%}, "
          f"90 % within {all_off[int(0.9 * (len(all_off) - 1))]:.1%}, worst {all_off[-1]:.0%}")


if __name__ == "__main__":
    main()
