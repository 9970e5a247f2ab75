// gpx: --entry tick --grid 2 --block 32 --buffer out=64B:zero --arg n=4
#include <future>
#include <atomic>
#include <condition_variable>
#include <queue>
std::atomic<int> done{0}; std::condition_variable cv; static thread_local int tls = 3;
template <class T> class SafeQueue { std::queue<T> q; std::mutex m; public: void push(T v) { std::unique_lock<std::mutex> l(m); q.push(std::move(v)); } };
__global__ void tick(unsigned long long *out, int n) { for (int i = 0; i < n; ++i) if (threadIdx.x == 0) atomicAdd(out + blockIdx.x, 1ull); }
void CUDART_CB callback(cudaStream_t s, cudaError_t e, void *data) { ++done; cv.notify_all(); }
int main() { SafeQueue<int> q; q.push(3); cudaStreamAddCallback(0, callback, 0, 0); auto f = std::async([] { return 3; }); tick<<<2, 32>>>(0, 4); return f.get() + tls; }
