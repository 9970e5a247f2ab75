// CHECK(call): ends a hand-written reference program with status 3 and a place where the CUDA
// runtime reports an error.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                              \
  do {                                                                                           \
    const cudaError_t e = (call);                                                                \
    if (e != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e)); \
      std::exit(3);                                                                              \
    }                                                                                            \
  } while (0)
