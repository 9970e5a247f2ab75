// Jobs on one machine, and errors that name the launch. Interface: worker.h.
// Covered by tests/vgpu/virtual_test.cpp.
#include "runtime/vgpu/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace gpx::vgpu {
namespace {

void fill(std::uint64_t offset, std::uint64_t bytes, std::uint8_t* out) {
  for (std::uint64_t at = 0; at < bytes; at += 4) {
    const std::uint32_t word = codegen::initial_word((offset + at) / 4);
    std::memcpy(out + at, &word, std::min<std::uint64_t>(4, bytes - at));
  }
}

std::string describe(const codegen::Launch& launch, const LoadedProgram& program) {
  return fmt::format("kernel '{}', {} block{} of {} thread{}", program.kernels[launch.kernel].name,
                     launch.blocks, launch.blocks == 1 ? "" : "s", launch.threads,
                     launch.threads == 1 ? "" : "s");
}

Error error_of(const exec::Trap& trap, const codegen::Launch& launch,
               const LoadedProgram& program) {
  Error error{Fault::device, {}};
  Diagnostic diagnostic;
  diagnostic.message = fmt::format("{}: {}", describe(launch, program), trap.message);
  const LoadedKernel& kernel = program.kernels[launch.kernel];
  if (trap.line > 0) {
    std::size_t begin = 0;
    for (int line = 1; line < trap.line && begin < kernel.text.size(); ++line)
      begin = std::min(kernel.text.find('\n', begin), kernel.text.size() - 1) + 1;
    const std::size_t end = std::min(kernel.text.find('\n', begin), kernel.text.size());
    diagnostic.location =
        Source(kernel.name + ".ptx", kernel.text)
            .locate({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  }
  error.diagnostics.push_back(std::move(diagnostic));
  return error;
}

}  // namespace

Result<void> check_launch(const codegen::Launch& launch, const LoadedProgram& program,
                          const timing::Description& device) {
  if (launch.kernel >= program.kernels.size())
    return fail(Fault::device, fmt::format("there is no kernel {}", launch.kernel));
  const ptx::Function& entry = *program.kernels[launch.kernel].entry;
  const std::string what = describe(launch, program);
  if (launch.blocks == 0 || launch.threads == 0)
    return fail(Fault::device, what + ": an empty grid cannot be launched");
  if (launch.threads > device.sm.max_threads_per_block)
    return fail(Fault::device, fmt::format("{}: '{}' has {} threads a block at most", what,
                                           device.name, device.sm.max_threads_per_block));
  if (entry.shared_bytes > device.sm.shared_bytes)
    return fail(Fault::device,
                fmt::format("{}: needs {} B of shared memory, an SM of '{}' has {} B", what,
                            entry.shared_bytes, device.name, device.sm.shared_bytes));
  const std::size_t given = 1 + program.buffers.size() + launch.scalars.size();
  if (entry.parameters.size() != given)
    return fail(Fault::device, fmt::format("{}: {} parameters for a kernel that takes {}", what,
                                           given, entry.parameters.size()));
  return {};
}

Worker::Worker(const timing::Description& device, const LoadedProgram& program)
    : device_(device), program_(program), machine_(device) {
  result_address_ = memory_.allocate(std::max<std::uint64_t>(8, 8 * program.results.size()), fill);
  std::vector<timing::Upload> uploads;
  for (const codegen::Buffer& buffer : program.buffers) {
    buffer_addresses_.push_back(memory_.allocate(buffer.bytes, fill));
    uploads.push_back({buffer_addresses_.back(), buffer.bytes});
  }
  machine_.set_uploads(uploads);
}

std::vector<std::uint8_t> Worker::parameters(const codegen::Launch& launch,
                                             const ptx::Function& entry) const {
  std::vector<std::uint64_t> values = {result_address_};
  values.insert(values.end(), buffer_addresses_.begin(), buffer_addresses_.end());
  values.insert(values.end(), launch.scalars.begin(), launch.scalars.end());
  const ptx::Variable& last = entry.parameters.back();
  std::vector<std::uint8_t> block(last.address + last.bytes);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(block.data() + entry.parameters[i].address, &values[i],
                std::min<std::size_t>(8, entry.parameters[i].bytes));
  return block;
}

Result<JobResult> Worker::run(const Job& job, const std::atomic<bool>& stop) {
  const codegen::Launch& launch_of = *job.launch;
  const LoadedKernel& kernel = program_.kernels[launch_of.kernel];
  for (std::size_t i = 0; i < program_.buffers.size(); ++i)
    if (program_.buffers[i].written) memory_.reset(buffer_addresses_[i]);
  machine_.start_job(job.seed);
  JobResult result;
  for (std::uint32_t i = 0; i < launch_of.warmup + job.repetitions; ++i) {
    const bool timed = i >= launch_of.warmup;
    if (timed && launch_of.flush) machine_.flush(launch_of.flush_bytes);
    auto repetition = launch(job, kernel, stop);
    if (!repetition) return tl::unexpected(repetition.error());
    if (timed) result.repetitions.push_back(std::move(*repetition));
  }
  return result;
}

Result<Repetition> Worker::launch(const Job& job, const LoadedKernel& kernel,
                                  const std::atomic<bool>& stop) {
  const codegen::Launch& launch = *job.launch;
  for (std::size_t i = 0; i < program_.results.size(); ++i)
    memory_.write(result_address_ + 8 * i, &program_.results[i].initial, 8);
  exec::Grid grid;
  grid.blocks = {launch.blocks, 1, 1};
  grid.threads = {launch.threads, 1, 1};
  exec::Executor executor(kernel.module, *kernel.entry, grid, parameters(launch, *kernel.entry),
                          memory_);
  const auto clocks =
      machine_.launch(executor, *kernel.costs, grid, executor.shared_bytes(), &stop);
  if (!clocks) return tl::unexpected(error_of(clocks.error(), launch, program_));
  Repetition repetition;
  repetition.seconds = static_cast<double>(*clocks) / device_.clock_hz;
  repetition.results.resize(program_.results.size());
  for (std::size_t i = 0; i < program_.results.size(); ++i)
    memory_.read(result_address_ + 8 * i, &repetition.results[i], 8);
  return repetition;
}

}  // namespace gpx::vgpu
