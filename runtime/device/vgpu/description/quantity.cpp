// The table of units. Interface: quantity.h. Covered by tests/vgpu/device_test.cpp.
#include "runtime/device/vgpu/description/quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace gpx::vgpu::timing {
namespace {

struct UnitRow {
  std::string_view symbol;
  Measure measure;
  double factor;  // to bytes, Hz, seconds or clocks
  bool seconds = false;
};

// KB and KiB are both 1024 B, as in the papers. Ascending within each measure.
constexpr UnitRow kUnitRows[] = {
    {"B", Measure::bytes, 1},          {"KB", Measure::bytes, 1024},
    {"KiB", Measure::bytes, 1024},     {"MB", Measure::bytes, 1 << 20},
    {"MiB", Measure::bytes, 1 << 20},  {"GB", Measure::bytes, 1 << 30},
    {"GiB", Measure::bytes, 1 << 30},  {"Hz", Measure::frequency, 1},
    {"kHz", Measure::frequency, 1e3},  {"MHz", Measure::frequency, 1e6},
    {"GHz", Measure::frequency, 1e9},  {"clock", Measure::time, 1},
    {"clocks", Measure::time, 1},      {"ns", Measure::time, 1e-9, true},
    {"us", Measure::time, 1e-6, true},
};

std::string_view units_of(Measure measure) {
  switch (measure) {
    case Measure::bytes: return "B, KB, MB, GB";
    case Measure::frequency: return "Hz, kHz, MHz, GHz";
    case Measure::time: return "clocks, ns, us";
  }
  return "";
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

tl::expected<double, std::string> parse_quantity(Measure measure, std::string_view text,
                                                 double clock_hz) {
  const std::string_view whole_text = trim(text);
  double number = 0;
  const auto [end, error] =
      std::from_chars(whole_text.data(), whole_text.data() + whole_text.size(), number);
  if (error != std::errc() || !std::isfinite(number))
    return tl::unexpected(fmt::format("\"{}\" does not begin with a number", text));
  const std::string_view unit =
      trim(whole_text.substr(static_cast<std::size_t>(end - whole_text.data())));
  if (unit.empty())
    return tl::unexpected(fmt::format("\"{}\" lacks its unit: one of {}", text, units_of(measure)));
  for (const UnitRow& row : kUnitRows) {
    if (row.symbol != unit) continue;
    if (row.measure != measure) break;
    return number * row.factor * (row.seconds ? clock_hz : 1);
  }
  return tl::unexpected(
      fmt::format("the unit \"{}\" does not fit here: one of {}", unit, units_of(measure)));
}

std::string format_quantity(Measure measure, double value) {
  const UnitRow* best = nullptr;
  for (const UnitRow& row : kUnitRows) {
    if (row.measure != measure || row.seconds || row.symbol.find('i') != std::string_view::npos)
      continue;
    if (!best ||
        (row.factor > best->factor && value >= row.factor && std::fmod(value, row.factor) == 0))
      best = &row;
  }
  const double number = value / best->factor;
  const std::string_view unit = measure != Measure::time ? best->symbol
                                : number == 1            ? "clock"
                                                         : "clocks";
  return fmt::format("{:.12g} {}", number, unit);
}

}  // namespace gpx::vgpu::timing
