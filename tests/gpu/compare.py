#!/usr/bin/env python3
"""Compares what gpx and the hand-written references measured on a GPU.

Usage: compare.py OUT   (the folder that tests/gpu/run.sh filled)
Prints, for each tail and reading of the reference, by how many clocks gpx differs, point by point;
the time of the copy kernels; and whether a virtual GPU read the same values as the real one.
"""
import csv
import json
import pathlib
import statistics
import sys

TAILS = ("settled", "lined_up", "fold", "thread", "barrier")  # of thread_latency.cu


def read_csv(path):
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def read_experiments(path):
    if not path.exists():
        return {}
    return {e["name"]: e for e in json.loads(path.read_text())["experiments"]}


def rows_of(experiment):
    """The samples as dictionaries."""
    samples = experiment["samples"]
    names = [c["name"] if isinstance(c, dict) else c for c in samples["columns"]]
    return [dict(zip(names, row)) for row in samples["rows"]]


def group(rows, keys, value):
    """{key values: [value of each repetition]}"""
    out = {}
    for row in rows:
        out.setdefault(tuple(row[k] for k in keys), []).append(row[value])
    return out


def harmonic_mean(values):
    return len(values) / sum(1 / v for v in values)


def quantile(values, q):
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def compare_latency(out, op, gpx):
    """gpx - reference at each point (merge, n, threads), for each tail and reading."""
    reference = read_csv(out / "reference_thread_latency.out")
    gpx = {tuple(int(k) for k in key): values for key, values in gpx.items()}
    for tail in TAILS:
        for reading in ("own", "span"):
            least, mean = [], []
            for row in reference:
                key = (int(row["merge"]), int(row["n"]), int(row["t"]))
                if row["tail"] != tail or row["op"] != op or key not in gpx:
                    continue
                least.append(min(gpx[key]) - float(row[f"{reading}_min"]))
                mean.append(harmonic_mean(gpx[key][:3]) - float(row[f"{reading}_hm"]))
            if not least:
                continue
            within = sum(abs(d) <= 2 for d in least) / len(least)
            print(
                f"  {op} {tail:8} {reading:5} {len(least):5} points: gpx - reference of minima: "
                f"median {statistics.median(least):+.1f}, 5..95 % {quantile(least, 0.05):+.1f}.."
                f"{quantile(least, 0.95):+.1f}, worst {max(least, key=abs):+.0f}, "
                f"within 2 clocks {within:.1%}; of harmonic means: median "
                f"{statistics.median(mean):+.1f}"
            )


def show_points(gpx, reference, op):
    """A few points by number, so that a reader sees the sizes."""
    by_key = {}
    for row in reference:
        if row["op"] == op and row["merge"] == "1":
            by_key[(row["tail"], int(row["n"]), int(row["t"]))] = row["own_min"]
    for n in (1, 2, 3):
        for t in (2, 32, 128, 512, 1024):
            values = gpx.get((1, n, t))
            if not values:
                continue
            refs = ", ".join(
                f"{tail} {by_key.get((tail, n, t), '-')}" for tail in TAILS
            )
            print(f"  {op} n={n} threads={t}: gpx {sorted(values)}, reference {refs}")


def compare_copies(out, experiments):
    reference = read_csv(out / "reference_copy_time.out")
    if "copy_time" not in experiments:
        return
    gpx = group(rows_of(experiments["copy_time"]), ("state", "size"), "time")
    for (state, size), seconds in gpx.items():
        same = [r for r in reference if r["state"] == state and int(r["size"]) == int(size)]
        refs = ", ".join(f"{r['way']} {float(r['us_min']):.2f}" for r in same)
        print(f"  {state:8} {int(size) >> 10:6} KB: gpx {min(seconds) * 1e6:8.2f} us, {refs}")


def findings_named(out, name):
    """(experiment, value) of each finding of that name, whatever its keys."""
    for path in sorted((out / "json").glob("*.json")):
        if path.name.count(".") > 1:
            continue
        for experiment, result in read_experiments(path).items():
            for finding in result["findings"]:
                if finding["name"].split("[")[0] == name and finding["value"] is not None:
                    yield f"{experiment}: {finding['name']}", finding["value"]


def compare_operations(out):
    """Latency and throughput of operations: the hand-written chains against gpx's findings."""
    for row in read_csv(out / "reference_op_latency.out"):
        reference = float(row["value"])
        found = list(findings_named(out, row["finding"]))
        for where, value in found:
            print(f"  {where} = {value:.3f}, reference {reference:.3f} with {row['threads']} "
                  f"threads: {value / reference - 1:+.1%}")
        if not found:
            print(f"  {row['finding']}: reference {reference:.3f} with {row['threads']} threads, "
                  "not measured by gpx")


def digest(experiment):
    """Of what the kernels read; None where there is no result."""
    return experiment.get("provenance", {}).get("values_digest")


def compare_values(out):
    for path in sorted((out / "json").glob("*.model.json")):
        real = read_experiments(out / "json" / path.name.replace(".model", ""))
        for name, model in read_experiments(path).items():
            here, there = digest(real.get(name, {})), digest(model)
            if not here or not there:
                print(f"  {name}: no digest to compare")
            else:
                print(f"  {name}: {'same' if here == there else 'DIFFERENT'} ({here}, {there})")


def show_findings(out):
    for path in sorted((out / "json").glob("*.json")):
        if path.name.count(".") > 1:
            continue
        for name, experiment in read_experiments(path).items():
            for f in experiment["findings"]:
                print(f"  {name}: {f['name']} = {f['value']} {f['unit']} [{f['low']}, {f['high']}] "
                      f"{f['verdict']}, {f['proof']}")


def main(out):
    out = pathlib.Path(out)
    experiments = read_experiments(out / "json" / "latency.json")
    reference = read_csv(out / "reference_thread_latency.out")
    print("Latency, gpx against the reference (clocks)")
    for op in ("ca", "cg"):
        name = f"latency_{op}"
        if name not in experiments:
            print(f"  {name} was not measured")
            continue
        gpx = group(rows_of(experiments[name]), ("merge", "n", "threads"), "latency")
        compare_latency(out, op, gpx)
        show_points(gpx, reference, op)
    print("Copy kernel (smallest of the repetitions)")
    compare_copies(out, experiments)
    print("Operations, gpx against the reference (clocks, operations a clock)")
    compare_operations(out)
    print("Values: real GPU against virtual GPU")
    compare_values(out)
    print("Findings on this GPU")
    show_findings(out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
