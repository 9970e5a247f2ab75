#!/usr/bin/env bash
# heldback.sh with the experiments of fresh.gpx and the kernels of tests/kernels/fresh, in one call of
# at most 150 seconds. With METRICS, ncu counts too, and the call takes at most six minutes.
#
# Usage: tests/gpu/fresh.sh FOLDER_OF_THE_gpx_BINARY OUT
#   DEVICE=cuda:0   JOBS=8   SECONDS_OF_ALL=150   METRICS=...: what ncu counts
# Writes OUT/fresh1.csv, OUT/fresh2.csv, and what predict.sh writes. A virtual GPU beside it:
#   gpx run tests/gpu/fresh.gpx --device h200 -q --no-store --csv virtual.csv
#   python3 tests/gpu/twin_points.py OUT/fresh1.csv virtual.csv
#   KERNELS=tests/kernels/fresh python3 tests/gpu/predict_bench.py GPX --device h200 --records OUT
export EXPERIMENTS=fresh KERNELS=tests/kernels/fresh COUNTERS=$((${#METRICS} > 0))
export SECONDS_OF_ALL=${SECONDS_OF_ALL:-$((COUNTERS ? 350 : 150))}
export SECONDS_OF_PASS=35 SECONDS_OF_KERNELS=80
exec bash "$(dirname "$0")/heldback.sh" "$@"
