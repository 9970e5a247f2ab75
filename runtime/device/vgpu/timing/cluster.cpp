// Clusters. Interface: cluster.h. Covered by tests/vgpu/cluster_test.cpp.
#include "runtime/device/vgpu/timing/cluster.h"

#include <bit>
#include <cmath>
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
    start = std::max({start, sends, receives});
    const double request = access.is_store ? cluster.store_request : cluster.request;
    sends = receives = start + request + access.bytes / rate;
    behind = (access.bytes - access.lane_bytes) / rate;  // the last lane's bytes behind the first's
  }
  // Results come at whole clocks: the part of one that is left is the next access's.
  double& part = parts_[access.from];
  const double taken = latency(access) + part, whole_clocks = std::floor(taken);
  part = taken - whole_clocks;
  return static_cast<Clk>(std::ceil(start + behind) + whole_clocks);
}

double step_of(const std::vector<double>& steps, std::size_t blocks) {
  if (steps.empty()) return 0;
  const auto step = static_cast<std::size_t>(std::bit_width(blocks - 1));
  return steps[std::min(step, steps.size() - 1)];
}

std::vector<unsigned> places_in_gpc(const std::vector<unsigned>& room, unsigned blocks,
                                    unsigned per_tpc, bool last) {
  std::vector<unsigned> left = room, taken;
  const auto has_room = [&](std::size_t sm) { return sm < room.size() && room[sm] > 0; };
  if (last && blocks <= per_tpc)
    for (std::size_t tpc = (room.size() + per_tpc - 1) / per_tpc; tpc-- > 0; taken.clear()) {
      for (std::size_t sm = tpc * per_tpc; sm < tpc * per_tpc + blocks && has_room(sm); ++sm)
        taken.push_back(static_cast<unsigned>(sm));
      if (taken.size() == blocks) return taken;
    }
  if (std::accumulate(room.begin(), room.end(), 0u) < blocks) return taken;
  while (taken.size() < blocks)
    for (unsigned sm = 0; sm < left.size() && taken.size() < blocks; ++sm)
      if (left[sm] > 0) --left[sm], taken.push_back(sm);
  return taken;
}

}  // namespace gpx::vgpu::timing
