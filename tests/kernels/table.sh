#!/bin/sh
# The rows of the table in docs/predict.md: eight kernels predicted and run on two virtual devices.
# Usage: table.sh GPX FOLDER. Each prediction is a document, FOLDER/KERNEL-DEVICE.json.
set -eu
gpx=$1
out=$2
kernels=$(dirname "$0")

predict() {
  file=$1 entry=$2
  shift 2
  for device in fx5600 gtx280; do
    "$gpx" predict "$kernels/$file" --entry "$entry" "$@" --device "$device" --measure \
      --json "$out/$entry-$device.json" >/dev/null
  done
}

predict stencil.cu heat --grid 8,32 --block 32,8 --arg width=256 --arg height=256 --arg rate=0.2 \
  --buffer out=256KB:zero --buffer 'in=256KB:uniform(0, 1)'
predict reduce.cu block_sum --grid 128 --block 256 --arg count=131072 --buffer sums=16KB:zero \
  --buffer 'values=1MB:uniform(0, 1)' --shared 2KB
predict spmv.cu spmv --grid 64 --block 128 --arg rows=8192 --buffer 'row=64KB:index(4)' \
  --buffer column=128KB:index --buffer 'value=128KB:uniform(0, 1)' \
  --buffer 'x=128KB:uniform(0, 1)' --buffer y=32KB:zero
predict histogram.cu histogram --grid 60 --block 256 --arg count=262144 --buffer bins=1KB:zero \
  --buffer data=1MB:hash
predict transpose.cu transpose --grid 16,16 --block 16,16 --arg n=256 --buffer out=256KB:zero \
  --buffer in=256KB:index
predict shuffle.cu shuffle_sum --grid 120 --block 256 --arg count=262144 --buffer sum=4B:zero \
  --buffer 'values=1MB:uniform(0, 1)'
predict saxpy.cu saxpy --grid 120 --block 256 --arg a=2 --buffer 'x=1MB:uniform(0, 1)' \
  --buffer y=1MB:zero --buffer count=4B:262144
predict nbody.cu forces --grid 60 --block 64 --arg count=3840 --buffer force=60KB:zero \
  --buffer 'body=60KB:uniform(0, 1)'
