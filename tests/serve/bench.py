#!/usr/bin/env python3
"""The speed of gpx serve: how long a page waits, what that costs of the processor, and what the page weighs.

  ./dev bench serve     or     tests/serve/bench.py GPX

A time is the median of the calls; the processor's time is the mean, of the server and the processes that it
starts. Compare the ratio between machines: it is the processor's time over that of a fixed piece of work here.
"""
import hashlib
import os
import re
import sys
import tempfile
import time

from client import Server

SMALL = """param n = 4  # 1..16 step 1

experiment layouts "A column of a tile" {
  threads 32
  sweep words in [32, 33]
  < load shared stride(words * 4B) x n >
  plot latency over words
}

experiment alone "One load" {
  threads 32
  < load unique(128B) >
}
"""
THOUSAND = "".join(f"experiment e{i} {{\n  threads 32\n  < load unique(128B) x {i % 7 + 1} >\n}}\n\n" for i in range(1000))
TICKS = os.sysconf("SC_CLK_TCK")


def yardstick():
    """Seconds of the processor for SHA-256 of 256 MB, in one piece of memory."""
    block, begun = bytes(1 << 20), time.process_time()
    digest = hashlib.sha256()
    for _ in range(256):
        digest.update(block)
    return time.process_time() - begun


def used(server):
    """Seconds of the processor of the server and of its processes that have ended."""
    with open(f"/proc/{server.process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICKS


class Table:
    def __init__(self):
        self.yardstick = yardstick()
        print(f"yardstick (SHA-256 of 256 MB): {self.yardstick:.3f} s of the processor\n")
        print(f"{'':44}{'time':>10}{'processor':>12}{'ratio':>9}   wanted")

    def row(self, name, seconds, processor, wanted):
        print(f"{name:44}{1e3 * seconds:>7.1f} ms{1e3 * processor:>9.1f} ms{processor / self.yardstick:>9.4f}   {wanted}")

    def calls(self, name, server, act, count, wanted):
        act(0)  # What is made once is not of a keystroke.
        times, before = [], used(server)
        for i in range(1, count + 1):
            begun = time.time()
            act(i)
            times.append(time.time() - begun)
        self.row(name, sorted(times)[count // 2], (used(server) - before) / count, wanted)


def page_files(server):
    """Bytes of the page and of all that it loads."""
    done, wanted = {}, ["/"]
    while wanted:
        path = wanted.pop()
        if path in done:
            continue
        text = server.request("GET", path)[2]
        done[path] = len(text.encode())
        wanted += re.findall(r'(?:src|href|from)[= ]*"(/[\w./]+\.(?:js|css))"', text)
    return sum(done.values())


def starts(table, gpx, folder):
    times, processor = [], 0
    for _ in range(9):
        server = Server(gpx, os.path.join(folder, "small.gpx"))
        begun = time.time()
        page_files(server)
        for path in ("/api/words", "/api/state?since=0"):
            server.ask(path)
        times.append(server.started_in + time.time() - begun)
        processor += used(server)
        server.close()
    table.row("start, until a page has all that it needs", sorted(times)[4], processor / 9, "300 ms")


def keystrokes(table, gpx, folder, name, text, old):
    server = Server(gpx, os.path.join(folder, name + ".gpx"))
    cells = f"{text.count('experiment ')} cells"

    def save(i):
        version = server.ask("/api/state?since=0")["version"]
        server.ask("/api/save", {"base": version, "text": text.replace(old, f"{old}x{i}", 1)})

    try:
        table.calls(f"check of a keystroke, {cells}", server, lambda i: server.ask("/api/check", {"text": text.replace(old, f"{old}x{i}", 1)}), 40, "50 ms")
        table.calls(f"save of a keystroke, {cells}", server, save, 20, "")
    finally:
        server.close()


def explains(table, gpx, folder):
    """Of a kernel that no cache has: each call has another number of loads."""
    server = Server(gpx, os.path.join(folder, "small.gpx"))

    def change(i):
        version = server.ask("/api/state?since=0")["version"]
        server.ask("/api/save", {"base": version, "text": SMALL.replace("x n", f"x {20 + i}")})
        return server.ask("/api/explain", {"cell": "layouts", "device": "k20", "arch": "sm_90"})

    try:
        table.calls("explain of a changed cell", server, change, 15, "500 ms")
    finally:
        server.close()


def main():
    gpx = os.path.abspath(sys.argv[1])
    table = Table()
    with tempfile.TemporaryDirectory(prefix="gpx-serve-bench-") as folder:
        os.environ["GPX_CACHE_DIR"] = os.path.join(folder, "cache")
        for name, text in (("small", SMALL), ("thousand", THOUSAND)):
            with open(os.path.join(folder, name + ".gpx"), "w") as file:
                file.write(text)
        starts(table, gpx, folder)
        keystrokes(table, gpx, folder, "small", SMALL, "alone")
        keystrokes(table, gpx, folder, "thousand", THOUSAND, "e500")
        explains(table, gpx, folder)
        server = Server(gpx, os.path.join(folder, "small.gpx"))
        print(f"\npage: {page_files(server)} bytes (wanted: 1.5 MB)")
        server.close()


if __name__ == "__main__":
    main()
