// Timed region: which proof an artifact needs. Interface: codegen/proof/timed_region.h.
#include "codegen/proof/timed_region.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx::codegen {
namespace {

constexpr std::ptrdiff_t kShownLines = 24;  ///< Of a region that may be a whole program.

}  // namespace

std::string_view to_string(RegionReport::Verdict verdict) {
  switch (verdict) {
    case RegionReport::Verdict::verified: return "verified";
    case RegionReport::Verdict::unverified: return "unverified";
    case RegionReport::Verdict::refused: return "refused";
  }
  return "unverified";
}

RegionReport check_timed_region(const Kernel& kernel, const Artifact& artifact) {
  RegionReport ptx = check_ptx(kernel, artifact.ptx);
  if (ptx.verdict != RegionReport::Verdict::verified || artifact.cubin.empty()) return ptx;
  return check_sass(kernel, artifact.sass);
}

std::string refusal(std::string_view of, const RegionReport& report) {
  std::string_view shown = report.listing;
  const std::ptrdiff_t lines = std::count(shown.begin(), shown.end(), '\n');
  std::string more;
  if (lines > kShownLines) {
    std::size_t end = 0;
    for (std::ptrdiff_t i = 0; i < kShownLines; ++i) end = shown.find('\n', end) + 1;
    shown = shown.substr(0, end);
    more = fmt::format("… and {} lines more\n", lines - kShownLines);
  }
  return fmt::format("the timed region of {} is not what was requested: {}\n{}{}", of,
                     report.reason, shown, more);
}

}  // namespace gpx::codegen
