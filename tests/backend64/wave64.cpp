// Interface: wave64.h.
#include "tests/backend64/wave64.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/compile/cache.h"
#include "tests/backend64/interpreter.h"

namespace gpx::wave64 {
namespace {

constexpr const char* kName = "wave64";

/// There is nothing to compile: a kernel is executed as it is, and so it is what it says.
class Interpreter final : public codegen::Toolchain {
 public:
  std::string name() const override { return "wave64's interpreter"; }

  Result<std::vector<codegen::Artifact>> compile(std::span<const codegen::Kernel> kernels,
                                                 const Source&,
                                                 std::vector<std::string>*) const override {
    std::vector<codegen::Artifact> artifacts;
    for (const codegen::Kernel& kernel : kernels) {
      codegen::Artifact& artifact = artifacts.emplace_back();
      artifact.entry = kernel.name;
      artifact.hash = codegen::content_hash({kName, codegen::to_string(kernel)});
    }
    return artifacts;
  }

  codegen::RegionReport prove(const codegen::Kernel& kernel,
                              const codegen::Artifact&) const override {
    using Verdict = codegen::RegionReport::Verdict;
    const std::string text = codegen::to_string(kernel);
    const std::string missing = not_executed(kernel);
    const std::size_t timed = text.find("  timed {");
    return {missing.empty() ? Verdict::verified : Verdict::refused,
            missing.empty() ? "the kernel IR itself is executed" : "it cannot execute " + missing,
            text.substr(std::min(timed, text.size())), "IR"};
  }
};

DeviceInfo made_info() {
  DeviceInfo info;
  info.name = info.kind = kName;
  info.architecture = "w64";
  info.code = "IR";
  info.sm_count = 4;
  info.warp_size = kLanes;
  info.max_threads_per_block = info.max_threads_per_sm = 1024;
  info.memory_bytes = 1 << 28;
  info.clock_hz = 1e9;
  return info;
}

class Wave64 final : public Backend {
 public:
  const DeviceInfo& info() const override { return info_; }
  const codegen::Toolchain& toolchain() const override { return toolchain_; }
  Telemetry telemetry() const override {
    Telemetry state;
    state.temperature_c = 21;
    return state;
  }

  Result<void> load(const codegen::Program& program, std::span<const codegen::Artifact>) override {
    if (program.user) return fail(Fault::input, "wave64 runs generated kernels alone");
    program_ = program;
    memory_ = memory_of(program);
    return {};
  }

  Result<std::vector<JobResult>> run(std::span<const Job> jobs,
                                     const std::atomic<bool>& stop) override {
    std::vector<JobResult> results;
    for (const Job& job : jobs) {
      if (stop) break;
      results.push_back(run_job(job));
    }
    return results;
  }

 private:
  /// Each block has an SM of its own. The latency has a clock or two of noise.
  JobResult run_job(const Job& job) const {
    BlockRun all;
    for (std::uint32_t block = 0; block < job.launch->blocks; ++block) {
      const BlockRun one = run_block(program_, *job.launch, block, memory_);
      all.checksum += one.checksum;
      all.clocks = std::max(all.clocks, one.clocks);
    }
    JobResult result;
    for (std::uint32_t r = 0; r < job.repetitions; ++r) {
      const double noise = codegen::initial_word(job.seed + r) % 3;
      Repetition& repetition = result.repetitions.emplace_back();
      repetition.seconds = all.clocks / info_.clock_hz;
      for (const codegen::ResultSlot& slot : program_.results)
        repetition.results.push_back(slot.role == codegen::ResultSlot::Role::sample
                                         ? static_cast<std::uint64_t>(all.clocks + noise)
                                     : slot.role == codegen::ResultSlot::Role::checksum
                                         ? all.checksum
                                         : slot.initial);
    }
    return result;
  }

  DeviceInfo info_ = made_info();
  Interpreter toolchain_;
  codegen::Program program_;
  Memory memory_;
};

std::vector<std::string> names(const Paths&) {
  return {kName};
}
std::vector<std::string> list(const Paths& paths, std::string*) {
  return names(paths);
}
std::optional<Result<std::string>> resolve(const std::string& name, const Paths&) {
  return name == kName ? std::optional<Result<std::string>>(name) : std::nullopt;
}
Result<DeviceInfo> describe(const std::string&) {
  return made_info();
}
Result<std::unique_ptr<Backend>> open(const std::string&) {
  return std::make_unique<Wave64>();
}

}  // namespace

const BackendKind& kind() {
  static constexpr BackendKind row{kName, false, "", names, list, resolve, describe, open, nullptr};
  return row;
}

}  // namespace gpx::wave64
