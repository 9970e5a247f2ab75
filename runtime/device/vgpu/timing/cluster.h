// Clusters: blocks that run together on the SMs of one GPC, and the network between those SMs.
// Covered by tests/vgpu/cluster_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/device/vgpu/clk.h"
#include "runtime/device/vgpu/description/description.h"
#include "runtime/device/vgpu/exec/executor.h"
#include "runtime/device/vgpu/memory/near_memory.h"

namespace gpx::vgpu::timing {

class Sm;

/// One cluster that runs.
struct ClusterRun {
  exec::Cluster state;
  std::vector<unsigned> sms;                           ///< By rank.
  unsigned live = 0;                                   ///< Blocks; 0: it can be used again.
  Clk latest = 0;                                      ///< The last arrival at the barrier.
  Clk released = 0;                                    ///< When the barrier let go last.
  std::vector<std::pair<Sm*, std::uint32_t>> waiting;  ///< Warp slots.
};

/// What an SM's accesses to the shared memory of others take. Each SM sends and receives so many
/// bytes a clock; an access keeps the sender of its data busy, then the receiver, an atomic as long
/// as a load and what comes back. Where lanes conflict, the banks do them meanwhile.
class ClusterNetwork {
 public:
  /// No section of the device: nothing may be asked of it.
  explicit ClusterNetwork(const Description& device) : device_(device) { start_launch(); }

  /// No access is under way, and no part of a clock is left of those before.
  void start_launch() {
    sends_.assign(device_.sm.count, 0);
    receives_.assign(device_.sm.count, 0);
    parts_.assign(device_.sm.count, 0);
  }

  struct Access {
    unsigned from, to;      ///< SMs: the one that asks, the one whose memory it is.
    NearMemory::Sent sent;  ///< For all lanes.
    bool is_store, is_atomic;
    double banks = 0;  ///< Clocks that an atomic keeps the banks there, beyond its first pass.
  };
  /// When the result of an access that is issued at `clk` is there, or what it stores.
  Clk access(const Access& access, Clk clk);

 private:
  double latency(const Access& access) const;

  const Description& device_;
  std::vector<double> sends_, receives_;  // by SM: busy until then
  std::vector<double> parts_;             // by SM: of a clock, that its accesses did not take yet
};

/// The item of a list that goes by the blocks of a cluster: 1, 2, up to 4, 8, ...; the last beyond.
double step_of(const std::vector<double>& steps, std::size_t blocks);

/// The SMs that take the blocks of a cluster of that size, by rank, out of those of a GPC with room
/// for so many blocks each: the emptiest, one block each where enough have room. `last`: if the
/// blocks are no more than the SMs of a TPC, those of the last of its emptiest TPCs. Empty: there
/// is none.
std::vector<unsigned> places_in_gpc(const std::vector<unsigned>& room, unsigned blocks,
                                    unsigned per_tpc = 1, bool last = false);

/// The room that is left on the fullest of those SMs when they have their blocks.
unsigned room_left(const std::vector<unsigned>& room, const std::vector<unsigned>& places);

}  // namespace gpx::vgpu::timing
