#!/usr/bin/env bash
# install_test.sh BUILD SCRATCH: installs gpx into a folder, builds the example against that copy
# with find_package(gpx), runs it, and moves the copy away to see that nothing else is needed.
set -euo pipefail
build=$1 scratch=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() { echo "install_test: $*" >&2; exit 1; }

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mv "$scratch/first" "$scratch/prefix"  # what is installed may be moved
cp -r "$here/example" "$scratch/example"
unset GPX_STDLIB
export XDG_CACHE_HOME=$scratch/cache

cmake -S "$scratch/example" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  >"$scratch/configure.log" 2>&1 || { cat "$scratch/configure.log"; fail "the example does not configure"; }
ninja -C "$scratch/build" >"$scratch/build.log" 2>&1 ||
  { cat "$scratch/build.log"; fail "the example does not build"; }

"$scratch/build/example" | tee "$scratch/out"
# The planted truth: 42 warp loads fit at once on the one, 128 requests on the other.
grep -qF "line 1, column 27: " "$scratch/out" || fail "no error with its place"
grep -qE '^k20 \(virtual\): 126 samples$' "$scratch/out" || fail "no samples of k20"
grep -qE '^  outstanding.saturation\[n=2\]: 672 threads \(672\.\.68[78]\)$' "$scratch/out" ||
  fail "k20's saturation is not found"
grep -qE '^  outstanding.saturation\[n=2\]: 64 threads \(64\.\.(79|80)\)$' "$scratch/out" ||
  fail "m2070's saturation is not found"

# The header needs nothing but the standard library.
if grep -hE '^ *#include' "$scratch/prefix/include/gpx/gpx.h" | grep -vE '<[a-z_]+>$'; then
  fail "gpx.h includes more than the standard library"
fi

# The installed program finds its standard library, too.
echo 'sweep threads 32..64 step 32 < load unique(128B) >' >"$scratch/line.gpx"
"$scratch/prefix/bin/gpx" run "$scratch/line.gpx" --device k20 --no-store >"$scratch/run" 2>&1 ||
  { cat "$scratch/run"; fail "the installed gpx does not run a line"; }

# docs/embedding.md shows these files and this output.
page=$here/../../docs/embedding.md
shown() { sed -n '/^```'"$1"'$/,/^```$/p' | sed '1d;$d'; }
diff <(shown cmake <"$page") "$here/example/CMakeLists.txt" || fail "the page has another CMakeLists.txt"
diff <(shown cpp <"$page") "$here/example/example.cpp" || fail "the page has another program"
diff <(sed -n '/^It prints:$/,$p' "$page" | shown "") "$scratch/out" || fail "the page has another output"

# A library that was built in needs no installed copy, of which nothing is left.
rm -r "$scratch/prefix"
(cd "$scratch" && ./build/example) | diff "$scratch/out" - || fail "libgpx does not carry its library"
rm -rf "$scratch"
