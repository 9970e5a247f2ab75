// Two mistakes, for the compiler to find.
__global__ void broken(float* a) {
  a[threadIdx.x] = undefined_name;
  int n = "text";
}
