// What moves the latency of bulk loads of 32 KB from L2 (cp.async.bulk) while a process runs, by
// hand: the same copies of the same 1 MB, before and after the whole GPU computes, reads 512 MB,
// rests. By one thread and by a warp that waits. No code of gpx.
//
// Output, CSV: seconds,after,thread,warp,least,most: clocks of one more copy (of 8 to 32), means of
// all SMs, and what `thread` moved by since the row before, of the SM that moved least and of the
// one that moved most. With an argument, too: `sms`, and each SM's clocks by one thread.
// Needs compute capability 9.0. Bounded: 10 s. Usage: bulk_state [all]
#include <chrono>
#include <thread>

#include "bulk_straight.h"

namespace {

__global__ void multiply(float* out) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < 1 << 20; ++i) {
    a = a * 1.0001f + 0.5f, b = b * 1.0001f + 0.5f;
    c = c * 1.0001f + 0.5f, d = d * 1.0001f + 0.5f;
  }
  if (a + b + c + d == 1.2345f) *out = a;
}

class State {
 public:
  explicit State(bool all) : all_(all) {}

  void print(const char* after) {
    const std::vector<double> now = of<false>(), by_warp = of<true>();
    double least = 0, most = 0;
    for (std::size_t sm = 0; sm < before_.size(); ++sm) {
      const double moved = now[sm] - before_[sm];
      least = sm == 0 ? moved : std::min(least, moved);
      most = sm == 0 ? moved : std::max(most, moved);
    }
    const auto since = std::chrono::steady_clock::now() - begin_;
    std::printf("%.2f,%s,%.1f,%.1f,%.1f,%.1f\n", std::chrono::duration<double>(since).count(),
                after, mean(now), mean(by_warp), least, most);
    if (all_) {
      std::printf("sms");
      for (double clocks : now) std::printf(",%.0f", clocks);
      std::printf("\n");
    }
    before_ = now;
  }

  void compute() {
    multiply<<<8 * sms_, 256>>>(reinterpret_cast<float*>(out_ + 4));
    CHECK(cudaDeviceSynchronize());
  }
  void read() {
    read_lines<<<1024, 256>>>(much_, kMuch / 128, reinterpret_cast<unsigned*>(out_ + 4));
    CHECK(cudaDeviceSynchronize());
  }
  void set() {
    CHECK(cudaMemset(much_, 1, kMuch));
    CHECK(cudaDeviceSynchronize());
  }

 private:
  static constexpr unsigned kBytes = 32768;
  static constexpr int kFew = 8, kMore = 32;
  static constexpr std::size_t kMuch = 512 << 20;

  template <bool by_warp>
  std::vector<double> of() {
    std::vector<double> all;
    for (int sm = 0; sm < sms_; ++sm) {
      const auto taken = [&](auto kernel) {
        return clocks(
            out_, [&] { kernel<<<2 * sms_, 32, kBytes>>>(out_, data_, sm); }, 3);
      };
      all.push_back((taken(straight<true, by_warp, kBytes, kMore>) -
                     taken(straight<true, by_warp, kBytes, kFew>)) /
                    (kMore - kFew));
    }
    return all;
  }

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool all_;
  int sms_ = count_of_sms();
  std::uint64_t* out_ = device<std::uint64_t>(8);
  unsigned char* data_ = device<unsigned char>(64 << 20);
  char* much_ = device<char>(kMuch);
  std::vector<double> before_;
};

}  // namespace

int main(int argc, char**) {
  std::printf("seconds,after,thread,warp,least,most\n");
  State state(argc > 1);
  for (int i = 0; i < 4; ++i) state.print("nothing");
  state.compute();
  for (int i = 0; i < 2; ++i) state.print("compute");
  for (int times = 0; times < 6; ++times) {
    state.read();
    for (int i = 0; i < 2; ++i) state.print("read");
  }
  std::this_thread::sleep_for(std::chrono::seconds(3));
  state.print("rest");
  state.set();
  state.print("set");
  state.read();
  state.print("read");
  return 0;
}
