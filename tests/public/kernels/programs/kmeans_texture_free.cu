// gpx: --entry kmeansPoint --grid 1 --block 64 --buffer features=1KB:uniform(0,1) --buffer clusters=64B:uniform(0,1) --buffer membership=256B --arg npoints=64 --arg nfeatures=4 --arg nclusters=4
#define FLT_MAX_ 3.40282347e+38
typedef struct { float x, y; } Point2;
typedef enum { EUCLID, MANHATTAN } Metric;
static const Metric METRIC = EUCLID;
template <Metric M> __device__ __forceinline__ float distance(float a, float b) { return M == EUCLID ? (a - b) * (a - b) : fabsf(a - b); }
__global__ void kmeansPoint(float *features, int nfeatures, int npoints, int nclusters, int *membership, float *clusters) {
  const unsigned int point_id = blockIdx.x * blockDim.x + threadIdx.x; int index = -1;
  if (point_id < npoints) {
    float min_dist = FLT_MAX_;
    for (int i = 0; i < nclusters; i++) { float ans = 0.0; for (int j = 0; j < nfeatures; j++) ans += distance<METRIC>(features[j * npoints + point_id], clusters[i * nfeatures + j]); if (ans < min_dist) { min_dist = ans; index = i; } }
    membership[point_id] = index;
  }
}
int **membership_new; float **alloc2d(int n, int m) { float **a = (float **)malloc(n * sizeof(float *)); a[0] = (float *)calloc(n * m, sizeof(float)); for (int i = 1; i < n; i++) a[i] = a[i - 1] + m; return a; }
