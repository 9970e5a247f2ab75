"""How gpx fleet status and gpx fleet gather grow with the number of tasks: python3 scale.py GPX N…

The tasks are copies of one store, each with an id of its own; no Slurm is needed. Prints seconds of
the processor and bytes, for docs/fleet.md.
"""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile


def seconds_of(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, env=dict(os.environ, GPX_STORE="off"), capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(f"{words}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def fleet_of(gpx, folder, first, tasks):
    """A fleet whose tasks have all ended."""
    subprocess.run([gpx, "fleet", "submit", "kepler_prt", "--device", "k20", "--tasks", str(tasks),
                    "--no-submit", "-o", folder], check=True, capture_output=True)
    for task in range(1, tasks + 1):
        path = f"{folder}/task/{task}.db"
        shutil.copyfile(first, path)
        with sqlite3.connect(path) as store:
            store.execute("UPDATE run SET id = ?", (f"b{task:015x}",))
        with open(f"{folder}/task/{task}.status", "w") as file:
            file.write("0 node1 2026-01-31T12:00:00Z\n")


def main():
    gpx, scratch = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="gpx-scale-")
    first = f"{scratch}/first.db"
    subprocess.run([gpx, "run", "kepler_prt", "--device", "k20", "-q", "--store", first], check=True)
    print("tasks,bytes_a_task,status_s,gather_s,gather_again_s,bytes_gathered")
    for tasks in map(int, sys.argv[2:]):
        folder = f"{scratch}/{tasks}"
        fleet_of(gpx, folder, first, tasks)
        times = [seconds_of([gpx, "fleet", *words, folder]) for words in (["status"], ["gather", "-q"],
                                                                       ["gather", "-q"])]
        size, all_sizes = os.path.getsize(f"{folder}/task/1.db"), os.path.getsize(f"{folder}/fleet.db")
        print(f"{tasks},{size},{times[0]:.2f},{times[1]:.2f},{times[2]:.2f},{all_sizes}", flush=True)
        shutil.rmtree(folder)
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
