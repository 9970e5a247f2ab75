// One pass over the active lanes. Interface: coalescer.h. Covered by tests/vgpu/timing_test.cpp.
#include "runtime/vgpu/timing/coalescer.h"

#include <bit>

namespace gpx::vgpu::timing {

Coalescer::Coalescer(std::uint64_t line) : shift_(std::countr_zero(line)) {}

void Coalescer::coalesce(exec::Mask active, const exec::Lanes& addresses, Requests& out) const {
  unsigned count = 0, seen = 0, last = 0;
  std::uint64_t highest = 0;
  for (exec::Mask rest = active; rest != 0; rest &= rest - 1) {
    const std::uint64_t line = addresses[std::countr_zero(rest)] >> shift_;
    ++seen;
    unsigned at = count;
    if (count != 0 && line == out.line[last]) {
      at = last;
    } else if (count != 0 && line <= highest) {  // beyond the highest line nothing can match
      for (at = 0; at < count && out.line[at] != line;) ++at;
    }
    if (at == count) {
      out.line[at] = line;
      out.lanes_of[at] = 0;
      ++count;
      if (line > highest) highest = line;
    }
    ++out.lanes_of[at];
    out.complete_after[at] = static_cast<std::uint8_t>(seen);
    last = at;
  }
  out.count = count;
  out.lanes = seen;
}

}  // namespace gpx::vgpu::timing
