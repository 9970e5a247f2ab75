// Interface: value_types.h. Covered by tests/codegen/value_types_test.cpp.
#include "codegen/user/value_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>

#include "codegen/ir/text.h"
#include "codegen/ptx/half.h"
#include "lang/lists.h"

namespace gpx::codegen {
namespace {

using Unexpected = tl::unexpected<std::string>;

struct NamedType {
  std::string_view name;
  ValueType type;
};

constexpr ValueType integer(Element element, std::uint32_t align, bool is_signed) {
  return {element, is_signed, false, 1, align};
}
constexpr ValueType truth() {
  return {Element::i8, false, true, 1, 1};
}
constexpr ValueType real(Element element, std::uint32_t align) {
  return {element, true, false, 1, align};
}

/// Without const and volatile, as one blank joins the words. `long` is that of Linux.
constexpr NamedType kNumbers[] = {
    {"bool", truth()},
    {"char", integer(Element::i8, 1, true)},
    {"signed char", integer(Element::i8, 1, true)},
    {"unsigned char", integer(Element::i8, 1, false)},
    {"int8_t", integer(Element::i8, 1, true)},
    {"uint8_t", integer(Element::i8, 1, false)},
    {"uchar", integer(Element::i8, 1, false)},
    {"i8", integer(Element::i8, 1, true)},
    {"u8", integer(Element::i8, 1, false)},
    {"short", integer(Element::i16, 2, true)},
    {"unsigned short", integer(Element::i16, 2, false)},
    {"int16_t", integer(Element::i16, 2, true)},
    {"uint16_t", integer(Element::i16, 2, false)},
    {"ushort", integer(Element::i16, 2, false)},
    {"i16", integer(Element::i16, 2, true)},
    {"u16", integer(Element::i16, 2, false)},
    {"int", integer(Element::i32, 4, true)},
    {"unsigned", integer(Element::i32, 4, false)},
    {"unsigned int", integer(Element::i32, 4, false)},
    {"int32_t", integer(Element::i32, 4, true)},
    {"uint32_t", integer(Element::i32, 4, false)},
    {"uint", integer(Element::i32, 4, false)},
    {"i32", integer(Element::i32, 4, true)},
    {"u32", integer(Element::i32, 4, false)},
    {"long", integer(Element::i64, 8, true)},
    {"unsigned long", integer(Element::i64, 8, false)},
    {"long long", integer(Element::i64, 8, true)},
    {"unsigned long long", integer(Element::i64, 8, false)},
    {"int64_t", integer(Element::i64, 8, true)},
    {"uint64_t", integer(Element::i64, 8, false)},
    {"size_t", integer(Element::i64, 8, false)},
    {"ptrdiff_t", integer(Element::i64, 8, true)},
    {"i64", integer(Element::i64, 8, true)},
    {"u64", integer(Element::i64, 8, false)},
    {"__half", real(Element::f16, 2)},
    {"half", real(Element::f16, 2)},
    {"f16", real(Element::f16, 2)},
    {"__nv_bfloat16", real(Element::bf16, 2)},
    {"nv_bfloat16", real(Element::bf16, 2)},
    {"bf16", real(Element::bf16, 2)},
    {"float", real(Element::f32, 4)},
    {"f32", real(Element::f32, 4)},
    {"double", real(Element::f64, 8)},
    {"f64", real(Element::f64, 8)},
};

/// The stem of float2, float3 and float4, and the type of a lane.
constexpr NamedType kVectors[] = {
    {"char", integer(Element::i8, 1, true)},
    {"uchar", integer(Element::i8, 1, false)},
    {"short", integer(Element::i16, 2, true)},
    {"ushort", integer(Element::i16, 2, false)},
    {"int", integer(Element::i32, 4, true)},
    {"uint", integer(Element::i32, 4, false)},
    {"long", integer(Element::i64, 8, true)},
    {"ulong", integer(Element::i64, 8, false)},
    {"longlong", integer(Element::i64, 8, true)},
    {"ulonglong", integer(Element::i64, 8, false)},
    {"float", real(Element::f32, 4)},
    {"double", real(Element::f64, 8)},
};

/// What has lanes and is no stem with their number.
constexpr NamedType kOthers[] = {
    {"dim3", {Element::i32, false, false, 3, 4}},
    {"__half2", {Element::f16, true, false, 2, 4}},
    {"half2", {Element::f16, true, false, 2, 4}},
    {"__nv_bfloat162", {Element::bf16, true, false, 2, 4}},
    {"nv_bfloat162", {Element::bf16, true, false, 2, 4}},
};

template <std::size_t N>
std::optional<ValueType> in_table(const NamedType (&table)[N], std::string_view name) {
  const auto* row = std::ranges::find(table, name, &NamedType::name);
  return row == std::end(table) ? std::nullopt : std::optional(row->type);
}

/// Words, and signs of one character.
std::vector<std::string_view> type_tokens(std::string_view code) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < code.size();) {
    std::size_t end = at + 1;
    if (in_word(code[at]))
      while (end < code.size() && in_word(code[end])) ++end;
    if (std::isspace(static_cast<unsigned char>(code[at])) == 0)
      tokens.push_back(code.substr(at, end - at));
    at = end;
  }
  return tokens;
}

/// "unsigned int" of "const std::unsigned int"; "" of what is no name, such as a pointer.
std::string plain_type(std::string_view type) {
  std::string out;
  for (const std::string_view token : type_tokens(type)) {
    if (token == "const" || token == "volatile" || token == "std" || token == ":" ||
        token == "__grid_constant__" || token == "struct" || token == "enum")
      continue;
    if (!in_word(token[0])) return {};
    out += (out.empty() ? "" : " ") + std::string(token);
  }
  // C++ takes the words in any order: "int unsigned", "long int".
  if (out.ends_with(" int") && out != "unsigned int") out.resize(out.size() - 4);
  return out;
}

// An enumeration of C++ takes literals of C: 10, 0x1F, 1u, -3.
std::optional<Int128> literal(std::string_view text) {
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != text.npos)
    text.remove_suffix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  Int128 value = 0;
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit && (!hexadecimal || std::isxdigit(static_cast<unsigned char>(c)) == 0))
      return std::nullopt;
    const int number = digit ? c - '0' : std::tolower(c) - 'a' + 10;
    value = value * (hexadecimal ? 16 : 10) + number;
    if (value > Int128{1} << 64) return std::nullopt;
  }
  return value;
}

/// What stands between the braces; false where a value is more than a number.
bool read_enumerators(const std::vector<std::string_view>& tokens, std::size_t at,
                      Enumerators& out) {
  Int128 next = 0;
  while (at < tokens.size() && tokens[at] != "}") {
    const std::string name(tokens[at++]);
    if (at < tokens.size() && tokens[at] == "=") {
      const bool minus = ++at < tokens.size() && tokens[at] == "-";
      if (minus) ++at;
      const auto value = at < tokens.size() ? literal(tokens[at]) : std::nullopt;
      if (!value) return false;
      next = minus ? -*value : *value;
      ++at;
    }
    out.emplace_back(name, next++);
    if (at == tokens.size() || (tokens[at] != "," && tokens[at] != "}")) return false;
    if (tokens[at] == ",") ++at;
  }
  return at < tokens.size();
}

Int128 lowest(Element element, bool is_signed) {
  return is_signed ? -(Int128{1} << (8 * bytes_of(element) - 1)) : Int128{0};
}
Int128 highest(Element element, bool is_signed) {
  return (Int128{1} << (8 * bytes_of(element) - (is_signed ? 1 : 0))) - 1;
}

double largest(Element element) {
  if (element == Element::f16) return 65504;
  if (element == Element::bf16) return 0x1.fep127;
  return element == Element::f32 ? double{std::numeric_limits<float>::max()}
                                 : std::numeric_limits<double>::max();
}

std::uint64_t real_bits(Element element, double value) {
  switch (element) {
    case Element::f16: return ptx::float_to_half(ptx::odd_float(value));
    case Element::bf16: return ptx::float_to_bf16(ptx::odd_float(value));
    case Element::f32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default: return std::bit_cast<std::uint64_t>(value);
  }
}

/// The number after rounding; of a finite one that must not become infinite or 0.
tl::expected<std::uint64_t, std::string> rounded(Element element, double value) {
  const std::uint64_t bits = real_bits(element, value);
  if (!std::isfinite(value) || value == 0) return bits;
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << (8 * bytes_of(element) - 1));
  const std::uint64_t infinite = real_bits(element, std::numeric_limits<double>::infinity());
  if (magnitude == infinite)
    return Unexpected(
        fmt::format("which holds up to {}; infinity is written inf", largest(element)));
  if (magnitude == 0) return Unexpected("which rounds it to 0");
  return bits;
}

}  // namespace

std::optional<ValueType> value_type(std::string_view type) {
  const std::string name = plain_type(type);
  if (const auto number = in_table(kNumbers, name)) return number;
  if (const auto other = in_table(kOthers, name)) return other;
  if (name.empty() || name.back() < '1' || name.back() > '4') return std::nullopt;
  auto vector = in_table(kVectors, std::string_view(name).substr(0, name.size() - 1));
  if (!vector) return std::nullopt;
  vector->lanes = static_cast<std::uint32_t>(name.back() - '0');
  // A vector of 3 lies as its lanes do, one of 2 or 4 as a whole, up to 16 bytes.
  if (vector->lanes != 3) vector->align = std::min(16u, vector->bytes());
  return vector;
}

std::string enumerations_in(std::string_view code) {
  std::string out;
  for (std::size_t at = code.find("enum"); at != std::string_view::npos;
       at = code.find("enum", at + 4)) {
    const bool alone =
        (at == 0 || !in_word(code[at - 1])) && at + 4 < code.size() && !in_word(code[at + 4]);
    const std::size_t open = code.find_first_of("{;", at);
    if (!alone || open == std::string_view::npos || code[open] != '{') continue;
    const std::size_t close = code.find('}', open);
    if (close == std::string_view::npos) break;
    out += std::string(code.substr(at, close + 1 - at)) + ";\n";
  }
  return out;
}

Enumerators enumerators_of(std::string_view code, std::string_view type) {
  const std::vector<std::string_view> of_type = type_tokens(type);
  if (of_type.empty() || !in_word(of_type.back()[0])) return {};
  const std::vector<std::string_view> tokens = type_tokens(code);
  for (std::size_t at = 0; at + 2 < tokens.size(); ++at) {
    if (tokens[at] != "enum") continue;
    std::size_t name = at + 1;
    if (tokens[name] == "class" || tokens[name] == "struct") ++name;
    if (name >= tokens.size() || tokens[name] != of_type.back()) continue;
    std::size_t open = name + 1;
    while (open < tokens.size() && tokens[open] != "{" && tokens[open] != ";") ++open;
    if (open == tokens.size() || tokens[open] == ";") continue;
    Enumerators found;
    if (read_enumerators(tokens, open + 1, found)) return found;
  }
  return {};
}

std::string range_text(Element element, bool is_signed) {
  return fmt::format("{} to {}", lowest(element, is_signed), highest(element, is_signed));
}

bool holds(Element element, bool is_signed, Int128 integer) {
  return integer >= lowest(element, is_signed) && integer <= highest(element, is_signed);
}

tl::expected<std::uint64_t, std::string> value_bits(const ValueType& type, const Value& value,
                                                    const Enumerators& enumerators) {
  const bool real = is_real(type.element);
  if (const auto* truth = std::get_if<bool>(&value)) {
    if (real) return Unexpected("which takes a number");
    return std::uint64_t{*truth};
  }
  if (const auto* word = std::get_if<std::string>(&value)) {
    const bool minus = word->starts_with('-');
    const std::string name = word->substr(minus ? 1 : 0);
    const bool nan = name == "nan";
    if (real && (nan || name == "inf")) {
      const double special =
          nan ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
      return real_bits(type.element, std::copysign(special, minus ? -1 : 1));
    }
    if (real) return Unexpected("which takes a number, inf or nan");
    const std::string last = word->substr(word->rfind(':') + 1);  // Mode::fast
    const auto row = std::ranges::find(enumerators, last, &Enumerators::value_type::first);
    if (row != enumerators.end()) return static_cast<std::uint64_t>(row->second);
    if (word->size() == 1 && bytes_of(type.element) == 1 && !type.is_truth)
      return static_cast<std::uint64_t>(static_cast<unsigned char>(word->front()));
    if (enumerators.empty())
      return Unexpected(type.is_truth ? "which takes true or false" : "which takes a number");
    return Unexpected("which has " +
                      joined(enumerators, ", ", [](const auto& each) { return each.first; }));
  }
  const Quantity& number = std::get<Quantity>(value);
  if (real) return rounded(type.element, number.value);
  const auto whole = integer_of(number);
  if (type.is_truth) {
    if (whole && (*whole == 0 || *whole == 1)) return static_cast<std::uint64_t>(*whole);
    return Unexpected("which holds true and false, 0 and 1");
  }
  if (!whole || !holds(type.element, type.is_signed, *whole))
    return Unexpected("which holds " + range_text(type.element, type.is_signed));
  return static_cast<std::uint64_t>(*whole);
}

}  // namespace gpx::codegen
