// Interface: place.h. Covered by tests/runtime/prober_test.cpp.
#include "runtime/analysis/probe/place.h"

#include <fmt/format.h>

#include "runtime/analysis/probe/parts.h"

namespace gpx {

std::string ProbePlace::text() const {
  std::string text = sm ? fmt::format(" sm={}", *sm) : std::string();
  for (const ProbeBeside& one : beside)
    text += one.code_bytes > 0
                ? fmt::format(" beside={}:code/{}", one.sm, one.code_bytes)
                : fmt::format(" beside={}:{}:{}", one.sm, one.array_bytes, list_text(one.offsets));
  return text;
}

void ProbePlace::add_key(std::vector<std::uint64_t>& key) const {
  key.push_back(sm || !beside.empty());
  for (const ProbeBeside& one : beside) {
    key.push_back(one.code_bytes);
    key.push_back(one.array_bytes);
  }
}

void ProbePlace::add_to(Experiment& experiment, Space space, std::uint32_t width) const {
  if (!sm && beside.empty()) return;
  Measure& measure = experiment.measures.front();
  measure.place = Expr::number(0);
  for (std::size_t i = 0; i < beside.size(); ++i) {
    const ProbeBeside& one = beside[i];
    Companion& companion = measure.companions.emplace_back();
    companion.sm = Expr::number(0);
    if (one.code_bytes > 0) {
      const auto bytes = Expr::number(static_cast<double>(one.code_bytes), Unit::byte);
      companion.body.push_back({Code{bytes}, {}});
      continue;
    }
    const std::string name = fmt::format("b{}", i);
    experiment.arrays.push_back(probe_array(name, space, one.array_bytes, width));
    companion.body.push_back({Chase{name}, {}});
  }
}

void ProbePlace::set(codegen::Launch& launch, const codegen::Kernel& kernel, std::uint32_t width,
                     std::size_t chases) const {
  if (sm) set_scalar(launch, kernel, "sm0", *sm);
  for (std::size_t i = 0; i < beside.size(); ++i) {
    const ProbeBeside& one = beside[i];
    set_scalar(launch, kernel, fmt::format("sm{}", i + 1), one.sm);
    if (one.code_bytes > 0) continue;
    set_scalar(launch, kernel, fmt::format("first{}", chases), one.offsets.front());
    set_scalar(launch, kernel, fmt::format("accesses{}", chases), one.offsets.size());
    ++chases;
    launch.contents.push_back({Array::Layout::Kind::list, one.array_bytes, width, one.offsets});
  }
}

}  // namespace gpx
