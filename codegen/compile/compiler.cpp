// Interface: codegen/compile/compiler.h. Covered by tests/codegen/compiler_test.cpp.
#include "codegen/compile/compiler.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "codegen/compile/clang/clang.h"
#include "codegen/compile/nvrtc.h"
#include "codegen/confined/error_wire.h"
#include "codegen/ir/text.h"
#include "lang/try.h"

namespace gpx::codegen {

template <typename Archive, Sent<Compiled> T>
void exchange(Archive& archive, T& value) {
  auto& [ok, ptx, cubin, names, log] = value;
  archive(ok, ptx, cubin, names, log);
}

namespace {

/// Of one process; so much is never needed, but nothing goes on for ever.
constexpr double kSecondsEach = 300;
constexpr std::uint64_t kMemory = std::uint64_t{8} << 30;

/// A list is sent as one value.
struct CompiledList {
  std::vector<Compiled> list;
};

template <typename Archive, Sent<CompiledList> T>
void exchange(Archive& archive, T& value) {
  archive(value.list);
}

class NvrtcCompiler final : public Compiler {
 public:
  explicit NvrtcCompiler(NvrtcPlace place) : place_(std::move(place)) {}

  std::string title() const override { return "NVRTC"; }

  std::string name() const override {
    std::error_code ignored;
    const auto file = std::filesystem::canonical(place_.path, ignored);
    return ignored ? place_.path : file.filename().string();
  }

  const std::string& identity() const override { return place_.identity; }

  std::vector<std::string> options(const Target& target) const override {
    return nvrtc_options(target);
  }

  Result<Compiled> compile(const std::string& source, const std::string& name,
                           const Target& target) const override {
    const auto nvrtc = GPX_TRY(Nvrtc::open(place_));
    return nvrtc->compile(source, name, target);
  }

  std::vector<Result<Compiled>> compile_beside(
      std::span<const ProgramText> programs) const override {
    auto list = in_process(programs);
    if (!list) return {programs.size(), tl::unexpected(list.error())};
    return {std::make_move_iterator(list->list.begin()), std::make_move_iterator(list->list.end())};
  }

 private:
  Result<CompiledList> in_process(std::span<const ProgramText> programs) const {
    using How = confined::Outcome::How;
    const auto nvrtc = Nvrtc::open(place_);  // here: the process that follows has it open
    if (!nvrtc) return tl::unexpected(nvrtc.error());
    const double seconds = kSecondsEach * static_cast<double>(programs.size());
    confined::Limits limits{seconds, kMemory};
    std::error_code ignored;
    limits.readable = {std::filesystem::canonical(place_.path, ignored).parent_path().string()};
    limits.quiet = &Nvrtc::compiling();
    const auto outcome = confined::run(limits, [&](confined::Asker&) {
      Result<CompiledList> made;
      for (const ProgramText& program : programs) {
        auto one = (*nvrtc)->compile(program.source, program.name, program.target);
        if (!one) return confined::to_bytes<CompiledList>(tl::unexpected(one.error()));
        made->list.push_back(std::move(*one));
      }
      return confined::to_bytes(made);
    });
    if (outcome.how == How::stopped) return fail(Fault::device, "interrupted");
    if (outcome.how != How::done)
      return fail(
          Fault::device,
          outcome.how == How::late
              ? fmt::format("compiling {} kernels takes more than {} s", programs.size(), seconds)
              : fmt::format("the process that compiled the kernels {}", outcome.why));
    return confined::result_from<CompiledList>(outcome.result).and_then([&](CompiledList list) {
      return list.list.size() == programs.size()
                 ? Result<CompiledList>(std::move(list))
                 : fail(Fault::device, "a process of gpx sent what cannot be read");
    });
  }

  NvrtcPlace place_;
};

}  // namespace

std::vector<Result<Compiled>> Compiler::compile_beside(
    std::span<const ProgramText> programs) const {
  std::vector<Result<Compiled>> made;
  for (const ProgramText& program : programs)
    made.push_back(compile(program.source, program.name, program.target));
  return made;
}

Result<std::shared_ptr<const Compiler>> find_nvrtc_compiler() {
  auto place = GPX_TRY(find_nvrtc());
  return std::make_shared<NvrtcCompiler>(std::move(place));
}

Result<std::shared_ptr<const Compiler>> find_compiler(const Target& target) {
  auto nvrtc = find_nvrtc_compiler();
  if (nvrtc || target.form == Target::Form::cubin) return nvrtc;
  // Who names a library means that one.
  if (const std::string given = environment("GPX_NVRTC"); !given.empty() && given != kNoNvrtc)
    return nvrtc;
  auto clang = find_clang();
  if (clang) return std::shared_ptr<const Compiler>(std::move(*clang));
  Error error = nvrtc.error();
  error.diagnostics.front().message += "; " + clang.error().diagnostics.front().message;
  error.diagnostics.front().hint =
      "install the CUDA toolkit, or for virtual devices clang (Debian's clang-14)";
  return tl::unexpected(std::move(error));
}

}  // namespace gpx::codegen
