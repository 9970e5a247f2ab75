// Interface: compile.h.
#include "compile.h"

#include <filesystem>

#include "codegen/confined/confined.h"
#include "codegen/confined/error_wire.h"

namespace gpx::random_kernels {

template <typename Archive, Sent<Made> T>
void exchange(Archive& archive, T& value) {
  auto& [ok, died, ptx, log, cubin] = value;
  archive(ok, died, ptx, log, cubin);
}

namespace {

constexpr double kSeconds = 300;  ///< Of the processor, for the kernels of one text.
constexpr std::uint64_t kMemory = std::uint64_t{8} << 30;

Made compile_here(const codegen::Nvrtc& nvrtc, const std::string& text,
                  const codegen::Target& target, const std::vector<std::string>& options) {
  auto made = nvrtc.compile(text, "random.cu", target, {.options = options});
  if (!made) return {.log = render(made.error())};
  return {made->ok, false, std::move(made->ptx), std::move(made->log), std::move(made->cubin)};
}

}  // namespace

Made compile_apart(const codegen::Nvrtc& nvrtc, const std::string& text,
                   const codegen::Target& target, const std::vector<std::string>& options) {
  using How = confined::Outcome::How;
  constexpr std::string_view kInclude = "--include-path=";
  confined::Limits limits{kSeconds, kMemory};
  std::error_code ignored;
  limits.readable = {std::filesystem::canonical(nvrtc.path(), ignored).parent_path().string()};
  for (const std::string& option : options)
    if (option.starts_with(kInclude)) limits.readable.push_back(option.substr(kInclude.size()));
  const auto outcome = confined::run(limits, [&](confined::Asker&) {
    return confined::to_bytes(Result<Made>(compile_here(nvrtc, text, target, options)));
  });
  if (outcome.how != How::done)
    return {.died = true, .log = outcome.how == How::late ? "takes too long" : outcome.why};
  auto made = confined::result_from<Made>(outcome.result);
  return made ? std::move(*made) : Made{.died = true, .log = render(made.error())};
}

}  // namespace gpx::random_kernels
