// Interface: touched_code.h. Covered by tests/runtime/cubin_test.cpp.
#include "runtime/device/vgpu/counts/touched_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <optional>

#include "codegen/proof/machine_code.h"

namespace gpx::vgpu {
namespace {

using codegen::MachineLine;
using codegen::sass::KernelImage;
using codegen::sass::OperandKind;
using Buffers = Touched::Buffers;

constexpr Buffers kAnyBuffer = ~Buffers{0};
constexpr Buffers kVariables = Buffers{1} << Touched::kModule;
/// Registers, then uniform registers, as codegen::effects_of() numbers them.
constexpr int kUniformFile = 512, kFileSize = 256;
constexpr std::size_t kValues = 2 * kFileSize;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Of a register or uniform register its place in a state; nothing of predicates.
std::optional<std::size_t> place_of(int value) {
  if (value < kFileSize) return static_cast<std::size_t>(value);
  if (value >= kUniformFile && value < kUniformFile + kFileSize)
    return static_cast<std::size_t>(value - kUniformFile + kFileSize);
  return std::nullopt;
}

/// What the registers may point into, at one place of the code.
using HeldBuffers = std::array<Buffers, kValues>;

bool merge_into(HeldBuffers& to, const HeldBuffers& from) {
  bool more = false;
  for (std::size_t i = 0; i < kValues; ++i) {
    more |= (from[i] & ~to[i]) != 0;
    to[i] |= from[i];
  }
  return more;
}

/// c[0x0][0x218]: the bank and the offset; no offset where a register chooses it.
struct ConstantPlace {
  unsigned bank = 0;
  std::optional<std::uint32_t> offset;
};

std::optional<ConstantPlace> constant_in(std::string_view operand) {
  const std::size_t at = operand.find("c[0x");
  if (at == operand.npos) return std::nullopt;
  const auto number = [&](std::size_t begin) -> std::optional<std::uint32_t> {
    std::uint32_t value = 0;
    const char* end = operand.data() + operand.size();
    const auto read = std::from_chars(operand.data() + begin, end, value, 16);
    const bool whole = read.ec == std::errc() && read.ptr != end && *read.ptr == ']';
    return whole ? std::optional(value) : std::nullopt;
  };
  ConstantPlace place;
  place.bank = number(at + 4).value_or(0);
  const std::size_t inner = operand.find("][", at);
  if (inner != operand.npos && operand.substr(inner + 2).starts_with("0x"))
    place.offset = number(inner + 4);
  return place;
}

/// "[R2.64+UR4+0x10]" without the descriptor before it.
std::string_view address_in(const MachineLine& line, bool last) {
  std::string_view found;
  for (std::string_view operand : line.operands) {
    if (operand.starts_with("desc[")) operand.remove_prefix(operand.find(']') + 1);
    if (!operand.starts_with('[')) continue;
    if (found.empty() || last) found = operand;
  }
  return found;
}

struct CodeAccess {
  bool reads = false, writes = false, atomic = false, anywhere = false;
  explicit operator bool() const { return reads || writes; }
};

CodeAccess access_of_code(const MachineLine& line) {
  const std::string_view base = line.base();
  constexpr std::string_view kLoads[] = {"LDG", "LD", "LDGSTS"}, kStores[] = {"STG", "ST"},
                             kReductions[] = {"RED", "REDG"}, kAtomics[] = {"ATOM", "ATOMG"};
  if (is_one_of(base, kLoads)) return {true, false};
  if (is_one_of(base, kStores)) return {false, true};
  if (is_one_of(base, kReductions)) return {false, true};
  if (is_one_of(base, kAtomics)) return {true, true, true};
  const bool texture = base == "TEX" || base == "TLD" || base == "TLD4" || base == "SULD";
  if (texture) return {true, false, false, true};
  const bool copy = base.starts_with("UBLK") || base.starts_with("UTMA") || base == "SUST";
  return {copy, copy, false, copy};
}

bool is_ordered_code(const MachineLine& line) {
  return line.opcode.find(".STRONG.GPU") != line.opcode.npos ||
         line.opcode.find(".STRONG.SYS") != line.opcode.npos ||
         line.opcode.find(".MMIO") != line.opcode.npos;
}

/// Results that are numbers, never parts of a pointer.
bool makes_numbers(std::string_view base) {
  constexpr std::string_view kNumbers[] = {"MUFU", "I2F",  "I2FP", "S2R",  "CS2R", "S2UR",
                                           "POPC", "VOTE", "IMMA", "QMMA", "LDSM"};
  return base[0] == 'F' || base[0] == 'H' || base[0] == 'D' || is_one_of(base, kNumbers);
}

class CodeAnalysis {
 public:
  CodeAnalysis(const KernelImage& image, const codegen::Launch& launch)
      : image_(image), launch_(launch) {
    const auto& statements = image.function.statements;
    std::string text;
    for (const auto& each : statements)
      text += fmt::format("/*{:04x}*/ {} ;\n", each.address, each.instruction.text());
    listing_ = std::move(text);
    lines_ = codegen::parse_machine_code(listing_);
    for (const MachineLine& line : lines_) effects_.push_back(codegen::effects_of(line));
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].base() == "CALL") behind_calls_.push_back(i + 1);
  }

  Touched all() {
    Touched out;
    follow();
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (reached_[i])
        if (const CodeAccess access = access_of_code(lines_[i])) add(i, access, out);
    for (const Touched::Load& load : out.loads)
      if (load.ordered && (load.from & out.written) != 0 && out.communicates == 0)
        out.communicates = load.line;
    return out;
  }

 private:
  /// States before each instruction, until none holds more than was known.
  void follow() {
    before_.assign(lines_.size(), HeldBuffers{});
    reached_.assign(lines_.size(), false);
    std::deque<std::size_t> open;
    if (!lines_.empty()) open.push_back(0), reached_[0] = true;
    while (!open.empty()) {
      const std::size_t at = open.front();
      open.pop_front();
      HeldBuffers held = before_[at];
      step(at, held);
      for (const std::size_t next : followers(at)) {
        if (next >= lines_.size()) continue;
        if (!merge_into(before_[next], held) && reached_[next]) continue;
        reached_[next] = true;
        open.push_back(next);
      }
    }
  }

  std::vector<std::size_t> followers(std::size_t at) const {
    const MachineLine& line = lines_[at];
    const std::string_view base = line.base();
    std::vector<std::size_t> next;
    for (const auto& operand : image_.function.statements[at].instruction.operands)
      if (operand.kind == OperandKind::target)
        next.push_back(static_cast<std::size_t>(operand.value) / codegen::sass::kWordBytes);
    if (base == "RET") next = behind_calls_;
    const bool anywhere = base == "BRX" || base == "JMX" || base == "BRXU" || base == "JMXU";
    for (std::size_t i = 0; anywhere && i < lines_.size(); ++i) next.push_back(i);
    const bool leaves = base == "EXIT" || base == "RET" || base == "KILL" || anywhere ||
                        ((base == "BRA" || base == "JMP") && line.operands.size() == 1);
    if (!leaves || !line.guard.empty()) next.push_back(at + 1);
    return next;
  }

  void step(std::size_t at, HeldBuffers& held) const {
    const bool kept = !lines_[at].guard.empty();  // a guarded write may leave the old value
    const Buffers result = result_of(at, held);
    for (const int value : effects_[at].writes)
      if (const auto place = place_of(value)) held[*place] = result | (kept ? held[*place] : 0);
  }

  Buffers result_of(std::size_t at, const HeldBuffers& held) const {
    const MachineLine& line = lines_[at];
    const std::string_view base = line.base();
    constexpr std::string_view kMemory[] = {"LDG",   "LD",    "LDS", "LDL", "ATOM",
                                            "ATOMG", "ATOMS", "TEX", "TLD", "SULD"};
    const bool wide = codegen::bytes_of(line) >= 8;
    if (is_one_of(base, kMemory)) return wide ? kAnyBuffer : 0;
    if (makes_numbers(base)) return 0;
    const auto sources = codegen::sources_of(line);
    // Of a product and a sum the addend is the pointer; of a shift and a sum the second.
    if (line.kind() == "IMAD.WIDE" && !sources.empty())
      return held_by(sources.back(), held) | constants_of(line.operands.back(), 8);
    if ((base == "LEA" || base == "ULEA") && sources.size() > 1)
      return held_by(sources[1], held) | all_constants(line, 4);
    return held_by(effects_[at].reads, held) | all_constants(line, wide ? 8 : 4);
  }

  static Buffers held_by(const std::vector<int>& values, const HeldBuffers& held) {
    Buffers all = 0;
    for (const int value : values)
      if (const auto place = place_of(value)) all |= held[*place];
    return all;
  }

  Buffers all_constants(const MachineLine& line, std::uint32_t bytes) const {
    Buffers all = 0;
    for (const std::string_view operand : line.operands) all |= constants_of(operand, bytes);
    return all;
  }

  /// Bank 0 has the arguments, bank 4 the addresses of variables.
  Buffers constants_of(std::string_view operand, std::uint32_t bytes) const {
    const auto place = constant_in(operand);
    if (!place) return 0;
    if (place->bank == 4) return kVariables;
    if (place->bank != 0) return bytes >= 8 ? kAnyBuffer : 0;
    if (!place->offset) return operand.find("[RZ") != operand.npos ? 0 : kAnyBuffer;
    if (*place->offset < image_.parameters_begin) return 0;
    return argument(*place->offset - image_.parameters_begin, bytes);
  }

  /// The buffers of the arguments' parts that lie in these bytes.
  Buffers argument(std::uint64_t begin, std::uint64_t bytes) const {
    Buffers all = 0;
    for (std::size_t a = 0; a < launch_.arguments.size() && a < image_.parameters.size(); ++a)
      for (const codegen::Argument::Part& part : launch_.arguments[a].parts) {
        const std::uint64_t at = image_.parameters[a].offset + part.offset;
        if (part.buffer >= 0 && at + part.bytes > begin && at < begin + bytes)
          all |= Touched::bit(static_cast<std::size_t>(part.buffer));
      }
    return all;
  }

  /// Where the addresses of an access may lie; a window that only shared memory has: nowhere.
  Buffers reached_by(std::size_t at, const CodeAccess& access) const {
    if (access.anywhere) return kAnyBuffer;
    const MachineLine& line = lines_[at];
    const std::string_view address = address_in(line, line.base() == "LDGSTS");
    Buffers all = all_constants(line, 8);
    for (const int value : address_values(address))
      if (const auto place = place_of(value)) all |= before_[at][*place];
    const bool generic = line.base() == "LD" || line.base() == "ST" || line.base() == "ATOM";
    return all == 0 && !generic ? kAnyBuffer : all;
  }

  static std::vector<int> address_values(std::string_view address) {
    std::vector<int> values = codegen::registers_of(address);
    for (std::size_t at = address.find("UR"); at != address.npos; at = address.find("UR", at + 2)) {
      int number = 0;
      const auto read =
          std::from_chars(address.data() + at + 2, address.data() + address.size(), number);
      if (read.ec == std::errc()) values.push_back(kUniformFile + number);
    }
    return values;
  }

  void add(std::size_t at, const CodeAccess& access, Touched& out) const {
    const Buffers buffers = reached_by(at, access);
    if (buffers == 0) return;
    const bool used = access.atomic && std::ranges::any_of(effects_[at].writes, [](int value) {
                        return value < kFileSize;
                      });
    const int line = static_cast<int>(at) + 1;
    if (out.result_used.size() <= static_cast<std::size_t>(line))
      out.result_used.resize(static_cast<std::size_t>(line) + 1);
    out.result_used[static_cast<std::size_t>(line)] = used;
    if (access.writes) out.written |= buffers;
    if (access.reads && (used || !access.atomic)) out.read |= buffers;
    if (used && out.communicates == 0) out.communicates = line;
    if (access.reads && !access.atomic)
      out.loads.push_back({line, buffers, is_ordered_code(lines_[at])});
  }

  const KernelImage& image_;
  const codegen::Launch& launch_;
  std::string listing_;
  std::vector<MachineLine> lines_;  ///< Views into the listing.
  std::vector<codegen::Effects> effects_;
  std::vector<std::size_t> behind_calls_;
  std::vector<HeldBuffers> before_;
  std::vector<bool> reached_;
};

}  // namespace

Touched touched_by(const KernelImage& image, const codegen::Launch& launch) {
  return CodeAnalysis(image, launch).all();
}

}  // namespace gpx::vgpu
