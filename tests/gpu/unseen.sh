#!/usr/bin/env bash
# heldback.sh with the experiments of unseen.gpx and the kernels of tests/kernels/unseen, in one call of
# at most six minutes.
#
# Usage: tests/gpu/unseen.sh FOLDER_OF_THE_gpx_BINARY OUT
#   DEVICE=cuda:0   JOBS=8   SECONDS_OF_ALL=350
# Writes OUT/unseen1.csv, OUT/unseen2.csv, and what predict.sh writes. A virtual GPU beside it:
#   gpx run tests/gpu/unseen.gpx --device h200 -q --no-store --csv virtual.csv
#   python3 tests/gpu/twin_points.py OUT/unseen1.csv virtual.csv
#   KERNELS=tests/kernels/unseen python3 tests/gpu/predict_bench.py GPX --device h200 --records OUT
export EXPERIMENTS=unseen KERNELS=tests/kernels/unseen SECONDS_OF_ALL=${SECONDS_OF_ALL:-350}
exec bash "$(dirname "$0")/heldback.sh" "$@"
