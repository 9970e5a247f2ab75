"""How far gpx predict is off on the kernels of tests/kernels/predict, or of the folder KERNELS:
predictions by a virtual device against the times of a record, by family, by set and over all.

Usage: predict_bench.py GPX [--device h200] [--records docs/results/predict/h200] [--out FILE]
                        [--from FILE] [--rows PATTERN] [--set train|test|held]
--out keeps the predictions as CSV; --from takes them from such a file in place of predicting anew.
"""
import argparse
import csv
import fnmatch
import json
import math
import pathlib
import statistics
import resource
import subprocess
import sys

import predict_rows

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIELDS = ["name", "seconds", "low", "high", "took", "refused", "bound", "counters"]


def limit():
    """In a prediction's process: two minutes of the processor, however busy the machine is."""
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))


def predict(gpx, row, device):
    """A row of FIELDS."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([gpx, "predict", *row.words(), "--device", device, "--json", "-"],
                         capture_output=True, text=True, check=False, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    made = dict.fromkeys(FIELDS, "") | {"name": row.name, "took": f"{took:.2f}"}
    if ran.returncode < 0:
        return made | {"refused": f"ended by signal {-ran.returncode} after {took:.0f} s of the processor"}
    if ran.returncode != 0:
        return made | {"refused": ran.stderr.strip().splitlines()[0] if ran.stderr.strip() else "?"}
    prediction = json.loads(ran.stdout)["prediction"]
    found = prediction["simulation"] or prediction["model"]
    low, high = found.get("interval") or ("", "")
    return made | {"seconds": f"{found['seconds']:.4e}", "low": low, "high": high,
                   "bound": found["bound"], "counters": json.dumps(found.get("counters", {}))}


def records(folder):
    file = folder / "times.csv"
    if not file.exists():
        return {}
    return {row["name"]: float(row["median_s"]) for row in csv.DictReader(file.open())}


def figures(errors, inside):
    """A line of the table: errors are prediction / measurement - 1."""
    sizes = sorted(abs(error) for error in errors)
    count = len(sizes)
    within = lambda most: 100 * sum(size <= most for size in sizes) / count
    cover = f"{100 * sum(inside) / len(inside):5.0f}" if inside else "    -"
    return (f"{count:4} {100 * statistics.mean(sizes):7.1f} {100 * statistics.median(sizes):7.1f} "
            f"{100 * sizes[math.ceil(0.9 * count) - 1]:7.1f} {100 * sizes[-1]:7.1f} "
            f"{within(0.1):7.0f} {within(0.25):7.0f} {cover}")


def report(rows, made, times):
    known = {row.name: row for row in rows if row.name in times and made[row.name]["seconds"]}
    error = {name: float(made[name]["seconds"]) / times[name] - 1 for name in known}
    inside = {name: float(made[name]["low"]) <= times[name] <= float(made[name]["high"])
              for name in known if made[name]["low"]}
    print(f"{'%':22} rows    mean  median     p90   worst  <=10 %  <=25 % covered")
    groups = {}
    for name, row in known.items():
        for group in (f"{row.set} {row.family}", f"{row.set}: all", "all"):
            groups.setdefault(group, []).append(name)
    for group in sorted(groups, key=lambda text: (text == "all", text.split()[0].strip(":"), ":" in text, text)):
        names = groups[group]
        print(f"{group:22} " + figures([error[name] for name in names],
                                       [inside[name] for name in names if name in inside]))
    print("\nfurthest off")
    for name in sorted(error, key=lambda name: -abs(math.log(1 + error[name])))[:12]:
        print(f"  {name:26} {100 * error[name]:+7.1f} %  {1e6 * times[name]:9.2f} us measured, "
              f"{1e6 * float(made[name]['seconds']):9.2f} predicted; {made[name]['bound']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("gpx")
    parser.add_argument("--device", default="h200")
    parser.add_argument("--records", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--from", dest="earlier", type=pathlib.Path)
    parser.add_argument("--rows", default="*")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--set", choices=["train", "test", "held"])
    given = parser.parse_args()
    predict_rows.main(["check"])
    rows = [row for row in predict_rows.rows() if fnmatch.fnmatch(row.name, given.rows)
            and given.set in (None, row.set)]
    if given.earlier:
        earlier = {row["name"]: row for row in csv.DictReader(given.earlier.open())}
        rows = [row for row in rows if row.name in earlier]
        made = {row.name: earlier[row.name] for row in rows}
    else:
        made = {}
        for row in rows:
            made[row.name] = predict(given.gpx, row, given.device)
            if given.verbose:
                print(*(made[row.name][field] for field in FIELDS[:-1]), file=sys.stderr, flush=True)
    if given.out:
        with given.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(made.values())
    refused = [row for row in made.values() if row["refused"]]
    took = sorted(float(row["took"]) for row in made.values())
    print(f"{len(rows)} rows on {given.device}: {len(refused)} refused; "
          f"{sum(seconds <= 1 for seconds in took) / len(took):.0%} within 1 s of a core, the longest {took[-1]:.1f} s")
    for row in refused:
        print(f"  {row['name']}: {row['refused']}")
    times = records(given.records or ROOT / "docs/results/predict" / given.device)
    if times:
        report(rows, made, times)
    else:
        print("no records of this device: only a GPU knows how far they are off")


if __name__ == "__main__":
    main()
