# The program alone has its library; with an empty or older one it says what is missing.
mkdir alone && cp "$GPX" alone/gpx
alone=(env -i HOME="$PWD" PATH="$PATH" GPX_CACHE_DIR="$GPX_CACHE_DIR" GPX_STORE=off alone/gpx)
status 0 "${alone[@]}" list
prints kepler_prt
status 0 "${alone[@]}" doctor
prints 'embedded (hash '
status 0 "${alone[@]}" devices
prints k20
status 0 "${alone[@]}" run kepler_prt -q --csv o.csv
status 0 "${alone[@]}" new latency
status 0 "${alone[@]}" run latency.gpx --device k20 -q
status 0 "${alone[@]}" new kernel
status 0 "${alone[@]}" run kernel.gpx --device k20 -q
status 0 "${alone[@]}" run hk_example -q
status 0 "${alone[@]}" characterize --device k20 --only clock -q
status 0 "${alone[@]}" help outstanding
prints outstanding.entries
# A folder beside the program replaces it.
mkdir -p alone/stdlib/devices
cp "$(dirname "$GPX")"/../../stdlib/devices/k20.lua alone/stdlib/devices/other.lua
status 0 "${alone[@]}" run latency.gpx --device other -q
status 2 "${alone[@]}" new
says "no templates in '"

mkdir empty
for command in new 'new latency' 'characterize --list' 'characterize --device k20' devices \
  'help zzqq'; do
  # shellcheck disable=SC2086
  status 2 env GPX_STDLIB="$PWD/empty" "$GPX" $command
  says "$PWD/empty"
done
cp alone/stdlib/devices/other.lua my.lua
status 2 env GPX_STDLIB="$PWD/empty" "$GPX" characterize --device ./my.lua
says 'no characterization groups in'
status 3 env GPX_STDLIB="$PWD/empty" "$GPX" doctor
prints 'no virtual devices in'
status 0 env GPX_STDLIB="$PWD/empty" "$GPX" repl
says 'no virtual devices in'
