// Barriers of a block: bar and barrier, sync, arrive and red. Interface: barrier_handler in
// decode.h. Covered by tests/vgpu/exec_control_test.cpp.
//
// On Model::stack a barrier counts warps (Wong 2010, section IV-D): whatever lanes execute the
// instruction, the warp arrives with all its threads, once for each serialized path. On
// Model::independent it counts the threads that arrive. Who releases the barrier is the caller's
// matter (exec/run.cpp, the timing layer); the result of a bar.red is written when the warp goes
// on.
#include "runtime/device/vgpu/exec/barrier.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/device/vgpu/exec/groups.h"

namespace gpx::vgpu::exec {
namespace {

using ptx::OpId;

bool arrive(Context& c, const Op& op) {
  auto lane = static_cast<unsigned>(std::countr_zero(c.mask));
  auto id = get<std::uint32_t>(c.in(op.a)[lane]), threads = get<std::uint32_t>(c.in(op.b)[lane]);
  if (id >= 16) {
    c.trap = fmt::format("barrier {} does not exist: there are 16", id);
    return false;
  }
  if (threads % kWarpSize) {
    c.trap = fmt::format("a barrier of {} threads is not of whole warps", threads);
    return false;
  }
  ++c.machine.changes;
  c.effect.barrier = true;
  c.effect.barrier_arrivals = c.machine.model == Model::stack
                                  ? kWarpSize
                                  : static_cast<std::uint32_t>(std::popcount(c.mask));
  c.effect.barrier_id = id;
  c.effect.barrier_threads = threads;
  return true;
}

void wait(Context& c) {
  c.effect.barrier_waits = true;
  c.warp.barrier = static_cast<std::int32_t>(c.effect.barrier_id);
  c.warp.at_barrier = true;
}

void sync(Context& c, const Op& op) {
  if (arrive(c, op)) wait(c);
}

void arrive_only(Context& c, const Op& op) {
  if (!arrive(c, op)) return;
  if (c.effect.barrier_threads == 0) c.trap = "bar.arrive needs a number of threads";
}

// No grid depends on another here.
void order_grids(Context&, const Op&) {}

// Of the cluster: threads count, whatever the model.
bool has_cluster(Context& c) {
  if (c.block().cluster) return true;
  c.trap = "barrier.cluster: the launch has no clusters ('cluster 1' makes one of each block)";
  return false;
}

void arrive_at_cluster(Context& c, const Op&) {
  if (!has_cluster(c)) return;
  ++c.machine.changes;
  Cluster& cluster = *c.block().cluster;
  const auto threads = static_cast<std::uint32_t>(std::popcount(c.mask));
  cluster.arrived += threads;
  c.effect.cluster_arrivals = threads;
  c.warp.cluster_phase &= ~c.mask;
  if (cluster.phase % 2 != 0) c.warp.cluster_phase |= c.mask;
}

// The phase that a lane arrived in is over, or is the one under way: no third is possible.
void wait_for_cluster(Context& c, const Op&) {
  if (!has_cluster(c)) return;
  c.effect.cluster_waits = true;
  const Mask odd = c.block().cluster->phase % 2 != 0 ? c.mask : 0;
  c.effect.cluster_over = (c.warp.cluster_phase & c.mask) == (odd ^ c.mask);
  c.effect.cluster_waits = !c.effect.cluster_over;
  if (c.effect.cluster_over) return;
  c.warp.barrier = static_cast<std::int32_t>(kClusterBarrier);
  c.warp.at_barrier = true;
}

void reduce(Context& c, const Op& op) {
  if (!arrive(c, op)) return;
  BarrierReduction& r = c.block().reductions[c.effect.barrier_id];
  Mask trues = predicate_mask(c.mask, c.in(op.c), op.negated);
  r.count += static_cast<std::uint32_t>(std::popcount(c.mask));
  r.trues += static_cast<std::uint32_t>(std::popcount(trues));
  wait(c);
  c.warp.reduction_pc = c.path().pc - 1;
  c.warp.reduction_generation = r.generation;
  c.warp.reduction_mask = c.mask;
}

}  // namespace

std::array<std::uint32_t, 3> of_rank(const Grid& grid, const std::array<std::uint32_t, 3>& index,
                                     std::uint32_t rank) {
  std::array<std::uint32_t, 3> made{};
  for (std::size_t axis = 0; axis < made.size(); ++axis) {
    const std::uint32_t size = grid.cluster[axis];
    made[axis] = index[axis] / size * size + rank % size;
    rank /= size;
  }
  return made;
}

bool Cluster::complete() {
  std::uint64_t live = 0;
  for (const Block* block : blocks)
    if (block) live += block->live_threads;
  if (arrived == 0 || arrived < live) return false;
  arrived = 0;
  ++phase;
  return true;
}

void release_barrier(Warp& warp, std::uint32_t id) {
  const auto wanted = static_cast<std::int32_t>(id);
  for (Group& group : warp.others)
    if (group.barrier == wanted) group.barrier = -1;
  if (warp.barrier == wanted) warp.barrier = -1;
  wake_groups(warp);
}

void finish_reduction(Context& c, const Op& op) {
  c.warp.reduction_pc = -1;
  // The path that goes on need not be the one that waited, if that has come to its meeting point.
  auto lane = static_cast<unsigned>(std::countr_zero(c.warp.reduction_mask));
  BarrierReduction& r = c.block().reductions[get<std::uint32_t>(c.in(op.a)[lane]) % 16];
  if (r.generation == c.warp.reduction_generation) {
    // The first warp to go on closes the generation: all have arrived, none again yet.
    ++r.generation;
    r.last_count = std::exchange(r.count, 0);
    r.last_trues = std::exchange(r.trues, 0);
  }
  OpId id = ptx::id_of(*op.source);
  std::uint64_t result = r.last_trues;
  if (id == OpId::bar_and || id == OpId::barrier_and) result = r.last_trues == r.last_count;
  if (id == OpId::bar_or || id == OpId::barrier_or) result = r.last_trues != 0;
  Lanes& d = c.r[op.d];
  for_lanes(c.warp.reduction_mask, [&](unsigned i) { d[i] = result; });
}

Handler barrier_handler(const ptx::Instruction& i) {
  switch (ptx::id_of(i)) {
    case OpId::bar_sync:
    case OpId::barrier_sync: return &sync;
    case OpId::bar_arrive:
    case OpId::barrier_arrive: return &arrive_only;
    case OpId::cluster_arrive:
    case OpId::cluster_arrive_relaxed: return &arrive_at_cluster;
    case OpId::cluster_wait: return &wait_for_cluster;
    case OpId::griddep_wait:
    case OpId::griddep_launch: return &order_grids;
    case OpId::bar_popc:
    case OpId::bar_and:
    case OpId::bar_or:
    case OpId::barrier_popc:
    case OpId::barrier_and:
    case OpId::barrier_or: return &reduce;
    default: return nullptr;
  }
}

}  // namespace gpx::vgpu::exec
