// gpx: --entry trace --grid 1 --block 32 --buffer out=384B --arg n=32
#include <cmath>
#include <cstdlib>
#include <iostream>
class vec3 {
 public:
  __host__ __device__ vec3() {}
  __host__ __device__ vec3(float a, float b, float c) { e[0] = a; e[1] = b; e[2] = c; }
  __host__ __device__ inline float x() const { return e[0]; }
  __host__ __device__ inline vec3 &operator*=(const float t);
  __host__ __device__ inline float length() const { return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]); }
  float e[3];
};
inline std::istream &operator>>(std::istream &is, vec3 &t) { is >> t.e[0] >> t.e[1] >> t.e[2]; return is; }
inline std::ostream &operator<<(std::ostream &os, const vec3 &t) { os << t.e[0] << " " << t.e[1]; return os; }
__host__ __device__ inline vec3 &vec3::operator*=(const float t) { e[0] *= t; e[1] *= t; e[2] *= t; return *this; }
__host__ __device__ inline vec3 operator-(const vec3 &a, const vec3 &b) { return vec3(a.e[0] - b.e[0], a.e[1] - b.e[1], a.e[2] - b.e[2]); }
vec3 random_in_unit_sphere() { vec3 p; do { p = vec3(drand48(), drand48(), drand48()); } while (p.length() >= 1.0); return p; }
__global__ void trace(vec3 *out, int n) { int i = threadIdx.x; if (i < n) { vec3 v(i, 1, 2); v *= 1 / v.length(); out[i] = v - vec3(0, 0, 1); } }
int main() { std::cout << random_in_unit_sphere() << std::endl; trace<<<1, 32>>>(nullptr, 32); std::ofstream file("x"); }
