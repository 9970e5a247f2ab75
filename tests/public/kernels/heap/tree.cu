// gpx: --entry k --grid 1 --block 32 --buffer ok=128B:zero expect ok==1
struct Tree { int key; Tree *left, *right; };
__device__ __noinline__ void insert(Tree *&root, int key) { Tree **at = &root; while (*at) at = key < (*at)->key ? &(*at)->left : &(*at)->right; *at = new Tree{key, nullptr, nullptr}; }
__device__ __noinline__ int total(Tree *n) { if (!n) return 0; const int r = n->key + total(n->left) + total(n->right); delete n; return r; }
extern "C" __global__ void k(int *ok) {
  const int t = threadIdx.x;
  if (t < 4) { Tree *root = nullptr; for (int i = 0; i < 6; ++i) insert(root, (i * 7 + t) % 11); int e = 0; for (int i = 0; i < 6; ++i) e += (i * 7 + t) % 11; const int s = total(root);
  ok[t] = s == e;
  if (!ok[t]) __trap();
} else {
  ok[t] = 1;
  if (!ok[t]) __trap();
} }
