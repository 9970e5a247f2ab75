// A roofline of instructions. Interface: roofline.h.
#include "runtime/report/html/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/report/html/text.h"
#include "runtime/report/number.h"
#include "runtime/report/style.h"

namespace gpx::report::html {
namespace {

constexpr double kRoofWidth = 640, kRoofHeight = 320, kRoofLeft = 70, kRoofRight = 20,
                 kRoofTop = 30, kRoofBottom = 44;

/// What is drawn: powers of ten around all roofs and points.
struct RoofAxes {
  double x_low, x_high, y_low, y_high;  ///< Exponents.

  double across(double value) const {
    return kRoofLeft +
           (std::log10(value) - x_low) / (x_high - x_low) * (kRoofWidth - kRoofLeft - kRoofRight);
  }
  double up(double value) const {
    return kRoofHeight - kRoofBottom -
           (std::log10(value) - y_low) / (y_high - y_low) * (kRoofHeight - kRoofTop - kRoofBottom);
  }
};

RoofAxes axes_of(const InstructionRoofline& r) {
  double low = HUGE_VAL, high = 0;
  for (const MemoryRoof& each : r.memory) {
    low = std::min({low, each.intensity, r.peak / each.bandwidth});
    high = std::max({high, each.intensity, r.peak / each.bandwidth});
  }
  return {std::floor(std::log10(low) - 0.3), std::ceil(std::log10(high) + 0.3),
          std::floor(std::log10(std::max(r.reached, 1.0)) - 0.3), std::ceil(std::log10(r.peak))};
}

std::string power_text(double exponent) {
  return brief(std::pow(10, exponent), 3);
}

std::string grid_of(const RoofAxes& axes) {
  std::string out;
  for (double k = axes.x_low; k <= axes.x_high; ++k) {
    const double x = axes.across(std::pow(10, k));
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>\n"
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>\n",
        x, kRoofTop, kRoofHeight - kRoofBottom, kRoofHeight - kRoofBottom + 15, power_text(k));
  }
  for (double k = axes.y_low; k <= axes.y_high; ++k) {
    const double y = axes.up(std::pow(10, k));
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/>\n"
        "<text class=\"lane\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        kRoofLeft, y, kRoofWidth - kRoofRight, kRoofLeft - 6, y + 4, brief(std::pow(10, k - 9), 3));
  }
  return out;
}

/// From the left edge up to the peak, then level; the point of the kernel on it.
std::string roof_of(const InstructionRoofline& r, std::size_t index, const RoofAxes& axes) {
  const MemoryRoof& memory = r.memory[index];
  const double ridge = r.peak / memory.bandwidth, left = std::pow(10, axes.x_low),
               floor = std::pow(10, axes.y_low);
  const double begin = std::max(left, floor / memory.bandwidth);
  return fmt::format(
      "<path class=\"roof r{0}\" d=\"M{1:.1f} {2:.1f}L{3:.1f} {4:.1f}H{5:.1f}\"/>\n"
      "<circle class=\"s{0}\" cx=\"{6:.1f}\" cy=\"{7:.1f}\" r=\"5\"/>\n"
      "<text x=\"{8:.1f}\" y=\"{9:.1f}\">{10}</text>\n",
      index, axes.across(begin), axes.up(begin * memory.bandwidth), axes.across(ridge),
      axes.up(r.peak), kRoofWidth - kRoofRight, axes.across(memory.intensity), axes.up(r.reached),
      axes.across(memory.intensity) + 8, axes.up(r.reached) - 6, escape(memory.name));
}

std::string drawing_of(const InstructionRoofline& r) {
  const RoofAxes axes = axes_of(r);
  std::string inner = grid_of(axes);
  for (std::size_t i = 0; i < r.memory.size(); ++i) inner += roof_of(r, i, axes);
  inner += fmt::format(
      "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\">warp instructions per byte"
      "</text>\n<text x=\"4\" y=\"11\">10⁹ warp instructions a second</text>\n",
      (kRoofLeft + kRoofWidth) / 2, kRoofHeight - 10);
  return scrolling("Roofline",
                   fmt::format("<svg class=\"timeline\" viewBox=\"0 0 {} {}\" role=\"img\" "
                               "aria-label=\"Roofline of instructions\">\n{}</svg>\n",
                               kRoofWidth, kRoofHeight, inner));
}

std::string giga_text(double rate) {
  return brief(rate / 1e9, 4) + " · 10⁹/s";
}

std::string rate_row(std::string_view name, const std::string& reached, const std::string& roof,
                     double part) {
  return "<tr>" + element("th", "", name) + element("td", "", reached) + element("td", "", roof) +
         element("td", "", fmt::format("{:.0f} %", 100 * part)) + "</tr>\n";
}

}  // namespace

std::string to_html(const InstructionRoofline& r) {
  if (r.peak <= 0 || r.reached <= 0) return element("p", "note", "No instruction was executed.");
  std::string rows = rate_row("instructions of warps", giga_text(r.reached), giga_text(r.peak),
                              r.reached / r.peak);
  for (const MemoryRoof& each : r.memory) {
    const double bytes = r.reached / each.intensity;
    rows += rate_row(each.name, with_unit(bytes, "B/s"), with_unit(each.bandwidth, "B/s"),
                     bytes / each.bandwidth);
  }
  const std::string drawn = r.memory.empty() ? "" : drawing_of(r);
  return drawn +
         scrolling("Roofs",
                   "<table>\n<thead><tr><th></th><th>reached</th><th>roof</th>"
                   "<th>share</th></tr></thead>\n<tbody>\n" +
                       rows + "</tbody>\n</table>\n") +
         "<p class=\"note\">Roofs are those of the device file. The rates are means over the time "
         "of the grid, without the launch.</p>\n";
}

}  // namespace gpx::report::html
