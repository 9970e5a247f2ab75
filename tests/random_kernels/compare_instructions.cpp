// Interface: compare_instructions.h.
#include "compare_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "compile.h"
#include "instructions.h"
#include "runtime/device/vgpu/exec/run.h"
#include "runtime/device/vgpu/exec/sass/machine_code.h"

namespace gpx::random_kernels {
namespace {

namespace exec = vgpu::exec;

constexpr u64 kOneCompilation = 20;
constexpr u32 kBlocks = 2;

struct Values {
  std::vector<u64> out;
  std::string problem;  ///< What it was stopped by; empty: nothing.
};

Values execute_module(const ptx::Module& module, const std::string& entry, u64 seed,
                      std::size_t results) {
  const u32 threads = kBlocks * kInstructionThreads;
  std::vector<u32> in(kInputs);
  Random random(seed ^ 0x77);
  for (u32& word : in)
    word = static_cast<u32>(edge(random, random.one_in(2) ? Type::word : Type::single));
  Values made;
  made.out.assign(results * threads, 0);
  const std::vector<u64> own(std::size_t{2} * threads, 0x0123456789abcdefull * (seed | 1));
  exec::GlobalMemory memory;
  const auto buffer = [&](const auto& data) {
    const auto bytes = static_cast<unsigned>(data.size() * sizeof data[0]);
    const u64 address = memory.allocate(std::max(bytes, 16u), nullptr);
    memory.write(address, data.data(), bytes);
    return address;
  };
  const u64 words[] = {buffer(in), buffer(made.out), buffer(own)};
  std::vector<std::uint8_t> parameters(sizeof words);
  std::memcpy(parameters.data(), words, sizeof words);
  const exec::Grid grid{{kBlocks, 1, 1}, {kInstructionThreads, 1, 1}};
  exec::Executor executor(module, *module.find(entry), grid, parameters, memory);
  executor.set_model(exec::Model::independent, 16);
  if (const auto done = exec::run(executor, {.warp_instructions = 1'000'000, .turn = 64}); !done)
    made.problem = fmt::format("{} (line {})", done.error().message, done.error().line);
  memory.read(words[1], made.out.data(), static_cast<unsigned>(made.out.size() * sizeof(u64)));
  return made;
}

class InstructionComparison {
 public:
  InstructionComparison(const codegen::Nvrtc& nvrtc, const std::vector<std::string>& options,
                        const InstructionRange& range)
      : nvrtc_(nvrtc), options_(options), range_(range), forms_(forms_for(range.sm)) {}

  void batch(u64 first, u64 count) {
    std::string text = instructions_prelude();
    std::vector<Instructions> kernels;
    for (u64 k = 0; k < count; ++k) {
      kernels.push_back(draw_instructions(first + k, forms_, fmt::format("k{}", first + k)));
      text += kernels.back().text;
    }
    const codegen::Target target{codegen::Target::Form::cubin, range_.sm, {}, range_.sm == 90};
    const Made made = compile_apart(nvrtc_, text, target, options_);
    if (!made.ok && count > 1) {  // What the compiler refuses is left out.
      batch(first, count / 2);
      return batch(first + count / 2, count - count / 2);
    }
    if (!made.ok) {
      ++refused;
      fmt::print("seed {}: the compiler refuses it: {}\n", first, made.log);
      return keep(first, text, "");
    }
    const auto module = ptx::parse("random.ptx", made.ptx);
    if (!module) {
      ++different;
      return fmt::print("seeds {} to {}: {}\n", first, first + count - 1, render(module.error()));
    }
    for (u64 k = 0; k < count; ++k) compare(kernels[k], *module, made, first + k);
  }

  u64 different = 0, refused = 0, results = 0;
  std::map<std::string, unsigned> unknown;  ///< What a virtual GPU does not execute, how often.

 private:
  void compare(const Instructions& kernel, const ptx::Module& module, const Made& made, u64 seed) {
    const std::string entry = fmt::format("k{}", seed);
    const auto code = exec::read_machine_code(made.cubin, module, entry);
    if (!code) {
      ++different;
      return fmt::print("seed {}: {}\n", seed, render(code.error()));
    }
    const Values expected = execute_module(module, entry, seed, kernel.results.size()),
                 seen = execute_module(code->module, entry, seed, kernel.results.size());
    results += expected.out.size();
    constexpr std::string_view kUnknown = "does not execute ";
    if (const auto at = seen.problem.find(kUnknown); at != seen.problem.npos) {
      ++unknown[seen.problem.substr(at + kUnknown.size())];
      return keep(seed, instructions_prelude() + kernel.text, code->text);
    }
    if (expected.problem == seen.problem && expected.out == seen.out) return;
    ++different;
    report(kernel, expected, seen, seed);
    keep(seed, instructions_prelude() + kernel.text, code->text);
  }

  void report(const Instructions& kernel, const Values& expected, const Values& seen, u64 seed) {
    if (expected.problem != seen.problem)
      return fmt::print("seed {}: PTX: '{}', machine code: '{}'\n", seed, expected.problem,
                        seen.problem);
    const auto [e, s] = std::ranges::mismatch(expected.out, seen.out);
    const auto at = static_cast<std::size_t>(e - expected.out.begin());
    const std::size_t row = at / (kBlocks * kInstructionThreads);
    fmt::print("seed {}: result {}, thread {}: 0x{:x} by PTX, 0x{:x} by machine code: {}\n", seed,
               row, at % (kBlocks * kInstructionThreads), *e, *s, kernel.results[row]);
  }

  void keep(u64 seed, const std::string& cuda, const std::string& listing) const {
    if (range_.keep.empty()) return;
    std::ofstream(fmt::format("{}/i{}.cu", range_.keep, seed)) << cuda;
    std::ofstream(fmt::format("{}/i{}.txt", range_.keep, seed)) << listing;
  }

  const codegen::Nvrtc& nvrtc_;
  const std::vector<std::string>& options_;
  const InstructionRange& range_;
  std::vector<Form> forms_;
};

}  // namespace

bool compare_instructions(const codegen::Nvrtc& nvrtc, const std::vector<std::string>& options,
                          const InstructionRange& range) {
  InstructionComparison comparison(nvrtc, options, range);
  for (u64 done = 0; done < range.kernels; done += kOneCompilation)
    comparison.batch(range.first + done, std::min(kOneCompilation, range.kernels - done));
  for (const auto& [name, count] : comparison.unknown)
    fmt::print("{} kernels have {}, which is not executed\n", count, name);
  fmt::print("seeds {} to {}, sm_{}: {} results, {} kernels differ, {} refused by the compiler\n",
             range.first, range.first + range.kernels - 1, range.sm, comparison.results,
             comparison.different, comparison.refused);
  return comparison.different == 0 && comparison.refused == 0 && comparison.unknown.empty();
}

}  // namespace gpx::random_kernels
