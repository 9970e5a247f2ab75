#!/usr/bin/env python3
"""Machine code of the h100 against PTX, on a copy of its file without machine_code, and against records.

compare.py GPX kernels [FOLDER]      every kernel of tests/public by PTX and by machine code
compare.py GPX experiments [--seconds S] [--seed N] [--few K] [NAME...]
                                     what experiments read and find by PTX and by machine code; all of
                                     the library, or K of them by lot. What takes longer than S seconds
                                     of a processor (20) is run in parts, by lot. The seed is the day
compare.py GPX operations [ROW...]   rows of `gpx operations` against docs/results/operations/h100.json,
                                     without any row of costs by the name of an instruction of PTX

Status: 0; 1: values differ, or fewer than 95 % of the rows are within 0.5 clocks and 3 %.
"""
import argparse
import collections
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
from random import Random

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS_OF_PTX = r'\n    \["(?!sass\.)[^"\n]*\.[^"\n]*"\][^\n]*'
LATENCY_CLOCKS, THROUGHPUT_SHARE, WANTED_SHARE = 0.5, 0.03, 0.95


def changed_device(folder, name, left_out):
    """A copy of h100.lua, called NAME, without the lines that match a pattern."""
    text = (ROOT / "stdlib/devices/h100.lua").read_text()
    text, made = re.subn(r'\n  name = "h100",\n', f'\n  name = "{name}",\n', text)
    assert made == 1, "h100.lua has no name"
    text, made = re.subn(left_out, "", text)
    assert made > 0, f"h100.lua has nothing like {left_out}"
    path = pathlib.Path(folder) / f"{name}.lua"
    path.write_text(text)
    return str(path)


def ptx_device(folder):
    return changed_device(folder, "h100_ptx", r"\n  machine_code = [^\n]*")


def output_of(command, folder):
    path = pathlib.Path(folder) / "out.json"
    done = subprocess.run([*command, "--json", str(path)], capture_output=True, text=True)
    if not path.exists():
        return None, done.stderr.strip()
    made = json.loads(path.read_text())
    path.unlink()
    return made, ""


def compare_kernels(gpx, folder, path):
    runs = {}
    for how, device in (("ptx", ptx_device(folder)), ("code", "h100")):
        made, error = output_of([gpx, "try", path, "--device", device, "-q"], folder)
        assert made, error
        runs[how] = {(k["file"], k["kernel"], k["line"]): k for k in made["try"]["kernels"]}
    kinds = collections.defaultdict(collections.Counter)
    differ = 0
    for key, by_ptx in sorted(runs["ptx"].items()):
        by_code = runs["code"][key]
        kinds[pathlib.Path(key[0]).parent.name][by_code["outcome"]] += 1
        if by_code["outcome"] == by_ptx["outcome"]:
            continue
        refused = by_code["outcome"] == "refused"
        differ += not refused
        print(f"{key[0]}:{key[2]} {key[1]}: {by_ptx['outcome']} by PTX, {by_code['outcome']} by "
              f"machine code: {by_code.get('why', '')}")
    total = collections.Counter()
    for kind, counts in sorted(kinds.items()):
        total.update(counts)
        print(f"{kind:24}" + ", ".join(f"{n} {outcome}" for outcome, n in counts.items()))
    print(f"{'all':24}" + ", ".join(f"{n} {outcome}" for outcome, n in total.items()))
    return differ


# Experiments whose values or findings are not the same, and why.
EXPECTED_TO_DIFFER = {
    "gt200_arithmetic": "div.full.f32 is the assembler's own sequence",
    "hopper_dsmem": "PTX numbers the shared memory of other blocks from 1",
    "twin_heldout": "PTX numbers the shared memory of other blocks from 1",
    "gt200_intrinsics": "approximate functions are the assembler's own sequences",
    "modern_routines": "approximate functions are the assembler's own sequences",
    "gt200_instruction_cache": "the code that fills the caches has another length",
}
PARTS = (1, 8, 64, 512, 4096)
# What a finding of this unit depends on is the machine, not the clocks that a code takes.
UNITS_OF_STRUCTURE = ("B", "warps", "threads", "registers", "blocks", "SMs")


def run_experiment(gpx, folder, name, device, seconds, part):
    """Digests and findings by experiment; None: it takes longer than `seconds` of a processor."""
    path = pathlib.Path(folder) / "out.json"
    path.unlink(missing_ok=True)
    shard = ["--shard", part] if part else []
    command = [gpx, "run", name, "--device", device, "-q", "--no-store", "--no-wait", *shard,
               "--json", str(path)]
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    if done.returncode < 0:
        return None
    if not path.exists():
        return {name: (done.stderr.strip().splitlines() or ["no output"])[-1]}
    made = {}
    for each in json.loads(path.read_text())["experiments"]:
        made[each["name"]] = (each["provenance"]["values_digest"], each["failure"])
        for f in each["findings"]:
            if f["unit"] in UNITS_OF_STRUCTURE and f["verdict"] == "measured":
                made[f"{each['name']}: {f['name']}"] = (f["value"], f["unit"])
    return made


def shortest_part(gpx, folder, name, device, seconds, random):
    for parts in PARTS:
        part = f"{random.randint(1, parts)}/{parts}" if parts > 1 else ""
        made = run_experiment(gpx, folder, name, device, seconds, part)
        if made is not None:
            return part, made
    return None, None


def compare_experiments(gpx, folder, arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int(time.time()) // 86400)
    parser.add_argument("--few", type=int)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(arguments)
    random = Random(options.seed)
    names = options.names or sorted(path.stem for path in (ROOT / "experiments").glob("*.gpx"))
    if options.few:
        names = random.sample(names, options.few)
    ptx, counts = ptx_device(folder), collections.Counter()
    for name in names:
        part, by_ptx = shortest_part(gpx, folder, name, ptx, options.seconds, random)
        by_code = by_ptx and run_experiment(gpx, folder, name, "h100", 2 * options.seconds, part)
        if by_code is None:
            counts["too long"] += 1
            print(f"{name:28} too long, {'even in parts' if part is None else 'as machine code'}",
                  flush=True)
            continue
        # A finding that one way has not measured is no other value.
        differ = [key for key in by_ptx | by_code if by_ptx.get(key) != by_code.get(key)
                  and (":" not in key or (key in by_ptx and key in by_code))]
        why = EXPECTED_TO_DIFFER.get(name)
        counts["equal" if not differ else "differ as expected" if why else "differ"] += 1
        print(f"{name:28} {'differs' if differ else 'equal':8} {part or 'whole'}"
              f"{', as expected: ' + why if differ and why else ''}", flush=True)
        for key in differ:
            print(f"    {key}: {by_ptx.get(key)} by PTX, {by_code.get(key)} by machine code")
    print(f"seed {options.seed}:", ", ".join(f"{n} {what}" for what, n in counts.items()))
    return counts["differ"]


def value_of(row, quantity):
    return (row[quantity] or {}).get("value")


def compare_operations(gpx, folder, only):
    record = json.loads((ROOT / "docs/results/operations/h100.json").read_text())
    more = ["--only", ",".join(only)] if only else []
    device = changed_device(folder, "h100_pipes", ROWS_OF_PTX)
    made, error = output_of([gpx, "operations", "--device", device, "-q", *more], folder)
    assert made, error
    seen = {row["name"]: row for row in made["operations"]}
    good, compared = collections.Counter(), collections.Counter()
    whole = 0
    for row in record["operations"]:
        if row["name"] not in seen:
            continue
        fits = True
        texts = []
        for quantity in ("latency", "throughput"):
            there, here = value_of(row, quantity), value_of(seen[row["name"]], quantity)
            if there is None:
                continue
            compared[quantity] += 1
            near = here is not None and (
                abs(here - there) <= LATENCY_CLOCKS if quantity == "latency"
                else abs(here - there) <= THROUGHPUT_SHARE * there)
            good[quantity] += near
            fits &= near
            texts.append(f"{quantity} {here if here is None else round(here, 2)} "
                         f"instead of {round(there, 2)}" if not near else "")
        whole += fits
        if not fits:
            print(f"{row['name']:32} {'; '.join(t for t in texts if t)}")
    for quantity, n in compared.items():
        print(f"{quantity}: {good[quantity]} of {n} rows, {100 * good[quantity] / n:.1f} %")
    rows = max(compared.values())
    print(f"both: {whole} of {rows} rows, {100 * whole / rows:.1f} %")
    return whole < WANTED_SHARE * rows


def main():
    gpx, what, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if what == "kernels":
            return compare_kernels(gpx, folder, rest[0] if rest else str(ROOT / "tests/public/kernels"))
        if what == "experiments":
            return compare_experiments(gpx, folder, rest)
        return compare_operations(gpx, folder, rest)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[2] not in ("kernels", "experiments", "operations"):
        sys.exit(__doc__)
    sys.exit(1 if main() else 0)
