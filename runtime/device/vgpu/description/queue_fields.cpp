// Fields of what requests to global memory wait for between an SM and L2: queues, buffers, slices,
// atomics. Interface: fields.h. Covered by tests/vgpu/device_test.cpp.
#include "runtime/device/vgpu/description/cache_fields.h"

namespace gpx::vgpu::timing {
namespace {

using D = Description;
using Kind = FieldKind;
using Lists = std::vector<std::vector<double>>;

}  // namespace

std::vector<Field> queue_fields() {
  return {
      {"l2_slices.count", Kind::count, Need::section, 1, 4096, "",
       "slices, to which neighbouring lines go in turn",
       [](D& d, double v) { d.slices->count = static_cast<std::uint32_t>(v); }},
      {"l2_slices.bandwidth", Kind::real, Need::section, 0.001, 1e6, "", "B/clock of a slice",
       [](D& d, double v) { d.slices->bandwidth = v; }},
      {"l2_slices.distances", Kind::reals, Need::optional, -1e4, 1e4, "none",
       "additional round-trip clocks of an access by slice; negative ones allowed", nullptr,
       nullptr, "",
       [](D& d, const Lists& lists) {
         for (const auto& value : lists) d.slices->distances.push_back(value.front());
       }},
      {"memory_queue.coalesced", Kind::time, Need::section, 0, kMostClocks, "",
       "between two transactions of coalesced accesses; fractions allowed",
       [](D& d, double v) { d.memory_queue->coalesced = v; }},
      {"memory_queue.uncoalesced", Kind::time, Need::section, 0, kMostClocks, "",
       "between two transactions of other accesses, including the waste of short transfers",
       [](D& d, double v) { d.memory_queue->uncoalesced = v; }},
      {"memory_queue.bandwidth", Kind::real, Need::optional, 0.001, 1e6, "no limit",
       "B/clock of the memory, divided equally among the SMs that have blocks, for the bytes "
       "that lanes request",
       [](D& d, double v) { d.memory_queue->bandwidth = v; }},
      {"memory_queue.line", Kind::bytes, Need::optional, 32, 4096, "none do",
       "requests of one access in one aligned block of this size depart together; a power of two",
       [](D& d, double v) { d.memory_queue->line = static_cast<std::uint64_t>(v); }},
      {"memory_queue.returned", Kind::real, Need::optional, 0.001, 1e6, "no limit",
       "B/clock back to an SM; each request returns coalescer.line",
       [](D& d, double v) { d.memory_queue->returned = v; }},
      {"store_buffer.entries", Kind::count, Need::section, 1, 1 << 20, "",
       "requests of stores that wait in an SM; a store without room holds its warp",
       [](D& d, double v) { d.store_buffer->entries = static_cast<std::uint32_t>(v); }},
      {"store_buffer.interval", Kind::time, Need::section, 0, kMostClocks, "",
       "between the departures of two of these requests; fractions allowed",
       [](D& d, double v) { d.store_buffer->interval = v; }},
      {"atomics.request", Kind::time, Need::section, 0, kMostClocks, "",
       "SM time per request of a global atomic; fractions allowed",
       [](D& d, double v) { d.atomics->request = v; }},
      {"atomics.lane", Kind::time, Need::section, 0, kMostClocks, "",
       "additional SM time per further lane on the same address; fractions allowed",
       [](D& d, double v) { d.atomics->lane = v; }},
      {"atomics.address", Kind::time, Need::section, 0, kMostClocks, "",
       "between two atomics on one address in L2, from any SM; fractions allowed",
       [](D& d, double v) { d.atomics->address = v; }}};
}

}  // namespace gpx::vgpu::timing
