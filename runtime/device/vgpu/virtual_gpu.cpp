// The virtual GPU as a Backend: device file, loaded program, jobs spread over workers.
// Interface: virtual_gpu.h. Covered by tests/vgpu/virtual_test.cpp.
#include "runtime/device/vgpu/virtual_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

#include "codegen/compile/compiler.h"
#include "codegen/files/files.h"
#include "codegen/toolchain/clang_toolchain.h"
#include "codegen/toolchain/nvrtc_toolchain.h"
#include "lang/float_environment.h"
#include "lang/stop.h"
#include "lang/try.h"
#include "runtime/device/vgpu/description/base_file.h"
#include "runtime/device/vgpu/description/model_parts.h"
#include "runtime/device/vgpu/description/model_values.h"
#include "runtime/device/vgpu/listeners/recorder.h"
#include "runtime/device/vgpu/worker.h"

namespace gpx::vgpu {
namespace {

Result<std::string> read_description(const std::string& path) {
  auto text = read_file_at(path, timing::kMostFileBytes);
  if (!text)
    return fail(Fault::input,
                fmt::format("cannot read the device file '{}': {}", path, text.error().reason));
  return std::move(*text);
}

/// Bytes a second that are read from DRAM or written to it, one departure after another, whichever
/// are more; 0: no limit.
double memory_bandwidth(const timing::Description& device) {
  double departure = device.dram.departure;
  if (device.dram.write_departure > 0) departure = std::min(departure, device.dram.write_departure);
  if (departure <= 0) return 0;
  std::uint64_t bytes = device.coalescer_line;
  if (device.l2) bytes = device.l2->sector > 0 ? device.l2->sector : device.l2->line;
  return static_cast<double>(bytes) / departure * device.clock_hz;
}

DeviceInfo info_of(const timing::Description& device) {
  DeviceInfo info;
  info.name = device.name;
  info.kind = kind().name;
  info.measured = false;
  info.code = "PTX";
  const std::size_t dot = device.compute_capability.find('.');
  info.sm_major = std::atoi(device.compute_capability.c_str());
  info.sm_minor = std::atoi(device.compute_capability.c_str() + dot + 1);
  info.architecture = fmt::format("sm_{}{}", info.sm_major, info.sm_minor);
  info.sm_count = device.sm.count;
  info.warp_size = exec::kWarpSize;
  info.max_threads_per_block = device.sm.max_threads_per_block;
  info.max_threads_per_sm = device.sm.warp_slots * exec::kWarpSize;
  info.max_blocks_per_sm = device.sm.block_slots;
  info.registers_per_sm = device.registers ? device.registers->per_sm : 0;
  info.shared_per_sm = device.sm.shared_bytes;
  info.memory_bytes = device.memory_bytes;
  info.memory_bandwidth = memory_bandwidth(device);
  info.reserved_shared_per_block = device.sm.shared_reserved;
  const std::uint64_t shared = timing::most_shared(device);
  info.shared_per_block = shared - std::min(shared, device.sm.shared_reserved);
  info.shared_split = device.shared.splits.empty() ? 0 : shared;
  info.bank_widths = device.shared.modes;
  if (info.bank_widths.empty()) info.bank_widths = {static_cast<std::uint32_t>(device.shared.word)};
  if (device.instruction)
    info.instruction_bytes = static_cast<std::uint32_t>(device.instruction->bytes);
  if (device.l2) info.l2_bytes = device.l2->capacity;
  info.cluster_launch = device.cluster.has_value();
  info.clock_hz = device.clock_hz;
  return info;
}

/// Kernels are compiled for what the device is, but for no less than compilers still know.
constexpr int kLeast = 75;
int target_of(const DeviceInfo& info) {
  return std::max(kLeast, 10 * info.sm_major + info.sm_minor);
}

/// The target that "sm_90a" names; nullopt: none.
std::optional<codegen::Target> target_named(std::string_view name) {
  codegen::Target target{codegen::Target::Form::cubin, 0};
  if (!name.starts_with("sm_")) return std::nullopt;
  name.remove_prefix(3);
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), target.sm);
  const std::string_view rest(end, static_cast<std::size_t>(name.data() + name.size() - end));
  target.specific = rest == "a";
  if (error != std::errc() || target.sm < kLeast || (!rest.empty() && !target.specific))
    return std::nullopt;
  return target;
}

/// PTX in place of the machine code that the device's costs are of.
class PtxInstead final : public codegen::Toolchain {
 public:
  PtxInstead(std::unique_ptr<codegen::Toolchain> ptx, std::string note)
      : ptx_(std::move(ptx)), note_(std::move(note)) {}

  std::string name() const override { return ptx_->name(); }
  Result<std::vector<codegen::Artifact>> compile(
      std::span<const codegen::Kernel> kernels, const Source& source,
      std::vector<std::string>* warnings) const override {
    if (warnings) warnings->push_back(note_);
    return ptx_->compile(kernels, source, warnings);
  }
  codegen::RegionReport prove(const codegen::Kernel& kernel,
                              const codegen::Artifact& artifact) const override {
    return ptx_->prove(kernel, artifact);
  }
  Result<codegen::CompiledFile> compile_file(const Source& file,
                                             const codegen::FileOptions& options,
                                             std::vector<std::string>* warnings) const override {
    if (warnings) warnings->push_back(note_);
    return ptx_->compile_file(file, options, warnings);
  }
  std::string registers_origin(bool given) const override { return ptx_->registers_origin(given); }

 private:
  std::unique_ptr<codegen::Toolchain> ptx_;
  std::string note_;
};

/// The target whose machine code the device executes: NVRTC makes it, or it is made already.
std::optional<codegen::Target> code_of(const timing::Description& device, CodeFrom from) {
  auto target = target_named(device.machine_code);
  if (!target || (from != CodeFrom::cubins && !codegen::find_nvrtc_compiler())) return std::nullopt;
  target->lacks = timing::lacking_units(device);
  return target;
}

std::unique_ptr<codegen::Toolchain> toolchain_of(const timing::Description& device,
                                                 const DeviceInfo& info, CodeFrom from) {
  if (const auto target = code_of(device, from))
    return std::make_unique<codegen::NvrtcToolchain>(*target);
  auto ptx = codegen::ptx_toolchain(target_of(info), timing::lacking_units(device));
  if (!target_named(device.machine_code)) return ptx;
  return std::make_unique<PtxInstead>(
      std::move(ptx), fmt::format("'{}' executes PTX, since NVRTC is not here: its times are of "
                                  "machine code, those of PTX differ",
                                  device.name));
}

class VirtualGpu : public Backend {
 public:
  /// `tenant`: of the same device, where another instance has one.
  VirtualGpu(std::string definition, timing::Description device, unsigned workers,
             std::shared_ptr<timing::Tenant> tenant = nullptr, CodeFrom from = CodeFrom::source)
      : definition_(std::move(definition)),
        device_(std::move(device)),
        info_(info_of(device_)),
        toolchain_(toolchain_of(device_, info_, from)),
        worker_count_(workers != 0 ? workers : std::max(1u, std::thread::hardware_concurrency())),
        tenant_(std::move(tenant)) {
    if (code_of(device_, from)) info_.code = "SASS";
    if (!device_.tenant) return;
    worker_count_ = 1;  // another process's time goes on from job to job
    if (!tenant_) tenant_ = std::make_shared<timing::Tenant>(*device_.tenant, device_.clock_hz);
  }

  const DeviceInfo& info() const override { return info_; }
  const codegen::Toolchain& toolchain() const override { return *toolchain_; }
  std::string definition() const override { return definition_; }
  std::vector<ModelPart> model_parts() const override { return timing::model_parts(device_); }
  std::vector<ModelValue> model_values() const override { return timing::model_values(device_); }

  Telemetry telemetry() const override;
  std::unique_ptr<Backend> beside() const override {
    return tenant_ ? std::make_unique<VirtualGpu>(definition_, device_, 1, tenant_) : nullptr;
  }
  double now() const override { return tenant_ ? tenant_->seconds() : Backend::now(); }
  void rest(double seconds) override { tenant_ ? tenant_->rest(seconds) : Backend::rest(seconds); }
  std::uint64_t free_memory() const override {
    return device_.memory_bytes - (device_.tenant ? device_.tenant->memory : 0);
  }

  Result<void> load(const codegen::Program& program,
                    std::span<const codegen::Artifact> artifacts) override;
  Result<std::vector<JobResult>> run(std::span<const Job> jobs,
                                     const std::atomic<bool>& stop) override;
  Result<std::uint32_t> resident_blocks(const codegen::Launch& launch) override;
  Result<void> record(const std::string& what) override;
  std::string recorded(const std::string& what) override;

 private:
  void dismiss_workers();
  void work(Worker& worker, std::span<const Job> jobs, const std::atomic<bool>& stop);

  std::string definition_;
  timing::Description device_;
  DeviceInfo info_;
  std::unique_ptr<codegen::Toolchain> toolchain_;
  unsigned worker_count_;
  std::shared_ptr<timing::Tenant> tenant_;  // nullptr: nobody else uses the device
  std::unique_ptr<LoadedProgram> program_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<timing::Machine>> machines_;  // that no worker has
  Recorder recorder_;

  // Of the run under way.
  std::atomic<std::size_t> next_job_ = 0;
  std::vector<std::optional<Result<JobResult>>> done_;
};

Telemetry VirtualGpu::telemetry() const {
  Telemetry state;
  if (!device_.tenant || !device_.tenant->listed) return state;
  state.other_processes = 1;
  state.utilization = static_cast<unsigned>(100 * device_.tenant->duty);
  return state;
}

Result<void> VirtualGpu::load(const codegen::Program& program,
                              std::span<const codegen::Artifact> artifacts) {
  auto loaded = GPX_TRY(load_program(program, artifacts, device_, free_memory()));
  dismiss_workers();  // they refer to the program that is replaced
  program_ = std::move(loaded);
  return {};
}

Result<std::uint32_t> VirtualGpu::resident_blocks(const codegen::Launch& launch) {
  if (!program_ || launch.kernel >= program_->kernels.size())
    return fail(Fault::device, "no such kernel is loaded");
  const LoadedKernel& kernel = program_->kernels[launch.kernel];
  return static_cast<std::uint32_t>(resident_blocks_of(launch, kernel, device_));
}

Result<void> VirtualGpu::record(const std::string& what) {
  dismiss_workers();  // they were made to tell nobody
  return recorder_.record(what);
}

std::string VirtualGpu::recorded(const std::string& what) {
  dismiss_workers();
  return recorder_.take(what);
}

// Machines stay: where an analysis asks a thousand questions, each a program, making their caches
// takes a third of the time.
void VirtualGpu::dismiss_workers() {
  for (const auto& worker : workers_)
    if (auto machine = worker->leave_machine()) machines_.push_back(std::move(machine));
  workers_.clear();
}

// Jobs are taken in order, so that what is complete when `stop` is raised has no gaps.
void VirtualGpu::work(Worker& worker, std::span<const Job> jobs, const std::atomic<bool>& stop) {
  const StopScope scope(&stop);
  while (!stop) {
    const std::size_t index = next_job_++;
    if (index >= jobs.size()) return;
    auto result = worker.run(jobs[index], stop);
    if (!result) next_job_ = jobs.size();
    if (!result && stop) return;  // cut off, not failed
    done_[index] = std::move(result);
  }
}

Result<std::vector<JobResult>> VirtualGpu::run(std::span<const Job> jobs,
                                               const std::atomic<bool>& stop) {
  if (!program_) return fail(Fault::device, "no program is loaded");
  for (const Job& job : jobs) GPX_TRY(check_launch(*job.launch, *program_, device_));
  // What is recorded is in the order of the jobs.
  const std::size_t count =
      recorder_.listener() ? 1 : std::min<std::size_t>(worker_count_, jobs.size());
  while (workers_.size() < count) {
    std::unique_ptr<timing::Machine> machine;
    if (!machines_.empty()) machine = std::move(machines_.back()), machines_.pop_back();
    workers_.push_back(std::make_unique<Worker>(device_, *program_, recorder_.listener(),
                                                std::move(machine), tenant_.get()));
  }
  next_job_ = 0;
  done_.assign(jobs.size(), std::nullopt);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < count; ++i)
      threads.emplace_back([&, i] {
        const FloatEnvironment plain_numbers;
        work(*workers_[i], jobs, stop);
      });
    if (count != 0) work(*workers_[0], jobs, stop);
  }
  std::vector<JobResult> results;
  for (auto& job : done_) {
    if (!job) break;
    if (!*job) return tl::unexpected(job->error());
    results.push_back(std::move(**job));
  }
  return results;
}

}  // namespace

Result<std::unique_ptr<Backend>> open(const std::string& path, unsigned workers) {
  auto text = GPX_TRY(read_description(path));
  auto device = GPX_TRY(timing::parse_description_file(path, text));
  return std::make_unique<VirtualGpu>(timing::with_base(text, device.base_text), std::move(device),
                                      workers);
}

Result<std::unique_ptr<Backend>> open_machine_code(const std::string& path, CodeFrom from) {
  auto text = GPX_TRY(read_description(path));
  auto device = GPX_TRY(timing::parse_description_file(path, text));
  device.machine_code = machine_code_of(device);
  const bool made = from == CodeFrom::cubins || codegen::find_nvrtc_compiler();
  if (device.machine_code.empty() || !made) return nullptr;
  return std::make_unique<VirtualGpu>(timing::with_base(text, device.base_text), std::move(device),
                                      0, nullptr, from);
}

}  // namespace gpx::vgpu
