// gpx: --entry k --grid 1 --block 32 --buffer o=128B --arg n=3
// gpx: --entry d --grid 1 --block 32 --buffer o=256B --arg n=3
__global__ void k(float *o, int n) {
  uint i = threadIdx.x; uint32_t j = i; ushort s = (ushort)n; size_t z = sizeof(long);
  o[j] = FLT_MAX * M_PI + pow(10, n) + sqrt(n) + s + z + INT_MAX + std::min(1.f, 2.f) + std::max(n, 3);
}
__global__ void d(double *o, int n) {
  o[threadIdx.x] = exp(n) + std::pow(2.0, n) + fmin(1.0f, 2.0) + floor(n) + std::abs(-2.5) + fabs(-n) + DBL_EPSILON + std::sqrt(2);
}
