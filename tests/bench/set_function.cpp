#include "tests/bench/set_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

namespace gpx::bench {
namespace {

using Masks = std::vector<std::uint64_t>;

/// The reduced basis of what the masks span over GF(2): equal for equal spans.
Masks reduced(const Masks& masks) {
  Masks basis;
  for (std::uint64_t mask : masks) {
    for (const std::uint64_t row : basis)
      if (mask & std::bit_floor(row)) mask ^= row;
    if (mask == 0) continue;
    for (std::uint64_t& row : basis)
      if (row & std::bit_floor(mask)) row ^= mask;
    basis.push_back(mask);
  }
  std::ranges::sort(basis);
  return basis;
}

Masks below(const Masks& masks, int bit) {
  Masks out;
  for (const std::uint64_t mask : masks) out.push_back(mask & ((2ull << bit) - 1));
  return out;
}

/// "7+16, 8^17, 9": up to what is neither a number nor between two.
Masks parities(const std::string& text, std::size_t at) {
  Masks masks = {0};
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
  };
  while (digit(at)) {
    std::size_t used = 0;
    masks.back() |= 1ull << std::stoul(text.substr(at), &used);
    at += used;
    if (at < text.size() && (text[at] == '+' || text[at] == '^') && digit(at + 1)) {
      ++at;
    } else if (text.compare(at, 2, ", ") == 0 && digit(at + 2)) {
      at += 2;
      masks.push_back(0);
    } else {
      break;
    }
  }
  return masks;
}

bool same_parities(const Masks& found, const SetFunction& planted) {
  if (planted.masks.empty() || planted.neither()) return false;
  std::uint64_t all = 0;
  for (const std::uint64_t mask : found) all |= mask;
  const int least = std::max(std::bit_width(all), std::bit_width(planted.capacity - 1)) - 1;
  for (int top = least; top < 63; ++top)
    if (reduced(found) == reduced(below(planted.masks, top))) return true;
  return false;
}

/// The masks of a number of sets that is a power of two, by the line's number.
Masks of_modulo(std::uint64_t sets, std::uint64_t line) {
  Masks masks;
  for (; sets > 1; sets /= 2, line *= 2) masks.push_back(line);
  return masks;
}

/// "…, for addresses within the first 5 MB": bytes; all, where a note has no such limit.
std::uint64_t reach_of(const std::string& note) {
  static const std::string kWithin = "for addresses within the first ";
  const auto at = note.find(kWithin);
  if (at == std::string::npos) return std::uint64_t{1} << 63;
  char* unit = nullptr;
  const double number = std::strtod(note.c_str() + at + kWithin.size(), &unit);
  const int bits = unit[1] == 'G' ? 30 : unit[1] == 'M' ? 20 : 10;
  return static_cast<std::uint64_t>(number * static_cast<double>(std::uint64_t{1} << bits));
}

/// Whether the parities of addresses below `reach`, as a number, are the number of the line.
bool plain_within(std::uint64_t reach, const SetFunction& planted) {
  const std::uint64_t seen = std::bit_ceil(reach) - 1;
  std::uint64_t bit = planted.line;
  for (const std::uint64_t mask : planted.masks) {
    if ((mask & seen) != (bit & seen)) return false;
    bit *= 2;
  }
  return true;
}

}  // namespace

std::optional<bool> tells(const std::string& note, const SetFunction& planted) {
  static const std::string kBits = "address bits ", kModulo = "modulo ";
  if (const auto at = note.find(kBits); at != std::string::npos)
    return same_parities(parities(note, at + kBits.size()), planted);
  if (note.find("no modulo was found") != std::string::npos) return std::nullopt;
  if (note.find("not linear over GF(2)") != std::string::npos) return planted.neither();
  const auto at = note.find(kModulo);
  if (at == std::string::npos) return std::nullopt;
  if (note.find("dealt to") != std::string::npos) return false;  // sets of equal size are planted
  const std::uint64_t sets = std::strtoull(note.c_str() + at + kModulo.size(), nullptr, 10);
  if (planted.modulo != 0) return sets == planted.modulo && plain_within(reach_of(note), planted);
  return std::has_single_bit(sets) && same_parities(of_modulo(sets, planted.line), planted);
}

std::string text_of(const SetFunction& planted) {
  if (planted.neither()) return "neither parities nor a modulo";
  if (planted.modulo != 0) return fmt::format("modulo {}", planted.modulo);
  std::string text;
  for (const std::uint64_t mask : planted.masks) {
    text += text.empty() ? "" : ", ";
    for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1)
      text += fmt::format("{}{}", rest == mask ? "" : "+", std::countr_zero(rest));
  }
  return text.empty() ? "one set" : text;
}

}  // namespace gpx::bench
