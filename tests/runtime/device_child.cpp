// A process for the tests of isolation: a server of a virtual or a scripted device, and processes
// that are none. What it is to do is its first argument.
#include "tests/runtime/device_child.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "codegen/toolchain/nvrtc_toolchain.h"
#include "runtime/device/isolated/child_process.h"
#include "runtime/device/isolated/server.h"
#include "runtime/device/vgpu/virtual_gpu.h"

using namespace gpx;

namespace {

[[noreturn]] void sleep_forever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void write_garbage() {
  const std::string text(64, '!');
  (void)!::write(STDIN_FILENO, text.data(), text.size());
}

/// Does what the number of threads of a launch says.
class Scripted : public Backend {
 public:
  const DeviceInfo& info() const override { return info_; }
  const codegen::Toolchain& toolchain() const override { return toolchain_; }
  Result<void> load(const codegen::Program& program, std::span<const codegen::Artifact>) override {
    if (program.kernels.empty()) return fail(Fault::device, "no kernels", "bring some");
    return {};
  }
  Result<std::vector<JobResult>> run(std::span<const Job> jobs, const std::atomic<bool>&) override {
    const codegen::Launch& launch = *jobs.front().launch;
    switch (launch.threads) {
      case child::kHangs: sleep_forever();
      case child::kCrashes: std::abort();
      case child::kFails: return fail(Fault::device, "an illegal address");
      case child::kGarbage: write_garbage(); sleep_forever();
      case child::kRefused: return std::vector<JobResult>{{{{Outcome::launch_failure, {}, 0}}}};
      default:
        // Whether it is the same process, how often it was launched, and how.
        return std::vector<JobResult>{
            {{{Outcome::completed,
               {static_cast<std::uint64_t>(::getpid()), ++launches_, jobs.front().repetitions,
                launch.warmup, launch.scalars.empty() ? 0 : launch.scalars.front()},
               0.5}}}};
    }
  }

 private:
  DeviceInfo info_;
  codegen::NvrtcToolchain toolchain_{{}};
  std::uint64_t launches_ = 0;
};

/// Starts a server that never gets ready, says its process number and never ends.
int nest(const std::string& self) {
  auto inner = ChildProcess::start({self, "hang"});
  if (!inner) return 1;
  protocol::Channel channel(STDIN_FILENO);
  channel.send(protocol::error(make_error(Fault::device, std::to_string((*inner)->process()))));
  sleep_forever();
}

}  // namespace

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "vgpu") return serve_device([&] { return vgpu::open(argv[2], 1); });
  if (what == "scripted") {
    return serve_device(
        []() -> Result<std::unique_ptr<Backend>> { return std::make_unique<Scripted>(); });
  }
  if (what == "missing") {
    return serve_device(
        []() -> Result<std::unique_ptr<Backend>> { return fail(Fault::device, "no such GPU"); });
  }
  if (what == "hang") {
    return serve_device([]() -> Result<std::unique_ptr<Backend>> { sleep_forever(); });
  }
  if (what == "nest") return nest(argv[0]);
  if (what == "garbage") write_garbage();
  if (what == "garbage") sleep_forever();
  return 7;
}
