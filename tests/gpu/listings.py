#!/usr/bin/env python3
"""The timed region of each kernel, from nvdisasm's listings, as the tests of the proof read them.

Usage: listings.py FOLDER SUFFIX NAME... >FILE
FOLDER holds ENTRY.HASH.cubin.sass; of the operation add.u32 the entry is add_u32SUFFIX. A section is
the operation's name behind //, then the instructions from the barrier before the first read of the
64-bit clock to the second read.
"""
import pathlib
import re
import sys

ROW = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?;)")


def region(text):
    rows = [m.groups() for m in map(ROW.match, text.splitlines()) if m]
    clocks = [i for i, (_, text) in enumerate(rows) if re.search(r"CS2R R\d+, SR_CLOCKLO", text)]
    if len(clocks) < 2:
        return None
    begin = max(i for i in range(clocks[0]) if "BAR.SYNC" in rows[i][1])
    return [f"/*{address}*/ {text}" for address, text in rows[begin : clocks[-1] + 1]]


def main(folder, suffix, names):
    for name in names:
        entry = name.replace(".", "_") + suffix
        found = sorted(pathlib.Path(folder).glob(f"{entry}.*.sass"))
        rows = region(found[0].read_text()) if found else None
        if not rows:
            print(f"no listing of {entry}", file=sys.stderr)
            continue
        print(f"// {name}", *rows, sep="\n")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
