// Operations: the table's rows and their expansion. Interface: codegen/ir/operation.h.
#include "codegen/ir/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace gpx::codegen {
namespace {

constexpr Operation kOperations[] = {
#define GPX_OPERATION(name, type, pipe, sm, ptx, sass, help) {name, #type, #pipe, sm, ptx, sass},
#include "lang/operations.def"
#undef GPX_OPERATION
};

/// How the values of a row are declared, and where they start: a register is set to `fixed` with
/// the bits of `mask` taken from what the thread makes of kUnknown, so that numbers lie in [1, 2).
struct OperandShape {
  std::string_view type;
  std::string_view declared;  ///< PTX type of a register.
  std::uint32_t words;        ///< 32-bit words of a register.
  std::uint32_t chain;        ///< Registers of a chain.
  std::uint32_t fixed, mask;  ///< Of a chain's start; of 64 bits: the high word.
  /// {x}, {y}, {z} of the even executions, then of the odd ones; of 64 bits: the high words. The
  /// two differ, and leave a chain of products, sums or quotients in a normal range: factors whose
  /// product is about 1, dividends that are nearly equal and larger than any divisor.
  std::array<std::uint32_t, 3> even, odd;
};

constexpr OperandShape kInteger{"u32",
                                "u32",
                                1,
                                1,
                                0x10000,
                                0xffff,
                                {0x7fffffe5, 0x5bd1e995, 0x1b873593},
                                {0x7ffffff1, 0x2545f491, 0x16a88001}};
constexpr OperandShape kSingle{"f32",
                               "f32",
                               1,
                               1,
                               0x3f800000,
                               0x7fffff,
                               {0x3fc00000, 0x3fa00000, 0x3fb00000},   // 1.5, 1.25, 1.375
                               {0x3f2aaaab, 0x3fa00001, 0x3fb00001}};  // 2/3, ...
constexpr OperandShape kDouble{"f64",
                               "f64",
                               2,
                               1,
                               0x3ff00000,
                               0xfffff,
                               {0x3ff80000, 0x3ff40000, 0x3ff60000},
                               {0x3fe55555, 0x3ff40001, 0x3ff60001}};
constexpr OperandShape kHalf{"f16x2",
                             "b32",
                             1,
                             1,
                             0x3c003c00,
                             0x03ff03ff,
                             {0x3e003e00, 0x3d003d00, 0x3d803d80},
                             {0x39553955, 0x3d013d01, 0x3d813d81}};
constexpr OperandShape kBfloat{"bf16x2",
                               "b32",
                               1,
                               1,
                               0x3f803f80,
                               0x007f007f,
                               {0x3fc03fc0, 0x3fa03fa0, 0x3fb03fb0},
                               {0x3f2b3f2b, 0x3fa13fa1, 0x3fb13fb1}};

constexpr OperandShape like(OperandShape shape, std::string_view type, std::string_view declared,
                            std::uint32_t chain = 1, std::uint32_t words = 1) {
  shape.type = type;
  shape.declared = declared;
  shape.chain = chain;
  shape.words = words;
  return shape;
}

constexpr OperandShape kShapes[] = {
    kInteger,
    like(kInteger, "s32", "s32"),
    like(kInteger, "u64", "u64", 1, 2),
    like(kInteger, "none", "u32", 0),
    kSingle,
    kDouble,
    kHalf,
    kBfloat,
    like(kSingle, "f32_pair", "f32", 2),
    // The matrices' operands are spelled as words; sums start in the type that they have.
    like(kHalf, "f16x2_2", "b32", 2),
    like(kSingle, "f32_4", "f32", 4),
    like(kInteger, "s32_4", "s32", 4),
    like(kDouble, "f64_2", "f64", 2, 2),
};

const OperandShape& shape_of(std::string_view type) {
  return *std::find_if(std::begin(kShapes), std::end(kShapes),
                       [&](const OperandShape& shape) { return shape.type == type; });
}

/// One row, expanded. A register's name is the prefix, the placeholder's name, and what tells it
/// apart: the stream of a chain and its scratch, the side of an operand.
class Expander {
 public:
  Expander(const Operation& operation, std::uint32_t streams, const std::string& prefix)
      : operation_(operation),
        shape_(shape_of(operation.type)),
        streams_(streams),
        prefix_(prefix),
        instructions_(split(operation.ptx)),
        guarded_(operation.ptx.find("{g}") != std::string_view::npos ||
                 operation.ptx.find("{e}") != std::string_view::npos) {}

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
        start("mad.lo.u32 {}, {}, {}, {};", named("bits"), named("first"), 2 * (s * 4 + c) + 3,
              0x9e37 * (s + 1) + 0x79b9 * c);
        start("and.b32 {0}, {0}, {1};", named("bits"), shape_.mask);
        start("or.b32 {0}, {0}, {1};", named("bits"), shape_.fixed);
        set(named(what), named("bits"));
        used_.emplace_back(named(what), shape_.declared);
        word(what);
      }
    made_.registers += streams_ * shape_.chain * shape_.words;
  }

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

  static int bits_of(std::string_view type) { return type == "u64" || type == "f64" ? 64 : 32; }

  /// A register of the row's type from the 32-bit register `bits`.
  void set(const std::string& name, const std::string& bits) {
    if (shape_.words == 1) return start("mov.b32 {}, {};", name, bits);
    const bool real = shape_.declared == "f64";
    const std::string unknown(kUnknown);
    start("mov.b64 {}, {{{}, {}}};", name, real ? unknown : bits, real ? bits : unknown);
  }

  void word(const std::string& what) {
    const std::string low = "low_" + what, high = "high_" + what;
    declare("b32", low);
    made_.words.push_back(named(low));
    if (shape_.words == 1) {
      made_.converts.push_back(fmt::format("mov.b32 {}, {};", named(low), named(what)));
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
        return std::string(side == 0 ? kEvenGuard : kOddGuard);
      case 'i':
      case 'o':
        return named(chain(stream, (what[0] == 'i') == (side == 0) ? 0 : 1));
      case 'e':
        return std::string(side == 0 ? kOddGuard : kEvenGuard);
      case 'x':
      case 'y':
      case 'z':
        return operand(what, side, shape_.declared, static_cast<std::size_t>(what[0] - 'x'));
      case 'a':
      case 'b':
        return number(what, side, "u32", what[0] == 'a' ? kInteger.even[0] : kInteger.even[1],
                      what[0] == 'a' ? kInteger.odd[0] : kInteger.odd[1]);
      case 'n':
        return number(what, side, "u32", 0, 0);
      case 's':
        return shared();
      default:
        return scratch(what, stream);
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
    const bool wide = type == "u64" || type == "f64";
    if (wide) {
      set(named(name), named("bits"));
    } else {
      start("mov.b32 {}, {};", named(name), named("bits"));
    }
    used_.emplace_back(named(name), type);
    made_.registers += wide ? 2 : 1;
    return named(name);
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

  static constexpr std::uint32_t kSharedWords = 1024;   // A block has no more threads.
  static constexpr std::uint32_t kGlobalWords = 65536;  // Of 64 blocks; then they share words.

  const Operation& operation_;
  const OperandShape& shape_;
  const std::uint32_t streams_;
  const std::string& prefix_;
  const std::vector<std::string_view> instructions_;
  const bool guarded_;
  std::set<std::string> declared_;
  std::vector<std::pair<std::string, std::string_view>> used_;  // Registers set before the region.
  Expansion made_;
};

}  // namespace

const Operation* find_operation(std::string_view name) {
  const auto it = std::find_if(std::begin(kOperations), std::end(kOperations),
                               [&](const Operation& row) { return row.name == name; });
  return it == std::end(kOperations) ? nullptr : it;
}

Expansion expand(const Operation& operation, std::uint32_t count, std::uint32_t streams,
                 const std::string& prefix) {
  return Expander(operation, streams, prefix).run(count);
}

}  // namespace gpx::codegen
