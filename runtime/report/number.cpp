#include "runtime/report/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace gpx::report {
namespace {

struct Scale {
  double factor;
  std::string_view prefix;
};

constexpr std::array<Scale, 4> kBinary{
    {{1073741824.0, "G"}, {1048576.0, "M"}, {1024.0, "K"}, {1.0, ""}}};
constexpr std::array<Scale, 7> kDecimal{
    {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}};

constexpr double kMostWhole = 1e7;  ///< Integers below it are written out.

/// Of a multiple of bytes that a number is whole in: as many are written out.
double most_whole(const Scale& scale) {
  constexpr double kMostKilo = 1e4;  // 24.38 MB are no 24966 KB.
  return scale.prefix == "K" ? kMostKilo : kMostWhole;
}

Scale binary_scale(double value) {
  const double size = std::fabs(value);
  for (const Scale& scale : kBinary)
    if (size >= scale.factor && size < most_whole(scale) * scale.factor &&
        std::fmod(value, scale.factor) == 0)
      return scale;
  // Not whole in any, or with more digits than are read: the largest that leaves at least ten, so
  // that few digits suffice.
  for (const Scale& scale : kBinary)
    if ((!is_integer(value) || size >= kMostWhole) && size >= 10 * scale.factor) return scale;
  return kBinary.back();
}

Scale decimal_scale(double value) {
  if (value == 0) return {1.0, ""};
  for (const Scale& scale : kDecimal)
    if (std::fabs(value) >= scale.factor * (1 - 1e-12)) return scale;
  return kDecimal.back();
}

/// "entry" of "entries", "block" of "blocks"; a unit that is no word stays.
std::string singular(std::string_view unit) {
  const bool word = std::ranges::all_of(unit, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!word || unit.size() < 3 || !unit.ends_with('s')) return std::string(unit);
  if (unit.ends_with("ies")) return std::string(unit.substr(0, unit.size() - 3)) + "y";
  return std::string(unit.substr(0, unit.size() - 1));
}

bool is_decimal_unit(std::string_view unit) {
  return unit == "s" || unit == "Hz";
}

/// Decimal multiples, as in data sheets and in the language's rates, which has no k.
std::string byte_rate(double value) {
  for (const auto& [factor, prefix] : {Scale{1e9, "G"}, Scale{1e6, "M"}, Scale{1e3, "K"}})
    if (std::fabs(value) >= factor) return fmt::format("{} {}B/s", brief(value / factor), prefix);
  return fmt::format("{} B/s", brief(value));
}

std::string operation_rate(double value) {
  for (const auto& [factor, prefix] : {Scale{1e12, "T"}, Scale{1e9, "G"}, Scale{1e6, "M"}})
    if (std::fabs(value) >= factor)
      return fmt::format("{} {}FLOP/s", brief(value / factor), prefix);
  return fmt::format("{} FLOP/s", brief(value));
}

}  // namespace

bool is_scaled(std::string_view unit) {
  return unit == "B" || unit == "B/s" || unit == "FLOP/s" || is_decimal_unit(unit);
}

bool is_integer(double value) {
  return std::isfinite(value) && value == std::floor(value) &&
         std::fabs(value) <= 9007199254740992.0;
}

std::string exact(double value) {
  if (!std::isfinite(value)) return "";
  if (is_integer(value)) return fmt::format("{}", static_cast<long long>(value));
  return fmt::format("{}", value);
}

std::string brief(double value, int digits) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (is_integer(value) && std::fabs(value) < kMostWhole) return exact(value);
  const double size = std::fabs(value);
  if (size >= std::pow(10.0, digits) && size < kMostWhole) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

std::string with_unit(double value, std::string_view unit) {
  if (!std::isfinite(value) || unit.empty()) return brief(value);
  if (unit == "B") {
    const Scale scale = binary_scale(value);
    return fmt::format("{} {}B", brief(value / scale.factor), scale.prefix);
  }
  if (unit == "B/s") return byte_rate(value);
  if (unit == "FLOP/s") return operation_rate(value);
  if (is_decimal_unit(unit)) {
    const Scale scale = decimal_scale(value);
    return fmt::format("{} {}{}", brief(value / scale.factor), scale.prefix, unit);
  }
  return fmt::format("{} {}", brief(value), value == 1 ? singular(unit) : std::string(unit));
}

double common_bytes(const std::vector<double>& values) {
  double smallest = INFINITY;
  std::set<double> multiples;
  for (const double value : values) {
    if (value == 0 || !std::isfinite(value)) continue;
    smallest = std::min(smallest, std::fabs(value));
    multiples.insert(binary_scale(value).factor);
  }
  if (multiples.size() == 1) return *multiples.begin();
  for (const Scale& scale : kBinary)
    if (smallest < INFINITY && smallest >= 10 * scale.factor) return scale.factor;
  return 1;
}

std::string in_bytes(double value, double multiple) {
  const auto* scale = std::ranges::find(kBinary, multiple, &Scale::factor);
  return fmt::format("{} {}B", brief(value / multiple), scale->prefix);
}

std::string axis_label(const std::string& name, const std::string& unit) {
  return unit.empty() || is_scaled(unit) ? name : fmt::format("{} ({})", name, unit);
}

std::string tick(double value, std::string_view unit) {
  if (is_scaled(unit)) return with_unit(value, unit);
  const double size = std::fabs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-3)) return fmt::format("{:.3g}", value);
  if (size >= 1e9) return fmt::format("{:.4g}G", value / 1e9);
  if (size >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

}  // namespace gpx::report
