// gpx: --entry step --grid 1 --block 32 --arg 'p=struct(i32(32), f32(0.5), buffer(128B, uniform(0, 1)))' --buffer out=128B
#include <string>
typedef struct { int n; float scale; float *data; } Params;
struct HostConfig { std::string path; int repeats = 3; };
static HostConfig parse(int argc, char **argv) { HostConfig c; if (argc > 1) c.path = argv[1]; return c; }
__global__ void step(const Params p, float *out) { int i = threadIdx.x; if (i < p.n) out[i] = p.scale * p.data[i]; }
int main(int argc, char **argv) { HostConfig c = parse(argc, argv); Params p{32, 0.5f, nullptr}; step<<<1, 32>>>(p, nullptr); }
