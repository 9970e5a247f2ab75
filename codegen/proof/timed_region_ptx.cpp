// Timed region, PTX: every statement of its inline assembly is one that the kernel IR asks for, in
// the same order, on the registers that are meant; and each execution of a chain uses what the one
// before it gave. Interface: codegen/proof/timed_region.h.
// Covered by tests/codegen/timed_region_test.cpp and tests/codegen/proof_mutation_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <span>
#include <unordered_map>

#include "codegen/ir/operation.h"
#include "codegen/ir/region.h"
#include "codegen/proof/expected_ptx.h"
#include "codegen/proof/timed_region_body.h"
#include "codegen/ptx/text.h"
#include "lang/assert.h"
#include "lang/lists.h"

namespace gpx::codegen {
namespace {

using ptx::Statement;
using StatementKind = Statement::Kind;

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// A name of a register, a label or a variable, as the derivation and inline assembly spell it.
bool is_name(std::string_view token) {
  return is_letter(token[0]) || token[0] == '_' || token[0] == '$';
}
bool is_input(std::string_view name) {
  return name[0] == '$';
}

/// A register outside of the inline assembly, as compilers name them: "%rd12", but not "%clock64".
bool is_outer_register(std::string_view token) {
  constexpr std::size_t kLongest = 4;
  if (token[0] != '%') return false;
  const std::size_t digits = token.find_first_of("0123456789");
  return digits > 1 && digits <= kLongest &&
         token.find_first_not_of("0123456789", digits) == std::string_view::npos;
}

bool reads_clock64(const Statement& statement) {
  return contains(statement.tokens, "%clock64");
}

/// 0 where a token is no number.
std::uint64_t number_of(std::string_view token) {
  std::uint64_t number = 0;
  std::from_chars(token.data(), token.data() + token.size(), number);
  return number;
}

/// A product of a warpgroup reads what it writes.
bool adds_to_first(const Statement& statement) {
  return statement.opcode.starts_with("wgmma.mma_async");
}
/// What begins, ends and waits for products of a warpgroup.
bool is_warpgroup_order(const Statement& statement) {
  return statement.opcode.starts_with("wgmma.") && !adds_to_first(statement);
}

/// Tokens of the first operand, which an instruction writes unless it is an address, and of the
/// others, which it reads; its guard too.
struct Uses {
  std::vector<std::string_view> writes, reads;
};

Uses uses_of(const Statement& statement) {
  Uses uses;
  if (!statement.guard.empty()) uses.reads.push_back(statement.guard);
  bool group = false, results = true;
  for (std::string_view token : statement.tokens) {
    if (token == "{" || token == "}") group = token == "{";
    if (token == "[" || (token == "," && !group)) results = false;
    (results ? uses.writes : uses.reads).push_back(token);
  }
  if (adds_to_first(statement))
    uses.reads.insert(uses.reads.end(), uses.writes.begin(), uses.writes.end());
  return uses;
}

class PtxChecker {
 public:
  PtxChecker(const Kernel& kernel, std::string_view ptx)
      : kernel_(kernel),
        expected_(expected_ptx(kernel)),
        functions_(ptx::read_functions(ptx, true)) {
    wanted_ = ptx::read_statements(expected_.text);
    GPX_ASSERT(wanted_.size() == expected_.statements, "each line of a derivation is a statement");
    const auto entry = std::find_if(functions_.begin(), functions_.end(), [&](const auto& each) {
      return each.is_entry && each.name == kernel.name;
    });
    if (entry != functions_.end()) entry_ = &*entry;
  }

  RegionReport run() {
    if (find()) {
      list();
      if (declared() && same() && defined() && arguments() && chains()) conclude();
    }
    return std::move(report_);
  }

 private:
  template <typename... Args>
  bool refuse(fmt::format_string<Args...> text, Args&&... args) {
    report_.verdict = RegionReport::Verdict::refused;
    report_.reason = "PTX: " + fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  // The inline assembly that is a block of its own and reads the clock; without clocks the first:
  // what holds registers after the region comes later.
  bool find() {
    if (!entry_) return refuse("there is no entry '{}'", kernel_.name);
    const auto& all = entry_->statements;
    const auto reads = std::count_if(all.begin(), all.end(), reads_clock64);
    if (reads != (kernel_.clocked() ? 2 : 0))
      return refuse("{} reads of %clock64 instead of {}", reads, kernel_.clocked() ? 2 : 0);
    for (auto begin = all.begin(); begin != all.end();) {
      const auto end = std::find_if(begin, all.end(), [&](const Statement& each) {
        return each.inline_asm != begin->inline_asm;
      });
      const std::span block(begin, end);
      begin = end;
      if (block.front().inline_asm == 0 || block.front().kind != StatementKind::brace) continue;
      if (kernel_.clocked() && std::none_of(block.begin(), block.end(), reads_clock64)) continue;
      block_ = block;
      return true;
    }
    return refuse("there is no timed region");
  }

  bool is_code(const Statement& statement) const {
    return statement.kind != StatementKind::brace && statement.opcode != ".reg";
  }

  // The timed statements: between the clocks; where nothing reads them, from the first access, or
  // all.
  void list() {
    for (const Statement& each : block_)
      if (is_code(each)) code_.push_back(&each);
    auto begin = block_.begin(), end = block_.end();
    if (kernel_.clocked()) {
      begin = std::find_if(begin, end, reads_clock64) + 1;
      end = std::find_if(begin, end, reads_clock64);
    } else if (only_accesses(kernel_) && expected_.begin == expected_.end) {
      end = begin;  // an empty region
    } else if (only_accesses(kernel_) && expected_.end <= code_.size()) {
      end = begin + (code_[expected_.end - 1] - &block_.front()) + 1;
      begin += code_[expected_.begin] - &block_.front();
    }
    timed_ = static_cast<std::size_t>(end - begin);
    for (; begin != end; ++begin) {
      std::string_view text = begin->text;
      if (only_accesses(kernel_) && text.ends_with(';')) text.remove_suffix(1);
      report_.listing += fmt::format("{}\n", text);
    }
  }

  // What may stand for a register of the derivation. One pair of braces: names mean one thing.
  bool declared() {
    const auto braces = std::count_if(block_.begin(), block_.end(), [](const Statement& each) {
      return each.kind == StatementKind::brace;
    });
    if (braces != 2 || block_.back().kind != StatementKind::brace)
      return refuse("the timed region is not one block");
    for (const Statement& each : block_) {
      if (each.kind == StatementKind::label) local_.insert(each.opcode);
      if (each.kind != StatementKind::directive) continue;
      for (std::string_view token : each.tokens)
        if (is_name(token)) local_.insert(token);
    }
    return true;
  }

  // ---- the same statements on the same registers --------------------------------------------

  bool same() {
    for (std::size_t i = 0; i < std::max(code_.size(), wanted_.size()); ++i) {
      if (i >= code_.size()) return refuse("it ends before '{}'", wanted_[i].text);
      if (i >= wanted_.size()) return refuse("'{}' was not requested", code_[i]->text);
      if (!same(wanted_[i], *code_[i]))
        return refuse("'{}' stands where '{}' is expected", code_[i]->text, wanted_[i].text);
    }
    return true;
  }

  bool same(const Statement& wanted, const Statement& found) {
    if (wanted.kind != found.kind || wanted.negated != found.negated) return false;
    if (wanted.opcode == ".pragma") return wanted.text == found.text;
    if (wanted.kind == StatementKind::label) return bind(wanted.opcode, found.opcode);
    if (wanted.opcode != found.opcode || wanted.tokens.size() != found.tokens.size()) return false;
    if (wanted.guard.empty() != found.guard.empty()) return false;
    if (!wanted.guard.empty() && !bind(wanted.guard, found.guard)) return false;
    for (std::size_t i = 0; i < wanted.tokens.size(); ++i) {
      const std::string_view left = wanted.tokens[i], right = found.tokens[i];
      if (is_name(left) ? !bind(left, right) : left != right) return false;
    }
    return true;
  }

  // One register throughout; and a register that is written stands for nothing else.
  bool bind(std::string_view wanted, std::string_view found) {
    const bool outer = is_input(wanted) || wanted.starts_with("out.");
    if (outer ? !is_outer_register(found) : local_.count(found) == 0) return false;
    const auto [bound, is_new] = registers_.try_emplace(wanted, found);
    if (!is_new) return bound->second == found;
    const auto [meaning, is_first] = meanings_.try_emplace(found, wanted);
    return is_first || (is_input(wanted) && is_input(meaning->second));
  }

  // Whatever the entry reads of registers outside, it writes somewhere: so the region's inputs come
  // from before it, and its outputs go where they are used.
  bool defined() {
    std::set<std::string_view> written;
    for (const Statement& each : entry_->statements)
      if (each.kind == StatementKind::instruction)
        for (std::string_view token : uses_of(each).writes) written.insert(token);
    for (const Statement& each : entry_->statements) {
      if (each.kind != StatementKind::instruction) continue;
      for (std::string_view token : uses_of(each).reads)
        if (is_outer_register(token) && written.count(token) == 0)
          return refuse("'{}' reads {}, which nothing writes", each.text, token);
    }
    return true;
  }

  // ---- what the kernel's arguments are, the region reads as such ----------------------------

  bool arguments() {
    const struct {
      std::string_view input, parameter;
      std::uint64_t offset;
    } wanted[] = {{"$never", "never", 0},
                  {"$never_low", "never", 0},
                  {"$rehearse", "rehearse", 0},
                  {"$result", "", 0},
                  {"$sink", "", 8 * std::uint64_t{sink_slot(kernel_)}},
                  {"$rows", "", 8 * std::uint64_t{kernel_.result_slots()}}};
    for (const auto& [input, parameter, offset] : wanted) {
      const auto bound = registers_.find(input);
      if (bound == registers_.end()) continue;
      const Origin from = origin_of(bound->second);
      if (from.parameter != parameter_name(parameter) || from.offset != offset)
        return refuse("'{}' is not {}", bound->second, input.substr(1));
    }
    return true;
  }

  // The kernel's result comes first.
  std::string_view parameter_name(std::string_view name) const {
    const auto& all = entry_->parameters;
    if (name.empty()) return all.empty() ? name : all.front().name;
    for (std::uint32_t i = 0; i < kernel_.parameters && i + 1 < all.size(); ++i)
      if (kernel_.registers[i].name == name) return all[i + 1].name;
    return {};
  }

  /// A parameter, and how much is added to it.
  struct Origin {
    std::string_view parameter = "?";
    std::uint64_t offset = 0;
  };

  // Through moves, the low half, and additions of constants.
  Origin origin_of(std::string_view name) const {
    const Statement* from = nullptr;
    for (const Statement& each : entry_->statements) {
      if (each.tokens.size() < 3 || each.tokens[0] != name) continue;
      if (from || each.inline_asm != 0) return {};  // Which one it is, cannot be told.
      from = &each;
    }
    if (!from || !from->guard.empty() || from->tokens[2] == name) return {};
    const auto& tokens = from->tokens;
    if (from->opcode.starts_with("ld.param.") && tokens.size() == 5) return {tokens[3], 0};
    const bool adds = from->opcode == "add.s64" && tokens.size() == 5;
    const bool moves =
        tokens.size() == 3 && (from->opcode.starts_with("mov.") ||
                               from->opcode.starts_with("cvta.") || from->opcode == "cvt.u32.u64");
    if (!adds && !moves) return {};
    Origin origin = origin_of(tokens[2]);
    if (adds) origin.offset += number_of(tokens[4]);
    return origin;
  }

  // ---- each execution uses what the one before it gave --------------------------------------

  bool chains() {
    return std::all_of(expected_.chains.begin(), expected_.chains.end(), [this](const auto& each) {
      return is_chase(each.instruction->op) ? chase(each) : operation(each);
    });
  }

  // Executions behind what an instruction reads; one more behind what it writes, if it is one.
  bool follow(const Statement& statement, bool executes, std::uint32_t before) {
    const Uses uses = uses_of(statement);
    std::uint32_t depth = 0;
    for (std::string_view token : uses.reads)
      if (const auto known = depth_.find(token); known != depth_.end())
        depth = std::max(depth, known->second);
    if (executes && depth != before)
      return refuse("'{}' does not wait for the execution before it", statement.text);
    for (std::string_view token : uses.writes)
      if (is_name(token)) depth_[token] = depth + (executes ? 1 : 0);
    return true;
  }

  bool operation(const ExpectedPtx::Chain& chain) {
    const Instruction& instruction = *chain.instruction;
    const Operation& row = operation_of(instruction);
    if (row.type == "none") return true;
    const auto each = std::count(row.ptx.begin(), row.ptx.end(), ';');
    std::uint32_t executions = 0;
    std::ptrdiff_t part = 0;
    depth_.clear();
    for (std::uint32_t i = chain.begin; i < chain.end; ++i) {
      if (code_[i]->kind == StatementKind::label) continue;  // Between two blocks of operations.
      if (is_warpgroup_order(*code_[i])) continue;
      const bool last = ++part == each;
      if (!follow(*code_[i], last, executions / instruction.streams)) return false;
      if (last) part = 0, ++executions;
    }
    return executions == instruction.count ||
           refuse("{} executions of {} instead of {}", executions, row.name, instruction.count);
  }

  // As many loads as the counter is told.
  bool chase(const ExpectedPtx::Chain& chain) {
    std::uint32_t loads = 0, counted = 0;
    std::string_view counter;
    depth_.clear();
    for (std::uint32_t i = chain.begin; i < chain.end; ++i) {
      const Statement& statement = *code_[i];
      if (statement.kind != StatementKind::instruction) continue;
      const bool is_load =
          statement.opcode.starts_with("ld.") || statement.opcode.starts_with("tex.");
      if (!follow(statement, is_load, loads)) return false;
      loads += is_load ? 1 : 0;
      // "setp.lt.u32 more, left, 16", then "sub.u32 left, left, 16".
      if (counter.empty()) counter = statement.tokens[2];
      if (statement.opcode != "sub.u32" || statement.tokens[0] != counter) continue;
      counted += static_cast<std::uint32_t>(number_of(statement.tokens.back()));
    }
    return loads == counted || refuse("{} loads are counted as {}", loads, counted);
  }

  // ---- what was found -----------------------------------------------------------------------

  void conclude() {
    report_.verdict = RegionReport::Verdict::verified;
    if (only_accesses(kernel_)) return accesses();
    report_.reason = "the PTX is as written: " + plural(timed_, "instruction");
    std::uint32_t executions = 0;
    for (const Instruction* each : all_of(kernel_, Op::operate))
      if (operation_of(*each).type != "none") executions += each->count;
    if (executions > 0) report_.reason += ", " + plural(executions, "execution");
  }

  void accesses() {
    std::uint32_t accesses = 0, loaded = 0;
    for (const Instruction& each : kernel_.timed) {
      accesses += info(each.op).bytes > 0 ? 1 : 0;
      if (is_load(each.op)) loaded += words(kernel_.registers[each.result].type);
    }
    report_.reason = plural(accesses, "access") + " in the PTX";
    if (has_sum(kernel_))
      report_.reason += fmt::format(", then {} and a comparison", plural(loaded, "addition"));
  }

  const Kernel& kernel_;
  const ExpectedPtx expected_;
  const std::vector<ptx::FunctionText> functions_;
  const ptx::FunctionText* entry_ = nullptr;
  std::vector<Statement> wanted_;
  std::span<const Statement> block_;
  std::vector<const Statement*> code_;  // Without declarations of registers.
  std::size_t timed_ = 0;               // Statements between the clocks.
  std::set<std::string_view> local_;    // Names that the block declares.
  std::unordered_map<std::string_view, std::string_view> registers_;  // Of the derivation's names.
  std::unordered_map<std::string_view, std::string_view> meanings_;   // And back.
  std::unordered_map<std::string_view, std::uint32_t> depth_;         // Executions behind a value.
  RegionReport report_;
};

}  // namespace

RegionReport check_ptx(const Kernel& kernel, std::string_view ptx) {
  return PtxChecker(kernel, ptx).run();
}

}  // namespace gpx::codegen
