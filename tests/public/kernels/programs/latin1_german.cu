// gpx: --entry k --grid 1 --block 32 --buffer o=128B --buffer s=32B:zero
// Größe des Feldes: überall gleich - nein, nur ä ö ü ß
#include <stdio.h>
/* Mehrzeilig: Ã¶
   Länge */
__constant__ char text[] = "größer";
__global__ void k(int *o, char *s) { o[threadIdx.x] = threadIdx.x; if (threadIdx.x < 7) s[threadIdx.x] = text[threadIdx.x]; }
int main() { printf("Größe: %d °C\n", 3); return 0; }
