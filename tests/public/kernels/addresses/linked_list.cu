// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Node { int value; const Node *next; };
__device__ const Node third = {30, nullptr};
__device__ const Node second = {20, &third};
__device__ const Node first = {10, &second};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int sum = 0; for (const Node *n = &first; n; n = n->next) sum += n->value;
  ok[t] = sum == 60;
  if (!ok[t]) __trap();
}
