#!/usr/bin/env python3
"""The reader of annotations finds unknown fields, and none in stdlib/."""
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).parent.parent / "lua_fields.py"

# Text, and the fields that are unknown in it.
CASES = [
    ("---@class P\n---@field x integer\n\n---@param p P\nlocal function f(p)\n  return p.x + p.y\nend\n", ["p.y"]),
    ("---@class P\n---@field x integer\nlocal M = {}\nfunction M:far() return self.z end\n", ["self.z"]),
    ("---@class P\n---@field x integer\nlocal M = {}\nfunction M:far() return self:near() + self.x end\n"
     "function M:near() return 1 end\n", []),
    ("---@class P\n---@field x integer\n---@class Q: P\n---@names q: Q\nlocal a = q.x\nq.w = 1\n", ["q.w"]),
    ("---@class P\n---@field x integer\n---@return P\nlocal function f()\n  return { x = 1, v = 2 }\nend\n", ["return.v"]),
    ("---@class P\n---@field x integer\n---@param all P[]\nlocal function f(all)\n"
     "  for _, one in ipairs(all) do print(one.u, one.x) end\nend\n", ["one.u"]),
    ("---@class P\n---@field x integer\n---@param p P\nlocal function f(p)\nend\nlocal function g(p) return p.y end\n", []),
]


def run(*names):
    return subprocess.run([sys.executable, "-B", TOOL, *names], capture_output=True, text=True, check=False)


failed = 0
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "case.lua"
    for text, unknown in CASES:
        file.write_text(text, encoding="utf-8")
        result = run(file)
        found = [line.rsplit("(", 1)[1].rstrip(")") for line in result.stdout.splitlines() if "has no field" in line]
        if found != unknown or result.returncode != (1 if unknown else 0):
            print(f"{text}expected {unknown}, found {found}, status {result.returncode}")
            failed += 1
library = run()
if library.returncode != 0:
    print(library.stdout)
    failed += 1
sys.exit(1 if failed else 0)
