// Operations: the table's rows and their expansion. Interface: codegen/ir/operation.h.
#include "codegen/ir/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "codegen/ir/inline_ptx.h"
#include "codegen/ir/operand_data.h"
#include "codegen/ir/operand_shape.h"
#include "codegen/ir/warpgroup.h"
#include "lang/assert.h"
#include "lang/operations.h"

namespace gpx::codegen {
namespace {

constexpr Operation kOperations[] = {
#define GPX_OPERATION(name, type, pipe, sm, ptx, sass, help) {name, #type, #pipe, sm, ptx, sass},
#include "lang/operations.def"
#undef GPX_OPERATION
};

/// One row, expanded. A register's name is the prefix, the placeholder's name, and what tells it
/// apart: the stream of a chain and its scratch, the side of an operand.
class Expander {
 public:
  Expander(const Operation& operation, std::uint32_t streams, const std::string& prefix,
           OperandData data)
      : data_(data),
        factor_(operation.name.substr(operation.name.rfind('.') + 1)),
        shape_(shape_of(operation.type)),
        streams_(streams),
        prefix_(prefix),
        instructions_(split(operation.ptx)),
        guarded_(operation.ptx.find("{g}") != std::string_view::npos ||
                 operation.ptx.find("{e}") != std::string_view::npos),
        transposed_(operation.ptx.find(".trans") != std::string_view::npos) {}

  Expansion run(std::uint32_t count) {
    chains();
    made_.lines.reserve(count * instructions_.size());
    for (std::uint32_t i = 0; i < count; ++i) execution(i);
    if (!used_.empty()) declare("u32", "bits");
    if (!used_.empty()) ready();
    return std::move(made_);
  }

 private:
  static std::vector<std::string_view> split(std::string_view ptx) {
    std::vector<std::string_view> made;
    for (std::size_t begin = 0; begin < ptx.size();) {
      const std::size_t end = std::min(ptx.find(';', begin), ptx.size() - 1) + 1;
      made.push_back(ptx.substr(begin, end - begin));
      begin = std::min(ptx.find_first_not_of(' ', end), ptx.size());
    }
    return made;
  }

  std::string named(std::string_view what) const { return fmt::format("{}{}", prefix_, what); }

  bool declare(std::string_view type, std::string_view what) {
    if (!declared_.insert(std::string(what)).second) return false;
    made_.declarations.push_back(fmt::format(".reg .{} {};", type, named(what)));
    return true;
  }

  template <typename... Args>
  void start(fmt::format_string<Args...> text, Args&&... args) {
    made_.starts.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void chains() {
    if (shape_.chain == 0) return idle();
    begin();
    for (std::uint32_t s = 0; s < streams_; ++s)
      for (std::uint32_t c = 0; c < shape_.chain; ++c) {
        const std::string what = chain(s, c);
        declare(shape_.declared, what);
        if (shape_.type.starts_with("matrix")) {
          zero();
          start("add.u32 {0}, {0}, {1};", named("bits"), matrix());
        } else if (data_ == OperandData::zeros) {
          zero();
        } else {
          start("mad.lo.u32 {}, {}, {}, {};", named("bits"), named("first"), 2 * (s * 4 + c) + 3,
                0x9e37 * (s + 1) + 0x79b9 * c);
          start("and.b32 {0}, {0}, {1};", named("bits"), shape_.mask);
          start("or.b32 {0}, {0}, {1};", named("bits"), shape_.fixed);
        }
        set(named(what), named("bits"), shape_.declared);
        used_.emplace_back(named(what), shape_.declared);
        word(what);
      }
    made_.registers += streams_ * shape_.chain * shape_.words;
  }

  /// The zero of begin(), which no compiler knows.
  void zero() { start("ld.volatile.shared.u32 {}, [{}];", named("bits"), named("ready")); }

  /// What chains start from: kUnknown, through a word of shared memory that may change for all that
  /// a compiler knows. Else the chains of a rehearsal and of the pass that counts would be one, and
  /// moved out of the loop around them.
  void begin() {
    declare("u32", "first");
    made_.declarations.push_back(fmt::format(".shared .align 8 .b64 {};", named("ready")));
    start("st.volatile.shared.u32 [{}], 0;", named("ready"));
    start("ld.volatile.shared.u32 {}, [{}];", named("first"), named("ready"));
    start("add.u32 {0}, {0}, {1};", named("first"), kUnknown);
  }

  /// What orders itself has no value: the sum gets one that is there from the start.
  void idle() {
    declare("u32", "idle");
    start("mov.u32 {}, {};", named("idle"), kUnknown);
    made_.words.push_back(named("idle"));
    made_.registers += 1;
  }

  std::string chain(std::uint32_t stream, std::uint32_t part) const {
    return shape_.chain > 1 ? fmt::format("r{}_{}", stream, part) : fmt::format("r{}", stream);
  }

  /// Stores what the region uses, under the guards' opposites: so it is computed, and the guards
  /// are, before the barrier that precedes the start clock.
  void ready() {
    for (std::size_t i = 0; i < used_.size(); ++i)
      start("@!{} st.volatile.shared.b{} [{}], {};", i % 2 == 0 ? kEvenGuard : kOddGuard,
            bits_of(used_[i].second), named("ready"), used_[i].first);
  }

  /// "f64" has 64: the number at a type's end.
  static int bits_of(std::string_view type) {
    return type.ends_with("64") ? 64 : type.ends_with("16") ? 16 : 32;
  }

  /// A register of that type from the 32-bit register `bits`.
  void set(const std::string& name, const std::string& bits, std::string_view type) {
    if (bits_of(type) == 16) return start("cvt.u16.u32 {}, {};", name, bits);
    if (bits_of(type) == 32) return start("mov.b32 {}, {};", name, bits);
    const bool real = type == "f64";
    const std::string unknown(data_ == OperandData::zeros ? std::string_view(bits) : kUnknown);
    start("mov.b64 {}, {{{}, {}}};", name, real ? unknown : bits, real ? bits : unknown);
  }

  void word(const std::string& what) {
    const std::string low = "low_" + what, high = "high_" + what;
    declare("b32", low);
    made_.words.push_back(named(low));
    if (shape_.words == 1) {
      const char* move = bits_of(shape_.declared) == 16 ? "cvt.u32.u16" : "mov.b32";
      made_.converts.push_back(fmt::format("{} {}, {};", move, named(low), named(what)));
      return;
    }
    declare("b32", high);
    made_.words.push_back(named(high));
    made_.converts.push_back(
        fmt::format("mov.b64 {{{}, {}}}, {};", named(low), named(high), named(what)));
  }

  void execution(std::uint32_t index) {
    const std::uint32_t stream = index % streams_, side = index / streams_ % 2;
    for (std::string_view instruction : instructions_)
      made_.lines.push_back(spell(instruction, stream, side));
  }

  /// The instruction with its placeholders replaced; a brace that opens none is the PTX's own.
  std::string spell(std::string_view text, std::uint32_t stream, std::uint32_t side) {
    std::string made;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t end = text.find('}', i);
      const bool opens = text[i] == '{' && end != text.npos && text[i + 1] != '{';
      if (!opens) {
        made += text[i];
        continue;
      }
      made += place(text.substr(i + 1, end - i - 1), stream, side);
      i = end;
    }
    return made;
  }

  std::string place(std::string_view what, std::uint32_t stream, std::uint32_t side) {
    switch (what[0]) {
      case 'r':
        return named(
            chain(stream, what.size() > 1 ? static_cast<std::uint32_t>(what[1] - '0') : 0));
      case 'g':
        if (what == "global") return global();
        if (what == "gate") return gate();
        return std::string(side == 0 ? kEvenGuard : kOddGuard);
      case 'i':
      case 'o': return named(chain(stream, (what[0] == 'i') == (side == 0) ? 0 : 1));
      case 'e': return std::string(side == 0 ? kOddGuard : kEvenGuard);
      case 'x':
      case 'y':
      case 'z':
        return operand(what, side, shape_.declared, static_cast<std::size_t>(what[0] - 'x'));
      case 'a':
      case 'b':
        if (what == "barrier") return barrier(stream);
        return number(what, side, "u32", what[0] == 'a' ? kInteger.even[0] : kInteger.even[1],
                      what[0] == 'a' ? kInteger.odd[0] : kInteger.odd[1]);
      case 'n': return number(what, side, "u32", 0, 0);
      case 's': return what == "state" ? state() : shared();
      case 'k': return kept();
      case '%':
      case '!': return inlined(what, stream);
      default: return scratch(what, stream);
    }
  }

  /// Of the row's type; of a matrix of words, a word. Where no guard tells two executions apart
  /// they take the same operands: others would be read from the register file again, at four fifths
  /// of the rate of an H100's FFMA.
  std::string operand(std::string_view what, std::uint32_t side, std::string_view type,
                      std::size_t index) {
    if (!guarded_) side = 0;
    const bool of_matrix = what.size() > 1 && shape_.words == 1;
    const std::uint32_t part = what.size() > 1 ? static_cast<std::uint32_t>(what[1] - '0') : 0;
    return number(what, side, of_matrix ? "b32" : type, shape_.even[index] + part,
                  shape_.odd[index] + part);
  }

  /// Chosen by a guard that the executions which use it do not have: a value that is known at run
  /// time and to no compiler.
  std::string number(std::string_view what, std::uint32_t side, std::string_view type,
                     std::uint32_t even, std::uint32_t odd) {
    const std::string name = fmt::format("{}_{}", what, side == 0 ? "even" : "odd");
    if (!declare(type, name)) return named(name);
    start("selp.b32 {}, {}, {}, {};", named("bits"), side == 0 ? even : odd, kUnknown,
          side == 0 ? kOddGuard : kEvenGuard);
    if (data_ == OperandData::random) random();
    if (data_ == OperandData::zeros) zero();
    set(named(name), named("bits"), type);
    used_.emplace_back(named(name), type);
    made_.registers += bits_of(type) == 64 ? 2 : 1;
    return named(name);
  }

  /// Of `bits`, which tells a register from others, and of the thread.
  void random() {
    declare("u32", "scratch");
    start("mad.lo.u32 {}, {}, 65537, {};", named("bits"), named("first"), named("bits"));
    add_random(made_.starts, named("bits"), named("scratch"), random_bits_of(factor_));
  }

  /// "%b f32", a source of a `ptx` statement, and "!t f32", which the statement writes itself.
  std::string inlined(std::string_view what, std::uint32_t stream) {
    const std::size_t space = what.find(' ');
    const std::string_view name = what.substr(1, space - 1), type = what.substr(space + 1);
    if (type != "pred" && what[0] == '%') {
      const OperandShape& shape = shape_of(type);
      const auto index = static_cast<std::size_t>(name[0] - 'a') % shape.even.size();
      return number(fmt::format("source_{}", name), 0, shape.declared, shape.even[index], 0);
    }
    const std::string made = fmt::format("own_{}_{}", name, stream);
    const std::string_view declared = type == "pred" ? type : shape_of(type).declared;
    if (declare(declared, made) && type != "pred")
      made_.registers += bits_of(declared) == 64 ? 2 : 1;
    return named(made);
  }

  std::string scratch(std::string_view what, std::uint32_t stream) {
    const std::string name = fmt::format("{}_{}", what, stream);
    std::string_view type = shape_.declared;
    if (what[0] == 'w') type = "b32";
    if (what[0] == 'd') type = "b64";
    if (what[0] == 'h') type = "b16";
    if (what[0] == 'p') type = "pred";
    if (declare(type, name)) made_.registers += what == "p" ? 0 : what == "d" ? 2 : shape_.words;
    return named(name);
  }

  std::string shared() {
    if (!declare("u32", "shared")) return named("shared");
    made_.declarations.push_back(
        fmt::format(".shared .align 4 .b32 {}[{}];", named("shared_words"), kSharedWords));
    start("mov.u32 {}, %tid.x;", named("bits"));
    start("mov.u32 {}, {};", named("shared"), named("shared_words"));
    start("mad.lo.u32 {0}, {1}, 4, {0};", named("shared"), named("bits"));
    start("st.shared.u32 [{}], {};", named("shared"), kUnknown);
    made_.registers += 1;
    return named("shared");
  }

  /// An mbarrier of the thread's and the stream's own that expects one arrival a phase.
  std::string barrier(std::uint32_t stream) {
    const std::string name = fmt::format("barrier{}", stream);
    if (!declare("u32", name)) return named(name);
    declare("u32", "bits");
    const std::string all = named(fmt::format("barriers{}", stream));
    made_.declarations.push_back(fmt::format(".shared .align 8 .b64 {}[{}];", all, kSharedWords));
    start("mov.u32 {}, %tid.x;", named("bits"));
    start("mov.u32 {}, {};", named(name), all);
    start("mad.lo.u32 {0}, {1}, 8, {0};", named(name), named("bits"));
    start("mbarrier.init.shared::cta.b64 [{}], 1;", named(name));
    made_.registers += 1;
    return named(name);
  }

  /// The state of the first phase of an mbarrier of the block, at which all threads arrive. Its
  /// address is the same for all: else ptxas (13.0) branches around a guarded test.
  std::string state() {
    gate();
    if (!declare("b64", "state")) return named("state");
    start("mbarrier.arrive.shared::cta.b64 {}, [{}];", named("state"), named("gate"));
    made_.registers += 2;
    return named("state");
  }

  std::string gate() {
    if (!declare("u32", "comers")) return named("gate");
    made_.declarations.push_back(fmt::format(".shared .align 8 .b64 {};", named("gate")));
    start("mov.u32 {}, %ntid.x;", named("comers"));
    start("bar.sync 0;");
    start("mbarrier.init.shared::cta.b64 [{}], {};", named("gate"), named("comers"));
    start("bar.sync 0;");
    return named("gate");
  }

  std::string global() {
    if (!declare("u64", "global")) return named("global");
    declare("u32", "index");
    made_.declarations.push_back(
        fmt::format(".global .align 4 .b32 {}[{}];", named("global_words"), kGlobalWords));
    start("mov.u32 {}, %ctaid.x;", named("bits"));
    start("mov.u32 {}, %ntid.x;", named("index"));
    start("mul.lo.u32 {0}, {0}, {1};", named("bits"), named("index"));
    start("mov.u32 {}, %tid.x;", named("index"));
    start("add.u32 {0}, {0}, {1};", named("bits"), named("index"));
    start("and.b32 {0}, {0}, {1};", named("bits"), kGlobalWords - 1);
    start("mov.u64 {}, {};", named("global"), named("global_words"));
    start("mad.wide.u32 {0}, {1}, 4, {0};", named("global"), named("bits"));
    start("st.global.u32 [{}], {};", named("global"), kUnknown);
    made_.registers += 2;
    return named("global");
  }

  /// Of each four elements of a sparse factor the last two are there (of 32 bits: of two the last):
  /// known at run time, and to no compiler.
  std::string kept() {
    if (!declare("b32", "kept")) return named("kept");
    start("selp.b32 {}, 0xeeeeeeee, {}, {};", named("kept"), kUnknown, kEvenGuard);
    made_.registers += 1;
    return named("kept");
  }

  /// The address of 16 bytes of the thread's own. The warp's, read as the row's matrix is read, are
  /// the addresses of its threads: so a chain of loads stays where it is.
  std::string matrix() {
    if (!declare("u32", "matrix")) return named("matrix");
    declare("u32", "lane");
    made_.declarations.push_back(
        fmt::format(".shared .align 16 .b32 {}[{}];", named("matrices"), 4 * kSharedWords));
    start("mov.u32 {}, %tid.x;", named("lane"));
    start("mov.u32 {}, {};", named("matrix"), named("matrices"));
    start("mad.lo.u32 {0}, {1}, 16, {0};", named("matrix"), named("lane"));
    declare("u32", "place");
    start("and.b32 {0}, {0}, 31;", named("lane"));
    start("mad.lo.u32 {}, {}, -16, {};", named("place"), named("lane"), named("matrix"));
    if (transposed_) {
      halves();
    } else {
      start("mad.lo.u32 {0}, {1}, 4, {0};", named("place"), named("lane"));
      start("st.volatile.shared.u32 [{}], {};", named("place"), named("matrix"));
    }
    start("bar.sync 0;");
    made_.registers += 1;
    return named("matrix");
  }

  /// Of a matrix that is read transposed: the lower half of lane l's address is element l / 4 of
  /// row 2 (l % 4), the upper half that of the next row.
  void halves() {
    declare("u32", "part");
    start("and.b32 {}, {}, 3;", named("part"), named("lane"));
    start("mad.lo.u32 {0}, {1}, 32, {0};", named("place"), named("part"));
    start("shr.u32 {}, {}, 2;", named("part"), named("lane"));
    start("mad.lo.u32 {0}, {1}, 2, {0};", named("place"), named("part"));
    start("st.volatile.shared.u16 [{}], {};", named("place"), named("matrix"));
    start("shr.u32 {}, {}, 16;", named("part"), named("matrix"));
    start("st.volatile.shared.u16 [{}+16], {};", named("place"), named("part"));
  }

  static constexpr std::uint32_t kSharedWords = 1024;   // A block has no more threads.
  static constexpr std::uint32_t kGlobalWords = 65536;  // Of 64 blocks; then they share words.

  const OperandData data_;
  const std::string_view factor_;  // Of a matrix product: "f16".
  const OperandShape& shape_;
  const std::uint32_t streams_;
  const std::string& prefix_;
  const std::vector<std::string_view> instructions_;
  const bool guarded_, transposed_;
  std::set<std::string> declared_;
  std::vector<std::pair<std::string, std::string_view>> used_;  // Registers set before the region.
  Expansion made_;
};

}  // namespace

const Operation* find_operation(std::string_view name) {
  const auto it = std::find_if(std::begin(kOperations), std::end(kOperations),
                               [&](const Operation& row) { return row.name == name; });
  return it == std::end(kOperations) ? find_warpgroup_operation(name) : it;
}

namespace {

/// A `ptx` statement as a row: made once for each text and source, nothing where the text is wrong.
struct InlineRow {
  std::string name;
  InlinePtx read;
  Operation row;
};

const Operation* find_inline(std::string_view text, char source) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, char>, std::unique_ptr<InlineRow>> known;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace({std::string(text), source});
  if (!is_new) return at->second ? &at->second->row : nullptr;
  auto read = read_inline_ptx(text, source);
  if (!read) return nullptr;
  at->second = std::make_unique<InlineRow>();
  InlineRow& made = *at->second;
  made.name = text;
  made.read = std::move(*read);
  made.row = {made.name, made.read.type, "alu", 0, made.read.ptx, "?"};
  return &made.row;
}

}  // namespace

const Operation* find_operation(std::string_view name, char source) {
  if (is_inline_ptx(name)) return find_inline(name, source);
  const Operation* row = find_operation(name);
  if (!row || source == 0) return row;
  const ChainSource* through = find_chain_source(name, std::string_view(&source, 1));
  if (!through) return nullptr;
  static std::mutex mutex;
  static std::map<const ChainSource*, Operation> known;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace(through, *row);
  if (is_new) at->second.ptx = through->ptx, at->second.sass = through->sass;
  return &at->second;
}

const Operation& operation_of(const Instruction& operate) {
  const Operation* row = find_operation(operate.name, operate.source);
  GPX_ASSERT(operate.op == Op::operate && row);
  return *row;
}

bool gives_time_or_place(const Kernel& kernel) {
  constexpr std::string_view kRegisters[] = {"%clock", "%globaltimer", "%smid"};
  bool found = false;
  for_each(kernel.timed, [&](const Instruction& each) {
    if (each.op != Op::operate) return;
    const std::string_view ptx = operation_of(each).ptx;
    found = found || std::ranges::any_of(kRegisters, [&](std::string_view name) {
              return ptx.find(name) != std::string_view::npos;
            });
  });
  return found;
}

Expansion expand(const Operation& operation, std::uint32_t count, std::uint32_t streams,
                 const std::string& prefix, OperandData data) {
  if (const WarpgroupProduct* product = find_warpgroup_product(operation.name))
    return expand(*product, count, streams, prefix, data);
  return Expander(operation, streams, prefix, data).run(count);
}

}  // namespace gpx::codegen
