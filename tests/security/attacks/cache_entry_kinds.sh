# Pipes, devices and folders where a file is meant: nothing waits for them, or reads without end.
echo 'experiment e { threads 32 < load broadcast > }' >e.gpx
status 0 "$GPX" run e.gpx --device k20 -q --json whole.json
for kind in 'mkfifo' 'ln -s /dev/zero' 'mkdir'; do
  for entry in "$GPX_CACHE_DIR"/*.artifact; do
    rm -rf "$entry"
    $kind "$entry"
  done
  status 0 "$GPX" run e.gpx --device k20 -q --json again.json
  same whole.json again.json "$kind"
  rm -rf "$GPX_CACHE_DIR"
  status 0 "$GPX" run e.gpx --device k20 -q
done
mkfifo pipe.gpx pipe.json pipe.lua pipe.bin
mkdir folder && ln -s ../pipe.gpx folder/a.gpx
status 0 "$GPX" list folder
status 2 "$GPX" list pipe.gpx
status 2 "$GPX" run pipe.gpx
says 'a pipe'
status '[23]' "$GPX" import pipe.json
says 'a pipe'
status 2 "$GPX" run e.gpx --device ./pipe.lua
says 'a pipe'
status 2 "$GPX" lua pipe.lua
status 2 "$GPX" report pipe.json -o o.html
kernel k.cu 'extern "C" __global__ void k(float* a) { a[0] = 1; }'
rm k.cu && mkfifo k.cu
status 2 "$GPX" run k.gpx --device k20 -q
status 2 "$GPX" run /dev/zero
says 'a device'
# What a shell opened is read.
status 0 bash -c '"$GPX" run <(cat e.gpx) --device k20 -q'
status 0 bash -c 'cat e.gpx | "$GPX" run - --device k20 -q'
