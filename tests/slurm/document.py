"""The commands of a document's ```console slurm blocks, run one after another in a shell on a cluster,
and what they print compared: a line `…` stands for any lines, `…` in a line for any text.
"""

import os
import re
import shutil
import subprocess
import tempfile

END = "-- end of command, status "


def commands_of(path):
    """Pairs of a command and the lines that it prints."""
    commands, inside = [], False
    with open(path) as file:
        for line in file.read().splitlines():
            if line.startswith("```"):
                words = line[3:].split()
                inside = words[:1] == ["console"] and "slurm" in words
            elif inside and line.startswith("$ "):
                commands.append((line[2:], []))
            elif inside and commands and commands[-1][0].endswith("\\"):
                commands[-1] = (commands[-1][0][:-1] + line, [])
            elif inside:
                commands[-1][1].append(line)
    return commands


def files_of(path):
    """Files that the document shows: ```gpx first.gpx."""
    files, name = {}, ""
    with open(path) as file:
        for line in file.read().splitlines():
            if line.startswith("```"):
                words = line[3:].split()
                name = words[1] if len(words) > 1 and "." in words[1] else ""
            elif name:
                files[name] = files.get(name, "") + line + "\n"
    return files


def matches(expected, printed):
    pattern = ""
    for line in expected:
        if line == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.split("…")) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def run_document(gpx, path, make_cluster, nodes):
    """Raises RuntimeError with the first command that prints something else."""
    cluster = make_cluster(tempfile.mkdtemp(prefix="gpx-slurm-"), nodes)
    home = tempfile.mkdtemp(prefix="gpx-docs-")
    environment = dict(cluster.environment, HOME=home, XDG_DATA_HOME=f"{home}/data",
                       PATH=f"{os.path.dirname(gpx)}:{os.environ['PATH']}", COLUMNS="100")
    environment.pop("GPX_STORE", None)
    for name, text in files_of(path).items():
        with open(f"{home}/{name}", "w") as file:
            file.write(text)
    commands = commands_of(path)
    script = "".join(f"{text}\necho; echo '{END}'$?\n" for text, _ in commands)
    try:
        done = subprocess.run(["bash"], input=script, env=environment, cwd=home, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    finally:
        cluster.stop()
        shutil.rmtree(cluster.folder, ignore_errors=True)
        shutil.rmtree(home, ignore_errors=True)
    parts = re.split(rf"\n?{END}\d+\n", done.stdout)
    for (text, expected), printed in zip(commands, parts, strict=False):
        lines = printed.rstrip("\n").split("\n") if printed.strip("\n") else []
        if not matches(expected, lines):
            raise RuntimeError(f"{path}: $ {text}\nthe document has\n" + "\n".join(expected) +
                               "\nbut this is printed\n" + printed)
    print(f"{os.path.basename(path)}: {len(commands)} commands print what stands there", flush=True)
