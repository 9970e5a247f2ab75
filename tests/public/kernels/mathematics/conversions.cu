// gpx: --entry conversions --grid 1 --block 64 --buffer ok=256B expect ok==1
extern "C" __global__ void conversions(int* ok) {
  const int T = blockIdx.x * blockDim.x + threadIdx.x;
  const float f = (T - 32) * 1.37f;
  const double d = (T - 32) * 1e6 + 0.5;
  bool good = __float2int_rz(f) == (int)truncf(f) && __float2int_rn(f) == (int)rintf(f) && __float2int_ru(f) == (int)ceilf(f) &&
              __float2int_rd(f) == (int)floorf(f) && __double2int_rn(d) == (int)rint(d) && __double2ll_rd(d) == (long long)floor(d) &&
              __int2float_rn(T * 33333333) == (float)(T * 33333333) && __hiloint2double(__double2hiint(d), __double2loint(d)) == d;
  ok[T] = good;
}
