#!/usr/bin/env bash
# Formatting of every C++ file, that every public header compiles alone, and the Lua of stdlib/.
set -uo pipefail
cd "$(dirname "$0")/.."
status=0
git ls-files -z '*.cpp' '*.h' |
  xargs -0 -P "$(nproc)" -n 60 clang-format-14 --dry-run -Werror || status=1

alone() {
  echo "#include \"$1\"" |
    g++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -DGPX_VERSION='""' -I. "${@:2}" -x c++ - ||
    { echo "does not compile alone: $1"; return 1; }
}
export -f alone
lua_include=$(pkg-config --cflags-only-I lua5.4-c++ 2>/dev/null || echo -I/usr/include/lua5.4)
git ls-files '*.h' | grep -v '^tests/' |
  xargs -P "$(nproc)" -I HEADER bash -c 'alone "$@"' _ HEADER $lua_include || status=1
luacheck -q stdlib || status=1
python3 tests/lua_fields.py || status=1
exit $status
