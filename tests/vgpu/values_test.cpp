// What decides neither an address nor a path is left out; the rest is as it was.
#include "runtime/device/vgpu/exec/values.h"

#include <bit>

#include "codegen/compile/compiler.h"
#include "exec_support.h"
#include "runtime/device/vgpu/exec/sass/machine_code.h"

using namespace gpx;
using namespace gpx::vgpu;
using namespace gpx::vgpu::exec;

namespace {

constexpr std::size_t kWords = 4096;

/// All that a timing model sees of each instruction, in the order of execution.
class Trace final : public Observer {
 public:
  void on_step(const Warp& warp, const ptx::Instruction& instruction,
               const Effect& effect) override {
    std::string step = fmt::format("warp {} line {}: {:x} {}{}{}{} {} {} {}{}", warp.id,
                                   instruction.line, effect.active, effect.is_load, effect.is_store,
                                   effect.is_atomic, effect.barrier, static_cast<int>(effect.space),
                                   effect.bytes, effect.values, effect.exited, effect.retried);
    for (Mask m = effect.addresses ? effect.active : 0; m != 0; m &= m - 1)
      step += fmt::format(" {:x}", (*effect.addresses)[static_cast<unsigned>(std::countr_zero(m))]);
    steps.push_back(std::move(step));
  }
  std::vector<std::string> steps;
};

/// Left out: nothing; what decides nothing if no output is read again; the same if some may be.
enum class Values { all, unread, reread };

struct Made {
  std::vector<std::string> steps;
  std::vector<std::uint32_t> out;
  std::string trap;
};

/// k(unsigned* out, const unsigned* in) of two warps. in[i] is i * 37 % kWords.
Made run(const ptx::Module& module, Values values) {
  GlobalMemory memory;
  std::vector<std::uint32_t> in(kWords), out(kWords);
  for (std::uint32_t i = 0; i < kWords; ++i) in[i] = i * 37 % kWords;
  const auto bytes = static_cast<unsigned>(4 * kWords);
  const std::uint64_t addresses[] = {memory.allocate(bytes, nullptr),
                                     memory.allocate(bytes, nullptr)};
  REQUIRE(memory.write(addresses[1], in.data(), bytes));
  std::vector<std::uint8_t> parameters(16);
  std::memcpy(parameters.data(), addresses, sizeof addresses);
  const ptx::Function& entry = *module.find("k");
  Executor executor(module, entry, grid_of(1, 64), parameters, memory);
  executor.set_model(Model::independent, 100);
  if (values != Values::all) executor.leave_values_out(values == Values::reread);
  Trace trace;
  BlockRunner runner(executor, RunLimits{.warp_instructions = 1 << 20}, &trace);
  const auto ended = runner.block({0, 0, 0});
  Made made{std::move(trace.steps), {}, ended ? "" : ended.error().message};
  REQUIRE(memory.read(addresses[0], out.data(), bytes));
  made.out = std::move(out);
  return made;
}

struct Kernel {
  const char* name;
  const char* body;
  bool rereads = false;  ///< It reads its output again.
  /// Values of `in` decide something, so that outputs are stored which may be read again.
  bool decides = true;
};

constexpr Kernel kKernels[] = {
    {"nothing depends on it", "out[t] = in[t] * 3 + in[t + 64];", false, false},
    {"an address", "out[t] = in[in[t]];"},
    {"a path", "if (in[t] % 3 == 1) out[t] = 5; else out[t + 64] = 7;"},
    {"a number of rounds",
     "unsigned s = 0; for (unsigned i = in[t] % 9; i > 0; --i) s = s * 5 + i; out[t] = s;", false},
    {"a sum of floats", R"(
  float s = 0; for (int i = 0; i < 40; ++i) s = fmaf(in[t + i], 0.5f, s);
  out[t] = __float_as_uint(s);)",
     false, false},
    {"an address by way of shared memory", R"(
  __shared__ unsigned tile[64];
  tile[t] = in[t] * 2 % 64; __syncthreads();
  out[t] = in[tile[63 - t]];)",
     false, true},
    {"a sum by way of shared memory", R"(
  __shared__ unsigned tile[64];
  tile[t] = in[t] * 2 % 64; __syncthreads();
  out[t] = tile[63 - t] + tile[t / 2];)",
     false, false},
    {"an address by way of its own output",
     "out[t] = in[t] % 64; __syncthreads(); out[128 + out[63 - t]] = 1;", true},
    {"an address by way of a shuffle", "out[t] = in[__shfl_xor_sync(~0u, in[t], 5)];"},
    {"a sum by way of a shuffle", R"(
  float s = in[t]; for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
  out[t] = __float_as_uint(s);)",
     false, false},
    {"a vote", "if (__any_sync(~0u, in[t] == 37)) out[t] = 3;"},
    {"registers with several uses", R"(
  unsigned a = in[t], b = in[t + 64];
  for (int i = 0; i < 20; ++i) { const unsigned c = a * 7 + b; a = b ^ i; b = c; }
  const unsigned place = in[t + 128]; out[t] = a; out[t + 64] = in[place] + b;)",
     false, true},
    {"a quotient", "out[t + in[t] % 2] = __float_as_uint(__uint_as_float(in[t]) / in[t + 1]);"},
    {"an array of the thread", R"(
  unsigned own[16]; for (int i = 0; i < 16; ++i) own[i] = in[t + i] % 64;
  out[t] = in[own[in[t] % 16]];)",
     false, true},
    {"registers that are spilled", R"(
  float s[40]; unsigned place = in[t + 7];
  #pragma unroll
  for (int k = 0; k < 40; ++k) s[k] = in[t + k];
  for (int r = 0; r < 3; ++r)
    #pragma unroll
    for (int k = 0; k < 40; ++k) s[k] = fmaf(s[k], 0.5f, s[(k + 7) % 40]);
  float sum = 0;
  #pragma unroll
  for (int k = 0; k < 40; ++k) sum += s[k];
  out[t] = __float_as_uint(sum); out[64 + in[place]] = 1;)"},
    {"an atomic", "atomicAdd(out + in[t] % 8, in[t + 1]);"},
};

ptx::Module module_of(const codegen::Compiled& made, bool machine_code) {
  auto parsed = ptx::parse("k.ptx", made.ptx);
  if (!parsed) FAIL(render(parsed.error()));
  if (!machine_code) return std::move(*parsed);
  auto code = read_machine_code(made.cubin, *parsed, "k");
  if (!code) FAIL(render(code.error()));
  return std::move(code->module);
}

}  // namespace

TEST_CASE("time sees no difference where values are left out") {
  const auto compiler = codegen::find_nvrtc_compiler();
  if (!compiler) return;
  for (const Kernel& kernel : kKernels) {
    const std::string source = fmt::format(
        "extern \"C\" __global__ void __launch_bounds__(1024, 2)\n"
        "k(unsigned* out, const unsigned* in) {{\n"
        "  const unsigned t = threadIdx.x;\n{}\n}}\n",
        kernel.body);
    const auto made =
        (*compiler)->compile(source, "k.cu", {codegen::Target::Form::cubin, 90, {}, true});
    if (!made) FAIL(render(made.error()));
    REQUIRE_MESSAGE(made->ok, made->log);
    for (const bool machine_code : {false, true}) {
      const std::string name = kernel.name;
      CAPTURE(name);
      CAPTURE(machine_code);
      const ptx::Module module = module_of(*made, machine_code);
      const Made all = run(module, Values::all), unread = run(module, Values::unread),
                 reread = run(module, Values::reread);
      CHECK(all.trap == "");
      CHECK(reread.steps == all.steps);
      CHECK((reread.out == all.out) == kernel.decides);
      if (kernel.rereads) continue;
      CHECK(unread.steps == all.steps);
      if (name != "an atomic") CHECK(unread.out != all.out);
    }
  }
}

TEST_CASE("an access whose value is left out fails as others do") {
  const auto compiler = codegen::find_nvrtc_compiler();
  if (!compiler) return;
  for (const char* body : {"out[t] = in[t * 65 + 4];", "out[t * 66] = in[t];",
                           "__shared__ int s[8]; s[t] = in[t]; __syncthreads(); out[t] = s[1];",
                           "out[t] = *(const unsigned*)((const char*)in + 2 * t);"}) {
    const std::string source = fmt::format(
        "extern \"C\" __global__ void __launch_bounds__(1024, 2)\n"
        "k(unsigned* out, const unsigned* in) {{\n"
        "  const unsigned t = threadIdx.x;\n{}\n}}\n",
        body);
    const std::string text = body;
    CAPTURE(text);
    const auto made =
        (*compiler)->compile(source, "k.cu", {codegen::Target::Form::cubin, 90, {}, true});
    if (!made) FAIL(render(made.error()));
    REQUIRE_MESSAGE(made->ok, made->log);
    for (const bool machine_code : {false, true}) {
      const ptx::Module module = module_of(*made, machine_code);
      const Made all = run(module, Values::all), unread = run(module, Values::unread);
      CHECK(all.trap != "");
      CHECK(unread.trap == all.trap);
      CHECK(unread.steps == all.steps);
    }
  }
}
