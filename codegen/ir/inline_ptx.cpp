// The text of a `ptx` statement. Interface: codegen/ir/inline_ptx.h.
#include "codegen/ir/inline_ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "codegen/ptx/ops.h"
#include "codegen/ptx/text.h"

namespace gpx::codegen {
namespace {

using PtxType = ptx::Type;  // A kernel has types of its own.

/// One mention of a named operand.
struct Mention {
  std::string_view name;  ///< "%a", a view into the text
  PtxType type = PtxType::none;
  bool writes = false;
};

struct InlineInstruction {
  const ptx::Statement* statement;
  std::vector<Mention> mentions;
};

bool is_operand_name(std::string_view token) {
  constexpr std::size_t kLongest = 3;  // "%t12" would be one of many.
  return token.size() >= 2 && token.size() <= kLongest && token[0] == '%' && token[1] >= 'a' &&
         token[1] <= 'z' && token.find_first_not_of("0123456789", 2) == token.npos;
}

/// Why an instruction of the table may not stand in a region; nothing: it may.
struct Refusal {
  std::string why, hint;
};
std::optional<Refusal> refusal_of(const ptx::OpRow& row) {
  switch (row.unit) {
    case ptx::Unit::alu:
    case ptx::Unit::fp64:
    case ptx::Unit::sfu: return std::nullopt;
    case ptx::Unit::warp:
      if (row.id != ptx::OpId::bar_warp) return std::nullopt;
      [[fallthrough]];
    case ptx::Unit::barrier:
    case ptx::Unit::fence:
      return Refusal{"waits for other threads", "'sync' is a barrier of the block"};
    case ptx::Unit::tensor:
    case ptx::Unit::wgmma:
      return Refusal{"works on lists of registers",
                     "matrix products are operations: 'mma.m16n8k16.f32.f16 x8 chain'"};
    case ptx::Unit::branch:
      return Refusal{"leads out of the region", "'when', 'while' and 'diverge' branch"};
    default:
      return Refusal{"reaches memory",
                     "'load', 'store' and 'copy' access what the experiment lays out"};
  }
}

/// Types that one register can hold are told by their width and what their bits are.
bool is_bits(PtxType type) {
  return type == PtxType::b16 || type == PtxType::b32 || type == PtxType::b64;
}
char class_of(PtxType type) {
  if (type == PtxType::pred) return 'p';
  if (ptx::is_float(type)) return 'f';
  if (type == PtxType::bf16 || type == PtxType::bf16x2) return 'b';
  if (ptx::is_half(type)) return 'h';
  return 'i';
}
bool share_register(PtxType a, PtxType b) {
  if (a == PtxType::pred || b == PtxType::pred) return a == b;
  return ptx::bytes_of(a) == ptx::bytes_of(b) &&
         (is_bits(a) || is_bits(b) || class_of(a) == class_of(b));
}

/// As lang/operations.def names the type of a chain.
std::string_view chain_type(PtxType type) {
  if (class_of(type) != 'i') return ptx::name_of(type);
  constexpr unsigned kWord = 4;
  const unsigned bytes = ptx::bytes_of(type);
  if (bytes == kWord) return ptx::is_signed(type) ? "s32" : "u32";
  return bytes < kWord ? "u16" : "u64";
}

class Reading {
 public:
  Reading(std::string_view text, char source) : text_(text), source_(source) {}

  tl::expected<InlinePtx, InlineMistake> run() {
    closed_ = std::string(text_);
    if (const std::size_t last = text_.find_last_not_of(" \t;"); last != text_.npos)
      closed_.insert(last + 1, ";");
    const std::vector<ptx::Statement> statements = ptx::read_statements(closed_);
    if (characters()) all(statements);
    if (!mistake_ && instructions_.empty()) wrong({}, "there is no instruction");
    if (!mistake_) roles();
    if (!mistake_) parsed();
    if (mistake_) return tl::unexpected<InlineMistake>(std::move(*mistake_));
    return InlinePtx{std::string(chain_type(types_.at(kResult))), spelled(), folds_};
  }

 private:
  static constexpr std::string_view kResult = "%d";

  bool wrong(std::string_view at, std::string message, std::string hint = {}) {
    if (mistake_) return false;
    const std::size_t size = text_.size();
    std::size_t begin = at.data() ? static_cast<std::size_t>(at.data() - closed_.data()) : 0;
    begin = std::min(begin, size);
    const std::size_t end =
        at.data() ? std::min(begin + std::max<std::size_t>(at.size(), 1), size) : size;
    mistake_ = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                std::move(message), std::move(hint)};
    return false;
  }

  bool characters() {
    const std::size_t odd = closed_.find_first_of("\\\"`#/[]");
    if (odd == closed_.npos) return true;
    const std::string_view at(closed_.data() + odd, 1);
    if (*at.data() == '[')
      return wrong(at, "an address: a 'ptx' statement works in registers alone",
                   "'load', 'store' and 'copy' access what the experiment lays out");
    return wrong(at, fmt::format("'{}' cannot stand in a 'ptx' statement", at));
  }

  // ---- instruction by instruction -----------------------------------------------------------

  void all(const std::vector<ptx::Statement>& statements) {
    statements_ = statements;
    for (const ptx::Statement& each : statements_)
      if (!each.text.empty() && !one(each)) return;
  }

  bool one(const ptx::Statement& each) {
    using Kind = ptx::Statement::Kind;
    if (each.kind == Kind::label)
      return wrong(each.opcode, "a label: a 'ptx' statement cannot be branched to");
    if (each.kind != Kind::instruction)
      return wrong(each.text, fmt::format("'{}' is no instruction", each.opcode),
                   "operands need no declaration: write %d, %a, %t");
    std::string error;
    const ptx::Mnemonic found = ptx::find_op(each.opcode, error);
    if (!found.row)
      return wrong(each.opcode, fmt::format("'{}' cannot stand here: {}", each.opcode, error),
                   "a 'ptx' statement may hold what the table of PTX instructions has");
    if (auto refusal = refusal_of(*found.row))
      return wrong(each.opcode,
                   fmt::format("'{}' cannot stand here: it {}", each.opcode, refusal->why),
                   refusal->hint);
    instructions_.push_back({&each, {}});
    if (!each.guard.empty() && !mention(each.guard, PtxType::pred, false)) return false;
    return operands(each, found);
  }

  bool mention(std::string_view name, PtxType type, bool writes) {
    if (!is_operand_name(name))
      return wrong(name, fmt::format("'{}' is no operand's name", name),
                   "%d is the result, %a, %b, ... are sources: a letter, and a digit if you like");
    const auto [known, is_new] = types_.try_emplace(name, type);
    if (!is_new && !share_register(known->second, type))
      return wrong(name, fmt::format("{} is {} here and {} before", name, ptx::name_of(type),
                                     ptx::name_of(known->second)));
    if (!is_new && is_bits(known->second)) known->second = type;
    instructions_.back().mentions.push_back({name, type, writes});
    return true;
  }

  // One letter of the shape for each operand; what of an operand is a name has its type.
  bool operands(const ptx::Statement& each, const ptx::Mnemonic& found) {
    std::string_view shape = found.row->shape;
    const bool moves = shape == "M";
    if (moves) shape = "da";
    std::size_t number = 0, parts = 1;
    bool group = false;
    for (std::size_t i = 0; i < each.tokens.size(); ++i) {
      const std::string_view token = each.tokens[i];
      if (token == "{") {
        group = true, parts = parts_of(each.tokens, i);
        if (i + 1 >= each.tokens.size() || each.tokens[i + 1][0] != '%')
          return wrong(token, "a vector begins with a named operand");
      }
      if (token == "}") group = false, parts = 1;
      if (token == "," && !group) ++number;
      if (number >= shape.size()) return wrong(token, "an operand too many");
      const char role = shape[number];
      const bool is_name = std::isalpha(static_cast<unsigned char>(token[0])) || token[0] == '%';
      if (!is_name) continue;
      PtxType type = ptx::role_type(role, found.type, found.type2);
      if (moves && parts > 1) type = part_of(type, parts);
      if (!mention(token, type, std::string_view("dwrpPSR").find(role) != std::string_view::npos))
        return false;
    }
    return true;
  }

  static std::size_t parts_of(const std::vector<std::string_view>& tokens, std::size_t brace) {
    std::size_t parts = 1;
    for (std::size_t i = brace; i < tokens.size() && tokens[i] != "}"; ++i)
      parts += tokens[i] == "," ? 1 : 0;
    return parts;
  }
  static PtxType part_of(PtxType type, std::size_t parts) {
    const std::size_t bytes = ptx::bytes_of(type) / parts;
    return bytes == 4 ? PtxType::b32 : bytes == 2 ? PtxType::b16 : PtxType::b8;
  }

  // ---- what each operand is -----------------------------------------------------------------

  void roles() {
    for (const InlineInstruction& each : instructions_) {
      for (const Mention& one : each.mentions)
        if (!one.writes && one.name == kResult && written_.count(kResult) == 0)
          return void(wrong(one.name, "%d is read before it is written",
                            "name the source %a and write 'chain a'"));
        else if (!one.writes && written_.count(one.name) == 0)
          sources_.insert(one.name);
      for (const Mention& one : each.mentions) {
        if (one.writes && sources_.count(one.name) > 0)
          return void(wrong(one.name, fmt::format("{} is a source, it cannot be written", one.name),
                            "the result is %d; others that are written before they are read, %t"));
        if (one.writes) written_.insert(one.name);
      }
    }
    const auto& last = instructions_.back();
    const bool gives = std::any_of(last.mentions.begin(), last.mentions.end(), [](const auto& one) {
      return one.writes && one.name == kResult;
    });
    if (!gives) return void(wrong(last.statement->text, "the last instruction does not give %d"));
    if (types_.at(kResult) == PtxType::pred)
      return void(wrong(last.statement->text, "%d is a predicate: it cannot run through a chain",
                        "select a value by it: selp.b32 %d, %a, %b, %p"));
    choose();
  }

  bool can_chain(std::string_view name) const {
    const PtxType to = types_.at(kResult), from = types_.at(name);
    return share_register(from, to) && (!is_bits(from) || !is_bits(to) || from == to) &&
           reaches(name);
  }

  // Whether %d depends on the source.
  bool reaches(std::string_view name) const {
    std::set<std::string_view> reached = {name};
    for (const InlineInstruction& each : instructions_) {
      const bool reads = std::any_of(
          each.mentions.begin(), each.mentions.end(),
          [&](const Mention& one) { return !one.writes && reached.count(one.name) > 0; });
      for (const Mention& one : each.mentions)
        if (one.writes && reads)
          reached.insert(one.name);
        else if (one.writes && each.statement->guard.empty())
          reached.erase(one.name);
    }
    return reached.count(kResult) > 0;
  }

  void choose() {
    if (source_ != 0) {
      const std::string name = fmt::format("%{}", source_);
      const auto found = sources_.find(name);
      if (found == sources_.end())
        return void(wrong({}, fmt::format("there is no source {} for the chain", name)));
      if (!can_chain(*found))
        return void(wrong(
            *found,
            fmt::format("the chain cannot run through {}: %d is {}, {} is {}", name,
                        ptx::name_of(types_.at(kResult)), name, ptx::name_of(types_.at(*found))),
            "both must have one type, and %d depend on it"));
      return void(chain_ = *found);
    }
    for (std::string_view name : sources_)
      if (chain_.empty() && can_chain(name)) chain_ = name;
    if (chain_.empty())
      wrong(kResult_at(), "no source has the type of %d: there is no chain",
            "a chain runs from %d to a source of its type, such as cvt.rn.f32.s32 %t, %a; "
            "cvt.rzi.s32.f32 %d, %t");
  }
  std::string_view kResult_at() const {
    for (const Mention& one : instructions_.back().mentions)
      if (one.name == kResult) return one.name;
    return {};
  }

  // ---- as the one parser of PTX understands it ----------------------------------------------

  static std::string_view declared(PtxType type) {
    if (!ptx::is_half(type)) return ptx::name_of(type);
    return ptx::bytes_of(type) == 2 ? "b16" : "b32";
  }

  // Each instruction on a line of its own, as it is written: line and column lead back to the text.
  void parsed() {
    std::string module =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry statement()\n{\n";
    int line = 6;
    for (const auto& [name, type] : types_) {
      module += fmt::format(".reg .{} {};\n", declared(type), name);
      ++line;
    }
    for (const InlineInstruction& each : instructions_) {
      module += each.statement->text;
      module += '\n';
    }
    const auto made = ptx::parse("statement", module + "ret;\n}\n");
    if (made) {
      const std::vector<ptx::Instruction>& all = made->functions.front().instructions;
      const auto written = std::span(all).first(std::min(instructions_.size(), all.size()));
      folds_ = std::ranges::all_of(written, &ptx::Instruction::folds);
      return;
    }
    const Diagnostic& first = made.error().diagnostics.front();
    const std::size_t number = static_cast<std::size_t>(
        std::max(0, first.location ? static_cast<int>(first.location->line) - line : 0));
    const auto& at = instructions_[std::min(number, instructions_.size() - 1)].statement->text;
    const std::size_t column = first.location ? first.location->column - 1 : 0;
    wrong(at.substr(std::min(column, at.size() - 1)), first.message);
    mistake_->end = std::min(mistake_->end, mistake_->begin + 1);
  }

  // ---- as a row of the table ----------------------------------------------------------------

  std::string placeholder(std::string_view name) const {
    if (name == kResult || name == chain_) return "{r}";
    const PtxType type = types_.at(name);
    const bool is_source = sources_.count(name) > 0;
    if (is_source && type == PtxType::pred) return "{e}";
    return fmt::format("{{{}{} {}}}", is_source ? '%' : '!', name.substr(1), declared_value(type));
  }
  static std::string_view declared_value(PtxType type) {
    return type == PtxType::pred ? "pred" : chain_type(type);
  }

  std::string spelled() const {
    std::string made;
    for (const InlineInstruction& each : instructions_) {
      if (!made.empty()) made += ' ';
      const std::string_view text = each.statement->text;
      std::size_t copied = 0;
      for (const Mention& one : in_order(each)) {
        const auto at = static_cast<std::size_t>(one.name.data() - text.data());
        made += text.substr(copied, at - copied);
        while (made.ends_with("{ ")) made.pop_back();
        made += placeholder(one.name);
        copied = at + one.name.size();
      }
      made += text.substr(copied);
    }
    return made;
  }
  static std::vector<Mention> in_order(const InlineInstruction& each) {
    std::vector<Mention> all = each.mentions;
    std::ranges::sort(all, {}, [](const Mention& one) { return one.name.data(); });
    return all;
  }

  std::string_view text_;
  const char source_;
  std::string closed_;  // With a semicolon behind the last instruction.
  std::vector<ptx::Statement> statements_;
  std::vector<InlineInstruction> instructions_;
  bool folds_ = false;
  std::map<std::string_view, PtxType> types_;
  std::set<std::string_view> sources_, written_;
  std::string_view chain_;
  std::optional<InlineMistake> mistake_;
};

}  // namespace

tl::expected<InlinePtx, InlineMistake> read_inline_ptx(std::string_view text, char source) {
  return Reading(text, source).run();
}

bool is_inline_ptx(std::string_view name) {
  return name.find_first_of(" %;") != std::string_view::npos;
}

}  // namespace gpx::codegen
