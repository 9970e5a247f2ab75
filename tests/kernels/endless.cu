// A loop that nothing ends.
extern "C" __global__ void endless(int* flag) {
  while (true) atomicAdd(flag, 1);
}
