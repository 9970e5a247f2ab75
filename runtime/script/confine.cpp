#include "runtime/script/confine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "codegen/files/files.h"
#include "lang/try.h"

namespace gpx::script {
namespace {

namespace fs = std::filesystem;

std::string real(const std::string& path) {
  if (is_embedded(path)) return fs::path(path).lexically_normal().string();
  std::error_code error;
  const fs::path real = fs::canonical(path.empty() ? "." : path, error);
  return error ? std::string() : real.string();
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  if (folder.empty()) return false;
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

}  // namespace

Confine::Confine(const std::string& folder, const Paths& paths)
    : folder_(real(folder)),
      experiments_(real(paths.experiments)),
      kernels_(real(paths.stdlib + "/kernels")) {}

Result<std::string> Confine::file(const std::string& path, const std::string& ending) const {
  const std::string found = real(path);
  // One message for all: whether a file is there is not the script's to know.
  const bool allowed = !found.empty() && found.ends_with(ending) &&
                       (lies_in(found, folder_) || lies_in(found, experiments_)) && is_file(found);
  if (allowed) return found;
  return fail(Fault::input,
              fmt::format("'{}' is no {} file in the script's folder or beneath it", path, ending),
              "gpx lua --trust lets a script read what you can read");
}

Result<void> Confine::device(const std::string& name) const {
  const bool plain = name.find('/') == std::string::npos && !name.ends_with(".lua");
  if (plain) return {};
  const auto found = GPX_TRY(file(name, ".lua"));
  return {};
}

Result<void> Confine::experiment(const Experiment& experiment, const std::string& folder) const {
  if (!experiment.device.empty()) {
    GPX_TRY(device(experiment.device));
  }
  for (const Analyze& analyze : experiment.analyses) {
    if (!analyze.is_file) continue;
    const auto found = GPX_TRY(file((fs::path(folder) / analyze.method).string(), ".lua"));
  }
  for (const UserKernel& kernel : experiment.kernels) {
    const bool beside = !real((fs::path(folder) / kernel.file).string()).empty();
    const std::string found = real((fs::path(kernels_) / kernel.file).string());
    if (beside || found.empty() || kernels_.empty() || !lies_in(found, kernels_))
      return fail(Fault::input, fmt::format("'{}' is no kernel of the library", kernel.file),
                  "gpx lua --trust lets a script compile your own");
    for (const KernelArgument& argument : kernel.arguments)
      for (const KernelArgument* each : buffers_of(argument)) {
        if (each->buffer->file.empty()) continue;
        const auto data = GPX_TRY(file((fs::path(folder) / each->buffer->file).string(), ""));
      }
  }
  return {};
}

}  // namespace gpx::script
