// Disassemble. Interface: codegen/compile/disassemble.h. Covered by
// tests/codegen/disassemble_test.cpp.
#include "codegen/compile/disassemble.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "codegen/compile/child.h"
#include "codegen/ir/text.h"

namespace gpx::codegen {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> folders_with_tools() {
  std::vector<std::string> folders = path_folders();
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string home = environment(variable); !home.empty())
      folders.push_back(home + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  return folders;
}

// A file that exists only while the disassembler reads it.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::span<const std::uint8_t> bytes) {
    std::error_code code;
    const fs::path folder = fs::temp_directory_path(code);
    path_ = ((code ? fs::path("/tmp") : folder) / "gpx-XXXXXX.cubin").string();
    const int file = ::mkstemps(path_.data(), 6);
    if (file < 0) return;
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    ok_ = ::close(file) == 0 && written == static_cast<ssize_t>(bytes.size());
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool ok() const { return ok_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool ok_ = false;
};

}  // namespace

std::optional<std::string> find_disassembler() {
  const auto runs = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (const std::string given = environment("GPX_NVDISASM"); !given.empty())
    return runs(given) ? std::optional(given) : std::nullopt;
  for (const char* name : {"nvdisasm", "cuobjdump"})
    for (const std::string& folder : folders_with_tools())
      if (const std::string path = folder + "/" + name; runs(path)) return path;
  return std::nullopt;
}

Result<std::string> disassemble(std::span<const std::uint8_t> cubin, double seconds) {
  const auto program = find_disassembler();
  if (!program)
    return fail(Fault::device, "neither nvdisasm nor cuobjdump is installed",
                "they come with the CUDA toolkit; GPX_NVDISASM names one in another place");
  const TemporaryFile file(cubin);
  if (!file.ok())
    return fail(Fault::device,
                fmt::format("cannot write {}: {}", file.path(), std::strerror(errno)));
  const bool cuobjdump = fs::path(*program).filename().string().starts_with("cuobjdump");
  // nvdisasm's analysis of the flow takes a quarter of its time, and the text stays the same.
  const std::vector<std::string> command =
      cuobjdump ? std::vector<std::string>{*program, "-sass", file.path()}
                : std::vector<std::string>{*program, "-c", "-ndf", file.path()};
  const auto ran = run_child(command, {}, {}, seconds);
  if (!ran) return fail(Fault::device, fmt::format("cannot start {}", *program));
  if (!ran->in_time)
    return fail(Fault::device, fmt::format("{} took longer than {} s", *program, seconds));
  const std::string said = ran->errors + ran->output;
  if (!ran->ok)
    return fail(Fault::device,
                fmt::format("{} failed: {}", *program, said.substr(0, said.find('\n'))));
  return ran->output;
}

}  // namespace gpx::codegen
