# The time of a grid whose blocks differ: what a sample says holds the truth, is marked wherever it
# stands, and is refused where it is worth nothing. The whole grid of the first takes 3.19
# million clocks (--whole).
if ! has_nvrtc; then
  echo "  left out: the times depend on registers, which NVRTC gives"
  return 0
fi
cat >mandelbrot.cu <<'CU'
__global__ void mandelbrot(int* out, int width, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float cr = 3.0f * x / width - 2.0f, ci = 3.0f * y / width - 1.5f, zr = 0, zi = 0;
  int n = 0;
  while (n < limit && zr * zr + zi * zi < 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    ++n;
  }
  out[y * width + x] = n;
}
CU
experiment() {  # experiment WIDTH LIMIT
  cat >m.gpx <<GPX
experiment m {
  kernel k from "mandelbrot.cu" entry mandelbrot(out = buffer(4MB, zero), width = $1, limit = $2)
  blocks ($1 / 32, $1 / 8)
  threads (32, 8)
  warmup 0
  repeat 1
  < run k >
}
GPX
}
value() {  # value COLUMN: of the one row of out.txt
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR == 2 { print $at[name] }' out.txt
}
within() {  # within LOW HIGH NUMBER
  awk -v a="$1" -v b="$2" -v x="$3" 'BEGIN { exit !(x != "" && x >= a && x <= b) }' ||
    wrong "$3 is not within $1 and $2"
}

experiment 1024 300
status 0 "$GPX" run m.gpx --device gtx280 --csv - --json o.json --report o.html
within 2.73e6 3.64e6 "$(value clocks)"
within 0.001 0.15 "$(value sample_error)"
within 10 2048 "$(value blocks_run)"
says 'time (sampled)'
says '--whole runs all'
for file in o.json o.html; do
  grep -q 'times are of a sample' $file || wrong "$file does not say that it is a sample"
done
status 0 "$GPX" predict mandelbrot.cu --entry mandelbrot --grid 32,128 --block 32,8 --arg width=1024 \
  --arg limit=300 --buffer out=4MB:zero --device gtx280 --machine Mem_LD=450 --machine Issue_cycles=4 \
  --machine Departure_del_uncoal=10 --machine Departure_del_coal=4 --machine Mem_Bandwidth=141e9
prints 'known to ±'

# A grid of one wave is as slow as its slowest block. A small one is run whole, a large one refused.
experiment 128 200
for whole in '' --whole; do
  status 0 "$GPX" run m.gpx --device gtx280 -q --csv - --all-columns $whole
  [[ $(value blocks_run) == 64 && $(value sample_error) == 0 ]] || wrong 'not all blocks were run'
done
experiment 128 20000
status 2 "$GPX" run m.gpx --device gtx280 -q --csv -
says 'too few blocks were sampled to estimate'
says '--whole runs all blocks'
