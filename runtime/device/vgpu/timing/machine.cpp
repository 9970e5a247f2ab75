// Launches: blocks to SMs, events to their end. Interface: machine.h.
// Covered by tests/vgpu/virtual_test.cpp.
#include "runtime/device/vgpu/timing/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/assert.h"
#include "runtime/device/vgpu/timing/sm_loads.h"

namespace gpx::vgpu::timing {
namespace {

constexpr std::uint64_t kClustersOfEstimate = 4;

}  // namespace

Machine::Machine(const Description& device, Tenant* tenant)
    : device_(device),
      system_(device),
      gpcs_(device.sm.copies(Description::Scope::gpc)),
      network_(device),
      tenant_(tenant),
      events_(device.sm.count, device.sm.per_tpc) {
  for (unsigned i = 0; i < device.sm.count; ++i)
    sms_.push_back(std::make_unique<Sm>(device_, system_, i));
  for (unsigned i = 0; i < device.sm.count; ++i)
    gpcs_[device.sm.copy_of(Description::Scope::gpc, i)].push_back(sms_[i].get());
  // An SM of each TPC, then the next one of each.
  for (unsigned k = 0; k < device.sm.per_tpc; ++k)
    for (unsigned first = 0; first < device.sm.count; first += device.sm.per_tpc)
      if (first + k < device.sm.count) placement_.push_back(sms_[first + k].get());
}

void Machine::set_uploads(const std::vector<Upload>& uploads) {
  uploads_.clear();
  if (!device_.l2) return;
  const std::uint64_t line = device_.l2->line;
  for (const Upload& upload : uploads) {
    const std::uint64_t first = upload.address / line;
    uploads_.push_back({first, (upload.address + upload.bytes + line - 1) / line - first});
  }
}

void Machine::start_job(std::uint64_t seed, bool uploads) {
  seed_ = seed;
  launches_ = 0;
  clk_ = 0;
  tenant_lines_ = 0;
  if (tenant_) tenant_->start_job();
  if (system_.listener()) system_.listener()->job_starts();
  system_.start_job();
  if (system_.l2() && uploads) system_.l2()->upload(uploads_);
}

void Machine::pass_others(double lines, double dirty, DirtyParts parts) {
  if (lines < 1) return;
  system_.l2()->pass(static_cast<std::uint64_t>(lines), static_cast<std::uint64_t>(dirty * lines),
                     parts);
}

double Machine::lines_of_grid(std::uint64_t blocks) const {
  const std::uint64_t seen = entered_.size(), half = seen / 2, all = system_.entered_l2().lines;
  if (seen == 0) return 0;
  // Those before that began at the same time have all of their lines behind it. Blocks of later
  // waves end together where they are alike, and then none has.
  const double ran = half < places_ ? static_cast<double>(half) : 0;
  const double each =
      static_cast<double>(all - entered_[half]) / (static_cast<double>(seen - half) + ran);
  return static_cast<double>(all - before_.lines) +
         each * (static_cast<double>(blocks) - static_cast<double>(seen));
}

double Machine::dirty_part() const {
  const Entered now = system_.entered_l2();
  return static_cast<double>(now.dirty - before_.dirty) /
         static_cast<double>(std::max<std::uint64_t>(now.lines - before_.lines, 1));
}

void Machine::flush(std::uint64_t bytes) {
  if (!device_.l2) return;
  const std::uint64_t copied = bytes != 0 ? bytes : 2 * device_.l2->capacity;
  system_.l2()->flush(copied / device_.l2->line);
}

bool Machine::start_block(Sm& sm, BlockScheduler& blocks, Clk clk) {
  if (!sm.has_room() || blocks.empty(clk)) return false;
  if (sample_ && system_.l2()) skip_blocks();
  const BlockScheduler::Start start = blocks.take(clk);
  if (others_ > 0) pass_skipped(start.number);
  sm.start_block(start);
  return true;
}

// Blocks before this one that do not run have brought as much each as those that do.
void Machine::pass_skipped(std::uint64_t block) {
  const auto run = static_cast<double>(entered_.size() - 1);
  const Entered own = system_.entered_l2();
  const auto lines = static_cast<double>(own.lines - before_.lines),
             dirty = static_cast<double>(own.dirty - before_.dirty);
  if (run < 1 || lines < 1) return;
  const double skipped = std::max(static_cast<double>(block) - run, 0.0) / run;
  const auto passed = static_cast<std::uint64_t>(others_ * lines * skipped);
  if (passed < passed_ + device_.l2->sets()) return;
  const auto more = static_cast<double>(passed - passed_);
  system_.pass(passed - passed_, static_cast<std::uint64_t>(more * std::min(dirty / lines, 1.0)));
  passed_ = passed;
}

// L2 has seen the blocks that the sample leaves out: each of its sets, or none.
void Machine::skip_blocks() {
  const Entered passed = sample_->skips(system_.entered_l2());
  if (estimate_) {
    entered_.push_back(system_.entered_l2().lines);
    return;
  }
  skipped_.lines += passed.lines;
  skipped_.dirty += passed.dirty;
  if (skipped_.lines < device_.l2->sets()) return;
  system_.pass(skipped_.lines, skipped_.dirty);
  skipped_ = {};
}

Machine::ClusterPlace Machine::next_place(unsigned gpc) const {
  std::vector<unsigned> room;
  for (const Sm* sm : gpcs_[gpc]) room.push_back(sm->room());
  ClusterPlace place{
      places_in_gpc(room, cluster_blocks_, device_.sm.per_tpc, device_.cluster->last_tpc)};
  place.left = room_left(room, place.sms);
  return place;
}

void Machine::start_cluster(unsigned gpc, const ClusterPlace& place, BlockScheduler& blocks,
                            Clk clk) {
  auto free = std::ranges::find_if(clusters_, [](const auto& one) { return one->live == 0; });
  if (free == clusters_.end()) free = clusters_.insert(free, std::make_unique<ClusterRun>());
  ClusterRun& cluster = **free;
  cluster = ClusterRun{};
  cluster.live = cluster_blocks_;
  cluster.state.blocks.resize(cluster_blocks_);
  for (const unsigned sm : place.sms) cluster.sms.push_back(gpcs_[gpc][sm]->index());
  if (estimate_) entered_.insert(entered_.end(), cluster_blocks_, system_.entered_l2().lines);
  for (std::uint32_t rank = 0; rank < cluster_blocks_; ++rank)
    gpcs_[gpc][place.sms[rank]]->start_block(blocks.take(clk), &cluster, rank);
}

// Clusters go round the GPCs, but to none whose SMs are fuller then than another's would be.
bool Machine::start_clusters(BlockScheduler& blocks, Clk clk) {
  std::vector<ClusterPlace> places;
  for (unsigned gpc = 0; gpc < gpcs_used_; ++gpc) places.push_back(next_place(gpc));
  const auto fuller = [&](const ClusterPlace& place) {
    return std::ranges::any_of(places, [&](const ClusterPlace& other) {
      return !other.sms.empty() && other.left > place.left;
    });
  };
  bool any = false;
  for (bool placed = true; placed; any |= placed) {
    placed = false;
    for (unsigned gpc = 0; gpc < gpcs_used_; ++gpc) {
      if (places[gpc].sms.empty() || fuller(places[gpc]) || blocks.empty(clk)) continue;
      start_cluster(gpc, places[gpc], blocks, clk);
      places[gpc] = next_place(gpc);
      placed = true;
    }
  }
  return any;
}

// Blocks go round the SMs, one each, until every SM is full.
bool Machine::start_all(BlockScheduler& blocks, Clk clk) {
  if (cluster_blocks_ > 0) return start_clusters(blocks, clk);
  bool any = false;
  for (bool placed = true; placed; any |= placed) {
    placed = false;
    for (Sm* sm : used_) placed |= start_block(*sm, blocks, clk);
  }
  return any;
}

// New blocks in the places of those of that SM that have ended.
void Machine::refill(Sm& sm, BlockScheduler& blocks) {
  for (const Sm::Ended& ended : sm.ended()) {
    if (sample_) sample_->ended(ended.turn, ended.at, std::max(sm.drained(), ended.at));
    refill_place(sm, blocks, ended.at);
  }
  sm.ended().clear();
}

void Machine::refill_place(Sm& sm, BlockScheduler& blocks, Clk clk) {
  if (cluster_blocks_ == 0) {
    start_block(sm, blocks, clk);
    return;
  }
  const unsigned gpc = device_.sm.copy_of(Description::Scope::gpc, sm.index());
  if (blocks.empty(clk)) return;
  if (const ClusterPlace place = next_place(gpc); !place.sms.empty())
    start_cluster(gpc, place, blocks, clk);
}

tl::expected<Clk, exec::Trap> Machine::launch(exec::Executor& executor, const ModuleCosts& costs,
                                              const exec::Grid& grid, const LaunchNeeds& needs,
                                              const std::atomic<bool>* stop) {
  executor.set_model(device_.execution.model, device_.execution.turn);
  const auto running = [this](std::vector<exec::Warp*>& out) {
    for (const Sm* sm : used_) sm->add_running(out);
  };
  supervisor_.start_launch(executor, running, most_instructions(needs), stop);
  events_.clear();
  BlockScheduler blocks(grid, device_.block_interval);
  cluster_blocks_ = grid.cluster_blocks();
  clusters_.clear();
  const Clk begin = clk_, stolen = tenant_ ? tenant_->stolen() : 0;
  const bool watched = needs.watchdog > 0 && needs.watchdog < 1e15;
  deadline_ = watched ? begin + whole(needs.watchdog) : kNever;
  start_sms(executor, costs, grid, needs, blocks);
  Listener* listener = system_.listener();
  if (listener) listener->launch_starts(begin, static_cast<unsigned>(used_.size()));
  auto trap = run_blocks(blocks);
  total_instructions_ += supervisor_.instructions();
  Clk end = begin, drained = begin;
  for (const Sm* sm : used_) {
    end = std::max(end, sm->end());
    drained = std::max(drained, sm->drained());
  }
  clk_ = drained + 1;
  if (tenant_) tenant_->reached(clk_);
  if (listener) listener->launch_ends(end);
  if (trap) return tl::unexpected(std::move(*trap));
  blocks_run_ = sample_ ? sample_->blocks_run() : blocks.taken();
  sample_error_ = sample_ && blocks_run_ < blocks.count() ? sample_->error(end - begin) : 0;
  if (tenant_) return end - begin + tenant_->stolen() - stolen;
  return sample_ ? sample_->time(end - begin) : end - begin;
}

// Only SMs that get a block take part; of a sample, the first of them.
void Machine::start_sms(exec::Executor& executor, const ModuleCosts& costs, const exec::Grid& grid,
                        const LaunchNeeds& needs, BlockScheduler& blocks) {
  const std::uint64_t threads = std::uint64_t{grid.threads[0]} * grid.threads[1] * grid.threads[2];
  const auto active =
      static_cast<unsigned>(std::min<std::uint64_t>(placement_.size(), blocks.count()));
  const Listener* const listener = system_.listener();
  ahead_ = cluster_blocks_ == 0 && !tenant_ && (!listener || listener->takes_any_order());
  const LaunchContext context{
      &executor,
      &costs,
      static_cast<unsigned>((threads + exec::kWarpSize - 1) / exec::kWarpSize),
      needs.shared_bytes,
      needs.registers,
      needs.l1_data,
      active,
      &events_,
      &supervisor_,
      deadline_,
      system_.listener(),
      &network_,
      tenant_,
      ahead_};
  used_.assign(placement_.begin(),
               cluster_blocks_ > 0 ? placement_.end() : placement_.begin() + active);
  sample_.reset();
  skipped_ = {};
  before_ = system_.entered_l2();
  entered_.clear();
  cooperative_ = executor.cooperative();
  estimate_ = needs.sms > 0;
  others_ = 0, passed_ = 0;
  gpcs_used_ = gpcs_.size();
  if (needs.sample && !tenant_ && !cooperative_) {
    if (cluster_blocks_ == 0)
      start_sample(needs, context, blocks);
    else if (estimate_)
      start_gpcs(needs, blocks);
  }
  const std::size_t simulated = std::min<std::size_t>(used_.size(), active);
  system_.share_l2(needs.share_l2);
  system_.start_launch(seed_, launches_++, static_cast<double>(simulated) / active);
  if (device_.l2) share_constants(active);
  network_.start_launch();
  for (Sm* sm : used_) sm->start_launch(context);
}

// Where all blocks run at once the busiest SM ends last, else the one with a last block that is
// longer than the others. nullopt: any.
std::optional<std::uint64_t> Machine::first_of_part(const LaunchNeeds& needs, std::uint64_t blocks,
                                                    unsigned resident, unsigned active) const {
  const std::uint64_t sms = used_.size();
  if (blocks <= std::uint64_t{resident} * active)
    return busiest_part(loads_of_sms(needs.executed, blocks, active), sms);
  if (!ends_long(needs.executed, blocks) || sms >= active) return std::nullopt;
  return std::min<std::uint64_t>((blocks - 1) % active, active - sms);
}

void Machine::share_constants(unsigned active) {
  const auto numbers = [](std::span<Sm* const> sms) {
    std::vector<unsigned> all;
    for (const Sm* sm : sms) all.push_back(sm->index());
    return all;
  };
  const auto most = std::min<std::size_t>(used_.size(), active);
  system_.share_constants(numbers(std::span(used_).first(most)),
                          numbers(std::span(placement_).first(active)));
}

// SMs that share a cache help and hinder each other there: all of them run the sample, or those of
// an estimate the part that comes to them.
void Machine::start_sample(const LaunchNeeds& needs, const LaunchContext& context,
                           BlockScheduler& blocks) {
  const unsigned active = context.active_sms;
  if (!device_.l2) used_.resize(1);
  if (estimate_) used_.resize(std::min(needs.sms, active));
  used_.front()->start_launch(context);
  const auto sms = static_cast<unsigned>(used_.size());
  const unsigned resident = used_.front()->most_blocks();
  places_ = std::uint64_t{resident} * sms;
  if (estimate_) {
    const auto first = first_of_part(needs, blocks.count(), resident, active);
    GridSample::Grid part{
        BlockScheduler::blocks_of_part(blocks.count(), sms, active, first.value_or(0)), sms,
        resident, true};
    part.clusters = kClustersOfEstimate;
    part.most = needs.most_blocks;
    part.line_clocks = device_.dram.departure * active / sms;
    part.cached_lines = needs.lines_stay ? std::numeric_limits<std::uint64_t>::max() : 0;
    if (device_.l2) others_ = needs.others;
    return blocks.part(sample_.emplace(part), sms, active, first);
  }
  const unsigned of = device_.l2 ? 1 : active;
  GridSample::Grid sampled{blocks.count(), active, resident, of == 1};
  sampled.deviation = needs.deviation;
  sampled.largest = needs.largest;
  if (device_.l2) {
    sampled.line_clocks = device_.dram.departure;
    sampled.cached_lines = device_.l2->capacity / device_.l2->line;
  }
  blocks.sample(sample_.emplace(sampled), of);
}

// Clusters of an estimate: those that come to some of the GPCs, which share nothing but what all
// SMs do. All of them run.
void Machine::start_gpcs(const LaunchNeeds& needs, BlockScheduler& blocks) {
  const std::uint64_t all = gpcs_.size();
  gpcs_used_ = std::clamp<std::uint64_t>(needs.most_blocks * all / blocks.count(), 1, all);
  if (gpcs_used_ == all) return;
  used_.clear();
  for (std::size_t gpc = 0; gpc < gpcs_used_; ++gpc)
    used_.insert(used_.end(), gpcs_[gpc].begin(), gpcs_[gpc].end());
  blocks.clusters_of_part(used_.size(), sms_.size());
  places_ = used_.size() * std::uint64_t{device_.sm.block_slots};
}

std::optional<exec::Trap> Machine::run_blocks(BlockScheduler& blocks) {
  if (tenant_) {
    system_.noise().crowd(tenant_->latency());
    events_.push({std::max(clk_, tenant_->next()), 0, Event::kTenant});
  }
  if (!start_all(blocks, clk_) && cluster_blocks_ > 0)
    return exec::Trap{fmt::format("a cluster of {} blocks has no room in a GPC", cluster_blocks_),
                      0};
  blocks.refill_in(whole(device_.block_refill));
  const std::uint64_t left = blocks.left();
  if (cooperative_ && left > 0)
    return exec::Trap{
        fmt::format("the kernel waits for its whole grid, a cooperative launch: {} of "
                    "{} blocks are resident at once",
                    blocks.count() - left, blocks.count()),
        0};
  if (auto trap = run_events(blocks)) return trap;
  for (const Sm* sm : used_)
    if (sm->live_warps() != 0) return deadlock();
  return std::nullopt;
}

std::optional<exec::Trap> Machine::run_events(BlockScheduler& blocks) {
  [[maybe_unused]] Clk now = 0;
  while (events_.is_first() || runs_ahead() || events_.take_turn()) {
    Event event = events_.top();
    GPX_ASSERT(event.clk >= now || !events_.is_first(), "events do not go back in time");
    if (events_.is_first()) now = event.clk;
    if (event.slot == Event::kTenant) {
      events_.pop();
      if (!events_.empty()) tenant_turn();
      continue;
    }
    if (event.clk > deadline_)
      return exec::Trap{"deadlock: it had not ended when its watchdog expired", 0, true};
    Sm& sm = *sms_[event.sm];
    if (sm.trap()) return std::exchange(sm.trap(), std::nullopt);
    if (event.slot == Event::kLoadStore) {
      events_.pop();  // before: it may wake warps at this very clock
      sm.load_store_event(event.clk);
      if (!sm.ended().empty()) refill(sm, blocks);
      continue;
    }
    if (event.slot == Event::kBulk) {
      events_.pop();
      sm.bulk_event(event.clk);
      continue;
    }
    if (event.slot >= Event::kScheduler) {
      const auto chosen = sm.choose(event.slot - Event::kScheduler, event.clk);
      if (!chosen) {
        events_.pop();
        continue;
      }
      event.slot = *chosen;
    }
    events_.behind_top([&](const Event& other) { sms_[other.sm]->expect(other.slot); });
    const Clk next = sm.attempt(event.slot, event.clk);
    if (next != kNever) {
      events_.replace_top({next, event.sm, event.slot});
      if (!sm.ended().empty()) [[unlikely]]
        refill(sm, blocks);
      continue;
    }
    if (sm.trap()) {  // of an SM that is ahead another one may have come to its own before
      events_.replace_top({sm.trapped_at(), event.sm, event.slot});
      continue;
    }
    events_.pop();
    if (!sm.ended().empty()) refill(sm, blocks);
  }
  return std::nullopt;
}

// The first event of a TPC has its turn before those of others where neither sees what the other
// does: what the host's caches have of the TPC's warps is used as long as it can be.
bool Machine::runs_ahead() const {
  if (!ahead_ || !events_.has_top()) return false;
  const Event event = events_.top();
  return event.slot < Event::kTenant && event.clk <= deadline_ &&
         event.clk - kMostAhead <= events_.others() &&
         sms_[event.sm]->is_apart(event.slot, event.clk);
}

exec::Supervisor::Most Machine::most_instructions(const LaunchNeeds& needs) const {
  const bool own =
      needs.most_instructions > 0 && needs.most_instructions < device_.watchdog_instructions;
  if (!own) return {device_.watchdog_instructions, "watchdog.instructions of the device file"};
  return {needs.most_instructions,
          "its blocks may depend on each other, so that all of them are run; --whole has no such "
          "limit"};
}

// Lines of L2 are passed where each set gets one.
void Machine::tenant_turn() {
  const Tenant::Turn turn = tenant_->turn();
  events_.push({std::max(clk_, tenant_->next()), 0, Event::kTenant});
  system_.noise().crowd(turn.latency);
  if (turn.switched) {
    for (const auto& sm : sms_) sm->forget();
    system_.forget();
  }
  tenant_lines_ += turn.lines;
  if (!system_.l2() || tenant_lines_ < device_.l2->sets()) return;
  system_.pass(tenant_lines_, 0);
  tenant_lines_ = 0;
}

exec::Trap Machine::deadlock() const {
  unsigned live = 0, waiting = 0;
  for (const Sm* sm : used_) {
    live += sm->live_warps();
    waiting += sm->at_barriers();
  }
  return {fmt::format("deadlock: {} of {} warps wait at a barrier and none can run", waiting, live),
          0, true};
}

}  // namespace gpx::vgpu::timing
