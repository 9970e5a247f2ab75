// A program on the GPU. Interface: runtime/device/cuda/program.h. Covered by
// tests/runtime/cuda_backend_test.cpp.
#include "runtime/device/cuda/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "codegen/ptx/text.h"
#include "lang/try.h"

namespace gpx::cuda {
namespace {

constexpr std::size_t kLogBytes = 8192;
constexpr std::uint64_t kPlainSharedBytes = 48 << 10;

/// What may be wrong where the driver refuses a module, beyond its own words.
std::string load_hint(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_BINARY_FOR_GPU: return "the machine code was made for another GPU";
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "the driver is older than the NVRTC that made the PTX";
    default: return {};
  }
}

/// Whether the kernel, or a function that it may call, asks where the driver keeps what a grid that
/// waits for itself needs (cooperative_groups' grid().sync()): another launch has none of it.
bool waits_for_grid(std::string_view ptx, std::string_view entry) {
  constexpr std::string_view kWorkspace = "%envreg2";
  if (ptx.find(kWorkspace) == ptx.npos) return false;
  bool asks = false, calls = false, function_asks = false;
  for (const ptx::FunctionText& each : ptx::read_functions(ptx, true)) {
    const bool own = each.name == entry;
    if (each.is_entry && !own) continue;
    for (const ptx::Statement& statement : each.statements) {
      const bool here = statement.text.find(kWorkspace) != statement.text.npos;
      asks |= own && here;
      function_asks |= !own && here;
      calls |= own && statement.opcode.starts_with("call");
    }
  }
  return asks || (calls && function_asks);
}

}  // namespace

Result<std::unique_ptr<LoadedProgram>> LoadedProgram::load(
    Context& context, const codegen::Program& program, std::span<const codegen::Artifact> artifacts,
    Queue& queue) {
  if (artifacts.size() != program.kernels.size()) {
    return fail(Fault::device, fmt::format("{} kernels but {} artifacts", program.kernels.size(),
                                           artifacts.size()));
  }
  std::unique_ptr<LoadedProgram> loaded(new LoadedProgram(context));
  loaded->results_ = program.results;
  loaded->record_columns_ = program.records.columns.size();
  loaded->outcomes_ = program.outcomes;
  loaded->may_hang_ = program.may_hang;
  loaded->user_ = program.user;
  loaded->buffer_count_ = program.buffers.size();
  for (std::size_t i = 0; i < artifacts.size(); ++i)
    GPX_TRY(loaded->load_kernel(program, program.kernels[i], artifacts[i]));
  std::vector<CUmodule> modules;
  for (const LoadedKernel& kernel : loaded->kernels_) modules.push_back(kernel.module);
  GPX_TRY(loaded->buffers_.load(program.buffers, modules, queue));
  return loaded;
}

LoadedProgram::~LoadedProgram() {
  if (context_.hung()) return;
  for (const LoadedKernel& kernel : kernels_) {
    if (kernel.module) context_.driver().module_unload(kernel.module);
  }
}

Result<void> LoadedProgram::load_kernel(const codegen::Program& program,
                                        const codegen::Kernel& kernel,
                                        const codegen::Artifact& artifact) {
  LoadedKernel& out = kernels_.emplace_back();
  out.name = artifact.entry;
  out.timed = !kernel.clocked();
  out.scalars = kernel.scalars().size();
  for (const std::string& name : kernel.buffers()) {
    const auto found = std::ranges::find(program.buffers, name, &codegen::Buffer::name);
    if (found == program.buffers.end()) {
      return fail(Fault::device, fmt::format("kernel '{}' takes a buffer '{}' that the program "
                                             "does not have",
                                             out.name, name));
    }
    out.buffers.push_back(static_cast<std::uint32_t>(found - program.buffers.begin()));
  }

  out.ptx = artifact.ptx;
  out.cooperative = waits_for_grid(artifact.ptx, artifact.entry);
  out.cubin = artifact.cubin;
  // More than 48 KB of shared memory, with what the code has of its own, is given only to those
  // that ask for it.
  for (const codegen::Launch& launch : program.launches)
    if (&program.kernels[launch.kernel] == &kernel)
      out.shared_bytes = std::max(out.shared_bytes, launch.shared_bytes);
  return load_module(out);
}

Result<void> LoadedProgram::reload(std::uint32_t index) {
  LoadedKernel& kernel = kernels_[index];
  if (auto ok = context_.check(context_.driver().module_unload(kernel.module),
                               fmt::format("kernel '{}' cannot be unloaded", kernel.name));
      !ok)
    return ok;
  return load_module(kernel);
}

Result<void> LoadedProgram::load_module(LoadedKernel& out) {
  const Driver& d = context_.driver();
  std::string log(kLogBytes, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  const void* image =
      out.cubin.empty() ? static_cast<const void*>(out.ptx.c_str()) : out.cubin.data();
  const CUresult result = d.module_load_data_ex(&out.module, image, 2, options, values);
  if (result != CUDA_SUCCESS) {
    out.module = nullptr;
    std::string text = fmt::format("kernel '{}' cannot be loaded", out.name);
    auto failed = context_.check(result, text);
    log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
    Diagnostic& diagnostic = failed.error().diagnostics.front();
    if (!log.empty()) diagnostic.message += "\n" + log;
    if (diagnostic.hint.empty()) diagnostic.hint = load_hint(result);
    return failed;
  }
  auto ok = context_.check(d.module_get_function(&out.function, out.module, out.name.c_str()),
                           fmt::format("the module has no kernel '{}'", out.name));
  if (!ok || out.shared_bytes == 0) return ok;
  int own_bytes = 0;
  ok = context_.check(
      d.func_get_attribute(&own_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, out.function),
      fmt::format("the shared memory of kernel '{}' is not known", out.name));
  if (!ok || out.shared_bytes + static_cast<unsigned>(own_bytes) <= kPlainSharedBytes) return ok;
  return context_.check(
      d.func_set_attribute(out.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           static_cast<int>(out.shared_bytes)),
      fmt::format("kernel '{}' cannot have {} B of dynamic shared memory", out.name,
                  out.shared_bytes));
}

bool LoadedProgram::timed() const {
  return std::ranges::any_of(kernels_, &LoadedKernel::timed);
}

void LoadedProgram::initial(const codegen::Launch& launch, std::uint64_t* out) const {
  std::uint64_t* const end = out + words(launch);
  for (const codegen::ResultSlot& slot : results_) *out++ = slot.initial;
  std::fill(out, end, codegen::kNotKept);
}

void LoadedProgram::arguments(const codegen::Launch& launch, CUdeviceptr& result,
                              std::vector<std::uint64_t>& packed, std::vector<void*>& out) const {
  out.clear();
  // A user's kernel takes what the launch says, and no results.
  std::size_t words = 0;
  for (const codegen::Argument& argument : launch.arguments) words += (argument.bytes() + 7) / 8;
  packed.assign(words, 0);
  auto rest = std::as_writable_bytes(std::span(packed));
  for (const codegen::Argument& argument : launch.arguments) {
    auto* const begin = reinterpret_cast<std::uint8_t*>(rest.data());
    out.push_back(begin);
    argument.write({begin, argument.bytes()}, [&](std::size_t buffer) {
      return buffers_.argument(static_cast<std::uint32_t>(buffer), launch);
    });
    rest = rest.subspan((argument.bytes() + 7) / 8 * 8);
  }
  if (user_) return;
  out.push_back(&result);
  for (const std::uint32_t i : kernels_[launch.kernel].buffers)
    packed.push_back(buffers_.argument(i, launch));
  for (std::uint64_t& address : packed) out.push_back(&address);
  // The driver reads arguments through pointers to non-const and copies them at the launch.
  for (const std::uint64_t& scalar : launch.scalars) {
    out.push_back(const_cast<std::uint64_t*>(&scalar));
  }
}

}  // namespace gpx::cuda
