// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Item { int a[5]; double d; };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Item one; for (int i = 0; i < 5; ++i) one.a[i] = i * t; one.d = t; Item *p = (Item *)malloc(sizeof(Item)); memcpy(p, &one, sizeof(Item)); const bool r = p->a[4] == 4 * t && p->d == t; free(p);
  ok[t] = r;
  if (!ok[t]) __trap();
}
