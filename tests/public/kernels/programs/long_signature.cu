// gpx: --entry srad --grid 2 --block 64 --arg d_Ne=64 --arg d_Nr=8 --arg d_Nc=8 --buffer d_iN=32B:zero --buffer d_I=512B:uniform(1,2) --buffer d_c=512B --arg d_lambda=0.5 --arg d_q0sqr=0.1
#define fp float
__global__ void srad(fp d_lambda,
                     int d_Nr,  // rows
                     int d_Nc,  /* columns */
                     long d_Ne,
                     int *d_iN, fp d_q0sqr,
                     fp *d_c, fp *d_I) {
  int ei = blockIdx.x * 64 + threadIdx.x;
  int row = (ei + 1) % d_Nr - 1, col = (ei + 1) / d_Nr + 1 - 1;
  if ((ei + 1) % d_Nr == 0) { row = d_Nr - 1; col = col - 1; }
  if (ei < d_Ne) { fp J = d_I[ei]; fp g = (d_I[d_iN[row]] - J) / J; fp v = 1.0 / (1.0 + (g * g - d_q0sqr) / (d_q0sqr * (1 + d_q0sqr))); d_c[ei] = v < 0 ? 0 : v > 1 ? 1 : v * d_lambda; }
}
