// Interface: loaded_program.h. Covered by tests/vgpu/virtual_test.cpp.
#include "runtime/device/vgpu/loaded_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "lang/try.h"
#include "runtime/device/vgpu/exec/decode.h"
#include "runtime/device/vgpu/exec/sass/machine_code.h"

namespace gpx::vgpu {
namespace {

/// Lowering refuses at the line; a program may come from a text, too.
Result<void> check_place(const codegen::Buffer& buffer) {
  if (buffer.place != codegen::Buffer::Place::peer) return {};
  return fail(Fault::input, fmt::format("'{}' lies in the memory of a peer: a virtual GPU has none",
                                        buffer.name));
}

/// A kernel that uses the constant array must have room for all of it.
Result<void> check_constant(const codegen::Buffer& buffer, const LoadedProgram& program) {
  if (buffer.place != codegen::Buffer::Place::constant) return {};
  for (const LoadedKernel& kernel : program.kernels) {
    const ptx::Variable* array = constant_array(kernel.module, buffer.name);
    if (array && array->bytes < buffer.bytes)
      return fail(Fault::device,
                  fmt::format("kernel '{}': the constant array '{}' has {} B, the buffer {} B",
                              kernel.name, buffer.name, array->bytes, buffer.bytes));
  }
  return {};
}

/// What a kernel from a file needs, too, in all that it can come to: an operation's unit has been
/// checked at its line.
Result<void> check_units(const LoadedKernel& kernel, const timing::Description& device) {
  const std::vector<std::string_view> lacks = timing::lacking_units(device);
  for (const exec::Frame& frame : exec::program_of(kernel.module, *kernel.entry)->frames)
    for (const ptx::Instruction& instruction : frame.function->instructions)
      if (const auto unit = timing::name_of(instruction.unit); std::ranges::count(lacks, unit) > 0)
        return fail(
            Fault::input,
            fmt::format("kernel '{}': {} in line {} of its PTX needs the unit {}, which {} "
                        "does not have",
                        kernel.name, instruction.name, instruction.line, unit, device.name));
  return {};
}

Result<LoadedKernel> load_kernel(const codegen::Artifact& artifact,
                                 const timing::Description& device) {
  auto module = ptx::parse_entry(artifact.entry, artifact.ptx);
  if (!module) {
    Error error = module.error();
    error.fault = Fault::device;  // what a user wrote has been compiled: this PTX is ours
    return tl::unexpected(std::move(error));
  }
  LoadedKernel kernel;
  kernel.name = artifact.entry;
  kernel.text = artifact.ptx;
  kernel.module = std::move(*module);
  if (!artifact.cubin.empty() && !device.machine_code.empty()) {
    auto code = GPX_TRY(exec::read_machine_code(artifact.cubin, kernel.module, artifact.entry));
    kernel.machine_code = true;
    kernel.text = std::move(code.text);
    kernel.module = std::move(code.module);
  }
  kernel.entry = kernel.module.find(artifact.entry);
  GPX_TRY(check_units(kernel, device));
  kernel.registers = std::max(kernel.entry->bounds.registers, artifact.registers);
  kernel.costs = std::make_unique<timing::ModuleCosts>(kernel.module, *kernel.entry, device);
  return kernel;
}

}  // namespace

// Code for one GPU alone has an a behind its target, from Hopper on.
std::string machine_code_of(const timing::Description& device) {
  constexpr int kHopper = 90;
  if (!device.machine_code.empty()) return device.machine_code;
  std::string digits = device.compute_capability;
  std::erase(digits, '.');
  const bool known = device.ops.contains("sass.alu") && std::atoi(digits.c_str()) >= kHopper;
  return known ? "sm_" + digits + "a" : "";
}

const ptx::Variable* constant_array(const ptx::Module& module, const std::string& name) {
  for (const ptx::Variable& v : module.variables)
    if (v.space == ptx::Space::constant && v.name == name) return &v;
  return nullptr;
}

Result<std::unique_ptr<LoadedProgram>> load_program(const codegen::Program& program,
                                                    std::span<const codegen::Artifact> artifacts,
                                                    const timing::Description& device,
                                                    std::uint64_t free_memory) {
  auto loaded = std::make_unique<LoadedProgram>();
  if (artifacts.size() != program.kernels.size())
    return fail(Fault::device, fmt::format("{} artifacts for {} kernels", artifacts.size(),
                                           program.kernels.size()));
  for (const codegen::Artifact& artifact : artifacts) {
    auto kernel = GPX_TRY(load_kernel(artifact, device));
    loaded->kernels.push_back(std::move(kernel));
  }
  for (const codegen::Buffer& buffer : program.buffers) {
    GPX_TRY(check_place(buffer));
    GPX_TRY(check_constant(buffer, *loaded));
  }
  std::uint64_t bytes = 0;
  for (const codegen::Buffer& buffer : program.buffers) {
    bytes += buffer.bytes;
    if (buffer.bytes > free_memory || bytes > free_memory)
      return fail(Fault::device,
                  fmt::format("out of memory: buffer '{}' of {} B does not fit into the {} B of "
                              "'{}'{}",
                              buffer.name, buffer.bytes, free_memory, device.name,
                              device.tenant && device.tenant->memory > 0
                                  ? " that another process leaves free"
                                  : ""));
  }
  loaded->buffers = program.buffers;
  loaded->results = program.results;
  loaded->record_columns = program.records.columns.size();
  for (const codegen::Launch& launch : program.launches)
    loaded->record_rows = std::max(loaded->record_rows, launch.record_rows());
  loaded->outcomes = program.outcomes;
  loaded->user = program.user;
  return loaded;
}

}  // namespace gpx::vgpu
