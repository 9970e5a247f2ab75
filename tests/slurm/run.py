"""./dev slurm-test: a fleet of 64 tasks on a cluster of this machine, whose nodes and tasks are killed
at random. Gathered, it must be what undisturbed runs print, byte for byte, and no point that was
stored may be lost. The commands of docs/howto/cluster.md run first.
"""

import argparse
import glob
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cluster import Cluster, environment_of, kill, parent_of, processes, words_of  # noqa: E402
from document import run_document  # noqa: E402

DEVICES = ["k20", "gtx280", "gtx780", "m2070", "gtx560ti", "8800gtx", "8800gt", "h100"]
SHARDS = 8
EXPERIMENT = """\
experiment fleet {
  sweep n 1..8, threads 8..512 step 8
  repeat 12
  < load unique(128B) x n >
  analyze outstanding(x = threads, loads = n)
}
experiment stride { sweep stride in [32B, 64B, 128B, 256B] < load stride(stride) x2 > }
"""


class Failure(RuntimeError):
    pass


class Fleet:
    """One fleet, disturbed and gathered."""

    def __init__(self, gpx, cluster, folder, devices, rng):
        self.gpx, self.cluster, self.folder, self.rng = gpx, cluster, folder, rng
        self.devices = devices
        self.environment = dict(cluster.environment, GPX_STORE="off",
                                PATH=f"{os.path.dirname(gpx)}:{os.environ['PATH']}")
        self.counts = dict.fromkeys(
            ("task killed", "script killed", "saved and requeued", "node killed", "daemon killed"), 0)
        self.stored, self.lost = {}, 0
        self.seen, self.planned, self.dead = set(), [], {}
        self.next_node = time.monotonic() + rng.uniform(1, 4)

    def call(self, *words, status=(0,)):
        done = subprocess.run([self.gpx, *words], env=self.environment, capture_output=True,
                              text=True, timeout=300)
        if done.returncode not in status:
            raise Failure(f"gpx {' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def tasks_running(self):
        """gpx of this fleet's tasks: process and task."""
        found = []
        for pid in processes():
            words = words_of(pid)
            if len(words) > 2 and words[1] == "run" and "--continue" in words:
                store = next((word for word in words if word.startswith(f"{self.folder}/task/")), "")
                if store:
                    found.append((pid, int(re.search(r"(\d+)\.db$", store).group(1))))
        return found

    def count_points(self):
        """Points of each task's store. One that shrinks has lost some."""
        for path in glob.glob(f"{self.folder}/task/*.db"):
            try:
                with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as store:
                    points = store.execute("SELECT total(points) FROM experiment").fetchone()[0]
            except sqlite3.OperationalError:  # Its tables are being made.
                continue
            before = self.stored.get(path, 0)
            if points < before:
                self.lost += int(before - points)
                print(f"  {path}: {before:.0f} points, then {points:.0f}")
            self.stored[path] = points

    def disturb(self, may_kill):
        now = time.monotonic()
        for pid, task in self.tasks_running():
            if pid in self.seen:
                continue
            self.seen.add(pid)
            if may_kill and self.rng.random() < 0.6:
                kind = self.rng.choice(["task killed", "script killed", "saved and requeued"])
                self.planned.append((now + self.rng.uniform(0, 0.3), kind, pid))
        for plan in [plan for plan in self.planned if plan[0] <= now]:
            self.planned.remove(plan)
            self.do(plan[1], plan[2])
        if may_kill and now > self.next_node:
            self.next_node = now + self.rng.uniform(3, 8)
            node = self.rng.randrange(1, self.cluster.nodes + 1)
            if node not in self.dead:
                kind = self.rng.choice(["node killed", "daemon killed"])
                (self.cluster.kill_node if kind == "node killed" else self.cluster.kill_daemon)(node)
                self.counts[kind] += 1
                self.dead[node] = now + self.rng.uniform(1, 15)
        for node in [node for node, back in self.dead.items() if back <= now]:
            del self.dead[node]
            self.cluster.start_node(node)

    def do(self, kind, pid):
        if not words_of(pid) or "--continue" not in words_of(pid):
            return  # It has ended.
        if kind == "task killed":
            kill(pid)
        elif kind == "script killed":
            kill(parent_of(pid))
        else:  # As Slurm does before a time limit.
            job = next((word[13:].decode() for word in environment_of(pid)
                        if word.startswith(b"SLURM_JOB_ID=")), "")
            subprocess.run(["scancel", "--batch", "--signal=USR1", job], env=self.environment,
                           capture_output=True)
        self.counts[kind] += 1

    def queue_is_empty(self):
        done = subprocess.run(["squeue", "--me", "--noheader"], env=self.environment,
                              capture_output=True, text=True)
        return done.returncode == 0 and not done.stdout.strip()

    def run(self, file):
        self.call("fleet", "submit", file, "--device", ",".join(self.devices), "--per", "shard",
                  "--tasks", str(SHARDS), "-o", self.folder, "--", "--time=30")
        end, tries, gathered = time.monotonic() + 900, 0, 0
        next_look = time.monotonic()
        while time.monotonic() < end:
            self.disturb(may_kill=tries < 3)
            time.sleep(0.01)
            if time.monotonic() < next_look:
                continue
            next_look = time.monotonic() + 2
            self.count_points()
            if self.rng.random() < 0.1:
                self.call("fleet", "gather", self.folder, status=(0, 2))
                gathered += 1
            if self.queue_is_empty() and not self.tasks_running():
                status = self.call("fleet", "status", self.folder)
                if f"{len(self.devices) * SHARDS} complete" in status:
                    self.count_points()
                    return tries, gathered
                self.call("fleet", "retry", self.folder)
                tries += 1
        raise Failure("not complete in time:\n" + self.call("fleet", "status", self.folder))

    def compare(self, references):
        store = f"{self.folder}/fleet.db"
        self.call("fleet", "gather", self.folder)
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as read:
            joined = dict(read.execute(
                "SELECT device, max(number) FROM run WHERE status = 'complete' AND NOT EXISTS (SELECT 1 "
                "FROM experiment e WHERE e.run = number AND e.result ->> '$.provenance.shard' != '') "
                "GROUP BY device"))
        for device in self.devices:
            if device not in joined:
                raise Failure(f"{device} was not joined\n" + self.call("runs", "--store", store,
                                                                      "--limit", "0"))
            if self.call("show", str(joined[device]), "--json", "--store", store) != references[device]:
                raise Failure(f"{device}: the gathered run differs from the undisturbed one")


def reference_runs(gpx, file, devices):
    runs = {}
    for device in devices:
        done = subprocess.run([gpx, "run", file, "--device", device, "--no-store", "-q", "--json", "-"],
                              capture_output=True, text=True)
        if done.returncode > 1:
            raise Failure(f"{device}: {done.stderr}")
        runs[device] = done.stdout
    return runs


def once(gpx, folder, file, references, seed, nodes):
    rng = random.Random(seed)
    cluster = Cluster(tempfile.mkdtemp(prefix="gpx-slurm-"), nodes)
    fleet = Fleet(gpx, cluster, f"{folder}/fleet-{seed}", list(references), rng)
    begin = time.monotonic()
    try:
        tries, gathered = fleet.run(file)
        fleet.compare(references)
    finally:
        cluster.stop()
        shutil.rmtree(cluster.folder, ignore_errors=True)
    if fleet.lost:
        raise Failure(f"{fleet.lost} stored points were lost")
    wanted = sum(each["points"] for text in references.values()
                 for each in json.loads(text)["experiments"])
    if sum(fleet.stored.values()) != wanted:
        raise Failure(f"{sum(fleet.stored.values()):.0f} of {wanted} points are stored")
    print(f"seed {seed}: {len(references) * SHARDS} tasks, {sum(fleet.stored.values()):.0f} points, "
          f"0 lost; {', '.join(f'{count} {kind}' for kind, count in fleet.counts.items())}; "
          f"{tries} retries, {gathered} gathers meanwhile; {time.monotonic() - begin:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev slurm-test", description=__doc__)
    parser.add_argument("gpx")
    parser.add_argument("document")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--times", type=int, default=1, help="with seeds that follow each other")
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--keep", action="store_true", help="keep the fleets' folders")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    arguments.gpx = os.path.abspath(arguments.gpx)
    folder = tempfile.mkdtemp(prefix="gpx-fleets-")
    file = f"{folder}/fleet.gpx"
    with open(file, "w") as out:
        out.write(EXPERIMENT)
    status = 0
    try:
        run_document(arguments.gpx, arguments.document, Cluster, arguments.nodes)
        references = reference_runs(arguments.gpx, file, DEVICES)
        for seed in range(arguments.seed, arguments.seed + arguments.times):
            try:
                once(arguments.gpx, folder, file, references, seed, arguments.nodes)
            except RuntimeError as failure:
                print(f"seed {seed}: {failure}", flush=True)
                status = 1
    except RuntimeError as failure:
        print(failure)
        status = 1
    finally:
        if arguments.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
