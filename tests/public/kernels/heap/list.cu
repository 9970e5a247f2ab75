// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Node { int value; Node *next; };
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  Node *head = nullptr; for (int i = 0; i < 5; ++i) { Node *n = (Node *)malloc(sizeof(Node)); n->value = i * t; n->next = head; head = n; } int sum = 0; while (head) { Node *n = head; sum += n->value; head = n->next; free(n); }
  ok[t] = sum == 10 * t;
  if (!ok[t]) __trap();
}
