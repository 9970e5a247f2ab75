// Interface: model_values.h. Covered by tests/vgpu/model_parts_test.cpp.
#include "runtime/device/vgpu/description/model_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/lists.h"
#include "runtime/device/vgpu/description/costs.h"
#include "runtime/device/vgpu/description/quantity.h"

namespace gpx::vgpu::timing {
namespace {

using D = Description;

std::string bytes(std::uint64_t value) {
  return format_quantity(Measure::bytes, static_cast<double>(value));
}
std::string clocks(double value) {
  return fmt::format("{:.4g} clock{}", value, value == 1 ? "" : "s");
}

/// "a block every 2 clocks"
std::string each(std::string_view what, double interval) {
  return fmt::format("a {} every {}", what, interval == 1 ? "clock" : clocks(interval));
}

class Values {
 public:
  explicit Values(const Description& device) : d_(device) {}

  std::vector<ModelValue> all() {
    launch();
    operations();
    requests();
    data();
    atomics();
    translations();
    on_chip();
    clusters();
    return std::move(made_);
  }

 private:
  void add(std::string part, std::string value) {
    made_.push_back({std::move(part), std::move(value)});
  }

  void launch() {
    add("block launch", d_.block_interval > 0 ? each("block", d_.block_interval) + ", over all SMs"
                                              : "a block as soon as an SM has room");
    if (d_.launch_overhead > 0)
      add("launch", fmt::format("{:.4g} us more than its blocks take",
                                1e6 * d_.launch_overhead / d_.clock_hz));
    add("schedulers", fmt::format("{} of an SM, {}", d_.sm.schedulers,
                                  each("warp instruction of each", d_.sm.issue_interval)));
  }

  /// By unit; what single instructions cost stands in the file.
  void operations() {
    std::string units;
    std::size_t single = 0;
    for (const auto& [name, cost] : d_.ops) {
      if (!contains(costed_units(), name)) {
        ++single;
        continue;
      }
      units += fmt::format("{}{} {:.4g} / {:.4g}", units.empty() ? "" : ", ", name, cost.latency,
                           cost.interval);
    }
    if (single > 0) units += fmt::format("; {} single ones in the file", single);
    add("operations", "latency / interval in clocks: " + units);
    add("barrier", clocks(d_.barrier.latency) +
                       (d_.barrier.per_warp > 0
                            ? fmt::format(", {:.4g} more for each warp", d_.barrier.per_warp)
                            : "") +
                       (d_.barrier.queue > 0
                            ? fmt::format("; {} arrivals wait before their warps do, which go on "
                                          "with what stays in a partition",
                                          d_.barrier.queue)
                            : ""));
  }

  void requests() {
    if (d_.loads_per_warp > 0)
      add("scoreboard", fmt::format("{} loads of a warp under way", d_.loads_per_warp));
    if (d_.mshr)
      add("MSHRs",
          fmt::format("{} entries of an SM, {} requests each", d_.mshr->entries, d_.mshr->merges));
    if (d_.prt)
      add("PRT", fmt::format("{} entries of an SM, {} more requests", d_.prt->entries,
                             d_.prt->overflow_requests));
  }

  static std::string shape(const D::Cache& cache) {
    std::string text = bytes(cache.capacity) + ", ";
    if (!cache.set_sizes.empty()) {
      const auto [least, most] = std::ranges::minmax(cache.set_sizes);
      text += fmt::format("{} sets of {} to {} ways", cache.set_sizes.size(), least, most);
    } else {
      text += fmt::format("{} set{} of {} ways", cache.sets(), cache.sets() == 1 ? "" : "s",
                          cache.ways);
    }
    return text + ", " + cache.policy;
  }

  void cache(const std::string& part, const std::optional<D::Cache>& of) {
    if (!of) return;
    std::string text = fmt::format("{}, lines of {}", shape(*of), bytes(of->line));
    if (of->sector > 0 && of->sector != of->line) text += ", sectors of " + bytes(of->sector);
    text += ", " + clocks(of->latency);
    if (of->miss > 0) text += fmt::format(", a miss {:.4g} more", of->miss);
    if (of->miss_dram >= 0) text += fmt::format(" ({:.4g} before DRAM)", of->miss_dram);
    if (of->bandwidth > 0) text += fmt::format(", {:.4g} B/clk", of->bandwidth);
    add(part, text);
  }

  template <std::size_t count>
  void levels(const std::string& part, const D::Levels<count>& of) {
    for (std::size_t k = 0; k < count; ++k) cache(fmt::format("{} L{}", part, k + 1), of[k]);
  }

  /// What one transfer of DRAM fills.
  std::string filled() const {
    if (!d_.l2) return "request";
    return d_.l2->sector > 0 && d_.l2->sector != d_.l2->line ? "sector" : "line";
  }

  void data() {
    cache("L1", d_.l1);
    cache("L2", d_.l2);
    partitions();
    if (d_.slices)
      add("L2 slices", fmt::format("{} of {:.4g} B/clk", d_.slices->count, d_.slices->bandwidth));
    std::string dram = clocks(d_.dram.latency);
    if (d_.dram.departure > 0) dram += ", " + each(filled(), d_.dram.departure);
    if (d_.dram.write_departure >= 0)
      dram += fmt::format(", written every {:.4g}", d_.dram.write_departure);
    if (d_.dram.turn > 0) dram += fmt::format(", {:.4g} more between the two", d_.dram.turn);
    add("DRAM", dram);
    queues();
  }

  void queues() {
    if (d_.memory_queue) {
      std::string text = each("coalesced transaction", d_.memory_queue->coalesced) +
                         ", another one every " + clocks(d_.memory_queue->uncoalesced);
      if (d_.memory_queue->line > 0) text += ", of up to " + bytes(d_.memory_queue->line);
      if (d_.memory_queue->returned > 0)
        text += fmt::format(", {:.4g} B/clk come back", d_.memory_queue->returned);
      add("queue of an SM", text);
    }
    if (d_.store_buffer)
      add("stores of an SM", fmt::format("{} wait, {}", d_.store_buffer->entries,
                                         each("request", d_.store_buffer->interval)));
  }

  void partitions() {
    if (!d_.partitions) return;
    const auto [least, most] = std::ranges::minmax(d_.partitions->extra);
    add("L2 partitions",
        fmt::format("2, each near to some SMs; an access takes {:.4g} to {} more, to DRAM too{}",
                    least, clocks(most),
                    d_.partitions->copies
                        ? "; what is found far leaves a copy near, where half of L2 is"
                        : ""));
  }

  void atomics() {
    if (!d_.atomics) return;
    const Description::Atomics& a = *d_.atomics;
    add("atomics",
        fmt::format(
            "of an SM {} for a request, {:.4g} for each further lane of an address; of L2 {} "
            "for an address{}{}",
            clocks(a.request), a.lane, clocks(a.address),
            a.real > a.address ? fmt::format(", {:.4g} of floating point", a.real) : "",
            a.unit_bits.empty() ? "" : ", by units of several lines"));
  }

  void clusters() {
    if (!d_.cluster) return;
    const auto& places = d_.cluster->positions;
    add("clusters",
        fmt::format("{} blocks, {} for a load of another block{}, {:.4g} of the own one",
                    d_.cluster->most, clocks(d_.cluster->latency),
                    places.empty() ? ""
                                   : fmt::format(" and 0 to {:.4g} for the place of each SM",
                                                 *std::ranges::max_element(places)),
                    d_.cluster->own));
  }

  void translations() {
    for (std::size_t k = 0; k < d_.translation.tlb.size(); ++k) {
      const auto& tlb = d_.translation.tlb[k];
      if (!tlb) continue;
      std::string text = fmt::format("{}, pages of {}, a miss {} more", shape(*tlb),
                                     bytes(tlb->line), clocks(tlb->miss));
      if (tlb->miss_dram >= 0) text += fmt::format(" ({} before DRAM)", clocks(tlb->miss_dram));
      add(fmt::format("TLB L{}", k + 1), text);
    }
  }

  void on_chip() {
    std::string shared = clocks(d_.shared.latency);
    if (d_.shared.banks > 0)
      shared += fmt::format(", {} banks of {}, {} more for each pass of a conflict",
                            d_.shared.banks, bytes(d_.shared.width), clocks(d_.shared.pass));
    add("shared memory", shared);
    levels("constants", d_.constant.level);
    add("constants", clocks(d_.constant.latency) + " where no cache has them");
    if (d_.texture) {
      levels("textures", d_.texture->level);
      add("textures", clocks(d_.texture->latency) + " where no cache has them");
    }
    if (d_.instruction) levels("code", d_.instruction->level);
  }

  const Description& d_;
  std::vector<ModelValue> made_;
};

}  // namespace

std::vector<ModelValue> model_values(const Description& device) {
  return Values(device).all();
}

}  // namespace gpx::vgpu::timing
