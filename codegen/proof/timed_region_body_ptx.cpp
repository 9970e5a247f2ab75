// Timed region of a body, PTX. Interface: codegen/proof/timed_region_body.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "codegen/emit/region.h"
#include "codegen/ir/operation.h"
#include "codegen/ir/text.h"
#include "codegen/proof/timed_region_body.h"

namespace gpx::codegen {
namespace {

std::vector<std::string_view> rows_of(std::string_view text) {
  std::vector<std::string_view> rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto row = trimmed(text.substr(0, end)); !row.empty()) rows.push_back(row);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

/// The instructions of an asm statement of C: its string literals, without the escapes.
std::vector<std::string> written(const std::string& statement) {
  std::vector<std::string> lines;
  for (std::string_view row : rows_of(statement)) {
    constexpr std::string_view kEnd = "\\n\"";
    if (!row.starts_with('"') || !row.ends_with(kEnd)) continue;
    row = trimmed(row.substr(1, row.size() - 1 - kEnd.size()));
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == '\\') continue;
      line += row[i];
      if (row.substr(i).starts_with("%%")) ++i;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// The asm blocks of a PTX, as lines.
std::vector<std::vector<std::string_view>> blocks_of(std::string_view ptx) {
  std::vector<std::vector<std::string_view>> blocks;
  bool inside = false;
  for (std::string_view row : rows_of(ptx)) {
    if (row == "// end inline asm") inside = false;
    if (inside) blocks.back().push_back(row);
    if (row != "// begin inline asm") continue;
    inside = true;
    blocks.emplace_back();
  }
  return blocks;
}

bool is_ptx_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '.' ||
         c == '$';
}

std::vector<std::string_view> tokens_of(std::string_view line) {
  std::vector<std::string_view> tokens;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i + 1;
    if (is_ptx_word(line[i]))
      while (end < line.size() && is_ptx_word(line[end])) ++end;
    if (line[i] != ' ' && line[i] != '\t') tokens.push_back(line.substr(i, end - i));
    i = end;
  }
  return tokens;
}

bool is_operand(std::string_view token) {
  return token.size() > 1 && token[0] == '%' &&
         std::isdigit(static_cast<unsigned char>(token[1])) != 0;
}

/// Names that an instruction writes and reads.
struct Uses {
  std::vector<std::string_view> writes, reads;
};

Uses uses_of(std::string_view line) {
  Uses made;
  std::vector<std::string_view> tokens = tokens_of(line);
  while (tokens.size() > 2 && (tokens[0] == "@" || tokens[0] == "!")) {
    tokens.erase(tokens.begin());
    if (tokens[0] == "!") continue;
    made.reads.push_back(tokens[0]);
    tokens.erase(tokens.begin());
  }
  bool group = false, results = true;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i] == "{") group = true;
    if (tokens[i] == "}") group = false;
    if (tokens[i] == "," && !group) results = false;
    if (is_ptx_word(tokens[i][0])) (results ? made.writes : made.reads).push_back(tokens[i]);
  }
  return made;
}

class PtxBodyChecker {
 public:
  PtxBodyChecker(const Kernel& kernel, std::string_view ptx)
      : kernel_(kernel), written_(written(RegionEmitter(kernel).run())), blocks_(blocks_of(ptx)) {}

  RegionReport run() {
    if (!find()) return std::move(report_);
    list();
    if (!same() || !chains()) return std::move(report_);
    report_.verdict = RegionReport::Verdict::verified;
    report_.reason = fmt::format("the PTX is as written: {} instructions", end_ - begin_);
    if (executions_ > 0) report_.reason += fmt::format(", {} executions", executions_);
    return std::move(report_);
  }

 private:
  template <typename... Args>
  bool refuse(fmt::format_string<Args...> text, Args&&... args) {
    report_.verdict = RegionReport::Verdict::refused;
    report_.reason = "PTX: " + fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  // The statement of the region is the one that declares `hit` first. What runs beside it reads no
  // clock.
  bool find() {
    const auto is_timed = [&](const std::vector<std::string_view>& block) {
      return !kernel_.clocked() ||
             std::any_of(block.begin(), block.end(),
                         [](std::string_view line) { return line.ends_with(", %clock64;"); });
    };
    const auto is_region = [&](const std::vector<std::string_view>& block) {
      return block.size() > 1 && block[1] == ".reg .pred hit;" && is_timed(block) &&
             std::any_of(block.begin(), block.end(), [](std::string_view line) {
               return line.starts_with("setp.eq.u64 hit,");
             });
    };
    const auto count = std::count_if(blocks_.begin(), blocks_.end(), is_region);
    // What holds registers after the region looks alike, but comes later.
    if (count < 1) return refuse("there is no timed region");
    lines_ = *std::find_if(blocks_.begin(), blocks_.end(), is_region);
    std::vector<std::size_t> clocks;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].ends_with(", %clock64;")) clocks.push_back(i);
    if (kernel_.clocked() && clocks.size() != 2)
      return refuse("{} reads of %clock64 instead of 2", clocks.size());
    begin_ = kernel_.clocked() ? clocks[0] + 1 : 0;
    end_ = kernel_.clocked() ? clocks[1] : lines_.size();
    return true;
  }

  void list() {
    for (std::size_t i = begin_; i < end_; ++i) report_.listing += fmt::format("{}\n", lines_[i]);
  }

  // Line for line what was written; each operand of the statement is one register throughout.
  bool same() {
    for (std::size_t i = 0; i < std::max(lines_.size(), written_.size()); ++i) {
      if (i >= lines_.size()) return refuse("it ends before '{}'", written_[i]);
      if (i >= written_.size()) return refuse("'{}' was not written", lines_[i]);
      if (!same(lines_[i], written_[i]))
        return refuse("'{}' stands where '{}' is expected", lines_[i], written_[i]);
    }
    return true;
  }

  bool same(std::string_view found, std::string_view expected) {
    const auto left = tokens_of(found), right = tokens_of(expected);
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!is_operand(right[i])) {
        if (left[i] != right[i]) return false;
        continue;
      }
      const auto [known, is_new] = operands_.try_emplace(std::string(right[i]), left[i]);
      if (!is_new && known->second != left[i]) return false;
    }
    return true;
  }

  // ---- each execution uses what the one before it gave --------------------------------------

  bool chains() {
    std::uint32_t number = 0;
    bool ok = true;
    at_ = begin_;
    for_each(kernel_.timed, [&](const Instruction& instruction) {
      if (instruction.op != Op::operate || !ok) return;
      ok = operation(instruction, fmt::format("op{}_", number++));
    });
    return ok;
  }

  bool operation(const Instruction& instruction, const std::string& prefix) {
    const Operation& row = *find_operation(instruction.name);
    if (row.type == "none") return true;
    const auto each = static_cast<std::size_t>(std::count(row.ptx.begin(), row.ptx.end(), ';'));
    while (at_ < end_ && lines_[at_].find(prefix) == std::string_view::npos) ++at_;
    std::map<std::string_view, std::uint32_t> depth;  // Executions behind a value.
    for (std::uint32_t i = 0; i < instruction.count; ++i) {
      const std::uint32_t before = i / instruction.streams;
      if (at_ + each > end_)
        return refuse("{} executions of {} instead of {}", i, row.name, instruction.count);
      for (std::size_t part = 0; part < each; ++part, ++at_) {
        if (lines_[at_].ends_with(':')) ++at_;  // A label between two blocks of operations.
        const Uses uses = uses_of(lines_[at_]);
        std::uint32_t deepest = 0;
        for (std::string_view name : uses.reads) deepest = std::max(deepest, depth[name]);
        const bool last = part + 1 == each;
        if (last && deepest != before)
          return refuse("'{}' does not wait for the execution before it", lines_[at_]);
        for (std::string_view name : uses.writes) depth[name] = deepest + (last ? 1 : 0);
      }
    }
    executions_ += instruction.count;
    return true;
  }

  const Kernel& kernel_;
  const std::vector<std::string> written_;
  const std::vector<std::vector<std::string_view>> blocks_;
  std::vector<std::string_view> lines_;
  std::size_t begin_ = 0, end_ = 0, at_ = 0;
  std::uint32_t executions_ = 0;
  std::map<std::string, std::string_view> operands_;
  RegionReport report_;
};

}  // namespace

RegionReport check_ptx_body(const Kernel& kernel, std::string_view ptx) {
  return PtxBodyChecker(kernel, ptx).run();
}

}  // namespace gpx::codegen
