#!/usr/bin/env bash
# Formatting of every C++ file, and that every public header compiles alone.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0
mapfile -t files < <(git ls-files '*.cpp' '*.h')
clang-format-14 --dry-run -Werror "${files[@]}" || status=1
lua_include=$(pkg-config --cflags-only-I lua5.4-c++ 2>/dev/null || echo -I/usr/include/lua5.4)
while read -r header; do
  g++ -std=c++20 -fsyntax-only -Wall -Wextra -I. $lua_include -isystem /usr/local/cuda/include \
    -x c++ "$header" || { echo "does not compile alone: $header"; status=1; }
done < <(git ls-files '*.h' | grep -v '^tests/')
exit $status
