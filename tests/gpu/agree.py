#!/usr/bin/env python3
"""Which findings of several characterizations, or runs of an experiment, agree.

Usage: tests/gpu/agree.py RUN.json RUN.json ...   (documents of `gpx characterize --json`, `gpx run --json`,
                                                    `gpx operations --json`)
  words, whole numbers without an interval (ways, entries)   are equal
  estimates: whole numbers with an interval (a capacity)      some value lies in all intervals, or within 0.5 %
  latencies, in clocks                                       within 0.5 %, or in ns where the runs state their
                                                             SM clocks (l2.map.clock), which differ
  differences of latencies (over_load, over_own, spread),
  energy and power, which follow the board's temperature     some value lies in all intervals, or within 0.5 %
  rates: bandwidths, throughputs, clocks of one more access
  of many (issue, interval, slope)                           within 2 %
Prints a line for each finding that differs, then the sums.
"""
import json
import re
import sys

CLOCKS, RATES = 0.005, 0.02


def findings(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if "operations" in document:
        cells = [cell for row in document["operations"] for cell in row.values() if isinstance(cell, dict)]
        return {f["name"]: f for f in cells if "verdict" in f}
    every = next((f["value"] for e in document["experiments"] for f in e["findings"] if CLOCK.search(f["name"])), None)
    found = {}
    for experiment in document["experiments"]:
        hertz = next((f["value"] for f in experiment["findings"] if CLOCK.search(f["name"])), every)
        found.update({f["name"]: {**f, "hertz": hertz} for f in experiment["findings"]})
    return found


# The SM clock, that of the run.
CLOCK = re.compile(r"^(l2\.map|p2p)\.clock$")
# Clocks that are the inverse of a rate.
RATE = re.compile(r"\.(issue|interval|slope)(\[|$)")
# The spread of SMs is a tenth of their latencies, which lie in other slices of L2 in each process: what moves those by
# 0.05 % moves their difference by 0.5 %.
DIFFERENCE = re.compile(r"\.(over_(load|own)|spread)(\[|$)")
# Two runs of one board in a row differ by up to 3.4 %, as leakage grows with its temperature.
WARM = re.compile(r"^(energy|power)\.")


def kind(finding):
    unit, value = finding.get("unit") or "", finding.get("value")
    if DIFFERENCE.search(finding["name"]) or WARM.search(finding["name"]):
        return "estimates"
    if unit.startswith("clocks"):
        return "rates" if RATE.search(finding["name"]) else "clocks"
    if not isinstance(value, (int, float)):
        return "discrete"
    low, high = finding.get("low"), finding.get("high")
    if float(value).is_integer():
        return "estimates" if low is not None and high is not None and low < high else "discrete"
    return "rates"


def agree(of_kind, seen):
    values = [f["value"] for f in seen]
    if of_kind == "estimates":  # the interval of a difference may be narrower than what latencies may differ by
        return (max(f["low"] for f in seen) <= min(f["high"] for f in seen) or
                (max(values) - min(values)) <= 0.005 * abs(min(values)))
    if of_kind == "discrete" or not all(isinstance(v, (int, float)) for v in values):
        return all(v == values[0] for v in values)
    if of_kind != "clocks":
        return near(values, RATES)
    hertz = [f.get("hertz") for f in seen]
    return near(values, CLOCKS) or all(hertz) and near([v / h for v, h in zip(values, hertz)], CLOCKS)


def near(values, within):
    return max(values) - min(values) <= within * abs(sorted(values)[len(values) // 2])


def main(paths):
    if len(paths) < 2:
        sys.exit(__doc__)
    runs = [findings(path) for path in paths]
    counts = {}
    for name in sorted(set().union(*runs)):
        seen = [run.get(name) for run in runs]
        verdicts = [f["verdict"] if f else "absent" for f in seen]
        if all(v == "not_observed" for v in verdicts):
            continue
        if len(set(verdicts)) > 1 or verdicts[0] != "measured":
            counts["verdicts"] = counts.get("verdicts", 0) + 1
            print(f"{name}: " + ", ".join(
                str(f["value"]) if f and f["verdict"] == "measured" else v for f, v in zip(seen, verdicts)))
            continue
        kinds = [kind(f) for f in seen]
        of_kind = next((k for k in ("rates", "estimates") if k in kinds), kinds[0])
        same = agree(of_kind, seen)
        all_of, those = counts.get(of_kind, (0, 0))
        counts[of_kind] = (all_of + 1, those + same)
        if not same:
            print(f"{name} ({of_kind}): " + ", ".join(str(f["value"]) for f in seen))
    for of_kind in ("discrete", "estimates", "clocks", "rates"):
        all_of, those = counts.get(of_kind, (0, 0))
        print(f"{of_kind}: {those} of {all_of} agree")
    print(f"not measured in every run: {counts.get('verdicts', 0)}")


if __name__ == "__main__":
    main(sys.argv[1:])
