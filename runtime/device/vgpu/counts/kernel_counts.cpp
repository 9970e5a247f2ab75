// Interface: kernel_counts.h. Covered by tests/vgpu/kernel_counts_test.cpp.
#include "runtime/device/vgpu/counts/kernel_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "codegen/ptx/ops.h"
#include "runtime/device/vgpu/counts/counted_launch.h"
#include "runtime/device/vgpu/exec/run.h"
#include "runtime/device/vgpu/timing/sample_error.h"

namespace gpx::vgpu {
namespace {

class Counting : public exec::Observer {
 public:
  explicit Counting(CoalescingRule rule) : rule_(rule) {}

  void on_step(const ptx::Instruction& instruction, const exec::Effect& effect) override {
    const bool outside = effect.space == ptx::Space::global || effect.space == ptx::Space::local;
    const ptx::Unit unit = instruction.unit;
    if (instruction.folds) {
      ++totals.folded;
    } else if (!outside || effect.active == 0) {
      totals.compute(effect.barrier);
      totals.slow += unit == ptx::Unit::fp64 || unit == ptx::Unit::sfu;
      if (effect.space == ptx::Space::shared && effect.active != 0) shared(effect);
    } else {
      totals.atomics += effect.is_atomic;
      // The hardware interleaves local memory by lane: an access of a warp is always together.
      const bool local = effect.space == ptx::Space::local;
      totals.access(rule_, {effect.active, effect.bytes, passes_l1(instruction)},
                    local ? nullptr : effect.addresses);
      if (!local && !effect.is_store) load(effect);
    }
  }
  void start_block() { loaded_.clear(); }
  unsigned banks() const {
    const bool first = rule_ == CoalescingRule::in_order || rule_ == CoalescingRule::segments;
    return first ? exec::kWarpSize / 2 : exec::kWarpSize;
  }

  CountTotals totals;

 private:
  /// The lines of an access, each once; those that the block has loaded before.
  void load(const exec::Effect& effect) {
    constexpr unsigned kLineShift = 7;
    std::array<std::uint64_t, exec::kWarpSize> lines;
    auto end = lines.begin();
    for (exec::Mask rest = effect.active; rest != 0; rest &= rest - 1)
      *end++ = (*effect.addresses)[static_cast<unsigned>(std::countr_zero(rest))] >> kLineShift;
    std::sort(lines.begin(), end);
    end = std::unique(lines.begin(), end);
    for (auto line = lines.begin(); line != end; ++line) {
      ++totals.lines_loaded;
      totals.lines_reloaded += !loaded_.insert(*line).second;
    }
  }

  /// Passes beyond the first: as many lanes as there are banks are served at a time, each bank with
  /// one word of 4 bytes a pass; an atomic takes one for each lane. Wider words are not judged.
  void shared(const exec::Effect& effect) {
    ++totals.shared_accesses;
    if (effect.bytes > 4) return;
    const unsigned count = banks();
    for (unsigned first = 0; first < exec::kWarpSize; first += count) {
      std::array<std::uint64_t, exec::kWarpSize> words;
      auto end = words.begin();
      for (unsigned lane = first; lane < first + count; ++lane)
        if (effect.active >> lane & 1) *end++ = (*effect.addresses)[lane] / 4;
      std::sort(words.begin(), end);
      if (!effect.is_atomic) end = std::unique(words.begin(), end);
      std::array<unsigned, exec::kWarpSize> in_bank{};
      for (auto word = words.begin(); word != end; ++word) ++in_bank[*word % count];
      const unsigned most = *std::max_element(in_bank.begin(), in_bank.end());
      totals.shared_conflicts += most > 1 ? most - 1 : 0;
    }
  }

  std::unordered_set<std::uint64_t> loaded_;
  CoalescingRule rule_;
};

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<std::uint64_t> nth(std::uint64_t n, std::uint64_t blocks) {
  return n < blocks ? std::optional(n) : std::nullopt;
}

/// The error is looked at when the sample has doubled.
bool enough(const std::vector<SampledBlock>& executed, std::uint64_t instructions,
            const CountOptions& options) {
  const std::uint64_t count = executed.size();
  if (instructions * (count + 1) / count > options.enough_instructions) return true;
  const std::uint64_t fewest = instructions > options.many_instructions ? 4 : 8;
  return count >= fewest && std::has_single_bit(count) && mean_error(executed) <= kGoodSampleError;
}

/// Which blocks are executed: the middle first, then evenly over the grid. A block comes once.
class BlockSample {
 public:
  explicit BlockSample(std::uint64_t blocks) : blocks_(blocks) {}

  /// The next one; nullopt: all were there, or nearly all.
  std::optional<std::uint64_t> next() {
    while (seen_.size() < blocks_ && tries_ < 4 * blocks_) {
      const auto at =
          static_cast<std::uint64_t>(even_place(tries_++) * static_cast<double>(blocks_));
      if (seen_.insert(at).second) return at;
    }
    return std::nullopt;
  }

 private:
  std::uint64_t blocks_, tries_ = 0;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

bool passes_l1(const ptx::Instruction& instruction) {
  const ptx::Cache cache = ptx::modifiers_of(instruction).cache();
  const bool load = ptx::id_of(instruction) == ptx::OpId::ld;
  return !load || (cache != ptx::Cache::none && cache != ptx::Cache::ca);
}

void CountTotals::access(CoalescingRule rule, const WarpAccess& access,
                         const exec::Lanes* addresses) {
  const unsigned asked = access.bytes * static_cast<unsigned>(std::popcount(access.active));
  const Transactions made =
      addresses ? transactions_of(rule, access, *addresses) : Transactions{true, 1, asked, asked};
  (made.coalesced ? coalesced : uncoalesced) += 1;
  (made.coalesced ? coalesced_transactions : uncoalesced_transactions) += made.count;
  bytes += made.bytes;
  needed += made.needed;
}

void CountTotals::access_anywhere(CoalescingRule rule, const WarpAccess& access) {
  const auto lanes = static_cast<unsigned>(std::popcount(access.active));
  ++uncoalesced;
  uncoalesced_transactions += lanes;
  bytes += std::uint64_t{bytes_of_transaction(rule, access).value_or(access.bytes)} * lanes;
  needed += std::uint64_t{access.bytes} * lanes;
}

KernelCounts CountTotals::averages(std::uint64_t warps) const {
  KernelCounts counts;
  counts.computation = ratio(computation, warps);
  counts.coalesced = ratio(coalesced, warps);
  counts.uncoalesced = ratio(uncoalesced, warps);
  counts.barriers = ratio(barriers, warps);
  counts.folded = ratio(folded, warps);
  counts.slow = ratio(slow, warps);
  counts.atomics = ratio(atomics, warps);
  counts.reloads = ratio(lines_reloaded, lines_loaded);
  counts.shared_accesses = ratio(shared_accesses, warps);
  counts.shared_conflicts = ratio(shared_conflicts, warps);
  counts.transactions_per_coalesced = ratio(coalesced_transactions, coalesced);
  counts.transactions_per_uncoalesced = ratio(uncoalesced_transactions, uncoalesced);
  counts.bytes_per_access = ratio(bytes, coalesced + uncoalesced);
  counts.needed_per_access = ratio(needed, coalesced + uncoalesced);
  counts.warps_executed = warps;
  return counts;
}

std::optional<Error> misfit(const ptx::Function& entry, const codegen::Launch& launch) {
  if (entry.parameters.size() == launch.arguments.size()) return std::nullopt;
  return make_error(Fault::input, fmt::format("{} arguments for a kernel that takes {}",
                                              launch.arguments.size(), entry.parameters.size()));
}

CountedLaunch::CountedLaunch(const ptx::Module& module, const ptx::Function& entry,
                             const codegen::Launch& launch)
    : warps_((launch.all_threads() + exec::kWarpSize - 1) / exec::kWarpSize) {
  std::vector<std::uint64_t> addresses;
  for (const codegen::BufferFill& fill : launch.fills)
    addresses.push_back(
        memory_.allocate(fill.bytes, [&fill](std::uint64_t at, std::uint64_t bytes,
                                             std::uint8_t* out) { fill.write(at, bytes, out); }));
  std::vector<std::uint8_t> parameters;
  if (!entry.parameters.empty())
    parameters.resize(entry.parameters.back().address + entry.parameters.back().bytes);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const ptx::Variable& parameter = entry.parameters[i];
    launch.arguments[i].write(std::span(parameters).subspan(parameter.address, parameter.bytes),
                              [&](std::size_t buffer) { return addresses[buffer]; });
  }
  executor_.emplace(module, entry, grid_of(launch, entry), parameters, memory_);
}

exec::Grid grid_of(const codegen::Launch& launch, const ptx::Function& entry) {
  exec::Grid grid;
  grid.blocks = {launch.blocks, launch.blocks_down, 1};
  grid.threads = {launch.threads, launch.threads_down, 1};
  grid.dynamic_shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes);
  grid.cluster = entry.bounds.cluster;
  if (launch.cluster > 0) grid.cluster = {launch.cluster, 1, 1};
  return grid;
}

KernelCounter::KernelCounter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernelCounter::~KernelCounter() = default;
KernelCounter::KernelCounter(KernelCounter&&) noexcept = default;
KernelCounter& KernelCounter::operator=(KernelCounter&&) noexcept = default;

Result<KernelCounter> KernelCounter::make(const std::string& ptx, const std::string& symbol) {
  auto module = ptx::parse(symbol + ".ptx", ptx);
  if (!module) return tl::unexpected(module.error());
  auto impl = std::make_unique<Impl>();
  impl->module = std::move(*module);
  impl->entry = impl->module.find(symbol);
  if (!impl->entry || !impl->entry->is_entry)
    return fail(Fault::input, fmt::format("the PTX has no entry '{}'", symbol));
  return KernelCounter(std::move(impl));
}

std::uint64_t KernelCounter::static_shared_bytes() const {
  return impl_->entry->shared_bytes;
}

std::uint64_t KernelCounter::argument_bytes() const {
  return impl_->entry->parameter_bytes();
}

Result<KernelCounts> KernelCounter::count(const codegen::Launch& launch, CoalescingRule rule,
                                          const CountOptions& options, int* line) const {
  const ptx::Function& entry = *impl_->entry;
  if (auto error = misfit(entry, launch)) return tl::unexpected(std::move(*error));
  CountedLaunch counted(impl_->module, entry, launch);
  Counting counting(rule);
  exec::RunLimits limits;
  if (!options.whole) limits.warp_instructions = options.most_instructions;
  exec::BlockRunner runner(counted.executor(), limits, &counting);
  std::vector<SampledBlock> executed;
  const std::uint64_t blocks = launch.all_blocks();
  BlockSample sample(blocks);
  while (const auto index = options.whole ? nth(executed.size(), blocks) : sample.next()) {
    const std::uint64_t before = runner.report().warp_instructions;
    const auto x = static_cast<std::uint32_t>(*index % launch.blocks);
    const auto y = static_cast<std::uint32_t>(*index / launch.blocks);
    counting.start_block();
    if (auto ok = runner.block({x, y, 0}); !ok) {
      if (line) *line = ok.error().line;
      return fail(Fault::input, ok.error().message);
    }
    const std::uint64_t total = runner.report().warp_instructions;
    executed.push_back({*index, static_cast<double>(total - before)});
    if (!options.whole && enough(executed, total, options)) break;
  }
  KernelCounts counts = counting.totals.averages(executed.size() * counted.warps_per_block());
  counts.shared_bytes = entry.shared_bytes;
  counts.blocks_executed = executed.size();
  counts.blocks = blocks;
  counts.sample_error = executed.size() < blocks ? mean_error(executed) : 0;
  counts.deviation = block_deviation(std::move(executed));
  return counts;
}

}  // namespace gpx::vgpu
