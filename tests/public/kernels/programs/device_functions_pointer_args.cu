// gpx: --entry eval --grid 1 --block 32 --buffer y=256B --buffer x=256B:uniform(0,1) --buffer coefficients=64B:uniform(0,1) --arg degree=4
template <class Real, class Index = int> struct Polynomial {
  const Real *c; Index n;
  __device__ Polynomial(const Real *coefficients, Index degree) : c{coefficients}, n(degree) {}
  __device__ Real operator()(Real x) const { Real v = 0; for (Index i = n; i-- > 0;) v = fma(v, x, c[i]); return v; }
  friend std::ostream &operator<<(std::ostream &o, const Polynomial &p) { for (int i = 0; i < p.n; ++i) o << p.c[i]; return o; }
  static Polynomial read(std::istream &in) { return Polynomial(nullptr, 0); }
};
__global__ void eval(double *y, const double *x, const double *coefficients, int degree) { y[threadIdx.x] = Polynomial<double>(coefficients, degree)(x[threadIdx.x]); }
