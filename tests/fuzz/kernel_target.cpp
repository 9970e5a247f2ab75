// Any text as a kernel's file before and after the compiler: what gpx itself reads of the CUDA, of
// the PTX that came of it, of the compiler's log, and of a buffer's file. Parts of the input are
// divided by lines "----"; a part that is missing is that of a small kernel.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "codegen/user/contents.h"
#include "codegen/user/user_kernel.h"
#include "targets.h"

namespace gpx::fuzz {
namespace {

using namespace codegen;

const std::string kCuda = "extern \"C\" __global__ void k(float* a, int n) { a[0] = n; }\n";
const std::string kPtx =
    ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n{ ret; }\n";
const std::string kLog = "k.cu(1): error: expected a \";\"\n";

enum Part { of_cuda, of_ptx, of_log, of_contents, parts };

std::array<std::string, parts> divided(const std::string& input) {
  std::array<std::string, parts> all = {kCuda, kPtx, kLog, ""};
  std::size_t at = 0;
  for (std::string& part : all) {
    const std::size_t end = input.find("\n----\n", at);
    part = input.substr(at, end == std::string::npos ? end : end - at);
    if (end == std::string::npos) break;
    at = end + 6;
  }
  return all;
}

std::string check_entries(const Source& source, const std::string& ptx_text) {
  const auto entries = entries_of(ptx_text, source.text());
  for (const KernelEntry& entry : entries) {
    taken = true;
    if (entry.name.empty() || entry.symbol.empty()) return "an entry without a name";
    for (const KernelParameter& parameter : entry.parameters)
      if (parameter.name.empty() || parameter.type.empty()) return "a parameter without a name";
    const auto found = find_entry(entries, entry.symbol, "k.cu", source, {});
    if (!found) return "an entry is not found by its symbol: " + render(found.error());
  }
  const auto none = find_entry(entries, "no such entry", "k.cu", source, {});
  return none || none.error().diagnostics.empty() ? "an entry that is not there is found" : "";
}

std::string check_log(const Source& source, const std::string& text) {
  const Error error = log_errors(source, read_log(text), text, "NVRTC");
  if (error.diagnostics.empty()) return "a compiler's log without a diagnostic";
  for (const Diagnostic& diagnostic : error.diagnostics)
    if (diagnostic.message.empty()) return "an error without a message";
  return render(error).empty() ? "an error without a text" : "";
}

/// As a buffer's file, .npy and raw.
std::string check_contents(const std::string& bytes) {
  static const std::string folder = [] {
    const auto made =
        std::filesystem::temp_directory_path() / ("gpx-fuzz-kernel-" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(
          std::filesystem::temp_directory_path() / ("gpx-fuzz-kernel-" + std::to_string(getpid())),
          ignored);
    });
    return made.string();
  }();
  for (const char* name : {"/a.npy", "/a.bin"}) {
    const std::string path = folder + name;
    std::ofstream(path, std::ios::binary) << bytes;
    for (const Element element : {Element::i32, Element::f32, Element::f64}) {
      const auto words = file_words(path, 16, element);
      if (!words && words.error().empty()) return "a file is refused without a reason";
      if (words && words->size() != 2) return "words that nobody asked for";
    }
  }
  return "";
}

}  // namespace

std::string kernel(const std::string& input) {
  const auto all = divided(input);
  const Source source("k.cu", all[of_cuda]);
  std::string wrong = check_entries(source, all[of_ptx]);
  if (wrong.empty()) wrong = check_log(source, all[of_log]);
  if (wrong.empty() && !all[of_contents].empty()) wrong = check_contents(all[of_contents]);
  return wrong;
}

}  // namespace gpx::fuzz
