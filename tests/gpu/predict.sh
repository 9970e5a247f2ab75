#!/bin/sh
# gpx predict on a real GPU: eight kernels that are no part of the library, predicted and measured, with the
# driver's own occupancy beside the calculation. Usage: predict.sh GPX [OUTPUT-FOLDER]
set -eu
gpx=$1
out=${2:-.}
mkdir -p "$out"
kernels=$(dirname "$0")/../kernels

predict() {
  name=$1
  shift
  "$gpx" predict "$@" --device cuda --measure --json "$out/predict-$name.json" | tee "$out/predict-$name.txt"
}

predict heat "$kernels/stencil.cu" --entry heat --grid 256,1024 --block 32,8 \
  --arg width=8192 --arg height=8192 --arg rate=0.2 \
  --buffer out=256MB:zero --buffer 'in=256MB:uniform(0, 1)'
predict block_sum "$kernels/reduce.cu" --entry block_sum --grid 1056 --block 256 \
  --arg count=33554432 --buffer sums=16KB:zero --buffer 'values=256MB:uniform(0, 1)' --shared 2KB
predict spmv "$kernels/spmv.cu" --entry spmv --grid 4096 --block 256 --arg rows=1048576 \
  --buffer 'row=5MB:index(8)' --buffer column=32MB:index --buffer 'value=32MB:uniform(0, 1)' \
  --buffer 'x=32MB:uniform(0, 1)' --buffer y=4MB:zero
predict histogram "$kernels/histogram.cu" --entry histogram --grid 528 --block 256 \
  --arg count=67108864 --buffer bins=1KB:zero --buffer data=64MB:hash
predict transpose "$kernels/transpose.cu" --entry transpose --grid 256,256 --block 16,16 \
  --arg n=4096 --buffer out=64MB:zero --buffer in=64MB:index
predict shuffle "$kernels/shuffle.cu" --entry shuffle_sum --grid 1056 --block 256 \
  --arg count=33554432 --buffer sum=4B:zero --buffer 'values=128MB:uniform(0, 1)'
predict saxpy "$kernels/saxpy.cu" --entry saxpy --grid 1056 --block 256 --arg a=2 \
  --buffer 'x=128MB:uniform(0, 1)' --buffer y=128MB:zero --buffer count=4B:33554432
predict forces "$kernels/nbody.cu" --entry forces --grid 264 --block 256 --arg count=67584 \
  --buffer force=1056KB:zero --buffer 'body=1056KB:uniform(0, 1)'
"$gpx" run "$(dirname "$0")/../../experiments/hk_counts.gpx" --device cuda --json "$out/hk_counts.json"
