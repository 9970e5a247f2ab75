// Clusters. Interface: cluster.h. Covered by tests/vgpu/cluster_test.cpp.
#include "runtime/device/vgpu/timing/cluster.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <functional>
#include <numeric>

#include "lang/assert.h"

namespace gpx::vgpu::timing {

double ClusterNetwork::latency(const Access& access) const {
  const Description::Cluster& cluster = *device_.cluster;
  const double more = access.is_atomic ? cluster.atomic : 0;
  if (access.from == access.to) return cluster.own + more;
  const auto position = [&](unsigned sm) {
    if (cluster.positions.empty()) return 0.0;
    const std::size_t place = device_.sm.place_in_gpc(sm);
    return cluster.positions[std::min(place, cluster.positions.size() - 1)];
  };
  return cluster.latency + more + position(access.from) + position(access.to);
}

Clk ClusterNetwork::access(const Access& access, Clk clk) {
  GPX_ASSERT(device_.cluster.has_value());
  const Description::Cluster& cluster = *device_.cluster;
  const double rate = access.is_store ? cluster.store_bandwidth : cluster.bandwidth;
  double start = static_cast<double>(clk), behind = 0;
  if (rate > 0 && access.from != access.to) {
    double& sends = sends_[access.is_store ? access.from : access.to];
    double& receives = receives_[access.is_store ? access.to : access.from];
    const NearMemory::Sent& sent = access.sent;
    const unsigned moved = access.is_store ? sent.stored : sent.bytes,
                   rows = access.is_store ? 0 : sent.rows;
    const double bytes = moved / rate,
                 request = access.is_store ? cluster.store_request : cluster.request,
                 returned = access.is_atomic && cluster.store_bandwidth > 0
                                ? sent.bytes / cluster.store_bandwidth
                                : 0,
                 keeps = request + bytes + cluster.line * rows + returned;
    start = std::max(start, sends);
    sends = start + std::max(keeps, access.banks);
    start = std::max(start, receives);
    receives = start + keeps;
    // What is behind the first sector, which alone takes the latency.
    behind = (moved - std::min(moved, NearMemory::kSector)) / rate +
             cluster.line * (rows - std::min(rows, 1u));
  }
  if (access.is_atomic && access.from == access.to) {
    start = std::max(start, sends_[access.to]);
    sends_[access.to] = start + access.banks;
  }
  // Results come at whole clocks: the part of one that is left is the next access's.
  double& part = parts_[access.from];
  const double taken = latency(access) + part, whole_clocks = std::floor(taken);
  part = taken - whole_clocks;
  return static_cast<Clk>(std::ceil(start + behind + access.banks) + whole_clocks);
}

double step_of(const std::vector<double>& steps, std::size_t blocks) {
  if (steps.empty()) return 0;
  const auto step = static_cast<std::size_t>(std::bit_width(blocks - 1));
  return steps[std::min(step, steps.size() - 1)];
}

namespace {

/// The `count` emptiest of the SMs from `first` to before `end` that have room, in their order.
std::vector<unsigned> emptiest(const std::vector<unsigned>& room, std::size_t first,
                               std::size_t end, std::size_t count) {
  std::vector<unsigned> sms;
  for (std::size_t sm = first; sm < end; ++sm)
    if (room[sm] > 0) sms.push_back(static_cast<unsigned>(sm));
  std::ranges::stable_sort(sms, std::greater(), [&](unsigned sm) { return room[sm]; });
  sms.resize(std::min(count, sms.size()));
  std::ranges::sort(sms);
  return sms;
}

std::vector<unsigned> places_in_tpc(const std::vector<unsigned>& room, unsigned blocks,
                                    unsigned per_tpc) {
  std::vector<unsigned> best;
  std::pair<unsigned, unsigned> most;  // room left, and in all
  for (std::size_t first = 0; first < room.size(); first += per_tpc) {
    const std::size_t end = std::min<std::size_t>(first + per_tpc, room.size());
    const std::vector<unsigned> sms = emptiest(room, first, end, blocks);
    if (sms.size() < blocks) continue;
    const auto begin = room.begin() + static_cast<std::ptrdiff_t>(first);
    const std::pair here = {
        room_left(room, sms),
        std::accumulate(begin, room.begin() + static_cast<std::ptrdiff_t>(end), 0u)};
    if (best.empty() || here >= most) best = sms, most = here;
  }
  return best;
}

}  // namespace

unsigned room_left(const std::vector<unsigned>& room, const std::vector<unsigned>& places) {
  std::vector<unsigned> left = room;
  for (const unsigned sm : places) --left[sm];
  unsigned least = UINT_MAX;
  for (const unsigned sm : places) least = std::min(least, left[sm]);
  return least;
}

std::vector<unsigned> places_in_gpc(const std::vector<unsigned>& room, unsigned blocks,
                                    unsigned per_tpc, bool last) {
  std::vector<unsigned> taken;
  if (last && blocks <= per_tpc) taken = places_in_tpc(room, blocks, per_tpc);
  if (!taken.empty() || std::accumulate(room.begin(), room.end(), 0u) < blocks) return taken;
  std::vector<unsigned> left = room;
  while (taken.size() < blocks)
    for (const unsigned sm : emptiest(left, 0, left.size(), blocks - taken.size()))
      --left[sm], taken.push_back(sm);
  return taken;
}

}  // namespace gpx::vgpu::timing
