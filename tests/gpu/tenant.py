"""Findings beside another process against those of a quiet run.

usage: tenant.py ALONE.json DISTURBED.json...
A finding agrees where the intervals of both have a value in common (a value without an interval
may be 2 % off), or where one of them is inconclusive. Exit status 1 where any disagrees.
"""
import json
import sys

SLACK = 0.02


def findings(path):
    with open(path) as file:
        document = json.load(file)
    return {f["name"]: f for e in document["experiments"] for f in e["findings"]}


def interval(finding):
    value = finding["value"]
    low, high = finding.get("low"), finding.get("high")
    slack = SLACK * abs(value)
    low, high = (value if bound is None else bound for bound in (low, high))
    return min(value - slack, low), max(value + slack, high)


def agree(a, b):
    if "inconclusive" in (a["verdict"], b["verdict"]):
        return True
    if a["verdict"] != b["verdict"]:
        return False
    if not all(type(f["value"]) in (int, float) for f in (a, b)):
        return a["value"] == b["value"]
    (low, high), (other_low, other_high) = interval(a), interval(b)
    return low <= other_high and other_low <= high


def main(paths):
    alone, wrong = findings(paths[0]), 0
    for path in paths[1:]:
        count = {"agree": 0, "inconclusive": 0, "only here": 0}
        for name, finding in findings(path).items():
            if finding["verdict"] == "inconclusive":
                count["inconclusive"] += 1
            elif name not in alone:
                count["only here"] += 1
            elif agree(alone[name], finding):
                count["agree"] += 1
            else:
                wrong += 1
                print(f"{path}: {name} is {finding['value']} ({finding['verdict']}), "
                      f"alone {alone[name]['value']} ({alone[name]['verdict']})")
        print(path, count, f"missing: {len(set(alone) - set(findings(path)))}")
    print("disagree:", wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
