#!/usr/bin/env python3
"""Fields of typed tables in stdlib/: ./dev check lint runs this; python3 tests/lua_fields.py [FILE...]

Reads the annotations of the Lua language server (---@class, ---@field, ---@param, ---@type, ---@return)
and one of its own, ---@names, which gives variables of a file a class wherever they stand:

    ---@names level: Level, r: Residence

An access to a field that the variable's class lacks is an error, and so is such a key in a table that a
function with ---@return CLASS returns. Methods of a class are those of the table behind ---@class. A class
whose ---@class stands in several files has the fields of all of them. The exit status is 1 on an error.
"""
import pathlib
import re
import sys

CLASS = re.compile(r"---@class (\w+)(?:: *(\w+))?")
FIELD = re.compile(r"---@field (\w+)\??")
TYPED = re.compile(r"---@(param|type|return) +(?:(\w+)\?? +)?(\w+)(\[\])?\??")
FUNCTION = re.compile(r"^( *)(?:local )?function ([\w.:]*)\((.*?)\)")
LOOP = re.compile(r"for \w+, (\w+) in ipairs\((\w+)\)")


def code_of(line):
    line = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
    return line.split("--", 1)[0]


class Classes:
    def __init__(self, texts):
        self.fields, self.base, self.owners = {}, {}, {}
        for path, lines in texts.items():
            self.read(path, lines)

    def read(self, path, lines):
        name, owner = None, None
        for line in lines:
            if found := CLASS.match(line):
                name = found[1]
                self.fields.setdefault(name, set())
                self.base[name] = found[2] or self.base.get(name)
            elif name and (found := FIELD.match(line)):
                self.fields[name].add(found[1])
            elif name and (found := re.match(r"local (\w+) = ", line)):
                owner, name = (found[1], name), None
                self.owners[path] = owner
            elif not line.startswith("--"):
                name = None
            if owner and re.match(rf"(function )?{owner[0]}[.:]\w", line):
                defined = line.split(" = ")[0].split("(")[0]
                self.fields[owner[1]].update(re.findall(rf"\b{owner[0]}[.:](\w+)", defined))

    def has(self, name, field):
        while name in self.fields:
            if field in self.fields[name]:
                return True
            name = self.base[name]
        return False


class Reader:
    """One file: which variable is of which class, line by line."""

    def __init__(self, classes, path, lines):
        self.classes, self.path, self.lines = classes, path, lines
        self.errors, self.shared, self.scopes, self.said = [], {}, [], []

    def complain(self, number, name, field, of):
        self.errors.append(f"{self.path}:{number}: {of} has no field '{field}' ({name}.{field})")

    def typed(self):
        known = dict(self.shared)
        for scope in self.scopes:
            known.update(scope[1])
        return known

    def check(self):
        for number, line in enumerate(self.lines, 1):
            if line.lstrip().startswith("---@names "):
                for pair in line.split("---@names ", 1)[1].split(","):
                    name, of = pair.split(":")
                    self.shared[name.strip()] = (of.strip(), False)
            elif found := TYPED.match(line.strip()):
                if found[3] in self.classes.fields:
                    self.said.append((found[1], found[2], (found[3], bool(found[4]))))
            elif not line.lstrip().startswith("--"):
                self.statement(number, line)
        return self.errors

    def statement(self, number, line):
        code = code_of(line)
        indent = len(line) - len(line.lstrip())
        if found := FUNCTION.match(code):
            names = {name: of for kind, name, of in self.said if kind == "param"}
            owner = self.classes.owners.get(self.path)
            if owner and found[2].startswith(owner[0] + ":"):
                names["self"] = (owner[1], False)
            returns = [of[0] for kind, _, of in self.said if kind == "return" and not of[1]]
            self.scopes.append((indent, names, returns))
        elif self.scopes and code.strip() == "end" and indent == self.scopes[-1][0]:
            self.scopes.pop()
        elif found := re.match(r"^ *local (\w+) =", code):
            for kind, _, of in self.said:
                if kind == "type":
                    (self.scopes[-1][1] if self.scopes else self.shared)[found[1]] = of
        self.said = []
        known = self.typed()
        for found in LOOP.finditer(code):
            if found[2] in known and known[found[2]][1] and self.scopes:
                self.scopes[-1][1][found[1]] = known[found[1]] = (known[found[2]][0], False)
        for found in re.finditer(r"(?<![\w.:\]\"])(\w+)[.:](\w+)", code):
            of = known.get(found[1])
            if of and not of[1] and not self.classes.has(of[0], found[2]):
                self.complain(number, found[1], found[2], of[0])
        self.returned(number, code)

    def returned(self, number, code):
        found = re.match(r"^ *return \{(.*)\}$", code)
        if not found or not self.scopes or len(self.scopes[-1][2]) != 1:
            return
        of = self.scopes[-1][2][0]
        for key in re.finditer(r"(?:^|,) *(\w+) *=(?!=)", re.sub(r"\{.*?\}", "{}", found[1])):
            if not self.classes.has(of, key[1]):
                self.complain(number, "return", key[1], of)


def main():
    root = pathlib.Path(__file__).parent.parent / "stdlib"
    named = [pathlib.Path(name) for name in sys.argv[1:]]
    paths = named or sorted(path for path in root.rglob("*.lua") if path.parent.name != "devices")
    texts = {path: path.read_text(encoding="utf-8").splitlines() for path in paths}
    classes = Classes(texts)
    errors = [error for path, lines in texts.items() for error in Reader(classes, path, lines).check()]
    print("\n".join(errors) if errors else f"{len(classes.fields)} classes, every field is known")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
