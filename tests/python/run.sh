#!/usr/bin/env bash
# run.sh BUILD: the Python package of BUILD by Debian's Python: its own tests, the examples of
# docs/python.md, its types, the wheel in an environment of its own, and a notebook in Jupyter. What a
# machine lacks is left out with a word. Run by ./dev python-test.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$1
python=/usr/bin/python3
export GPX_STORE= PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1
say() { printf 'python-test: %s\n' "$*"; }

say "the package"
"$python" "$here/package_test.py" "$build/python"

say "docs/python.md"
(cd "$root" && "$python" "$here/document_test.py" docs/python.md)

if "$python" -c 'import mypy' 2>/dev/null; then
  say "types"
  (cd "$root/runtime/python" && "$python" -m mypy --strict --ignore-missing-imports \
    --cache-dir=/dev/null gpx)
else
  say "types: left out: they need mypy"
fi

say "the wheel"
wheel=$("$python" "$root/runtime/python/wheel.py" "$root" "$build")
wheel=${wheel%% *}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
if "$python" -m pip --version >/dev/null 2>&1; then
  "$python" -m pip install --quiet --no-index --no-deps --target "$place" "$wheel"
else
  "$python" -m zipfile -e "$wheel" "$place"
fi
(cd / && PYTHONPATH=$place "$python" - "$place" <<'PY'
import sys

import gpx

assert gpx.__file__.startswith(sys.argv[1]), gpx.__file__
run = gpx.run("sweep threads 32..128 step 32 < load unique(128B) >", device="k20")
assert list(run.curves["threads"]) == [32, 64, 96, 128]
print(f"python-test: gpx {gpx.__version__} of the wheel runs")
PY
)

say "a notebook"
"$python" "$here/notebook_test.py" "$build/python" "$build/notebook.html"
say passed
