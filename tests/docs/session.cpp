#include "tests/docs/session.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "codegen/compile/nvrtc.h"
#include "codegen/ir/text.h"

namespace gpx::docs {
namespace {

namespace fs = std::filesystem;

/// Ends a command's output; followed by its status.
constexpr char kMark = '\001';

class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "gpx-docs-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    for (const char* folder : {"experiments", "stdlib", "tests/kernels", "docs/results"}) {
      fs::create_directories(path_ / folder);
      fs::copy(fs::path(GPX_SOURCE_DIR) / folder, path_ / folder, fs::copy_options::recursive);
    }
    fs::create_directories(path_ / "home");
    fs::create_directories(path_ / "bin");
    fs::create_symlink(GPX_PROGRAM, path_ / "bin/gpx");
    write("dev", "#!/bin/sh\n[ \"$1\" = gpx ] && shift\nexec gpx \"$@\"\n");
    fs::permissions(path_ / "dev", fs::perms::owner_all);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

/// Where clang compiles, what the documents say of NVRTC is its name's place alone.
std::string as_documented(const std::string& output) {
  static const std::regex clang("clang [0-9]+\\.[0-9]+\\.[0-9]+");
  return codegen::find_nvrtc() ? output : std::regex_replace(output, clang, "libnvrtc.so.none");
}

/// No GPU, no terminal, no store and no settings of whoever runs the tests.
std::string environment(const std::string& folder) {
  return "env -i PATH=" + folder + "/bin:/usr/local/bin:/usr/bin:/bin HOME=" + folder +
         "/home LC_ALL=C.UTF-8 TERM=dumb COLUMNS=100 TZ=UTC CUDA_VISIBLE_DEVICES= "
         "GPX_CACHE_DIR=" GPX_DOCS_CACHE " GPX_NVRTC=" +
         codegen::environment("GPX_NVRTC") + " ";
}

std::string script_of(const std::vector<Step>& steps) {
  std::string script = "exec 2>&1 </dev/null\n(exit 0)\n";
  for (const Step& step : steps) {
    if (!step.file.empty()) {
      script += "cat >" + step.file + " <<'END OF FILE'\n" + step.text + "END OF FILE\n";
      continue;
    }
    // `$?` is that of the command before, as the reader's shell has it.
    script += step.text + "\nstatus_=$?; printf '\\001%d\\n' $status_; (exit $status_)\n";
  }
  return script;
}

std::string output_of(const std::string& command) {
  std::string all;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return all;
  char buffer[4096];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    all.append(buffer, got);
  ::pclose(pipe);
  return all;
}

}  // namespace

std::vector<Ran> run_steps(const std::vector<Step>& steps) {
  const Scratch scratch;
  scratch.write("session.sh", script_of(steps));
  const std::string all = output_of("cd " + scratch.path() + " && " + environment(scratch.path()) +
                                    "timeout 300 sh session.sh");
  std::vector<Ran> results;
  std::size_t from = 0;
  for (const Step& step : steps) {
    if (!step.command) continue;
    const std::size_t mark = all.find(kMark, from);
    if (mark == std::string::npos) return results;
    results.push_back({step.command, std::atoi(all.c_str() + mark + 1),
                       split_lines(as_documented(all.substr(from, mark - from)))});
    from = all.find('\n', mark) + 1;
  }
  return results;
}

}  // namespace gpx::docs
