#!/usr/bin/env python3
"""Which findings of several characterizations agree.

Usage: tests/gpu/agree.py RUN.json RUN.json ...   (documents of `gpx characterize --json`)
Clocks are compared within 0.5 %, other units (bandwidths, throughputs) within 2 %, words and whole
numbers (sizes, entries, ways) exactly. Prints a line for each finding that differs, then the sums.
"""
import json
import sys

CLOCKS, OTHERS = 0.005, 0.02


def findings(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    return {f["name"]: f for e in document["experiments"] for f in e["findings"]}


def kind(finding):
    unit, value = finding.get("unit") or "", finding.get("value")
    if unit.startswith("clocks"):
        return "clocks"
    if isinstance(value, (int, float)) and not float(value).is_integer():
        return "others"
    return "discrete"


def agree(of_kind, values):
    if of_kind == "discrete" or not all(isinstance(v, (int, float)) for v in values):
        return all(v == values[0] for v in values)
    middle = sorted(values)[len(values) // 2]
    within = CLOCKS if of_kind == "clocks" else OTHERS
    return max(values) - min(values) <= within * abs(middle)


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
        of_kind = "others" if "others" in kinds else kinds[0]
        same = agree(of_kind, [f["value"] for f in seen])
        all_of, those = counts.get(of_kind, (0, 0))
        counts[of_kind] = (all_of + 1, those + same)
        if not same:
            print(f"{name} ({of_kind}): " + ", ".join(str(f["value"]) for f in seen))
    for of_kind in ("discrete", "clocks", "others"):
        all_of, those = counts.get(of_kind, (0, 0))
        print(f"{of_kind}: {those} of {all_of} agree")
    print(f"not measured in every run: {counts.get('verdicts', 0)}")


if __name__ == "__main__":
    main(sys.argv[1:])
