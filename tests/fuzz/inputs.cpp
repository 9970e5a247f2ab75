// Reading seeds from the tree, words from the tables. Interface: inputs.h.
#include "inputs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "codegen/ptx/ops.h"
#include "lang/vocabulary.h"
#include "runtime/device/vgpu/description/fields.h"

namespace gpx::fuzz {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = GPX_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// The files of a folder with that ending ("" for any), sorted.
std::vector<Input> files(const fs::path& folder, const std::string& extension) {
  std::vector<Input> all;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() &&
        (extension.empty() || entry.path().extension().string() == extension))
      all.push_back({entry.path().filename().string(), read(entry.path())});
  std::sort(all.begin(), all.end(), [](const Input& a, const Input& b) { return a.name < b.name; });
  return all;
}

std::vector<Input> joined(std::vector<Input> a, const std::vector<Input>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The declarations with one kernel each: the whole text is too large to mutate.
std::vector<Input> kernels() {
  const std::string text = read(kRoot / "tests/vgpu/ptx/kernels.ptx"), mark = ".visible .entry ";
  const std::size_t first = text.find(mark);
  std::vector<Input> all;
  for (std::size_t at = first; at != std::string::npos;) {
    const std::size_t next = text.find(mark, at + 1);
    const std::size_t name = at + mark.size();
    all.push_back({text.substr(name, text.find('(', name) - name) + ".ptx",
                   text.substr(0, first) + text.substr(at, next - at)});
    at = next;
  }
  return all;
}

/// A session's messages, without the server's answers.
std::vector<Input> sessions() {
  std::vector<Input> all = files(kRoot / "tests/lsp/golden", ".session");
  for (Input& session : all) {
    std::istringstream lines(session.bytes);
    session.bytes.clear();
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with('#')) session.bytes += line + '\n';
  }
  return all;
}

/// Words of tests/data/sass, behind their architecture's byte: some of one in each input.
std::vector<Input> machine_words() {
  constexpr std::size_t kWords = 40;
  const std::vector<int> architectures = {75, 80, 86, 89, 90, 100, 120};
  std::vector<Input> all;
  std::vector<std::string> open(architectures.size());
  const auto close = [&](std::size_t k) {
    if (!open[k].empty())
      all.push_back({"words_" + std::to_string(all.size()),
                     std::string(1, static_cast<char>(k)) + std::exchange(open[k], "")});
  };
  std::istringstream lines(read(kRoot / "tests/data/sass/words.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    int sm = 0;
    std::array<std::uint64_t, 2> word{};
    if (line.starts_with('#') || !(fields >> sm >> std::hex >> word[0] >> word[1])) continue;
    const auto k =
        static_cast<std::size_t>(std::ranges::find(architectures, sm) - architectures.begin());
    if (k == open.size()) continue;
    for (std::size_t byte = 0; byte < sizeof word; ++byte)
      open[k] += static_cast<char>(word[byte / 8] >> 8 * (byte % 8));
    if (open[k].size() == kWords * sizeof word) close(k);
  }
  for (std::size_t k = 0; k < open.size(); ++k) close(k);
  return all;
}

std::set<std::string> of_language() {
  std::set<std::string> all = {"<", ">", "{", "}", "(", ")", "[", "]", "..", "==", "x3", "128B"};
  for (const Term& term : vocabulary()) all.insert(term.name);
  return all;
}

std::set<std::string> of_ptx() {
  using namespace ptx;
  std::set<std::string> all = {".version", ".target", ".visible", ".entry",  ".func",  ".reg",
                               ".param",   ".const",  ".global",  ".shared", ".local", ".align",
                               ".pred",    ".b32",    ".u64",     ".f32",    "%r1",    "%tid.x"};
  for (std::uint16_t id = 0; id < static_cast<std::uint16_t>(OpId::count); ++id)
    all.emplace(op_row(static_cast<OpId>(id)).name);
  return all;
}

std::set<std::string> of_devices() {
  std::set<std::string> all = {"return", "source", "assumed", "128 B", "10 clocks", "706 MHz"};
  for (const auto& field : vgpu::timing::fields()) {
    const std::string path(field.path);
    all.insert(path.substr(path.find('.') + 1));
    all.insert(path.substr(0, path.find('.')));
  }
  return all;
}

/// What the document of analyses calls by name, up to the arguments.
std::set<std::string> of_analyses() {
  std::set<std::string> all = {"return function(input)", "end", "local", "input.samples"};
  const std::string text = read(kRoot / "docs/analysis.md");
  for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', at)) {
    const std::size_t end = text.find_first_of("`({\n", ++at);
    if (end == std::string::npos) break;
    if (end > at && end - at < 40) all.insert(text.substr(at, end - at));
    at = std::min(text.find_first_of("`\n", at), text.size() - 1) + 1;
  }
  return all;
}

const std::set<std::string> kOfKernels = {"__global__",
                                          "__device__",
                                          "__shared__",
                                          "extern \"C\"",
                                          "template <typename T>",
                                          "const",
                                          "__restrict__",
                                          "float*",
                                          "unsigned",
                                          "(*f)(int)",
                                          "/*",
                                          "*/",
                                          "//",
                                          "R\"(",
                                          "\n----\n",
                                          ".entry",
                                          ".param .u64",
                                          ".b8 s[16]",
                                          ".extern .shared",
                                          "error: "};

/// Whatever stands in quotes in the inputs themselves.
std::set<std::string> quoted(const std::vector<Input>& inputs) {
  std::set<std::string> all;
  for (const Input& input : inputs)
    for (std::size_t at = input.bytes.find('"'); at != std::string::npos;) {
      const std::size_t end = input.bytes.find('"', at + 1);
      if (end == std::string::npos) break;
      if (end - at < 40) all.insert(input.bytes.substr(at, end - at + 1));
      at = input.bytes.find('"', end + 1);
    }
  return all;
}

}  // namespace

std::vector<Input> seeds(const std::string& target) {
  if (target == "grammar")
    return joined(files(kRoot / "experiments", ".gpx"), files(kRoot / "tests/lang/golden", ".gpx"));
  if (target == "ptx") return kernels();
  if (target == "device") return files(kRoot / "stdlib/devices", ".lua");
  if (target == "lsp") return sessions();
  if (target == "lua") return files(kRoot / "stdlib/analysis", ".lua");
  if (target == "report") return corpus("store");
  if (target == "sass") return machine_words();
  if (target == "kernel")
    return joined(files(kRoot / "stdlib/kernels", ".cu"), files(kRoot / "tests/kernels", ".cu"));
  return {};
}

std::vector<Input> corpus(const std::string& target) {
  return files(kRoot / "tests/fuzz/corpus" / target, "");
}

std::size_t longest(const std::string& target) {
  if (target == "ptx") return 6000;  // The smallest kernel of the seeds has 5 KB.
  if (target == "store" || target == "report") return 6200;  // So has a document with all fields.
  if (target == "device" || target == "lua") return 4200;
  if (target == "lsp") return 3000;
  return 2000;
}

std::vector<std::string> words(const std::string& target) {
  std::set<std::string> all = target == "ptx"                           ? of_ptx()
                              : target == "device"                      ? of_devices()
                              : target == "lua"                         ? of_analyses()
                              : target == "kernel"                      ? kOfKernels
                              : target == "sass"                        ? std::set<std::string>{}
                              : target == "store" || target == "report" ? quoted(corpus("store"))
                                                                        : of_language();
  if (target == "report") all.insert("<fuzz>");
  if (target == "lsp") all.merge(quoted(seeds(target)));
  return {all.begin(), all.end()};
}

}  // namespace gpx::fuzz
