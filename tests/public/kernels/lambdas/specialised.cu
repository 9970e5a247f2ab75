// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
template <typename T> struct Name { static constexpr int id = 0; };
template <> struct Name<float> { static constexpr int id = 1; };
template <typename T> struct Name<T *> { static constexpr int id = 2 + Name<T>::id; };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
 
  ok[t] = Name<int>::id == 0 && Name<float>::id == 1 && Name<float *>::id == 3;
  if (!ok[t]) __trap();
}
