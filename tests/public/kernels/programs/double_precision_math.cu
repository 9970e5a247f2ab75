// gpx: --entry geodesic --grid 1 --block 32 --buffer out=256B --buffer lat=256B:uniform(0,1) --buffer lon=256B:uniform(0,1)
#define _USE_MATH_DEFINES
#include <math.h>
#include <iomanip>
static const double R = 6371.0;
__host__ __device__ double rad(double d) { return d * M_PI / 180.0; }
__global__ void geodesic(double *out, const double *lat, const double *lon) {
  const double a = rad(lat[threadIdx.x]), b = rad(lon[threadIdx.x]);
  out[threadIdx.x] = 6371.0 * 2 * asin(sqrt(pow(sin(a / 2), 2) + cos(a) * pow(sin(b / 2), 2.0)));
}
int main() { std::cout << std::setprecision(9) << rad(3) * R << '\n'; geodesic<<<1, 32>>>(0, 0, 0); }
