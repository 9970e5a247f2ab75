// Interface: values.h.
#include "runtime/device/vgpu/exec/values.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/ptx/mma.h"
#include "codegen/ptx/wmma.h"
#include "lang/lists.h"
#include "runtime/device/vgpu/exec/decode.h"
#include "runtime/device/vgpu/exec/sass/step.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;
using ptx::Space;

/// Of a warp.
class RowSet {
 public:
  explicit RowSet(std::uint32_t count = 0) : count_(count), words_((count + 63) / 64) {}

  bool has(std::int32_t row) const {
    return is_row(row) && (words_[at(row)] >> (row % 64) & 1) != 0;
  }
  void add(std::int32_t row) {
    if (is_row(row)) words_[at(row)] |= 1ull << (row % 64);
  }
  void remove(std::int32_t row) {
    if (is_row(row)) words_[at(row)] &= ~(1ull << (row % 64));
  }
  void add_all() { std::ranges::fill(words_, ~0ull); }
  /// True: some were not there.
  bool add(const RowSet& others) {
    std::uint64_t more = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      more |= others.words_[w] & ~words_[w];
      words_[w] |= others.words_[w];
    }
    return more != 0;
  }

 private:
  /// Below are constants, above what no register is.
  bool is_row(std::int32_t row) const {
    return row >= 0 && static_cast<std::uint32_t>(row) < count_;
  }
  static std::size_t at(std::int32_t row) { return static_cast<std::size_t>(row) / 64; }

  std::uint32_t count_;
  std::vector<std::uint64_t> words_;
};

/// What an instruction reads and writes.
struct Uses {
  enum class Kind : std::uint8_t {
    stays,     ///< It is executed as it is.
    computes,  ///< It makes its result from rows alone.
    loads,
    stores,
    multiplies,  ///< Matrices, by a whole warp.
    shuffles,    ///< It is executed; which value it hands on may be left open.
  };
  Kind kind = Kind::stays;
  Space space = Space::none;          ///< Of what loads and stores.
  bool reads_memory = false;          ///< Of what stays: of any space.
  bool everything = false;            ///< Of what stays: it may read each row.
  std::vector<std::int32_t> decides;  ///< RowSet that it needs in any case.
  std::vector<std::int32_t> value;    ///< RowSet that its result is made from.
  std::vector<std::int32_t> writes;   ///< In all of its lanes; of what stays some may be missing.
  std::vector<std::size_t> next;      ///< Where its lanes may go on.
  bool anywhere = false;              ///< They may go on at each instruction.
  bool guarded = false;               ///< Not all lanes that come to it execute it.
  bool in_place = false;              ///< A store whose place is a row of its own, in `writes`.
};

bool is_shuffle(OpId id) {
  return id == OpId::shfl_up || id == OpId::shfl_down || id == OpId::shfl_bfly ||
         id == OpId::shfl_idx;
}
bool is_product(const ptx::Instruction& i, const Op& op) {
  if (ptx::id_of(i) == OpId::wmma_mma) return true;
  return i.unit == ptx::Unit::tensor && ptx::mma_form(i) && !ptx::mma_form(i)->sparse &&
         op.list >= 0;
}
bool is_near(Space space) {
  return space == Space::global || space == Space::shared || space == Space::local;
}

/// How an instruction of PTX may be left out.
Uses::Kind kind_of(const ptx::Instruction& i, const Op& op) {
  using Kind = Uses::Kind;
  const OpId id = ptx::id_of(i);
  if (computes(i) || id == OpId::mov) return Kind::computes;
  if (is_shuffle(id)) return Kind::shuffles;
  if (is_product(i, op)) return Kind::multiplies;
  const bool variable = ptx::modifiers_of(i).frame_param() ||
                        (i.space == Space::local && op.a == ptx::Operand::kNoRegister);
  if (!is_near(i.space) || variable) return Kind::stays;
  const bool matrices = ptx::matrices_of(id) > 0;
  const bool reads = ptx::op_row(id).shape == "X";
  if (id == OpId::ld || id == OpId::wmma_load_a || id == OpId::wmma_load_b ||
      id == OpId::wmma_load_c || (matrices && reads))
    return Kind::loads;
  if (id == OpId::st || id == OpId::wmma_store_d || (matrices && !reads)) return Kind::stores;
  return Kind::stays;
}

/// What stays and reads no memory that others write.
bool is_apart_from_memory(const ptx::Instruction& i) {
  const OpId id = ptx::id_of(i);
  const bool constant = (id == OpId::ld || id == OpId::ldu) &&
                        (i.space == Space::param || i.space == Space::constant) &&
                        !ptx::modifiers_of(i).frame_param();
  return constant || id == OpId::mov || id == OpId::cvta || id == OpId::cvta_to ||
         id == OpId::membar || id == OpId::fence || computes(i) || control_handler(i) ||
         barrier_handler(i) || warp_handler(i);
}

// ---- PTX

Uses uses_of_ptx(const Op& op) {
  const ptx::Instruction& i = *op.source;
  Uses uses;
  uses.kind = kind_of(i, op);
  uses.space = i.space;
  uses.guarded = i.guard != ptx::Operand::kNoRegister;
  if (uses.guarded) uses.decides.push_back(i.guard);
  const std::vector<std::int32_t> reads(i.reads.begin(), i.reads.end());
  uses.writes.assign(i.writes.begin(), i.writes.end());
  switch (uses.kind) {
    case Uses::Kind::stays:
      uses.decides = reads;
      uses.reads_memory = !is_apart_from_memory(i);
      break;
    case Uses::Kind::computes:
    case Uses::Kind::multiplies: uses.value = reads; break;
    case Uses::Kind::loads: uses.decides = reads; break;
    case Uses::Kind::stores:
      uses.value = reads;
      uses.decides.push_back(op.a);
      if (ptx::id_of(i) == OpId::wmma_store_d) uses.decides.push_back(op.c);
      break;
    case Uses::Kind::shuffles:
      uses.value = {op.a};
      uses.decides.insert(uses.decides.end(), {op.b, op.c, op.e});
      break;
  }
  return uses;
}

// ---- Machine code

class MachineUses {
 public:
  explicit MachineUses(const Program& program) : program_(program) {}

  Uses of(std::size_t index) {
    op_ = &program_.code[index];
    step_ = &program_.machine->steps[index];
    inner_ = &step_->inner;
    uses_ = {};
    // A handler of PTX alone, or one of machine code's own, which may call it.
    own_ = step_->run != inner_->run;
    sees_step_ = own_ && inner_->list == static_cast<std::int32_t>(index);
    uses_.kind = own_ ? (op_->computes ? Uses::Kind::computes : Uses::Kind::stays)
                      : kind_of(*op_->source, *inner_);
    uses_.space = op_->source->space;
    if (op_->source->name == "R2P") uses_.kind = Uses::Kind::stays;
    uses_.guarded = op_->guard != ptx::Operand::kNoRegister;
    if (uses_.guarded) uses_.decides.push_back(op_->guard);
    rows();
    std::erase(uses_.decides, program_.machine->sink);
    std::erase(uses_.writes, program_.machine->sink);
    paths(index);
    return std::move(uses_);
  }

  /// Places of local memory that have a row of their own, behind those of the warp.
  static constexpr std::uint32_t kPlaces = 256;

  /// Registers that are spilled go to the stack's places and come back from there. Where nothing
  /// but such accesses takes the stack's begin, nothing else reaches it: a place is as a register.
  void name_places(std::vector<Uses>& all) const {
    if (!has_plain_stack(all)) return;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!is_local(all[i])) continue;
      const unsigned bytes = bytes_of(i);
      std::vector<std::int32_t>& rows =
          all[i].kind == Uses::Kind::loads ? all[i].value : all[i].writes;
      for (unsigned at = 0; at < bytes; at += 4) rows.push_back(place(i) + at / 4);
      all[i].space = Space::none;
      all[i].in_place = true;
      all[i].guarded |= bytes < 4;  // the rest of the word stays
    }
  }

 private:
  static constexpr std::int32_t kStack = 1;  // R1

  static bool is_local(const Uses& uses) {
    return (uses.kind == Uses::Kind::loads || uses.kind == Uses::Kind::stores) &&
           uses.space == Space::local;
  }
  unsigned bytes_of(std::size_t i) const {
    const Op& inner = program_.machine->steps[i].inner;
    return ptx::bytes_of(inner.source->type) * (inner.list < 0 ? 1 : inner.count);
  }
  std::int32_t place(std::size_t i) const {
    const auto offset = program_.machine->steps[i].inputs.front().offset;
    return static_cast<std::int32_t>(program_.frames.front().registers + offset / 4);
  }
  /// Accesses are at numbers behind the stack's begin, which is set before all of them.
  bool has_plain_stack(const std::vector<Uses>& all) const {
    const auto names = [](const std::vector<std::int32_t>& rows) { return contains(rows, kStack); };
    bool settled = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Uses& uses = all[i];
      if (uses.everything) return false;
      if (is_local(uses)) {
        const std::vector<sass::Input>& inputs = program_.machine->steps[i].inputs;
        if (inputs.size() != 1 || inputs[0].lo != kStack || inputs[0].lo2 != sass::Input::kNone ||
            inputs[0].offset < 0 || inputs[0].offset + bytes_of(i) > 4 * kPlaces ||
            names(uses.value) || names(uses.writes))
          return false;
        settled = true;
        continue;
      }
      const bool sets = names(uses.writes);
      if ((sets && settled) || (!sets && (names(uses.decides) || names(uses.value)))) return false;
      settled |= uses.anywhere || uses.next.size() > 1;
    }
    return true;
  }

  void rows() {
    using Kind = Uses::Kind;
    switch (uses_.kind) {
      case Kind::stays: return stays();
      case Kind::computes:
        results();
        read(uses_.value);
        return;
      case Kind::loads:
        address();
        list(0, elements(), uses_.writes);
        return;
      case Kind::stores:
        address();
        list(0, elements(), uses_.value);
        if (inner_->list < 0) uses_.value.push_back(inner_->b);
        return;
      case Kind::multiplies: return product();
      case Kind::shuffles:
        uses_.writes = {inner_->d, inner_->d2};
        uses_.value = {inner_->a};
        uses_.decides.insert(uses_.decides.end(), {inner_->b, inner_->c, inner_->e});
        gathered(uses_.decides);
        return;
    }
  }

  void stays() {
    static constexpr std::string_view kOwn[] = {
        "BRA",           "BRX",   "BRXU", "RET",    "CALL",     "exit",    "BSSY",     "BSYNC",
        "BREAK",         "BMOV",  "B2R",  "YIELD",  "NOP",      "PREEXIT", "S2R",      "S2UR",
        "CS2R",          "LDC",   "ULDC", "VOTE",   "VOTEU",    "R2UR",    "WARPSYNC", "R2P",
        "ENDCOLLECTIVE", "FENCE", "CCTL", "ERRBAR", "CGAERRBAR"};
    const std::string_view name = op_->source->name;
    const bool calls_by_address = name == "CALL" && step_->second != 0;
    if (own_) {
      const bool known = contains(kOwn, name) && !calls_by_address;
      uses_.reads_memory = uses_.everything = !known;
    } else {
      const ptx::Instruction& i = *op_->source;
      const OpId id = ptx::id_of(i);
      const bool apart = is_apart_from_memory(i), plain = id == OpId::ld || id == OpId::st;
      uses_.reads_memory = !apart;
      uses_.everything = !plain && (inner_->list >= 0 || !(apart || atomic_handler(i)));
      if (plain) list(0, inner_->count, uses_.decides);
    }
    read(uses_.decides);
    if (name == "LDC" || name == "ULDC") return results();
    results(uses_.decides);
    if (name == "R2P")
      for (std::int32_t k = 0; k < 7; ++k) uses_.decides.push_back(step_->c_high + k);
  }

  /// Rows of the result. A branch keeps a number there.
  void results() { results(uses_.writes); }
  void results(std::vector<std::int32_t>& out) const {
    const bool jumps = op_->source->name == "BRA" || op_->source->name == "CALL";
    const bool spread = contains(step_->outputs, inner_->d, &sass::Output::from);
    if (!spread) out.push_back(inner_->d);
    out.push_back(inner_->d2);
    if (sees_step_ && !jumps) out.insert(out.end(), {step_->d, step_->d_high, step_->p, step_->q});
    for (const sass::Output& each : step_->outputs) out.insert(out.end(), {each.lo, each.hi});
  }

  void read(std::vector<std::int32_t>& out) const {
    std::vector<std::int32_t> rows = {inner_->a, inner_->b, inner_->c, inner_->e};
    if (sees_step_)
      rows.insert(rows.end(), {step_->a.row, step_->b.row, step_->c.row, step_->c_high,
                               step_->a_high, step_->u.row, step_->v.row, step_->w.row});
    if (op_->source->name == "P2R" || op_->source->name == "UP2UR")
      for (std::int32_t k = 0; k < 7; ++k) rows.push_back(step_->c_high + k);
    const bool makes = inner_->run != nullptr;  // into d, before the rest
    for (const std::int32_t row : rows)
      if (!is_gathered(row) && !(makes && own_ && row == inner_->d)) out.push_back(row);
    gathered(out);
  }
  bool is_gathered(std::int32_t row) const {
    return contains(step_->inputs, row, &sass::Input::to);
  }
  void gathered(std::vector<std::int32_t>& out) const {
    for (const sass::Input& each : step_->inputs)
      for (const std::int32_t row : {each.lo, each.hi, each.lo2, each.hi2})
        if (row != sass::Input::kNone) out.push_back(row);
  }

  void address() {
    gathered(uses_.decides);
    if (step_->inputs.empty()) uses_.decides.push_back(inner_->a);
    if (uses_.kind == Uses::Kind::loads && inner_->list < 0) uses_.writes.push_back(inner_->d);
  }
  unsigned elements() const {
    const unsigned matrices = ptx::matrices_of(ptx::id_of(*op_->source));
    return matrices > 0 ? matrices : inner_->count;
  }
  void list(unsigned begin, unsigned end, std::vector<std::int32_t>& out) const {
    for (unsigned k = begin; inner_->list >= 0 && k < end; ++k)
      out.push_back(program_.lists[static_cast<std::size_t>(inner_->list) + k]);
  }

  void product() {
    const ptx::MmaForm form = *ptx::mma_form(*op_->source);
    list(0, form.c, uses_.writes);
    for (const sass::Output& each : step_->outputs)
      uses_.writes.insert(uses_.writes.end(), {each.lo, each.hi});
    std::vector<std::int32_t> factors;
    list(form.c, 2 * form.c + form.a + form.b, factors);
    for (const std::int32_t row : factors)
      if (!is_gathered(row)) uses_.value.push_back(row);
    gathered(uses_.value);
  }

  void paths(std::size_t index) {
    const std::string_view name = op_->source->name;
    static constexpr std::string_view kAnywhere[] = {"BRX", "BRXU", "RET", "WARPSYNC",
                                                     "ENDCOLLECTIVE"};
    const bool direct = name == "BRA" || (name == "CALL" && step_->second == 0);
    uses_.anywhere = contains(kAnywhere, name) || (name == "CALL" && !direct);
    if (direct) uses_.next.push_back(static_cast<std::size_t>(step_->d));
    if (index + 1 < program_.code.size()) uses_.next.push_back(index + 1);
  }

  const Program& program_;
  const Op* op_ = nullptr;
  const sass::Step* step_ = nullptr;
  const Op* inner_ = nullptr;
  bool own_ = false, sees_step_ = false;
  Uses uses_;
};

// ---- What decides

class ValueFlow {
 public:
  ValueFlow(const Program& program, bool rereads)
      : machine_(program.machine != nullptr),
        rereads_(rereads),
        registers_(program.frames.front().registers + (machine_ ? MachineUses::kPlaces : 0)),
        all_(registers_) {
    MachineUses machine(program);
    for (std::size_t i = 0; i < program.code.size(); ++i)
      uses_.push_back(machine_ ? machine.of(i) : uses_of_ptx(program.code[i]));
    if (machine_) machine.name_places(uses_);
    if (machine_) live_.assign(uses_.size(), RowSet(registers_));
    needed_.assign(uses_.size(), false);
  }

  const std::vector<Uses>& uses() const { return uses_; }
  /// By instruction: its result decides something.
  const std::vector<bool>& run() {
    for (changed_ = true; std::exchange(changed_, false);)
      for (std::size_t i = uses_.size(); i-- > 0;) visit(i);
    return needed_;
  }

 private:
  void visit(std::size_t i) {
    const Uses& uses = uses_[i];
    RowSet rows = machine_ ? behind(uses) : RowSet();
    const RowSet& asked = machine_ ? rows : all_;
    const bool wanted = is_wanted(uses, asked);
    if (wanted) settle(i);
    if (machine_) {
      if (!uses.guarded)
        for (const std::int32_t row : uses.writes) rows.remove(row);
      if (uses.everything) rows.add_all();
      add(uses, wanted, rows);
      changed_ |= live_[i].add(rows);
      changed_ |= all_.add(rows);
    } else {
      RowSet more = all_;
      add(uses, wanted, more);
      changed_ |= all_.add(more);
    }
  }

  /// What is asked for behind the instruction. all_: anywhere.
  RowSet behind(const Uses& uses) const {
    RowSet rows(registers_);
    if (uses.anywhere) rows.add(all_);
    for (const std::size_t next : uses.next) rows.add(live_[next]);
    return rows;
  }

  static void add(const Uses& uses, bool wanted, RowSet& rows) {
    for (const std::int32_t row : uses.decides) rows.add(row);
    if (wanted)
      for (const std::int32_t row : uses.value) rows.add(row);
  }

  bool is_wanted(const Uses& uses, const RowSet& rows) const {
    if (uses.kind == Uses::Kind::stays) return true;
    if (uses.kind == Uses::Kind::stores && !uses.in_place)
      return is_read(uses.space) && (uses.space != Space::global || rereads_);
    return std::ranges::any_of(uses.writes, [&](std::int32_t row) { return rows.has(row); });
  }
  bool is_read(Space space) const { return read_[static_cast<std::size_t>(space)]; }

  void settle(std::size_t i) {
    if (!needed_[i]) needed_[i] = changed_ = true;
    if (uses_[i].kind == Uses::Kind::loads) note_read(uses_[i].space);
    if (uses_[i].reads_memory)
      for (const Space space : {Space::global, Space::shared, Space::local}) note_read(space);
  }
  void note_read(Space space) {
    bool& read = read_[static_cast<std::size_t>(space)];
    changed_ |= !read;
    read = true;
  }

  bool machine_, rereads_;
  std::uint32_t registers_;
  std::vector<Uses> uses_;
  std::vector<RowSet> live_;  // before each instruction, of machine code
  RowSet all_;                // of PTX the only one; else those before any instruction
  std::vector<bool> needed_;
  std::array<bool, 32> read_{};  // by space
  bool changed_ = false;
};

void do_nothing(Context&, const Op&) {}

/// Functions that are called have frames of their own, and those of the driver read memory.
bool is_followed(const Program& program) {
  if (program.frames.size() != 1) return false;
  return program.machine || (program.builtin_calls.empty() && program.indirect.empty());
}

}  // namespace

std::shared_ptr<const Program> without_values(const std::shared_ptr<const Program>& program,
                                              bool rereads) {
  if (!is_followed(*program)) return program;
  ValueFlow analysis(*program, rereads);
  const std::vector<bool>& needed = analysis.run();
  auto made = std::make_shared<Program>(*program);
  std::shared_ptr<sass::MachineProgram> machine;
  if (program->machine) machine = std::make_shared<sass::MachineProgram>(*program->machine);
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const Uses::Kind kind = analysis.uses()[i].kind;
    if (needed[i] || kind == Uses::Kind::shuffles) continue;
    Op& op = made->code[i];
    if (kind == Uses::Kind::computes) {
      op.run = &do_nothing;
      continue;
    }
    op.blind = true;
    if (!machine) continue;
    sass::Step& step = machine->steps[i];
    step.inner.blind = true;
    if (kind != Uses::Kind::multiplies) continue;
    step.inputs.clear();
    step.outputs.clear();
  }
  made->machine = std::move(machine);
  return made;
}

}  // namespace gpx::vgpu::exec
