// Interface: codegen/compile/clang/clang.h. Covered by tests/codegen/clang_test.cpp.
#include "codegen/compile/clang/clang.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include "codegen/compile/cache.h"
#include "codegen/compile/child.h"
#include "codegen/compile/clang/device_text.h"
#include "codegen/compile/standard_headers.h"
#include "codegen/files/files.h"
#include "codegen/ir/text.h"
#include "lang/try.h"
#include "lang/words.h"

namespace gpx::codegen {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 120;                          // a kernel takes 0.1 s
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;  // and 0.2 GB of addresses

// What a source is compiled and expanded with. --cuda-path: a toolkit that is there by chance, and
// newer than this clang, is a warning for each kernel. The messages are written as NVRTC's are.
const std::vector<std::string> kAlways = {"--cuda-device-only",
                                          "-nocudainc",
                                          "-nocudalib",
                                          "-nostdinc",
                                          "-nostdinc++",
                                          "--cuda-path=/none",
                                          "-std=c++17",
                                          "-w",
                                          "-fno-caret-diagnostics",
                                          "-fno-show-column",
                                          "-fdiagnostics-format=msvc",
                                          "-ferror-limit=20"};

std::string escaped(std::string_view text) {
  std::string made;
  for (char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c == '\n' ? ' ' : c;
  }
  return made;
}

std::string with_prelude(const std::string& source, const std::string& name) {
  return fmt::format("{}\n#line 1 \"{}\"\n{}", clang_text::device, escaped(name), source);
}

/// What clang reads besides the source: itself, its libraries, and what the source may include.
confined::WallPlan walls_of(const std::string& path, std::vector<std::string> readable) {
  confined::WallPlan walls;
  walls.memory_bytes = kMostBytes;
  walls.cpu_seconds = kMostSeconds;
  walls.readable = std::move(readable);
  walls.readable.insert(walls.readable.end(), {"/etc/ld.so.cache", "/dev/null", "/dev/urandom"});
  walls.runnable = {"/usr", "/lib", "/lib64"};
  std::error_code code;
  const fs::path real = fs::canonical(path, code);  // "/opt/llvm/bin/clang"
  if (const fs::path tree = real.parent_path().parent_path(); !code && tree != "/")
    walls.runnable.push_back(tree.string());
  return walls;
}

Result<Ran> run(const std::string& path, std::vector<std::string> words, std::string_view input,
                const std::string& folder, std::vector<std::string> readable) {
  words.insert(words.begin(), path);
  words.insert(words.end(), kAlways.begin(), kAlways.end());
  const confined::WallPlan walls = walls_of(path, std::move(readable));
  auto ran = run_child(words, input, folder, kMostSeconds, &walls);
  if (!ran) return fail(Fault::device, fmt::format("cannot start {}", path));
  if (ran->stopped) return fail(Fault::device, "interrupted");
  if (!ran->in_time)
    return fail(Fault::device, fmt::format("{} took longer than {} s", path, kMostSeconds));
  if (!ran->ok && ran->errors.find("error") == std::string::npos)
    return fail(Fault::device, fmt::format("{} failed: {}", path, trimmed(ran->errors)));
  return std::move(*ran);
}

/// The files of line markers (# 12 "path" 1), as they are spelled there.
std::set<std::string> marked_files(std::string_view text) {
  std::set<std::string> files;
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    if (!line.starts_with("# ")) continue;
    std::string file;
    for (std::size_t i = line.find('"') + 1; i < line.size() && line[i] != '"'; ++i)
      file += line[i] == '\\' && i + 1 < line.size() ? line[++i] : line[i];
    files.insert(file);
  }
  return files;
}

/// Whether a macro makes what looks like a directive. In C++ that is a mistake; clang would follow
/// it where it compiles the expanded text.
bool has_made_directive(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = trimmed(take_until(text, '\n'));
    const bool marker =
        line.size() > 2 && line.starts_with("# ") && line[2] >= '0' && line[2] <= '9';
    if (line.starts_with("%:") ||
        (line.starts_with('#') && !marker && !line.starts_with("#pragma ")))
      return true;
  }
  return false;
}

/// The standard headers as files, for as long as it lives.
class HeaderFolder {
 public:
  HeaderFolder() {
    std::error_code code;
    std::string made = (fs::temp_directory_path(code) / "gpx-headers-XXXXXX").string();
    if (code || !::mkdtemp(made.data())) return;
    path_ = made;
    for (const StandardHeader& header : standard_headers()) {
      const fs::path file = fs::path(path_) / header.name;
      fs::create_directories(file.parent_path(), code);
      std::ofstream(file) << header.text;
    }
  }
  ~HeaderFolder() {
    std::error_code code;
    if (!path_.empty()) fs::remove_all(path_, code);
  }
  HeaderFolder(const HeaderFolder&) = delete;
  HeaderFolder& operator=(const HeaderFolder&) = delete;

  /// Empty where no folder could be made: then none of them is found.
  const std::string& path() const { return path_; }
  /// The text with another name in its line markers: the same each time.
  std::string without_path(std::string text) const {
    if (path_.empty()) return text;
    for (std::size_t at = text.find(path_); at != text.npos; at = text.find(path_, at))
      text.replace(at, path_.size(), "<gpx>");
    return text;
  }

 private:
  std::string path_;
};

std::string read_version(const std::string& path) {
  const auto ran = run_child({path, "--version"}, {}, {}, 10);
  const std::string text = ran && ran->ok ? ran->output : "";
  constexpr std::string_view kBefore = "version ";
  const std::size_t at = text.find(kBefore);
  if (at == std::string::npos) return "clang";
  const std::size_t begin = at + kBefore.size();
  return "clang " + text.substr(begin, text.find_first_of(" \n-+~", begin) - begin);
}

bool runs(const std::string& path) {
  std::error_code code;
  return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

std::shared_ptr<const Clang> clang_at(const std::string& path) {
  std::error_code code;
  const std::string real = fs::canonical(path, code).string();
  struct stat status {};
  ::stat(real.c_str(), &status);
  return std::make_shared<Clang>(
      path, fmt::format("{}:{}:{}.{}:{}", real, status.st_size, status.st_mtim.tv_sec,
                        status.st_mtim.tv_nsec, content_hash({clang_text::device})));
}

}  // namespace

std::string Clang::name() const {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(mutex);
  std::string& version = known[identity_];
  if (version.empty()) version = read_version(path_);
  return version;
}

int Clang::newest(int sm) const {
  constexpr int kTested = 86;  // clang 14 has all up to it
  constexpr int kLater[] = {121, 120, 110, 103, 101, 100, 90, 89, 87};
  if (sm <= kTested) return sm;
  static std::mutex mutex;
  static std::map<std::pair<std::string, int>, int> known;
  const std::lock_guard lock(mutex);
  const auto [found, fresh] = known.try_emplace({identity_, sm}, kTested);
  if (!fresh) return found->second;
  for (const int later : kLater) {
    if (later > sm) continue;
    const auto ran = run(
        path_, {fmt::format("--cuda-gpu-arch=sm_{}", later), "-S", "-x", "cuda", "-o", "-", "-"},
        "", "/", {});
    if (!ran || ran->errors.find("unsupported CUDA gpu") != std::string::npos) continue;
    found->second = later;
    break;
  }
  return found->second;
}

std::string Clang::note(const Target& target) const {
  const int made = newest(target.sm);
  if (made == target.sm) return {};
  return fmt::format(
      "{} has no sm_{}: kernels are compiled for sm_{}; GPX_CLANG names a newer clang", name(),
      target.sm, made);
}

// PTX 7.0 has all that this clang writes; what stands in asm blocks is not its concern.
std::vector<std::string> Clang::options(const Target& target) const {
  // The same code on every day: NVRTC is told the same date (codegen/compile/file_watch.h).
  return {"-S",
          "-O3",
          "-gline-directives-only",
          "-Wno-builtin-macro-redefined",
          "-D__DATE__=\"Jan  1 1970\"",
          "-D__TIME__=\"00:00:00\"",
          "-D__TIMESTAMP__=\"Thu Jan  1 00:00:00 1970\"",
          fmt::format("--cuda-gpu-arch=sm_{}", newest(target.sm)),
          "-Xclang",
          "-target-feature",
          "-Xclang",
          "+ptx70"};
}

Result<Compiled> Clang::compile(const std::string& source, const std::string& name,
                                const Target& target) const {
  return compile_expanded(with_prelude(source, name), target);
}

Result<Compiled> Clang::compile_expanded(const std::string& text, const Target& target) const {
  if (target.form == Target::Form::cubin)
    return fail(Fault::device, "clang makes no machine code: a real GPU needs NVRTC");
  std::vector<std::string> words = options(target);
  words.insert(words.end(), {"-x", "cuda", "-o", "-", "-"});
  auto ran = GPX_TRY(run(path_, std::move(words), text, "/", {}));
  Compiled made;
  made.ok = ran.ok;
  made.log = std::move(ran.errors);
  if (made.ok) made.ptx = std::move(ran.output);
  if (made.ok && made.ptx.empty()) return fail(Fault::device, "clang gave no code and no error");
  return made;
}

// The source comes from a pipe, so that "here" is the folder in which clang runs.
Result<Clang::Expanded> Clang::expand(const std::string& source, const std::string& name,
                                      const std::string& folder) const {
  const HeaderFolder headers;
  std::vector<std::string> words = options({Target::Form::ptx, 75});
  if (!headers.path().empty()) words.insert(words.end(), {"-isystem", headers.path()});
  words.insert(words.end(), {"-E", "-I.", "-x", "cuda", "-o", "-", "-"});
  // The embedded library's kernels have no folder of their own, and include nothing of one.
  const std::string here = is_embedded(folder) ? headers.path() : folder.empty() ? "." : folder;
  auto ran = GPX_TRY(
      run(path_, std::move(words), with_prelude(source, name), here, {here, headers.path()}));
  Expanded made;
  made.ok = ran.ok;
  made.log = std::move(ran.errors);
  made.text = headers.without_path(std::move(ran.output));
  if (made.ok && has_made_directive(made.text)) {
    made.ok = false;
    made.log = name + "(1): error: a macro makes a line that begins with #";
  }
  std::error_code code;
  for (const std::string& file : marked_files(made.text)) {
    if (file == name || file.starts_with('<')) continue;
    const fs::path real = fs::canonical(fs::path(folder) / file, code);
    made.files.push_back(code ? file : real.string());
  }
  return made;
}

Result<std::shared_ptr<const Clang>> find_clang() {
  if (const std::string given = environment("GPX_CLANG"); !given.empty()) {
    if (runs(given)) return clang_at(given);
    return fail(Fault::device, fmt::format("GPX_CLANG is {}, which cannot be run", given));
  }
  for (const char* name : {"clang-14", "clang"})
    for (const std::string& folder : path_folders())
      if (const std::string path = folder + "/" + name; runs(path)) return clang_at(path);
  return fail(Fault::device, "there is no clang-14 and no clang in PATH");
}

}  // namespace gpx::codegen
