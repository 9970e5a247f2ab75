// Clusters. Interface: cluster.h. Covered by tests/vgpu/cluster_test.cpp.
#include "runtime/device/vgpu/timing/cluster.h"

#include <cmath>
#include <numeric>

#include "lang/assert.h"

namespace gpx::vgpu::timing {

double ClusterNetwork::latency(const Access& access) const {
  const Description::Cluster& cluster = *device_.cluster;
  const double more = access.is_atomic ? cluster.atomic : 0;
  if (access.from == access.to) return cluster.own + more;
  if (cluster.distances.empty()) return cluster.latency + more;
  const std::uint32_t one = device_.sm.tpc_of(access.from), other = device_.sm.tpc_of(access.to);
  const std::size_t distance = one < other ? other - one : one - other;
  return cluster.latency + more +
         cluster.distances[std::min(distance, cluster.distances.size() - 1)];
}

Clk ClusterNetwork::access(const Access& access, Clk clk) {
  GPX_ASSERT(device_.cluster.has_value());
  const double rate = device_.cluster->bandwidth;
  double start = static_cast<double>(clk), behind = 0;
  if (rate > 0 && access.from != access.to) {
    double& sends = sends_[access.is_store ? access.from : access.to];
    double& receives = receives_[access.is_store ? access.to : access.from];
    start = std::max({start, sends, receives});
    sends = receives = start + access.bytes / rate;
    behind = (access.bytes - access.lane_bytes) / rate;  // the last lane's bytes behind the first's
  }
  return static_cast<Clk>(std::ceil(start + behind + latency(access)));
}

std::vector<unsigned> places_in_gpc(const std::vector<unsigned>& room, unsigned blocks) {
  std::vector<unsigned> left = room, taken;
  if (std::accumulate(room.begin(), room.end(), 0u) < blocks) return taken;
  while (taken.size() < blocks)
    for (unsigned sm = 0; sm < left.size() && taken.size() < blocks; ++sm)
      if (left[sm] > 0) --left[sm], taken.push_back(sm);
  return taken;
}

}  // namespace gpx::vgpu::timing
