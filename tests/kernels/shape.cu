// A struct by value, with holes between its members. Each of them makes the loop longer.
#include <cstdint>

struct Shape {
  std::uint8_t first;
  int second;
  const int* third;
  float fourth;
  short fifth[3];
};

__global__ void by_value(float* out, Shape shape) {
  const int rounds = shape.first + shape.second + shape.third[threadIdx.x] +
                     static_cast<int>(shape.fourth) + shape.fifth[0] + shape.fifth[2];
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = x * x + 1;
  out[threadIdx.x] = x;
}
