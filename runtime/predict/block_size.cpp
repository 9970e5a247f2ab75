// Interface: block_size.h. Covered by tests/runtime/block_size_test.cpp.
#include "runtime/predict/block_size.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

namespace gpx {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr const char* kOtherIndex =
    "the kernel uses more of a thread's place than blockIdx.x * blockDim.x + threadIdx.x";

/// From the kernel's name to the next function, without comments and .loc; "": not found.
std::string entry_text(const std::string& ptx, const std::string& entry) {
  const std::size_t begin = ptx.find(".entry " + entry + "(");
  if (begin == ptx.npos) return {};
  const std::size_t end = std::min(ptx.find(".entry ", begin + 1), ptx.find(".func ", begin + 1));
  std::istringstream lines(ptx.substr(begin, end == ptx.npos ? end : end - begin));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != line.npos && line.compare(first, 4, ".loc") != 0) text += line + '\n';
  }
  return text;
}

/// An instruction without its guard: the opcode, then its operands.
std::vector<std::string> statement_words(std::string_view statement) {
  std::vector<std::string> words(1);
  for (const char c : statement) {
    const bool separates = std::string_view(" \t\n\r,[]{}()").find(c) != std::string_view::npos;
    if (!separates)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  while (!words.empty() && (words.front().front() == '@' || words.front().back() == ':'))
    words.erase(words.begin());
  return words;
}

bool is_place(const std::string& word) {
  for (const char* name : {"%tid", "%ntid", "%ctaid", "%nctaid", "%warpid", "%nwarpid", "%smid",
                           "%cluster", "%gridid"})
    if (word.starts_with(name)) return true;
  return false;
}

/// Follows the registers that hold a part of the place; false: one is used in another way.
class Index {
 public:
  bool allows(const std::vector<std::string>& words) {
    if (words.size() == 3 && words[0].starts_with("mov.") && is_place(words[2])) {
      held_[words[1]] = words[2];
      return words[2].ends_with(".x");
    }
    std::multiset<std::string> parts;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (is_place(words[i])) return false;
      const auto found = held_.find(words[i]);
      if (found != held_.end()) parts.insert(found->second);
    }
    if (parts.empty()) return true;
    return is_thread(words, parts) || is_all_threads(words, parts);
  }

 private:
  bool is_thread(const std::vector<std::string>& words,
                 const std::multiset<std::string>& parts) const {
    if (!words[0].starts_with("mad.lo.") || words.size() != 5) return false;
    const auto added = held_.find(words[4]);
    return added != held_.end() && added->second == "%tid.x" && !held_.contains(words[1]) &&
           parts == std::multiset<std::string>{"%ctaid.x", "%ntid.x", "%tid.x"};
  }
  bool is_all_threads(const std::vector<std::string>& words,
                      const std::multiset<std::string>& parts) const {
    return words[0].starts_with("mul.lo.") && words.size() == 4 && !held_.contains(words[1]) &&
           parts == std::multiset<std::string>{"%nctaid.x", "%ntid.x"};
  }

  std::map<std::string, std::string> held_;
};

/// Threads of a block share something there, or it calls a function.
bool shares(const std::string& opcode) {
  for (const char* begin : {"bar.", "barrier.", "call"})
    if (opcode.starts_with(begin)) return true;
  return opcode.find(".shared") != opcode.npos || opcode.find("cluster") != opcode.npos;
}

std::string why_of_text(std::string_view text) {
  if (text.empty()) return "the kernel's PTX was not found";
  for (const char* bound : {".maxntid", ".reqntid", ".reqnctapercluster"})
    if (text.find(bound) != text.npos) return "the kernel declares its block size";
  Index index;
  std::size_t at = text.find('{');
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(';', at + 1), text.size());
    const std::string_view statement = text.substr(at + 1, end - at - 1);
    at = end;
    const auto words = statement_words(statement);
    if (words.empty()) continue;
    if (shares(words[0]))
      return "threads of a block share memory or wait for each other, or the kernel has calls";
    if (!index.allows(words)) return kOtherIndex;
  }
  return "";
}

}  // namespace

std::string why_block_matters(const codegen::Artifact& artifact, const codegen::Launch& launch) {
  if (launch.blocks_down * launch.blocks_deep * launch.threads_down * launch.threads_deep != 1)
    return "the grid or its blocks have more than one dimension";
  if (artifact.code_alone) return "the file has machine code alone";
  if (launch.threads % kWarp != 0) return "a block is no multiple of 32 threads";
  return why_of_text(entry_text(artifact.ptx, artifact.entry));
}

}  // namespace gpx
