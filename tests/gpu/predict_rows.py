"""The table of kernels by which gpx predict is judged (tests/kernels/predict/table.txt, or table.txt
of the folder KERNELS), as rows, as experiments that measure them, and what was measured as two CSV
files.

Usage: predict_rows.py check                        the hash of the table holds
       predict_rows.py freeze                       writes the hash
       predict_rows.py names                        NAME FUNCTION of each row
       predict_rows.py experiments FOLDER           FOLDER/ROW.gpx of each row, FOLDER/FAMILY.family.gpx
                                                    of all rows of a family; FOLDER/ROW.cu of a row that
                                                    is no experiment (predict_program.py)
       predict_rows.py gather TIMES COUNTERS OUT    OUT/times.csv, OUT/counters.csv
"""
import csv
import hashlib
import os
import pathlib
import re
import shlex
import statistics
import sys
from dataclasses import dataclass

import predict_program

FOLDER = pathlib.Path(__file__).resolve().parents[2] / os.environ.get("KERNELS", "tests/kernels/predict")
TABLE = FOLDER / "table.txt"
COUNTED = re.compile(r"(gpu|dram|lts|l1tex|smsp)__.*\.sum$|sm__cycles_elapsed\.max$")


@dataclass
class Row:
    set: str
    family: str
    name: str
    file: str
    entry: str
    grid: str
    block: str
    options: list

    def words(self):
        """The arguments of gpx predict."""
        return [str(FOLDER / self.file), "--entry", self.entry, "--grid", self.grid, "--block",
                self.block, *self.options]

    def given(self, option):
        pairs = zip(self.options[::2], self.options[1::2])
        return [value for name, value in pairs if name == option]

    def function(self):
        """The name of the function alone."""
        return self.entry.split("<")[0].split("::")[-1]

    def is_experiment(self):
        """An experiment names neither an instance of a template nor earlier launches."""
        return "<" not in self.entry and not self.given("--after")


def rows(text=None):
    lines = (text or TABLE.read_text()).splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("|")] + [""]
            found.append(Row(*cells[:7], shlex.split(cells[7])))
    return found


def digest():
    text = TABLE.read_text()
    body = "".join(line + "\n" for line in text.splitlines() if not line.startswith("#"))
    sha = hashlib.sha256(body.encode())
    for file in sorted({row.file for row in rows(text)}):
        sha.update((FOLDER / file).read_bytes())
    return sha.hexdigest()


def frozen():
    return re.search(r"^# sha256 (\S+)$", TABLE.read_text(), re.M).group(1)


def extents(text):
    return f"({', '.join(text.split(','))})" if "," in text else text


def scalar(argument):
    """NAME=VALUE as the language has it: enumerators are texts."""
    name, _, value = argument.partition("=")
    quoted = re.fullmatch(r"[A-Za-z_]\w*", value) and value not in ("true", "false", "null", "inf", "nan")
    return f'{name} = "{value}"' if quoted else f"{name} = {value}"


def experiment(row):
    """The row as an experiment: what gpx predict --measure runs."""
    arguments = [scalar(argument) for argument in row.given("--arg")]
    for buffer in row.given("--buffer"):
        name, _, value = buffer.partition("=")
        size, _, contents = value.partition(":")
        arguments.append(f"{name} = buffer({size}{', ' + contents if contents else ''})")
    defines = [define.replace("=", " = ", 1) for define in row.given("--define")]
    define = " define " + ", ".join(defines) if defines else ""
    shared = "".join(f"  shared_bytes {bytes}\n" for bytes in row.given("--shared"))
    return (f"experiment {row.name} {{\n"
            f"  kernel k from \"{FOLDER / row.file}\"{define} entry {row.entry}("
            f"{', '.join(arguments)})\n"
            f"  blocks {extents(row.grid)}\n  threads {extents(row.block)}\n{shared}"
            f"  repeat 5\n  < run k >\n}}\n")


def write_experiments(folder):
    folder.mkdir(parents=True, exist_ok=True)
    families = {}
    for row in rows():
        if not row.is_experiment():
            (folder / f"{row.name}.cu").write_text(predict_program.program(row, FOLDER))
            continue
        (folder / f"{row.name}.gpx").write_text(experiment(row))
        families.setdefault(row.family, []).append(experiment(row))
    for family, texts in families.items():
        (folder / f"{family}.family.gpx").write_text("\n".join(texts))


def read_times(folder):
    """By name of a row: the seconds of its launches."""
    times = {}
    for file in folder.glob("*.csv"):
        for sample in csv.DictReader(file.open()):
            if sample.get("time"):
                times.setdefault(sample["experiment"], []).append(float(sample["time"]))
    return times


def read_counters(file):
    """A page of ncu: names, units, then a line of each launch."""
    lines = [line for line in file.read_text(errors="replace").splitlines() if line.startswith('"')]
    if len(lines) < 3:
        return {}
    names, _, launch = list(csv.reader(lines))[:3]
    counters = {}
    for name, value in zip(names, launch):
        try:
            counters[name] = float(value.replace(",", ""))
        except ValueError:
            continue
    return {name: value for name, value in counters.items() if COUNTED.match(name)}


def gather(times, counters, out):
    out.mkdir(parents=True, exist_ok=True)
    seconds, seen, names = read_times(times), {}, []
    for row in rows():
        for group in sorted(counters.glob(f"{row.name}.*.ncu")):
            seen.setdefault(row.name, {}).update(read_counters(group))
        names += [name for name in seen.get(row.name, {}) if name not in names]
    with (out / "times.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "launches", "median_s", "least_s", "most_s"])
        for row in rows():
            if values := seconds.get(row.name):
                writer.writerow([row.name, len(values), *(f"{value:.4e}" for value in (
                    statistics.median(values), min(values), max(values)))])
    with (out / "counters.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", *names])
        for row in rows():
            if row.name in seen:
                writer.writerow([row.name, *(f"{seen[row.name].get(name, ''):.6g}"
                                             if name in seen[row.name] else "" for name in names)])
    print(f"{len(rows())} rows: times of {len(seconds)}, counters of {len(seen)}")


def main(arguments):
    command, *rest = arguments or ["check"]
    if command == "check":
        if digest() != frozen():
            sys.exit(f"{TABLE.name}: its hash is {digest()}, not {frozen()}: a row or a kernel was changed")
    elif command == "freeze":
        TABLE.write_text(re.sub(r"^# sha256 \S+$", f"# sha256 {digest()}", TABLE.read_text(), flags=re.M))
    elif command == "names":
        print(*(f"{row.name} {row.function()}" for row in rows()), sep="\n")
    elif command == "experiments":
        write_experiments(pathlib.Path(rest[0]))
    elif command == "gather":
        gather(*(pathlib.Path(each) for each in rest))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
