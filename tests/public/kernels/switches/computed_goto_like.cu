// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  int pc = 0, acc = t; const unsigned char code[6] = {0, 1, 0, 2, 1, 3}; for (bool run = true; run;) switch (code[pc++]) { case 0: acc += 2; break; case 1: acc *= 3; break; case 2: acc -= 1; break; default: run = false; }
  ok[t] = acc == (((t + 2) * 3 + 2) - 1) * 3;
  if (!ok[t]) __trap();
}
