// gpx: --entry filter --grid 1 --block 64 --buffer x=256B:uniform(0,1) --arg taps=struct(f32(1),f32(2),f32(3),i32(3)) --buffer y=256B
struct taps_t { float w[3]; int n; };
extern struct taps_t default_taps;
static void usage(const char *argv0), die(const char *fmt, ...);
static void usage(const char *argv0) { fprintf(stderr, "usage: %s [-h]\n", argv0); }
static void die(const char *fmt, ...) { va_list ap; va_start(ap, fmt); vfprintf(stderr, fmt, ap); va_end(ap); exit(1); }
__global__ void filter(struct taps_t taps, const float *x, float *y)
{
	int i = threadIdx.x; float s = 0;
	for (int k = 0; k < taps.n; k++)
		if (i + k < 64) s += taps.w[k] * x[i + k];
	y[i] = s;
}
struct taps_t default_taps = { { 1, 2, 3 }, .n = 3 };
int main(int argc, char *argv[]) { int c; while ((c = getopt(argc, argv, "h")) != -1) switch (c) { case 'h': usage(argv[0]); return 0; default: die("%d", c); } filter<<<1, 64>>>(default_taps, 0, 0); return 0; }
