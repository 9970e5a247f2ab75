// The builder. Interface: builder.h.
#include "runtime/device/vgpu/exec/sass/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "codegen/ptx/ops.h"
#include "lang/lists.h"
#include "runtime/device/vgpu/exec/sass/launch.h"

namespace gpx::vgpu::exec::sass {
namespace {

using code::Operand;
using code::OperandKind;

constexpr std::int32_t kPredicates = 8;  ///< Of a file: side by side, since P2R reads all.

/// Steps fail by this.
void not_executed(Context& c, const Op& op) {
  c.trap = program_of(c).texts[static_cast<std::size_t>(op.value)];
}

/// A translator, and whether what it makes reads and writes registers alone (Op::computes).
struct Found {
  const Translator* translator = nullptr;
  bool computes = false;
};
Found find_translator(std::string_view name) {
  static const auto all = [] {
    std::unordered_map<std::string_view, Found> made;
    for (const auto family : {integer_translators(), logic_translators(), bit_translators(),
                              float_translators(), convert_translators()})
      for (const Translator& each : family) made.emplace(each.name, Found{&each, true});
    for (const auto family : {memory_translators(), atomic_translators(), control_translators(),
                              warp_translators(), collective_translators(), special_translators(),
                              matrix_translators(), warpgroup_translators(), async_translators()})
      for (const Translator& each : family) made.emplace(each.name, Found{&each, false});
    return made;
  }();
  const auto found = all.find(name);
  return found == all.end() ? Found{} : found->second;
}

/// What computes is seen by nobody else; of the others only these are, outside of clusters.
bool is_apart(std::string_view name) {
  constexpr std::string_view kApart[] = {
      "LDS",   "STS",   "ATOMS", "LDSM",  "STSM",  "MOVM",  "BRA",       "BSSY",    "BSYNC",
      "BREAK", "BMOV",  "BAR",   "YIELD", "NOP",   "SHFL",  "VOTE",      "VOTEU",   "MATCH",
      "REDUX", "ELECT", "R2UR",  "S2R",   "S2UR",  "CS2R",  "NANOSLEEP", "HMMA",    "IMMA",
      "DMMA",  "BMMA",  "HGMMA", "QGMMA", "IGMMA", "SYNCS", "WARPGROUP", "WARPSYNC"};
  return contains(kApart, name);
}

/// Of two words, whose addend is a pair of registers.
bool is_product(const code::Instruction& i) {
  return i.base() == "IMAD" &&
         (i.opcode.find(".WIDE") != std::string::npos || i.opcode.find(".HI") != std::string::npos);
}

ptx::Unit unit_of(std::string_view unit) {
  if (unit == "fp64") return ptx::Unit::fp64;
  if (unit == "mufu" || unit == "xu") return ptx::Unit::sfu;
  if (unit == "branch") return ptx::Unit::branch;
  if (unit == "tensor") return ptx::Unit::tensor;
  if (unit == "texture") return ptx::Unit::texture;
  return ptx::Unit::alu;
}

}  // namespace

Builder::Builder(const code::KernelImage& image, ptx::Function& function, Program& program)
    : image_(image),
      function_(function),
      program_(program),
      machine_(const_cast<MachineProgram&>(*program.machine)) {
  uniforms_ = std::max<std::int32_t>(16, static_cast<std::int32_t>(image.registers)) + 4;
  rows_ = uniforms_;
  machine_.sink = sink_ = take_rows(1);
}

void Builder::build() {
  const std::size_t count = instructions();
  function_.instructions.resize(count);
  program_.code.resize(count);
  machine_.steps.resize(count);
  machine_.issue.resize(count);
  constant(0);
  place_boards();
  for (std::size_t i = 0; i < count; ++i) one(i);
  find_readers();
  Frame& frame = program_.frames.emplace_back();
  frame.registers = static_cast<std::uint32_t>(rows_);
  function_.registers = std::max(frame.registers, boards_.back().first + boards_.back().places);
  frame.local_bytes = program_.local_bytes;
  frame.function = &function_;
  for (const std::int32_t first : predicates_)
    for (std::int32_t row = first; first >= 0 && row < first + kPredicates; ++row)
      frame.unwritten.push_back(static_cast<std::uint16_t>(row));
  for (std::int32_t row = spins_; spins_ >= 0 && row < spins_ + 2; ++row)
    frame.unwritten.push_back(static_cast<std::uint16_t>(row));
  for (const std::int32_t row : barriers_)
    if (row >= 0) frame.unwritten.push_back(static_cast<std::uint16_t>(row));
}

void Builder::one(std::size_t index) {
  const code::Statement& statement = image_.function.statements[index];
  in_ = &statement.instruction;
  shell_ = &function_.instructions[index];
  op_ = &program_.code[index];
  step_ = &machine_.steps[index];
  address_ = statement.address;
  next_temporary_ = 0;
  why_.clear();
  guarded_ = in_->guard != 7 || in_->guard_negated;
  op_->source = step_->inner.source = shell_;
  op_->list = static_cast<std::int32_t>(index);
  op_->run = &run_step;
  for (Op* each : {op_, &step_->inner}) {
    each->d = each->d2 = sink_;
    each->a = each->b = each->c = each->e = constant(0);
  }
  step_->d = step_->d_high = step_->p = step_->q = sink_;
  for (std::int32_t* each : {&step_->a.row, &step_->b.row, &step_->c.row, &step_->c_high,
                             &step_->a_high, &step_->u.row, &step_->v.row, &step_->w.row})
    *each = constant(0);  // what it does not name is no register
  shell_->line = static_cast<int>(index) + 1;
  shell_->unit = unit_of(in_->unit);
  find_sources();
  const auto [translator, computing] = is_understood() ? find_translator(in_->base()) : Found{};
  const bool translated = translator && translator->translate(*this) && step_->run;
  if (!translated) {
    *step_ = Step{};
    step_->run = &not_executed;
    step_->inner.source = shell_;
    step_->inner.list = op_->list;
    step_->inner.value = static_cast<std::int64_t>(machine_.texts.size());
    op_->run = &run_step;
    machine_.texts.push_back(fmt::format("the virtual GPU does not execute {}{}",
                                         in_->known ? in_->text() : std::string("an unknown word"),
                                         why_.empty() ? "" : ": " + why_));
  }
  shell_->unit = shell_->unit == ptx::Unit::none ? ptx::Unit::alu : shell_->unit;
  if (shell_->name.empty()) shell_->name = translator ? translator->name : "unknown";
  issue();
  guard();
  finish();
  op_->computes = translated && computing;
  const bool constant = in_->base().ends_with("LDC") && shell_->space == ptx::Space::none;
  machine_.issue[index].apart = translated && (computing || constant || is_apart(in_->base()));
}

// Modifiers without a name, constants in banks that a register chooses, and those of the driver.
bool Builder::is_understood() {
  if (!in_->known) return false;
  if (in_->opcode.find('?') != std::string::npos) return refuse("an unknown modifier");
  if (const auto bit = image_.sm == 90 ? unshown_.find(*in_) : std::nullopt)
    return refuse(fmt::format("bit {}, which its text does not show", *bit));
  const bool indexed = in_->base() == "LDC" && field(24, 8) != kZeroRegister;
  for (const Operand* each : sources_) {
    if (each->kind != OperandKind::constant || indexed) continue;
    if (each->text.find("cx[") != std::string::npos) return refuse("a bank in a register");
    const auto offset = static_cast<std::uint32_t>(each->value);
    if (each->index == 0 && !is_known_constant(offset, image_.parameters_begin))
      return refuse("an unknown constant of the driver");
    program_.cooperative |= each->index == 0 && offset == kWorkspaceWord;
    program_.reserves_shared |= each->index == 0 && offset == kReservedWord;
  }
  return true;
}

// Even registers lie in one bank, odd ones in the other. What the instruction before keeps for
// reuse is at hand. Double precision keeps its own: by hand it issues between products of integers
// as fast as alone (docs/results/h200/mechanisms.csv, mech_doubles).
std::array<std::uint8_t, 2> Builder::bank_reads() {
  std::array<std::uint8_t, 2> reads{};
  std::vector<unsigned>& kept = kept_[in_->unit == "fp64"];
  std::vector<unsigned> read = std::exchange(kept, {});
  for (const Operand* each : sources_) {
    if (each->kind != OperandKind::reg || each->index >= kZeroRegister) continue;
    if (each->reused) kept.push_back(each->index);
    if (contains(read, each->index)) continue;
    read.push_back(each->index);
    ++reads[each->index % 2];
    const bool pair = in_->unit == "fp64" || (is_product(*in_) && each == sources_.back());
    if (pair) ++reads[1 - each->index % 2];
  }
  const bool counts =
      in_->unit == "fma" || in_->unit == "alu" || in_->unit == "half" || in_->unit == "fp64";
  return counts ? reads : std::array<std::uint8_t, 2>{};
}

// Whose stalls end before the product is there (ModuleCosts::wait_for_products). The addend of
// another product is needed later than what it multiplies.
void Builder::find_readers() {
  constexpr std::size_t kFarthest = 8;  // instructions of a clock each
  const auto& all = image_.function.statements;
  const auto reads = [](const code::Instruction& i, unsigned index) {
    const auto end = i.operands.end() - (is_product(i) ? 1 : 0);
    return std::any_of(i.operands.begin(), end, [&](const Operand& each) {
      return each.kind == OperandKind::reg && !each.written && each.index == index;
    });
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const code::Instruction& product = all[i].instruction;
    if (!is_product(product)) continue;
    const unsigned first = product.operands.front().index;
    const bool pair = product.opcode.find(".WIDE") != std::string::npos;
    for (std::size_t k = i + 1; k < std::min(all.size(), i + kFarthest); ++k) {
      const code::Instruction& reader = all[k].instruction;
      if (!reads(reader, first) && !(pair && reads(reader, first + 1))) continue;
      machine_.issue[k].product = static_cast<std::uint8_t>(k - i);
      machine_.issue[k].early = pair && reader.unit == "alu";
      break;
    }
  }
}

void Builder::place_boards() {
  for (const code::Statement& each : image_.function.statements) {
    const code::Control control = each.instruction.word.control();
    for (const unsigned board : {control.reads, control.writes})
      if (board < kScoreboards) boards_[board].places += boards_[board].places < kMostPlaces;
  }
  for (unsigned k = 1; k < kScoreboards; ++k)
    boards_[k].first = boards_[k - 1].first + boards_[k - 1].places;
  machine_.boards = boards_;
}

// Each instruction that sets a scoreboard has the next of its places, and a wait is for all.
void Builder::issue() {
  const code::Control control = in_->word.control();
  Issue& made = issue_word();
  // A warp that yields does not issue in the next clock.
  made.stall = control.yield ? std::max<std::uint8_t>(control.stall, 2) : control.stall;
  made.yields = control.yield;
  made.pipe = pipe_of(*in_);
  made.words = static_cast<std::uint8_t>(shell_->writes.size());
  made.banks = bank_reads();
  made.uniform = in_->base() == "ULDC";
  made.waits = control.waits;
  made.falls = in_->base() == "BRA" || in_->base() == "BSSY";
  shell_->reads.clear();
  shell_->writes.clear();
  for (unsigned k = 0; k < kScoreboards; ++k)
    for (unsigned place = 0; (control.waits >> k & 1) != 0 && place < boards_[k].places; ++place)
      shell_->reads.push_back(static_cast<std::uint16_t>(boards_[k].first + place));
  const auto next_place = [&](unsigned k) {
    return boards_[k].first + set_[k]++ % boards_[k].places;
  };
  if (control.reads < kScoreboards)
    made.sources = static_cast<std::uint8_t>(next_place(control.reads));
  if (control.writes >= kScoreboards) return;
  shell_->writes.push_back(static_cast<std::uint16_t>(next_place(control.writes)));
}

// What is a step of nothing but a handler on the rows as they are is an op.
void Builder::finish() {
  if (!step_->inputs.empty() || !step_->outputs.empty() || op_->run != &run_step) return;
  Op made = step_->inner;
  made.run = step_->run;
  made.guard = op_->guard;
  made.guard_negated = op_->guard_negated;
  *op_ = made;
}

void Builder::guard() {
  if (!guarded_) return;
  op_->guard_negated = in_->guard_negated;
  if (in_->guard != 7)
    op_->guard = static_cast<std::uint16_t>(predicate_row(in_->guard, in_->guard_uniform));
  else
    op_->run = [](Context&, const Op&) {}, op_->guard_negated = false;
}

Truth Builder::take_guard() {
  guarded_ = false;
  if (in_->guard == 7) return {constant(in_->guard_negated ? 0 : 1), false};
  return {predicate_row(in_->guard, in_->guard_uniform), in_->guard_negated};
}

bool Builder::has(std::string_view modifier) const {
  const std::string_view opcode = in_->opcode;
  for (std::size_t at = opcode.find('.'); at != opcode.npos; at = opcode.find('.', at + 1)) {
    const std::string_view rest = opcode.substr(at + 1);
    if (rest.substr(0, rest.find('.')) == modifier) return true;
  }
  return false;
}

bool Builder::refuse(std::string why) {
  why_ = std::move(why);
  return false;
}

void Builder::find_sources() {
  sources_.clear();
  for (const Operand& each : in_->operands) {
    const bool is_source = each.kind == OperandKind::reg || each.kind == OperandKind::uniform ||
                           each.kind == OperandKind::immediate ||
                           each.kind == OperandKind::constant;
    if (is_source && !each.written) sources_.push_back(&each);
  }
}

// ---- rows

// Warps have a row for what the code names, and no others: a launch has up to 8448 of them, whose
// rows fill the host's caches.
std::int32_t Builder::take_rows(std::int32_t count) {
  rows_ += count;
  return rows_ - count;
}
std::int32_t Builder::row_of(std::int32_t& known, std::int32_t count) {
  if (known < 0) known = take_rows(count);
  return known;
}

std::int32_t Builder::constant(std::uint64_t value) {
  const auto [found, added] = constants_.try_emplace(value, 0);
  if (added) {
    found->second = ~static_cast<std::int32_t>(program_.constants.size());
    program_.constants.emplace_back();
    program_.constants.back().fill(value);
  }
  return found->second;
}

std::int32_t Builder::bank(unsigned bank, std::uint32_t offset) {
  const auto [found, added] = bank_rows_.try_emplace(std::uint64_t{bank} << 32 | offset, 0);
  if (added) {
    found->second = ~static_cast<std::int32_t>(program_.constants.size());
    machine_.launch_constants.push_back({program_.constants.size(), bank, offset});
    program_.constants.emplace_back();
  }
  return found->second;
}

std::int32_t Builder::reg(unsigned index) {
  return index >= 255 ? constant(0) : std::min(static_cast<std::int32_t>(index), uniforms_ - 1);
}
std::int32_t Builder::reg_to(unsigned index) {
  return index >= 255 ? sink_ : std::min(static_cast<std::int32_t>(index), uniforms_ - 1);
}
std::int32_t Builder::ureg(unsigned index) {
  return index >= 63 ? constant(0) : row_of(uniform_rows_[index]);
}
std::int32_t Builder::ureg_to(unsigned index) {
  return index >= 63 ? sink_ : row_of(uniform_rows_[index]);
}
std::int32_t Builder::predicate_row(unsigned index, bool uniform) {
  return row_of(predicates_[uniform ? 1 : 0], kPredicates) + static_cast<std::int32_t>(index);
}
std::int32_t Builder::predicate_to(unsigned position) {
  const auto index = static_cast<unsigned>(field(position, 3));
  return index == 7 ? sink_ : predicate_row(index, uniform());
}
Truth Builder::predicate(unsigned position) {
  const auto index = static_cast<unsigned>(field(position, 3));
  const bool negated = bit(position + 3);
  if (index == 7) return {constant(negated ? 0 : 1), false};
  return {predicate_row(index, uniform()), negated};
}
std::int32_t Builder::temporary() {
  return row_of(temporaries_[std::min(next_temporary_++, temporaries_.size() - 1)]);
}

std::int32_t Builder::d(unsigned behind) {
  if (uniform()) {
    const auto index = static_cast<unsigned>(field(16, 6));
    return ureg_to(index == 63 ? 63 : index + behind);
  }
  const auto index = static_cast<unsigned>(field(16, 8));
  return reg_to(in_row(index, behind));
}

// ---- sources

std::int32_t Builder::row(const Operand& operand, unsigned which, bool upper) {
  switch (operand.kind) {
    case OperandKind::reg: return reg(in_row(operand.index, which));
    case OperandKind::uniform: return ureg(operand.index == 63 ? 63 : operand.index + which);
    case OperandKind::constant:
      return bank(operand.index, static_cast<std::uint32_t>(operand.value) + 4 * which);
    default: break;
  }
  const auto bits = static_cast<std::uint32_t>(operand.value);
  if (upper) return constant(which == 1 ? bits : 0);
  return constant(which == 0 ? bits : bits >> 31 != 0 ? 0xffffffffu : 0);
}

Word32 Builder::word32(std::size_t k) {
  const Operand& operand = source(k);
  Word32 made{row(operand), 0, 0};
  if (operand.text.starts_with('~'))
    made.flip = ~0u;
  else if (operand.negated)
    made.flip = ~0u, made.plus = 1;
  return made;
}

std::int32_t Builder::pair(std::int32_t lo, std::int32_t hi) {
  Input input;
  input.lo = lo;
  input.hi = hi;
  input.to = temporary();
  add(input);
  return input.to;
}

std::int32_t Builder::value(std::size_t k, As as) {
  const Operand& operand = source(k);
  if (as == As::half) return half(operand);
  const bool inverted = operand.text.starts_with('~');
  const bool upper = as == As::real64 || as == As::long64, wide = upper || as == As::pair;
  if (!wide && !inverted && !operand.negated && !operand.absolute) return row(operand);
  Input input;
  input.lo = row(operand, 0, upper);
  if (wide) input.hi = row(operand, 1, upper);
  const std::uint64_t sign = wide ? 1ull << 63 : 1ull << 31;
  if (inverted) input.flip = wide ? ~0ull : 0xffffffffull;
  if (as == As::integer && operand.negated) input.kind = Input::Kind::minus;
  if (as == As::real32 || as == As::real64) {
    if (operand.absolute) input.keep = ~sign;
    if (operand.negated) input.flip = sign;
    if (wide) input.kind = Input::Kind::real64;
  }
  input.to = temporary();
  add(input);
  return input.to;
}

std::int32_t Builder::half(const Operand& operand) {
  const bool low = operand.text.find(".H0_H0") != operand.text.npos,
             high = operand.text.find(".H1_H1") != operand.text.npos,
             differ = operand.text.find(".H0_NH1") != operand.text.npos;
  if (!low && !high && !differ && !operand.negated && !operand.absolute) return row(operand);
  Input input;
  input.kind = low ? Input::Kind::low : high ? Input::Kind::high : Input::Kind::bits;
  input.lo = row(operand);
  if (operand.absolute) input.keep = 0x7fff7fff;
  if (operand.negated) input.flip = 0x80008000;
  if (differ) input.flip ^= 0x80000000;
  input.to = temporary();
  add(input);
  return input.to;
}

std::int32_t Builder::one_half(const Operand& operand) {
  Input input;
  input.lo = row(operand);
  input.shift = bit(60) ? 16 : 0;
  input.keep = operand.absolute ? 0x7fff : 0xffff;
  if (operand.negated) input.flip = 0x8000;
  input.to = temporary();
  add(input);
  return input.to;
}

// ---- what is executed

bool Builder::ptx(std::string_view mnemonic) {
  std::string error;
  const ptx::Mnemonic found = ptx::find_op(mnemonic, error);
  if (!found.row) return refuse(error);
  ptx::Instruction& i = *shell_;
  i.name = found.row->name;
  i.op = static_cast<std::uint16_t>(found.row->id);
  i.type = found.type;
  i.type2 = found.type2;
  i.type3 = found.type3;
  i.columns = found.columns;
  i.space = found.space;
  i.modifiers = found.modifiers;
  if (found.row->unit != ptx::Unit::alu) i.unit = found.row->unit;
  step_->run = step_->inner.run = find_handler(i);
  return step_->run != nullptr;
}

bool Builder::ptx(std::string_view mnemonic, As as, std::size_t count) {
  if (!ptx(mnemonic) || sources() < count) return false;
  std::int32_t* rows[] = {&step_->inner.a, &step_->inner.b, &step_->inner.c};
  for (std::size_t k = 0; k < count; ++k) *rows[k] = value(k, as);
  step_->inner.d = d();
  return true;
}

void Builder::wide_result() {
  step_->inner.d = temporary();
  step_->outputs.push_back({step_->inner.d, d(0), d(1)});
}

}  // namespace gpx::vgpu::exec::sass
