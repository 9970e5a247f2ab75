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
      {"l2_slices.request", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "least time of a slice for what an access wants of a line; fractions allowed",
       [](D& d, double v) { d.slices->request = v; }},
      {"l2_slices.store_request", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "the same for what a store changes of a line; fractions allowed",
       [](D& d, double v) { d.slices->store_request = v; }},
      {"l2_slices.store", Kind::time, Need::optional, 0, kMostClocks, "as loads",
       "least time of a slice for a sector that is stored; fractions allowed",
       [](D& d, double v) { d.slices->store = v; }},
      {"l2_slices.partial", Kind::time, Need::optional, 0, kMostClocks, "as store",
       "the same for a sector that a store or an atomic changes in part; fractions allowed",
       [](D& d, double v) { d.slices->partial = v; }},
      {"l2_slices.shared", Kind::real, Need::optional, 0, 1, "1",
       "part of the time of a load for which stores of its slice wait",
       [](D& d, double v) { d.slices->shared = v; }},
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
      {"store_buffer.line", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "additional time per line of a store with a request of which only a part is stored; "
       "fractions allowed",
       [](D& d, double v) { d.store_buffer->line = v; }},
      {"store_buffer.queue", Kind::count, Need::optional, 1, 1 << 16, "none",
       "stores of warps that wait before these requests, those to shared memory included; the "
       "registers of others are not read yet",
       [](D& d, double v) { d.store_buffer->queue = static_cast<std::uint32_t>(v); }},
      {"store_buffer.pending", Kind::count, Need::optional, 1, 1 << 16, "store_buffer.queue",
       "stores that wait there in all, before a warp that stores waits too",
       [](D& d, double v) { d.store_buffer->pending = to<std::uint32_t>(v); }},
      {"store_buffer.window", Kind::count, Need::optional, 1, 1 << 16, "none does",
       "lines that may wait where a store joins another one to the same sectors that waits",
       [](D& d, double v) { d.store_buffer->window = to<std::uint32_t>(v); }},
      {"atomics.request", Kind::time, Need::section, 0, kMostClocks, "",
       "SM time per request of a global atomic; fractions allowed",
       [](D& d, double v) { d.atomics->request = v; }},
      {"atomics.lane", Kind::time, Need::section, 0, kMostClocks, "",
       "additional SM time per further lane on the same address; fractions allowed",
       [](D& d, double v) { d.atomics->lane = v; }},
      {"atomics.address", Kind::time, Need::section, 0, kMostClocks, "",
       "between two atomics on one address in L2, from any SM; fractions allowed",
       [](D& d, double v) { d.atomics->address = v; }},
      {"atomics.access", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "additional SM time per access of a warp; fractions allowed",
       [](D& d, double v) { d.atomics->access = v; }},
      {"atomics.line", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "additional SM time per line of an access; fractions allowed",
       [](D& d, double v) { d.atomics->line = v; }},
      {"atomics.unit_bits", Kind::counts, Need::optional, 5, 30, "each sector has a unit",
       "address bits, from the lowest, by which a unit of L2 does an atomic; higher bits choose "
       "anew among as many units as l2_slices.count",
       nullptr, nullptr, "",
       [](D& d, const Lists& lists) {
         for (const auto& bit : lists)
           d.atomics->unit_bits.push_back(static_cast<std::uint32_t>(bit.front()));
       }},
      {"atomics.turn", Kind::time, Need::optional, 0, kMostClocks, "as address",
       "time of a unit for lanes of one sector with different addresses; fractions allowed",
       [](D& d, double v) { d.atomics->turn = v; }},
      {"atomics.real", Kind::time, Need::optional, 0, kMostClocks, "as address",
       "between two atomics of floating point on one address; fractions allowed",
       [](D& d, double v) { d.atomics->real = v; }},
      {"atomics.burst", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "SM time by which requests may be ahead of their lines and of half of their further lanes",
       [](D& d, double v) { d.atomics->burst = v; }},
      {"atomics.after_store", Kind::time, Need::optional, 0, kMostClocks, "0 clocks",
       "time in L2 of a store to a line that atomics were done on, before its next atomic",
       [](D& d, double v) { d.atomics->after_store = v; }},
      {"atomics.queue", Kind::count, Need::optional, 1, 1 << 20, "their registers are read at once",
       "reductions of an SM, without a result, whose registers are read before their turn",
       [](D& d, double v) { d.atomics->queue = to<std::uint32_t>(v); }}};
}

}  // namespace gpx::vgpu::timing
