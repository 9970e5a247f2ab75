// gpx: --entry run --grid 1 --block 64 --buffer out=256B --buffer in=256B:index --arg mode=1
enum class Mode : int { Add = 0, Sub, Mul };
enum { WIDTH = 4, HEIGHT = WIDTH * 2 };
static const char *name(Mode m) { switch (m) { case Mode::Add: return "add"; default: return "other"; } }
__device__ int apply(Mode m, int a, int b) { switch (m) { case Mode::Add: return a + b; case Mode::Sub: return a - b; case Mode::Mul: return a * b; } return 0; }
__global__ void run(int *out, const int *in, Mode mode) { out[threadIdx.x] = apply(mode, in[threadIdx.x], WIDTH + HEIGHT); }
int main() { puts(name(Mode::Add)); run<<<1, 64>>>(0, 0, Mode::Sub); }
