// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Row { char tag; int *where; short size; const char *name; };
__device__ int cells[8] = {0, 10, 20, 30, 40, 50, 60, 70};
__device__ Row rows[2] = {{'a', cells + 2, 3, "first"}, {'b', &cells[7], 1, "second"}};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const Row &r = rows[t & 1];
  ok[t] = r.tag == 'a' + (t & 1) && *r.where == (t & 1 ? 70 : 20) && r.name[0] == (t & 1 ? 's' : 'f') && r.size == (t & 1 ? 1 : 3);
  if (!ok[t]) __trap();
}
