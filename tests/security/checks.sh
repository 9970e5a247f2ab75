# What the attacks share. A check that fails says so and the rest goes on; finish() gives the status.
failures=0
wrong() {
  echo "  WRONG: $*" >&2
  failures=$((failures + 1))
}
finish() { ((failures == 0)); }

# What NVRTC says, and the registers that it gives, clang does not.
has_nvrtc() { "$GPX" doctor 2>/dev/null | grep -q '^compiler *NVRTC '; }

# status PATTERN COMMAND...: of the status; its output is kept in out.txt and err.txt.
status() {
  local wanted=$1 got
  shift
  timeout -k 2 60 "$@" >out.txt 2>err.txt </dev/null
  got=$?
  # shellcheck disable=SC2053
  [[ $got == $wanted ]] || wrong "status $got instead of $wanted: $* $(tail -n 2 err.txt)"
}
# says TEXT: in what the last status() printed as a message. prints: in its output.
says() { grep -qF -- "$1" err.txt || wrong "no message '$1': $(head -n 3 err.txt)"; }
prints() { grep -qF -- "$1" out.txt || wrong "no output '$1': $(head -n 3 out.txt)"; }
same() { cmp -s "$1" "$2" || wrong "$1 and $2 differ: $3"; }
differ() { ! cmp -s "$1" "$2" || wrong "$1 and $2 are the same: $3"; }

# kernel FILE TEXT: and k.gpx, an experiment that runs its entry k.
kernel() {
  printf '%s\n' "$2" >"$1"
  cat >k.gpx <<EOF
experiment e {
  kernel k from "$1" entry k(a = buffer(4KB, zero))
  blocks 1
  threads 32
  repeat 1
  < run k >
}
EOF
}
