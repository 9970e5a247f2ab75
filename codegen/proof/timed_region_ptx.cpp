// Timed region, PTX: every instruction between the clock reads has its reason in the kernel IR.
// Interface: codegen/proof/timed_region.h. Covered by tests/codegen/timed_region_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "codegen/emit/emit.h"
#include "codegen/ir/text.h"
#include "codegen/proof/timed_region_body.h"

namespace gpx::codegen {
namespace {

struct Line {
  std::string_view text;                   // Without its semicolon.
  std::string_view guard;                  // "@%p1"; empty if there is none.
  std::string_view opcode;                 // "ld.global.u32"
  std::vector<std::string_view> operands;  // "[%rd8", "131072", "%r1": split at , + { } [ ]
};

Line line_of(std::string_view text) {
  Line line{text, {}, {}, {}};
  const auto word = [&] {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view taken = text.substr(0, end);
    text = trimmed(text.substr(end));
    return taken;
  };
  if (text.starts_with('@')) line.guard = word();
  line.opcode = word();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",+{}[] \t"), text.size());
    if (end > 0) line.operands.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return line;
}

// Instructions only: no comments, labels, braces or directives.
std::vector<Line> instructions(std::string_view ptx) {
  std::vector<Line> lines;
  while (!ptx.empty()) {
    const std::size_t end = std::min(ptx.find('\n'), ptx.size());
    std::string_view row = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    row = row.substr(0, row.find("//"));
    while (!row.empty()) {
      const std::size_t stop = std::min(row.find(';'), row.size());
      const std::string_view text = trimmed(row.substr(0, stop));
      const bool instruction = stop < row.size() && !text.empty() && text[0] != '.';
      if (instruction) lines.push_back(line_of(text));
      row.remove_prefix(std::min(stop + 1, row.size()));
    }
  }
  return lines;
}

// "ld.global.cg.u32" of an access, from the op table.
std::string expected_opcode(const Instruction& access) {
  std::string opcode(info(access.op).spelling);
  opcode.resize(opcode.find(' '));
  if (const std::size_t at = opcode.find("{c}"); at != std::string::npos)
    opcode.replace(at, 3, cache_suffix(access.cache));
  return opcode;
}

class PtxChecker {
 public:
  PtxChecker(const Kernel& kernel, std::string_view ptx)
      : kernel_(kernel), lines_(instructions(ptx)) {
    for (const Instruction& instruction : kernel.timed)
      if (info(instruction.op).bytes > 0) accesses_.push_back(&instruction);
    latency_ = kernel.observe == Observe::latency;
    folds_ = !kernel.timed.back().operands.empty();
  }

  RegionReport run() {
    if (!(latency_ ? find_by_clock() : find_by_access())) return std::move(report_);
    at_ = begin_;
    for (std::size_t i = begin_; i < end_; ++i)
      report_.listing += fmt::format("{}\n", lines_[i].text);
    if (!before() || !accesses() || (folds_ && !fold()) || !end()) return std::move(report_);
    report_.verdict = RegionReport::Verdict::verified;
    report_.reason = fmt::format("{} accesses in the PTX", accesses_.size());
    if (folds_)
      report_.reason += fmt::format(", then {} additions and a comparison", words_.size());
    return std::move(report_);
  }

 private:
  template <typename... Args>
  bool refuse(fmt::format_string<Args...> text, Args&&... args) {
    report_.verdict = RegionReport::Verdict::refused;
    report_.reason = "PTX: " + fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  bool find_by_clock() {
    std::vector<std::size_t> reads;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!lines_[i].operands.empty() && lines_[i].operands.back() == "%clock64")
        reads.push_back(i);
    if (reads.size() != 2) return refuse("{} reads of %clock64 instead of 2", reads.size());
    begin_ = reads[0] + 1;
    end_ = reads[1];
    return true;
  }

  bool find_by_access() {
    const std::string first = expected_opcode(*accesses_.front());
    const auto is_first = [&](const Line& line) {
      return line.guard.empty() && line.opcode == first;
    };
    begin_ = static_cast<std::size_t>(std::find_if(lines_.begin(), lines_.end(), is_first) -
                                      lines_.begin());
    if (begin_ == lines_.size()) return refuse("there is no {}", first);
    end_ = begin_ + accesses_.size();
    if (folds_) end_ += needs_order(kernel_) ? 3 : 2;  // beside one line for each word
    for (const Instruction* access : accesses_)
      if (is_load(access->op)) end_ += words(kernel_.registers[access->result].type);
    end_ = std::min(end_, lines_.size());
    return true;
  }

  // What the region uses is stored, under a condition, in front of the barrier and the start clock.
  bool before() {
    const std::size_t clock = latency_ ? begin_ - 1 : begin_;
    if (latency_ && (clock == 0 || lines_[clock - 1].opcode != "bar.sync"))
      return refuse("no barrier right before the start clock");
    for (std::size_t i = 0; i < clock; ++i)
      if (!lines_[i].guard.empty() && lines_[i].opcode.starts_with("st.global"))
        ready_.insert(lines_[i].operands.back());
    return true;
  }

  bool accesses() {
    for (const Instruction* access : accesses_) {
      const std::string opcode = expected_opcode(*access);
      if (at_ >= end_) return refuse("{} accesses instead of {}", at_ - begin_, accesses_.size());
      const Line& line = lines_[at_++];
      if (!line.guard.empty() || line.opcode != opcode)
        return refuse("'{}' stands where {} is expected", line.text, opcode);
      if (!(is_load(access->op) ? load(*access, line) : store(*access, line))) return false;
    }
    return true;
  }

  // Loads: destinations, address, offset. Stores: address, offset, sources.
  bool load(const Instruction& access, const Line& line) {
    const std::uint32_t count = words(kernel_.registers[access.result].type);
    if (line.operands.size() != count + 2) return refuse("'{}' has an odd shape", line.text);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!words_.insert(line.operands[i]).second)
        return refuse("'{}' overwrites a loaded value", line.text);
      unused_.insert(line.operands[i]);
    }
    return address(access, line, count);
  }

  bool store(const Instruction& access, const Line& line) {
    const std::uint32_t count = words(kernel_.registers[access.operands[1]].type);
    if (line.operands.size() != count + 2) return refuse("'{}' has an odd shape", line.text);
    return address(access, line, 0);
  }

  bool address(const Instruction& access, const Line& line, std::size_t at) {
    if (ready_.count(line.operands[at]) == 0)
      return refuse("the address of '{}' need not be ready at the start clock", line.text);
    if (line.operands[at + 1] != std::to_string(access.immediate))
      return refuse("'{}' should add {} to its address", line.text, access.immediate);
    return true;
  }

  // What the sum starts from: a read of the clock, or the first loaded word.
  bool fold_start(std::string_view& sum) {
    const bool orders = needs_order(kernel_);
    if (at_ >= end_ || lines_[at_].opcode != "mov.u32" || lines_[at_].operands.size() != 2)
      return refuse("no sum after the last access");
    const Line& line = lines_[at_++];
    if (orders && line.operands[1] != "%clock")
      return refuse("no read of the clock after the last access");
    if (!orders && unused_.erase(line.operands[1]) == 0)
      return refuse("'{}' does not start from a loaded value", line.text);
    sum = line.operands[0];
    return true;
  }

  // mov; one add for each further loaded word; setp; then what waits for the sum: the barrier of
  // the end clock, or without one a store.
  bool fold() {
    std::string_view sum;
    if (!fold_start(sum)) return false;
    for (; at_ < end_ && lines_[at_].opcode == "add.u32"; ++at_) {
      const Line& line = lines_[at_];
      if (line.operands.size() != 3 || line.operands[1] != sum ||
          unused_.erase(line.operands[2]) == 0)
        return refuse("'{}' does not add a loaded value to the sum", line.text);
      sum = line.operands[0];
    }
    if (!unused_.empty()) return refuse("the end clock does not depend on {}", *unused_.begin());
    if (at_ + 1 >= end_) return refuse("the sum is not used before the end clock");
    const Line& compare = lines_[at_++];
    const std::string_view opcode = latency_ ? "setp.eq.and.u32" : "setp.eq.u32";
    if (compare.opcode != opcode || compare.operands.size() < 3 || compare.operands[1] != sum)
      return refuse("'{}' does not compare the sum", compare.text);
    decided_ = compare.operands[0];
    if (latency_) return true;
    const Line& sink = lines_[at_++];
    if (sink.opcode != "st.global.u32" || sink.guard != fmt::format("@{}", decided_))
      return refuse("'{}' does not depend on the sum", sink.text);
    return true;
  }

  bool end() {
    if (latency_) {
      if (at_ >= end_ || lines_[at_].opcode != "bar.sync")
        return refuse("no barrier before the end clock");
      const Line& barrier = lines_[at_++];
      if (folds_ && barrier.guard != fmt::format("@!{}", decided_))
        return refuse("'{}' does not depend on the sum", barrier.text);
    }
    if (at_ != end_) return refuse("'{}' is timed too", lines_[at_].text);
    return true;
  }

  const Kernel& kernel_;
  std::vector<Line> lines_;
  std::vector<const Instruction*> accesses_;
  bool latency_ = true, folds_ = true;
  std::size_t begin_ = 0, end_ = 0, at_ = 0;
  std::string_view decided_;  // The predicate that the sum decides.
  std::set<std::string_view> ready_, words_, unused_;
  RegionReport report_;
};

}  // namespace

RegionReport check_ptx(const Kernel& kernel, std::string_view ptx) {
  return only_accesses(kernel) ? PtxChecker(kernel, ptx).run() : check_ptx_body(kernel, ptx);
}

}  // namespace gpx::codegen
