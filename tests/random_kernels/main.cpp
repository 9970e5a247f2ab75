// Random kernels, executed as PTX by gpx's interpreter on both models of divergence and compared
// with the host's arithmetic.
//
//   gpx_random_kernels [--kernels N] [--seed S] [--keep FOLDER] [--machine-code SM]
//                      [--instructions SM]
//
// With --machine-code the machine code for sm_90, sm_86, ... is executed in place of the PTX. With
// --instructions the kernels are single instructions of PTX, whose results are those of their
// machine code.
// A kernel that ends the compiler is counted and left out. All others are compared in every
// word that they leave in memory. Each is also run changed in a way that must not matter: with its
// registers renamed and its basic blocks in another order, with the grid in two launches and, where
// threads exchange nothing, with its lanes permuted. A difference prints the kernel's seed; --keep
// writes its CUDA C++ and PTX.
// Status: 0; 1: a difference, or the compiler ended by more than one kernel and by one in a
// hundred; 2: an argument is wrong; 3: there is no NVRTC.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>

#include "codegen/compile/nvrtc.h"
#include "compare_instructions.h"
#include "compile.h"
#include "program.h"
#include "rewrite.h"
#include "runtime/device/vgpu/exec/run.h"
#include "runtime/device/vgpu/exec/sass/machine_code.h"

namespace gpx::random_kernels {
namespace {

namespace exec = vgpu::exec;

constexpr unsigned kTogether = 40;  ///< Kernels of one compilation.

struct Options {
  u64 kernels = 680, seed = 1, machine_code = 0, instructions = 0;
  std::string keep;
};

/// How a kernel is run.
struct Way {
  const char* name;
  exec::Model model = exec::Model::stack;
  u32 turn = 16;
  bool permuted = false, split = false;
};
constexpr Way kWays[] = {
    {"stack"},
    {"independent, turns of 1", exec::Model::independent, 1},
    {"independent, turns of 13", exec::Model::independent, 13},
    {"independent, turns of 200", exec::Model::independent, 200},
};
constexpr Way kMachineWays[] = {
    {"machine code, turns of 1", exec::Model::independent, 1},
    {"machine code, turns of 13", exec::Model::independent, 13},
    {"machine code, turns of 200", exec::Model::independent, 200},
};
constexpr Way kChangedWays[] = {
    {"stack, rewritten and in two launches", exec::Model::stack, 16, false, true},
    {"independent, rewritten and permuted", exec::Model::independent, 16, true, false},
};

class Launch {
 public:
  Launch(const ptx::Module& module, const std::string& entry, const Shape& shape, const Way& way)
      : module_(module), entry_(*module.find(entry)), shape_(shape), way_(way) {}

  /// What it was stopped by; empty: nothing.
  std::string run(Memory& memory, u64 seed) {
    std::vector<u32> order(shape_.threads);
    std::iota(order.begin(), order.end(), 0);
    if (way_.permuted) {
      Random random(seed);
      for (u32 k = shape_.threads; k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
    }
    const u64 in = buffer(memory.in), out = buffer(memory.out), slots = buffer(memory.slots),
              own = buffer(memory.own), votes = buffer(memory.votes), places = buffer(order);
    const u32 launches = way_.split ? shape_.blocks : 1;
    for (u32 k = 0; k < launches; ++k) {
      std::vector<std::uint8_t> parameters(entry_.parameter_bytes());
      const u64 words[] = {in, out, slots, own, votes, places};
      std::memcpy(parameters.data(), words, sizeof words);
      std::memcpy(parameters.data() + sizeof words, &k, sizeof k);
      const exec::Grid grid{{shape_.blocks / launches, 1, 1}, {shape_.threads, 1, 1}};
      exec::Executor executor(module_, entry_, grid, parameters, memory_);
      executor.set_model(way_.model, way_.turn);
      const auto done = exec::run(executor, {.warp_instructions = 20'000'000, .turn = 64});
      if (!done)
        return fmt::format("{} (line {} of the PTX)", done.error().message, done.error().line);
    }
    read(out, memory.out);
    read(slots, memory.slots);
    read(own, memory.own);
    read(votes, memory.votes);
    return {};
  }

 private:
  template <class T>
  u64 buffer(const std::vector<T>& data) {
    const u64 address =
        memory_.allocate(std::max<std::size_t>(data.size(), 1) * sizeof(T), nullptr);
    memory_.write(address, data.data(), static_cast<unsigned>(data.size() * sizeof(T)));
    return address;
  }
  template <class T>
  void read(u64 address, std::vector<T>& data) {
    memory_.read(address, data.data(), static_cast<unsigned>(data.size() * sizeof(T)));
  }

  const ptx::Module& module_;
  const ptx::Function& entry_;
  Shape shape_;
  Way way_;
  exec::GlobalMemory memory_;
};

/// The first word that differs; empty: none does.
template <class T>
std::string differing(const char* what, const std::vector<T>& expected,
                      const std::vector<T>& seen) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (expected[k] != seen[k])
      return fmt::format("{}[{}] is 0x{:x}, expected 0x{:x}", what, k, seen[k], expected[k]);
  return {};
}
/// Floats in it are any NaN.
void normalise(Memory& memory) {
  for (std::size_t k = 0; k < memory.own.size(); ++k) {
    if (k % 4 == 1)
      memory.own[k] =
          (memory.own[k] >> 32 << 32) | canonical(Type::single, memory.own[k] & 0xffffffff);
    if (k % 4 == 2) memory.own[k] = canonical(Type::real, memory.own[k]);
  }
}

class Comparison {
 public:
  explicit Comparison(const Options& options) : options_(options) {}

  /// False: the compiler refused a kernel, or what it made cannot be read.
  bool batch(const codegen::Nvrtc& nvrtc, const std::vector<std::string>& more, u64 first,
             u64 count) {
    std::string text = operations_prelude();
    std::vector<Kernel> kernels;
    for (u64 k = 0; k < count; ++k) {
      kernels.push_back(draw(first + k));
      text += emit(kernels.back(), fmt::format("k{}", first + k));
    }
    const Made made = compile_apart(nvrtc, text, target(), more);
    if (made.died && count > 1)  // the others are compiled without the one that ends the compiler
      return batch(nvrtc, more, first, count / 2) &
             batch(nvrtc, more, first + count / 2, count - count / 2);
    if (made.died) {
      fmt::print("seed {}: the compiler {}\n", first, made.log);
      keep(first, text, "");
      return ++not_compiled, true;
    }
    return made.ok ? compare(kernels, made, first, text) : refused(first, count, made.log, text);
  }

  u64 different = 0, launches = 0, not_compiled = 0;
  std::map<std::string, u64> kinds;

 private:
  codegen::Target target() const {
    if (options_.machine_code == 0) return {.sm = 80};
    const auto sm = static_cast<int>(options_.machine_code);
    return {codegen::Target::Form::cubin, sm, {}, sm == 90};
  }

  bool refused(u64 first, u64 count, const std::string& why, const std::string& text) const {
    fmt::print("kernels {} to {}: {}\n", first, first + count - 1, why);
    keep(first, text, "");
    return false;
  }

  bool compare(const std::vector<Kernel>& kernels, const Made& made, u64 first,
               const std::string& text) {
    const auto module = ptx::parse("random.ptx", made.ptx);
    if (!module) return refused(first, kernels.size(), render(module.error()), text);
    if (options_.machine_code != 0) return machine_batch(kernels, made, *module, first, text);
    const auto changed = ptx::parse("rewritten.ptx", rewritten(made.ptx, first));
    if (!changed) return refused(first, kernels.size(), render(changed.error()), text);
    for (u64 k = 0; k < kernels.size(); ++k)
      if (!compare(kernels[k], *module, *changed, first + k)) keep(first + k, text, made.ptx);
    return true;
  }

  bool machine_batch(const std::vector<Kernel>& kernels, const Made& made,
                     const ptx::Module& module, u64 first, const std::string& text) {
    for (u64 k = 0; k < kernels.size(); ++k) {
      const u64 seed = first + k;
      const auto code = exec::read_machine_code(made.cubin, module, fmt::format("k{}", seed));
      if (!code) return fmt::print("seed {}: {}\n", seed, render(code.error())), false;
      const Case one = case_of(kernels[k], seed);
      bool same = true;
      for (const Way& way : kMachineWays) same &= run(code->module, way, one, seed);
      different += !same;
      if (!same) keep(seed, text, code->text);
    }
    return true;
  }

  struct Case {
    Shape shape;
    Memory before, expected;
  };
  Case case_of(const Kernel& kernel, u64 seed) {
    ++kinds[kernel.kinds];
    Random random(seed);
    Case one;
    one.shape = {2, std::array<u32, 4>{32, 64, 80, 41}[random.below(4)]};
    one.before = one.expected = initial_memory(kernel, one.shape, seed);
    execute(kernel, one.shape, one.expected);
    normalise(one.expected);
    return one;
  }

  bool compare(const Kernel& kernel, const ptx::Module& module, const ptx::Module& changed,
               u64 seed) {
    const Case one = case_of(kernel, seed);
    bool same = true;
    for (const Way& way : kWays) same &= run(module, way, one, seed);
    for (Way way : kChangedWays) {
      way.permuted &= kernel.alone;
      same &= run(changed, way, one, seed);
    }
    different += !same;
    return same;
  }

  bool run(const ptx::Module& module, const Way& way, const Case& one, u64 seed) {
    const auto& [shape, before, expected] = one;
    Memory seen = before;
    ++launches;
    std::string problem = Launch(module, fmt::format("k{}", seed), shape, way).run(seen, seed);
    normalise(seen);
    if (problem.empty()) problem = differing("out", expected.out, seen.out);
    if (problem.empty()) problem = differing("slots", expected.slots, seen.slots);
    if (problem.empty()) problem = differing("own", expected.own, seen.own);
    if (problem.empty()) problem = differing("votes", expected.votes, seen.votes);
    if (!problem.empty())
      fmt::print("seed {} ({} threads, {}): {}\n", seed, shape.threads, way.name, problem);
    return problem.empty();
  }

  void keep(u64 seed, const std::string& cuda, const std::string& ptx) const {
    if (options_.keep.empty()) return;
    std::ofstream(fmt::format("{}/{}.cu", options_.keep, seed)) << cuda;
    std::ofstream(fmt::format("{}/{}.ptx", options_.keep, seed)) << ptx;
  }

  const Options& options_;
};

std::optional<u64> number(const char* text) {
  u64 value = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; k += 2) {
    const std::string_view name = argv[k];
    if (k + 1 >= argc) return std::nullopt;
    const auto value = number(argv[k + 1]);
    if (name == "--keep")
      options.keep = argv[k + 1];
    else if (!value)
      return std::nullopt;
    else if (name == "--kernels")
      options.kernels = *value;
    else if (name == "--seed")
      options.seed = *value;
    else if (name == "--machine-code")
      options.machine_code = *value;
    else if (name == "--instructions")
      options.instructions = *value;
    else
      return std::nullopt;
  }
  return options;
}

int run(const Options& options) {
  const auto place = codegen::find_nvrtc();
  const auto nvrtc = place ? codegen::Nvrtc::open(*place) : tl::unexpected(place.error());
  if (!nvrtc) return fmt::print("{}\n", render(nvrtc.error())), 3;
  std::vector<std::string> more;
  for (const std::string& folder : codegen::toolkit_includes(*place))
    more.push_back("--include-path=" + folder);
  if (options.instructions != 0) {
    const auto sm = static_cast<int>(options.instructions);
    return compare_instructions(**nvrtc, more, {options.seed, options.kernels, sm, options.keep})
               ? 0
               : 1;
  }
  if (options.machine_code != 0) more.emplace_back("--define-macro=MACHINE_CODE");
  Comparison comparison(options);
  bool compiled = true;
  for (u64 done = 0; done < options.kernels; done += kTogether)
    compiled &= comparison.batch(**nvrtc, more, options.seed + done,
                                 std::min<u64>(kTogether, options.kernels - done));
  for (const auto& [kind, count] : comparison.kinds) fmt::print("{}: {} kernels\n", kind, count);
  fmt::print("seeds {} to {}: {} launches, {} kernels differ, {} ended the compiler\n",
             options.seed, options.seed + options.kernels - 1, comparison.launches,
             comparison.different, comparison.not_compiled);
  const bool enough = comparison.not_compiled <= 1 + options.kernels / 100;
  return compiled && enough && comparison.different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpx::random_kernels

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto options = gpx::random_kernels::parse_options(argc, argv);
  if (!options)
    return fmt::print(stderr,
                      "usage: gpx_random_kernels [--kernels N] [--seed S] [--keep FOLDER] "
                      "[--machine-code SM] [--instructions SM]\n"),
           2;
  return gpx::random_kernels::run(*options);
}
