// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Body { double mass; float x[3]; char name; };
__constant__ Body bodies[2] = {{1.5, {1, 2, 3}, 'a'}, {2.5, {4, 5, 6}, 'b'}};
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  const Body &b = bodies[t & 1];
  ok[t] = b.mass == 1.5 + (t & 1) && b.x[2] == 3 + 3 * (t & 1) && b.name == 'a' + (t & 1);
  if (!ok[t]) __trap();
}
