#!/usr/bin/env bash
# The promise of docs/determinism.md: every experiment of the library runs twice, and the two
# documents, tables and reports are the same bytes. The two runs differ in all that must not matter:
# folder, locale, time zone, processors, environment, contents of fresh memory, addresses (which the
# kernel randomizes).
# Usage: tests/determinism/run.sh GPX [EXPERIMENT...]
set -uo pipefail
gpx=$(realpath "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUDA_VISIBLE_DEVICES='' GPX_STORE=''

# Those that take seconds: fewer points (settings, or replacements in the text), no analysis.
# (gt200_tlb stays whole: translation buffers are asked for by more probes than anything else.)
declare -A cut=(
  [fermi_mshr]='threads=[2,512,1024]'
  [fermi_tlb]='count=[64]'
  [gt200_constant_bandwidth]='blocks=[1,10]'
  [gt200_constant_sharing]='size=[1KB,9KB]'
  [gt200_instruction_cache]='size=[1KB,9KB]'
  [gt200_latency]='words=[1,2,16]'
  [gt200_texture]='size=[4KB,6KB]'
  [gt200_texture_tlb]='count=[64]'
  [hk_cases]='watched=[0] stage=[0,4]'
  [hk_kernels]='image=700 filter=1000 windows=7301 n=320 options=9000000'
  [hk_micro]='benchmark=[1,2] iterations=20'
  [hk_svm]='windows=7301'
  [hk_synch]='n=192 tile=[4,16]'
  [hopper_atomics]='n=[8] full=64 s/repeat..5/repeat\x202/ s/blocks..256/blocks\x202/'
  [hopper_bandwidth]='n=[4] l2_blocks=4 dram_blocks=16 s/repeat..5/repeat\x202/ s/1..2048/1..16/'
  [kepler_banks]='words=[1,2,32]'
  [kepler_tlb]='count=[64]'
  [l2_cache]='size=[384KB]'
  [l2_capacity]='size=[64KB,256KB]'
  [memory_levels]='count=[16]'
  [modern_memory]='words=[1,2,32]'
  [modern_operations]='count=[64] full=64 s/repeat..5/repeat\x202/'
  [twin_heldout]='s/repeat.3/repeat\x201/'
  [twin_training]='large=136 s/repeat.[35]/repeat\x201/'
  [texture_l1]='size=[12KB]'
)
# These are also compiled anew by one of the two: no cache of kernels.
anew=' gt200_clock hk_example kepler_prt '

# Without what judges: two points are not what an analysis asks for.
without_analysis() {
  awk '/^  ?(analyze|expect|paper|claim) / { drop = 1; next } /^ ? ?[^ ]/ || /^$/ { drop = 0 } !drop' "$1"
}

# experiments FOLDER NAME...: runs them there. `before` is what stands before gpx.
experiments() {
  local name how settings
  mkdir -p "$1" && cd "$1" || exit 3
  shift
  for name in "$@"; do
    settings=()
    if [[ -v cut[$name] ]]; then
      without_analysis "$root/experiments/$name.gpx" >"$name.gpx"
      for how in ${cut[$name]}; do
        if [[ $how == s/* ]]; then sed -i "$how" "$name.gpx"; else settings+=(--set "$how"); fi
      done
    else
      cp "$root/experiments/$name.gpx" .
    fi
    [[ $anew == *" $name "* ]] && cache=$another_cache || cache=
    env $cache "${before[@]}" "$gpx" run "$name.gpx" -q "${settings[@]}" --json "$name.json" \
      --csv "$name.csv" --report "$name.html" >"$name.out" 2>"$name.err" </dev/null
    echo "status $?" >>"$name.out"
  done
}

names=("$@")
if ((${#names[@]} == 0)); then
  for file in "$root"/experiments/*.gpx; do names+=("$(basename "$file" .gpx)"); done
fi

# German numbers have a comma. Where no such locale can be made, UTF-8 alone differs.
german=C.UTF-8
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then german=de_DE.UTF-8; fi
(
  before=(env LC_ALL=C TZ=UTC taskset -c 0)
  another_cache=GPX_CACHE=off
  experiments "$work/a" "${names[@]}"
) &
(
  before=(env LC_ALL="$german" LOCPATH="$work" TZ=Asia/Tokyo MALLOC_PERTURB_=165
    MORE="$(printf 'x%.0s' {1..5000})" nice -n 1)
  another_cache=MORE=less
  experiments "$work/another folder/of another depth" "${names[@]}"
) &
wait

failed=0
for name in "${names[@]}"; do
  for end in json csv html out err; do
    first=$work/a/$name.$end second=$work/another\ folder/of\ another\ depth/$name.$end
    [[ -e $first || -e $second ]] || continue
    if ! cmp "$first" "$second" >&2; then
      diff "$first" "$second" | head -n 6 | cut -c 1-300 >&2
      failed=1
    fi
  done
  # 1: an expectation fails; 2: what the device or the compiler does not have.
  grep -qx 'status [01]' "$work/a/$name.out" ||
    { grep -qx 'status 2' "$work/a/$name.out" && grep -qE 'error: .*( needs | does not tell | has no peer)' "$work/a/$name.err"; } ||
    { echo "$name: $(tail -n 3 "$work/a/$name".{out,err})" >&2; failed=1; }
done
((failed)) || echo "${#names[@]} files of experiments: the same bytes twice"
exit "$failed"
