// Interface: runtime/measure/placement.h.
#include "runtime/measure/placement.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpx {

Result<void> check_placed(const codegen::Program& program, const codegen::Launch& launch,
                          const Repetition& repetition) {
  if (launch.placed == 0) return {};
  const auto met = std::ranges::find(program.results, codegen::kMet, &codegen::ResultSlot::name);
  const auto slot = static_cast<std::size_t>(met - program.results.begin());
  if (slot < repetition.results.size() && repetition.results[slot] == launch.placed) return {};
  return fail(Fault::device,
              fmt::format("the {} block{} that {} a place did not meet there", launch.placed,
                          launch.placed == 1 ? "" : "s", launch.placed == 1 ? "has" : "have"),
              "an SM may have no room for so many blocks at once, or none may have come to it");
}

}  // namespace gpx
