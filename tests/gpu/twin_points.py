#!/usr/bin/env python3
"""A virtual GPU beside a real one, point by point: virtual time over real time of runs of the same file.

Usage: twin_points.py REAL VIRTUAL [--points [NAME]] [--worst N]
  REAL, VIRTUAL  what `gpx run FILE --csv` or `--json` wrote
  --points       every point of the experiments whose names begin with NAME
  --worst        the N points that are furthest off

Each line: an experiment, its points, the mean, the median and the 90th percentile of |virtual/real - 1|, and
the worst point. A point is the median of its repetitions. No GPU is needed."""
import argparse
import collections
import csv
import json
import statistics

OBSERVED = ("latency", "time")
NO_AXIS = (*OBSERVED, "repetition", "outcome", "bytes", "each", "rate", "clocks", "occupancy", "limiter")


def rows_of(path):
    """Rows of a run as dictionaries of texts, each with the name of its experiment."""
    if not path.endswith(".json"):
        with open(path, encoding="utf-8") as file:
            yield from csv.DictReader(file)
        return
    with open(path, encoding="utf-8") as file:
        for experiment in json.load(file)["experiments"]:
            samples = experiment["samples"] or {"columns": [], "rows": []}
            for row in samples["rows"]:
                texts = {k: "" if v is None else str(v) for k, v in zip(samples["columns"], row)}
                yield {"experiment": experiment["name"], **texts}


def points_of(path):
    """Key of a point: median of what was observed there."""
    found = collections.defaultdict(list)
    for row in rows_of(path):
        value = next((row[name] for name in OBSERVED if row.get(name)), None)
        key = tuple((k, v) for k, v in sorted(row.items()) if v and k not in NO_AXIS)
        if value is not None:
            found[key].append(float(value))
    return {key: statistics.median(values) for key, values in found.items()}


def name_of(key):
    return dict(key)["experiment"]


def place_of(key):
    return " ".join(f"{k}={v}" for k, v in key if k != "experiment")


def summary(ratios):
    off = sorted(abs(ratio - 1) for _, ratio in ratios)
    worst = max(ratios, key=lambda pair: abs(pair[1] - 1))
    return (f"{len(off):6} {statistics.mean(off):7.1%} {statistics.median(off):7.1%} "
            f"{off[int(0.9 * (len(off) - 1))]:7.1%}   {worst[1]:5.2f} at {place_of(worst[0])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("real")
    parser.add_argument("virtual")
    parser.add_argument("--points", nargs="?", const="", metavar="NAME")
    parser.add_argument("--worst", type=int, default=0, metavar="N")
    options = parser.parse_args()
    real, virtual = points_of(options.real), points_of(options.virtual)
    ratios = [(key, virtual[key] / value) for key, value in real.items() if key in virtual and value]
    if not ratios:
        parser.error("the files have no point in common")
    experiments = collections.defaultdict(list)
    for key, ratio in ratios:
        experiments[name_of(key)].append((key, ratio))
    print(f"{'experiment':24} points    mean  median    90 %   worst virtual/real")
    for name, found in experiments.items():
        print(f"{name:24} {summary(found)}")
        if options.points is not None and name.startswith(options.points):
            for key, ratio in found:
                print(f"    {ratio:6.3f} {real[key]:12.6g} {virtual[key]:12.6g}  {place_of(key)}")
    for key, ratio in sorted(ratios, key=lambda pair: -abs(pair[1] - 1))[:options.worst]:
        print(f"    {ratio:6.3f}  {name_of(key)} {place_of(key)}")
    off = sorted(abs(ratio - 1) for _, ratio in ratios)
    share = [sum(each <= most for each in off) / len(off) for most in (0.1, 0.2)]
    missing = len(real) - len(ratios)
    print(f"{len(off)} points{f' ({missing} not in both)' if missing else ''}: mean {statistics.mean(off):.1%}, "
          f"median {statistics.median(off):.1%}, 90 % within {off[int(0.9 * (len(off) - 1))]:.1%}, worst {off[-1]:.0%}; "
          f"{share[0]:.0%} within 10 %, {share[1]:.0%} within 20 %")


if __name__ == "__main__":
    main()
