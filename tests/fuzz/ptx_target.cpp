// Any text as PTX: a module or an error with a line; the kernels of a module run for a few
// instructions.
#include <cstring>

#include "runtime/device/vgpu/exec/run.h"
#include "targets.h"

namespace gpx::fuzz {
namespace {

using namespace vgpu;

constexpr std::uint64_t kInstructions = 200;  ///< Of a kernel.

std::string execute(const ptx::Module& module, const ptx::Function& entry) {
  const exec::Grid grid{{1, 1, 1}, {40, 1, 1}, 64};
  exec::GlobalMemory memory;
  std::vector<std::uint8_t> parameters(64, 1);
  const std::uint64_t address = memory.allocate(4096, nullptr);
  std::memcpy(parameters.data(), &address, sizeof address);
  exec::Executor executor(module, entry, grid, parameters, memory);
  const auto report = exec::run(executor, {.warp_instructions = kInstructions});
  return !report && report.error().message.empty() ? "a trap without a message" : "";
}

}  // namespace

std::string ptx(const std::string& input) {
  const auto module = ptx::parse("input", input);
  if (!module) {
    const Diagnostic& first = module.error().diagnostics.at(0);
    if (first.message.empty()) return "an error without a message";
    return first.location && first.location->line >= 1 ? "" : "an error without a line";
  }
  taken = true;
  for (const ptx::Function& entry : module->functions)
    if (entry.is_entry)
      if (std::string wrong = execute(*module, entry); !wrong.empty()) return wrong;
  return "";
}

}  // namespace gpx::fuzz
