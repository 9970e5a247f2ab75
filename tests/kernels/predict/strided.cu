// Strided and uncoalesced accesses.
__global__ void copy_strided(float* out, const float* in, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i * stride] = in[i * stride];
}

struct Particle {
  float position[3], velocity[3], mass, charge;
};

__global__ void move_particles(Particle* p, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 3; ++k) p[i].position[k] += dt * p[i].velocity[k];
}

// Each thread reads a row of its own.
__global__ void sum_rows(float* out, const float* in, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < columns; ++c) sum += in[row * columns + c];
  out[row] = sum;
}

// Each thread reads a column of its own.
__global__ void sum_columns(float* out, const float* in, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += in[r * columns + column];
  out[column] = sum;
}
