// gpx: --entry BlackScholesGPU --grid 1 --block 64 --buffer d_CallResult=512B --buffer d_PutResult=512B --buffer d_StockPrice=512B:uniform(5,30) --buffer d_OptionStrike=512B:uniform(1,100) --buffer d_OptionYears=512B:uniform(1,10) --arg Riskfree=0.02 --arg Volatility=0.3 --arg optN=128
__device__ inline float cndGPU(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, RSQRT2PI = 0.39894228040143267793994605993438f;
  float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
  float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * A2));
  return d > 0 ? 1.0f - cnd : cnd;
}
__device__ inline void BlackScholesBodyGPU(float &CallResult, float &PutResult, float S, float X, float T, float R, float V) {
  float sqrtT = __fdividef(1.0F, rsqrtf(T)), d1 = __fdividef(__logf(S / X) + (R + 0.5f * V * V) * T, V * sqrtT), d2 = d1 - V * sqrtT;
  float CNDD1 = cndGPU(d1), CNDD2 = cndGPU(d2), expRT = __expf(-R * T);
  CallResult = S * CNDD1 - X * expRT * CNDD2; PutResult = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}
__launch_bounds__(128) __global__ void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult, float2 *__restrict d_StockPrice, float2 *__restrict d_OptionStrike, float2 *__restrict d_OptionYears, float Riskfree, float Volatility, int optN) {
  const int opt = blockDim.x * blockIdx.x + threadIdx.x;
  if (opt < (optN / 2)) {
    float c1, c2, p1, p2;
    BlackScholesBodyGPU(c1, p1, d_StockPrice[opt].x, d_OptionStrike[opt].x, d_OptionYears[opt].x, Riskfree, Volatility);
    BlackScholesBodyGPU(c2, p2, d_StockPrice[opt].y, d_OptionStrike[opt].y, d_OptionYears[opt].y, Riskfree, Volatility);
    d_CallResult[opt] = make_float2(c1, c2); d_PutResult[opt] = make_float2(p1, p2);
  }
}
float RandFloat(float low, float high) { float t = (float)rand() / (float)RAND_MAX; return (1.0f - t) * low + t * high; }
extern "C" void BlackScholesCPU(float *h_CallResult, int n);
int main(int argc, char **argv) { StopWatchInterface *hTimer = NULL; findCudaDevice(argc, (const char **)argv); sdkCreateTimer(&hTimer); return 0; }
