// Interface: whole_file.h.
#include "runtime/serve/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace gpx::serve {
namespace fs = std::filesystem;

Result<void> write_whole(const std::string& path, const std::string& text) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  const fs::path beside = target.string() + fmt::format(".gpx-{}", ::getpid());
  std::ofstream out(beside, std::ios::binary);
  out << text;
  out.close();
  const auto before = fs::status(target, error);
  if (fs::exists(before)) fs::permissions(beside, before.permissions(), error);
  error.clear();
  if (out) fs::rename(beside, target, error);
  if (out && !error) return {};
  fs::remove(beside, error);
  return fail(Fault::device, fmt::format("cannot write '{}'", path));
}

}  // namespace gpx::serve
