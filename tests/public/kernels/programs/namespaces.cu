// gpx: --entry app::kernels::scale --grid 1 --block 64 --buffer p=256B:uniform(0,1) --arg f=3
// gpx: --entry scale --grid 1 --block 64 --buffer p=256B:uniform(0,1) --arg f=3
#include <map>
#include <string>
namespace app {
namespace detail {
inline __host__ __device__ float square(float x) { return x * x; }
std::map<std::string, int> registry;
static int registered = registry.size();
}
namespace kernels {
__global__ void scale(float *p, float f) { p[threadIdx.x] = detail::square(p[threadIdx.x]) * f; }
}
class Runner {
 public:
  Runner(const std::string &name) : name_(name) {}
  virtual ~Runner() = default;
  virtual void run() { float *p; cudaMalloc(&p, 4); kernels::scale<<<1, 64>>>(p, 3.0f); }
 protected:
  std::string name_;
};
}
int main() { app::Runner r("x"); r.run(); }
