#!/usr/bin/env python3
"""document_test.py FILE: the examples (>>>) of a document give what stands there; `...` stands for any
text. GPX_REBASE=1 writes what they give. Run by ./dev python-test."""

import doctest
import os
import pathlib
import sys

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Gather(doctest.DocTestRunner):
    """Keeps what each example gave."""

    def __init__(self):
        super().__init__(optionflags=FLAGS, verbose=False)
        self.given = {}

    def report_success(self, out, test, example, got):
        self.given[example.lineno] = (example, got, True)

    def report_failure(self, out, test, example, got):
        self.given[example.lineno] = (example, got, False)
        super().report_failure(out, test, example, got)


def rebased(text, given):
    lines = text.splitlines(keepends=True)
    for lineno, (example, got, fits) in sorted(given.items(), reverse=True):
        if fits:
            continue
        begin = lineno + example.source.count("\n")
        lines[begin:begin + example.want.count("\n")] = got.splitlines(keepends=True)
    return "".join(lines)


def main():
    path = pathlib.Path(sys.argv[1])
    text = path.read_text(encoding="utf-8")
    # A fence ends an example's output, as an empty line does.
    plain = "\n".join("" if line.startswith("```") else line for line in text.split("\n"))
    test = doctest.DocTestParser().get_doctest(plain, {}, path.name, str(path), 0)
    runner = Gather()
    runner.run(test, clear_globs=False)
    if os.environ.get("GPX_REBASE"):
        path.write_text(rebased(text, runner.given), encoding="utf-8")
        return 0
    print(f"document_test: {runner.tries} examples, {runner.failures} wrong")
    return 1 if runner.failures or not runner.tries else 0


if __name__ == "__main__":
    sys.exit(main())
