#!/usr/bin/env python3
"""Takes the machine code out of an artifact cache (codegen/compile/cache.cpp describes its files).

Usage: cubins.py CACHE_FOLDER OUT_FOLDER; one ENTRY.HASH.cubin for each artifact that has one.
"""
import pathlib
import struct
import sys

MAGIC = b"gpxart3\n"
DIGEST = 16


def parts(data):
    """The (length, bytes) parts after magic and digest: entry, PTX, cubin, log."""
    at = len(MAGIC) + DIGEST
    while at + 8 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        yield data[at + 8 : at + 8 + length]
        at += 8 + length


def main(cache, out):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(pathlib.Path(cache).rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        if not data.startswith(MAGIC):
            continue
        entry, _ptx, cubin, _log = list(parts(data))[:4]
        if cubin:
            name = f"{entry.decode()}.{path.stem[:8]}.cubin"
            (out / name).write_bytes(cubin)
            print(name, len(cubin))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
