#!/usr/bin/env bash
# Builds the hand-written reference programs into a folder (default build/gpu). Needs nvcc, no GPU.
# The CUDA runtime is linked statically: the programs run where there is only a driver.
# Usage: tests/gpu/build.sh [FOLDER]        GPX_ARCH=sm_90 picks the GPU.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../build/gpu}
nvcc=$(command -v nvcc || true)
[[ -n $nvcc ]] || nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
[[ -x $nvcc ]] || { echo "no nvcc (looked in PATH and CUDA_HOME)" >&2; exit 3; }
mkdir -p "$out"

# Whether a program is older than its source or than a header.
stale() {
  local file
  for file in "$here/$1.cu" "$here"/*.h; do [[ $out/$1 -nt $file ]] || return 0; done
  return 1
}

for name in thread_latency launch_overhead copy_time op_latency library_kernels memory_levels \
    fetch_granularity eviction_sets translation code_fetch bandwidth atomic_modes dsmem async_copy \
    tma tensor_copy mbarrier grid_dependency idle_clock p2p l2_mean bulk_rate l2_policy \
    shared_memory constant dram_read_words clock_domains bulk_code bulk_state rates \
    chip_rates near_rates near_chains scattered warp_values l2_left block_ends warp_stamps \
    cold_reads block_starts block_life l1_splits near_paths store_patterns under_load \
    warp_order wide_products; do
  if stale "$name"; then
    "$nvcc" -std=c++17 -arch="${GPX_ARCH:-sm_90}" -O3 -cudart static -cubin \
      -o "$out/$name.cubin" "$here/$name.cu"
    "$nvcc" -std=c++17 -arch="${GPX_ARCH:-sm_90}" -O3 -cudart static -o "$out/$name" \
      "$here/$name.cu"
  fi
done
# What only GPUs of compute capability 9.0 have.
for name in wgmma l2_map matrix energy; do
  if stale "$name"; then
    "$nvcc" -std=c++17 -gencode arch=compute_90a,code=sm_90a -O3 -cudart static -o "$out/$name" \
      "$here/$name.cu"
  fi
done
