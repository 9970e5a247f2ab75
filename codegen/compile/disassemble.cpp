// Disassemble. Interface: codegen/compile/disassemble.h. Covered by
// tests/codegen/disassemble_test.cpp.
#include "codegen/compile/disassemble.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
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

namespace {

bool is_cuobjdump(const std::string& program) {
  return fs::path(program).filename().string().starts_with("cuobjdump");
}

/// What the program prints of a file of these bytes.
Result<std::string> listing_of(const std::string& program, std::vector<std::string> options,
                               std::span<const std::uint8_t> bytes, double seconds) {
  const TemporaryFile file(bytes);
  if (!file.ok())
    return fail(Fault::device,
                fmt::format("cannot write {}: {}", file.path(), std::strerror(errno)));
  options.insert(options.begin(), program);
  options.push_back(file.path());
  const auto ran = run_child(options, {}, {}, seconds);
  if (!ran) return fail(Fault::device, fmt::format("cannot start {}", program));
  if (!ran->in_time)
    return fail(Fault::device, fmt::format("{} took longer than {} s", program, seconds));
  const std::string said = ran->errors + ran->output;
  if (!ran->ok)
    return fail(Fault::device,
                fmt::format("{} failed: {}", program, said.substr(0, said.find('\n'))));
  return ran->output;
}

/// "        /*0af0*/               @P3 BRA 0x180 ;": the address; nothing of another line.
std::optional<std::uint64_t> address_of(std::string_view line) {
  const std::size_t begin = line.find("/*");
  std::uint64_t address = 0;
  if (begin == line.npos || line.find_first_not_of(" \t") != begin) return std::nullopt;
  const auto [end, code] =
      std::from_chars(line.data() + begin + 2, line.data() + line.size(), address, 16);
  return code == std::errc{} && *end == '*' ? std::optional(address) : std::nullopt;
}

/// The line of an instruction as if its function began at address 0.
std::string moved(std::string_view line, std::uint64_t address, std::uint64_t begin) {
  std::string text(line.substr(line.find("*/") + 2));
  static constexpr std::string_view kJumps[] = {" BRA", " BSSY", " CALL", " JMP", " RET"};
  const bool jumps = std::ranges::any_of(
      kJumps, [&](std::string_view word) { return text.find(word) != text.npos; });
  const std::size_t at = text.rfind("0x");
  std::uint64_t target = 0;
  if (jumps && at != text.npos) {
    const auto [end, code] =
        std::from_chars(text.data() + at + 2, text.data() + text.size(), target, 16);
    const auto length = static_cast<std::size_t>(end - text.data()) - at;
    if (target >= begin) text.replace(at, length, fmt::format("{:#x}", target - begin));
  }
  return fmt::format("        /*{:04x}*/{}\n", address - begin, text);
}

}  // namespace

Result<std::string> disassemble(std::span<const std::uint8_t> cubin, double seconds) {
  const auto program = find_disassembler();
  if (!program)
    return fail(Fault::device, "neither nvdisasm nor cuobjdump is installed",
                "they come with the CUDA toolkit; GPX_NVDISASM names one in another place");
  // nvdisasm's analysis of the flow takes a quarter of its time, and the text stays the same.
  const std::vector<std::string> options = is_cuobjdump(*program)
                                               ? std::vector<std::string>{"-sass"}
                                               : std::vector<std::string>{"-c", "-ndf"};
  return listing_of(*program, options, cubin, seconds);
}

std::optional<std::vector<std::string>> disassemble_together(
    const std::vector<std::span<const std::uint8_t>>& functions, const Target& target,
    double seconds) {
  const auto program = find_disassembler();
  if (!program || is_cuobjdump(*program)) return std::nullopt;
  std::vector<std::uint8_t> all;
  std::vector<std::uint64_t> ends;
  for (const auto& function : functions) {
    if (function.empty()) return std::nullopt;
    all.insert(all.end(), function.begin(), function.end());
    ends.push_back(all.size());
  }
  const auto text = listing_of(
      *program, {"-ndf", "-b", fmt::format("SM{}{}", target.sm, target.specific ? "a" : "")}, all,
      seconds);
  if (!text) return std::nullopt;
  std::vector<std::string> made(functions.size());
  std::istringstream lines(*text);
  std::size_t function = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto address = address_of(line);
    if (!address) continue;
    while (function < ends.size() && *address >= ends[function]) ++function;
    if (function == ends.size()) return std::nullopt;
    made[function] += moved(line, *address, function == 0 ? 0 : ends[function - 1]);
  }
  const bool whole = std::ranges::none_of(made, &std::string::empty);
  return whole ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace gpx::codegen
