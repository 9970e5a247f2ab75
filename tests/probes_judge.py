#!/usr/bin/env python3
"""Which findings a changed analysis changes, by logs of probes: ./dev probes-judge LOG...

Each log (gpx run --dump=probes, gpx export --probes) is replayed. A finding that is not as it was
recorded is printed twice: as recorded, and as it is now. The exit status is 0 where all findings
are as recorded, 1 where some are not, 2 where a log cannot be replayed.
"""
import json
import subprocess
import sys


def replayed(gpx, log):
    run = subprocess.run([gpx, "run", "--from=probes", log, "--quiet", "--json", "-"],
                         capture_output=True, text=True, check=False)
    if not run.stdout:
        return None, run.stderr
    return json.loads(run.stdout)["experiments"], run.stderr


def judge(gpx, log):
    experiments, errors = replayed(gpx, log)
    if experiments is None:
        print(f"{log}: {errors.strip()}")
        return 2
    status, found, changes = 0, 0, []
    for one in experiments:
        found += len(one["findings"])
        if one.get("failure"):
            status = 2
            changes += [f"  {one['name']}: {message}" for message in one["failure"]["messages"]]
        changes += [f"  {one['name']}: {line}" for line in one["warnings"]
                    if line.startswith(("recorded: ", "now: "))]
    print(f"{log}: {found} findings, " + (f"{len(changes)} lines differ" if changes else "as recorded"))
    for line in changes:
        print(line)
    return max(status, 1 if changes else 0)


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    return max(judge(sys.argv[1], log) for log in sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
