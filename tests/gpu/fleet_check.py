#!/usr/bin/env python3
"""What tests/gpu/fleet.sh left, judged: one line for each thing that must hold, and how much several
GPUs at once give.

usage: fleet_check.py check OUT        exit status 1 where something does not hold
       fleet_check.py uuid FILE N      the UUID of a document's device N
"""
import json
import os
import re
import sqlite3
import sys

from agree import agree as values_agree
from agree import kind
from tenant import agree as agrees_beside

SIDE_BY_SIDE = ("characterize_cold", "characterize_all", "operations_cold", "operations_all", "run_cold",
                "run_all", "p2p_all", "busy")
# Of values of one board, measured twice: rates and estimates of some findings move more (agree.py).
LEAST_ALIKE = 0.95


def read(path):
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def seconds_of(folder):
    """By step: the exit status and the seconds."""
    steps = {}
    with open(f"{folder}/seconds.txt", encoding="utf-8") as file:
        for line in file:
            found = re.match(r"(\S+) status (\d+)(?: ([\d.]+) s)?", line)
            if found:
                steps[found[1]] = (int(found[2]), float(found[3] or 0))
    return steps


def by_device(document):
    """Findings by name, of each of the document's devices."""
    if "operations" in document:
        cells = [row[what] for row in document["operations"] for what in ("latency", "throughput")]
        return [{f["name"]: f for f in cells if f}]
    counts = [each["experiments"] for each in document.get("devices", [])] or [len(document["experiments"])]
    found, at = [], 0
    for count in counts:
        found.append({f["name"]: f for e in document["experiments"][at:at + count] for f in e["findings"]})
        at += count
    return found


def uuid_of(document, device):
    at = sum(each["experiments"] for each in document["devices"][:device])
    return document["experiments"][at]["device"]["uuid"] or ""


class Check:
    def __init__(self, folder):
        self.folder, self.wrong = folder, 0
        self.steps = seconds_of(folder)
        self.documents = {name: read(f"{folder}/{name}.json") for name in self.steps}

    def holds(self, name, condition, more=""):
        self.wrong += not condition
        print(f"{'ok   ' if condition else 'WRONG'} {name}{': ' + str(more) if more != '' else ''}")

    def is_whole(self, name):
        """Every device of a step that nothing disturbs ends by itself, and the command says so."""
        if name not in self.steps:
            return print(f"-     {name}: not done")
        status, document = self.steps[name][0], self.documents[name]
        devices = document["devices"] if document else []
        reasons = [each["reason"] for each in devices]
        self.holds(f"{name}: every device is whole", devices and not any(reasons) and status <= 1,
                   f"status {status}" + "".join(f", {each['name']} {each['seconds']:.1f} s" for each in devices))
        worst = max((each["status"] for each in devices), default=3)
        self.holds(f"{name}: the exit status is the worst device's", status == worst, status)

    def throughput(self, name):
        both, one = self.steps.get(f"{name}_all"), self.steps.get(f"{name}_one")
        if not both or not one or not self.documents[f"{name}_all"]:
            return
        count = len(self.documents[f"{name}_all"]["devices"])
        print(f"      {name}: one {one[1]:.2f} s, {count} at once {both[1]:.2f} s, "
              f"{count * one[1] / both[1]:.2f} times as many a second")

    def alike(self, what, found, other):
        """Findings that both measured are as alike as two runs of one board."""
        both = [(a, other[name]) for name, a in found.items()
                if name in other and a["verdict"] == other[name]["verdict"] == "measured"]
        same, different = 0, []
        for a, b in both:
            kinds = [kind(a), kind(b)]
            of_kind = next((k for k in ("rates", "estimates") if k in kinds), kinds[0])
            if agrees_beside(a, b) or values_agree(of_kind, [a, b]):
                same += 1
            else:
                different.append(f"{a['name']} {a['value']} {b['value']}")
        self.holds(f"{what}: measured the same", both and same >= LEAST_ALIKE * len(both),
                   f"{same} of {len(both)}")
        for line in different[:12]:
            print(f"        {line}")

    def compare_with_one(self, name):
        both, one = self.documents.get(f"{name}_all"), self.documents.get(f"{name}_one")
        if both and one:
            self.alike(f"{name}, first device at once and alone", by_device(both)[0], by_device(one)[0])

    def ended_early(self, name, word):
        """The second device is named with the reason; the first has all of its results."""
        if name not in self.steps:
            return print(f"-     {name}: not done")
        document = self.documents[name]
        devices = document["devices"] if document else []
        if len(devices) != 2:
            return self.holds(f"{name}: two devices", False, devices)
        self.holds(f"{name}: exit status 3", self.steps[name][0] == 3, self.steps[name][0])
        self.holds(f"{name}: the second says why", word in (devices[1]["reason"] or ""), devices[1]["reason"])
        self.holds(f"{name}: the first is whole", not devices[0]["reason"] and devices[0]["experiments"] > 0,
                   f"{devices[0]['experiments']} experiments")

    def store_keeps(self):
        """What the killed process had stored is there."""
        path = f"{self.folder}/killed.db"
        if "killed" not in self.steps or not os.path.exists(path):
            return
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
            runs = store.execute("SELECT number, status FROM run ORDER BY number").fetchall()
            self.holds("killed: a run of each device in the store", len(runs) == 2, runs)
            sound = store.execute("PRAGMA integrity_check").fetchone()[0]
            self.holds("killed: the store is sound", sound == "ok", sound)

    def busy(self):
        document, quiet = self.documents.get("busy"), self.documents.get("characterize_all")
        if not document or not quiet:
            return
        for device, (found, before) in enumerate(zip(by_device(document), by_device(quiet))):
            wrong = [name for name, f in found.items() if name in before and not agrees_beside(f, before[name])]
            measured = sum(f["verdict"] == "measured" for f in found.values())
            text = f"{measured} measured, {len(found) - measured} not, {len(wrong)} disagree {wrong[:5]}"
            self.holds(f"busy: device {device} ({'beside another process' if device else 'alone'})",
                       not wrong and (device == 1 or measured > 0.8 * len(found)), text)

    def turns(self):
        own, other = self.documents.get("turn_own"), self.documents.get("turn_other")
        if not own or not other:
            return print("-     turns: not done")
        one, two = (each["experiments"][0]["device"]["uuid"] for each in (own, other))
        self.holds("cuda:0 under CUDA_VISIBLE_DEVICES is the second board", one == two, two)
        waited = any("waiting for its end" in open(f"{self.folder}/{name}.err", encoding="utf-8").read()
                     for name in ("turn_own", "turn_other"))
        self.holds("one of two gpx on that board waits", waited)

    def boards(self):
        status = self.steps.get("compare", (3, 0))[0]
        self.holds("fleet compare answers", status <= 1, f"status {status}")
        document = read(f"{self.folder}/compare.json") if status <= 1 else None
        for board in (document or {}).get("boards", []):
            print(f"      {board['serial']}: {board['verdict']}, {board['same']} same, "
                  f"{board['without_peers']} without peers, "
                  f"causes {[each['name'] for each in board['causes']]}")
            for f in board["findings"]:
                if f["verdict"] != "ambiguous":
                    print(f"        {f['finding']}: {f['verdict']}, {f['board']} for {f['peers']}")


def check(folder):
    check = Check(folder)
    for name in SIDE_BY_SIDE:
        check.is_whole(name)
    for name in ("characterize", "operations", "run"):
        check.throughput(name)
        check.compare_with_one(name)
    both, one = check.documents.get("p2p_all"), check.documents.get("p2p_one")
    if both and one:
        check.alike("p2p, first device at once and alone", by_device(both)[0], by_device(one)[0])
    check.ended_early("killed", "killed by signal 9")
    check.store_keeps()
    check.ended_early("hung", "stopped at the time limit")
    check.busy()
    check.turns()
    check.boards()
    with open(f"{folder}/seconds.txt", encoding="utf-8") as file:
        check.holds("no process of gpx is left", "processes of gpx left: 0\n" in file.read())
    print("all hold" if check.wrong == 0 else f"{check.wrong} do not hold")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["uuid"] and len(sys.argv) == 4:
        document = read(sys.argv[2])
        sys.exit(print(uuid_of(document, int(sys.argv[3])) if document else ""))
    if sys.argv[1:2] == ["check"] and len(sys.argv) == 3:
        sys.exit(check(sys.argv[2]))
    sys.exit(__doc__)
