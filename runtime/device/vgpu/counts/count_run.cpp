// Which blocks of a launch are executed for its counts, and in which order: a sample of them, or
// all. Interface: kernel_counts.h. Covered by tests/vgpu/kernel_counts_test.cpp and
// dependence_test.cpp.
#include <fmt/format.h>

#include <unordered_set>

#include "runtime/device/vgpu/counts/counting.h"
#include "runtime/device/vgpu/counts/kernel_counts.h"
#include "runtime/device/vgpu/counts/touched.h"

namespace gpx::vgpu {
namespace {

/// Of blocks that are alike so many are executed: what one in a hundred does is seen.
constexpr std::uint64_t kManyBlocks = 300;
constexpr std::uint64_t kFewestBlocks = 8;

/// Neighbours are often alike: two that were executed together are one observation.
std::vector<SampledBlock> observations(std::vector<SampledBlock> blocks) {
  std::ranges::sort(blocks, {}, &SampledBlock::at);
  std::vector<SampledBlock> all;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    SampledBlock one = blocks[i];
    if (i + 1 < blocks.size() && blocks[i + 1].at == one.at + 1)
      one.value = (one.value + blocks[++i].value) / 2;
    all.push_back(one);
  }
  return all;
}

/// The error is looked at when the sample has grown by an eighth.
bool enough(const std::vector<SampledBlock>& executed, std::uint64_t instructions,
            std::uint64_t blocks, const CountOptions& options) {
  const std::uint64_t count = executed.size();
  if (count >= kFewestBlocks && instructions / count * blocks <= options.whole_instructions)
    return false;
  // Where half of the blocks say too little, the other half is no more than that.
  if (instructions / count * (count + 1) > options.most_enough_instructions)
    return 2 * count < blocks || mean_error(observations(executed)) <= options.fair_error;
  const bool many =
      count >= kManyBlocks || (count >= 4 && instructions >= options.enough_instructions);
  const bool look = count <= 2 * kFewestBlocks || count % std::bit_floor(count / 8) == 0;
  const double good =
      instructions >= options.fair_instructions ? options.fair_error : kGoodSampleError;
  return many && look && mean_error(observations(executed)) <= good;
}

/// Which blocks are executed: the middle first, then evenly over the grid. A block comes once.
class BlockSample {
 public:
  explicit BlockSample(std::uint64_t blocks) : blocks_(blocks) {}

  /// The next one; nullopt: all were there.
  std::optional<std::uint64_t> next() {
    while (seen_.size() < blocks_) {
      const std::uint64_t n = tries_++;
      const auto at = n < 4 * blocks_
                          ? static_cast<std::uint64_t>(even_place(n) * static_cast<double>(blocks_))
                          : n - 4 * blocks_;
      if (seen_.insert(at).second) return at;
    }
    return std::nullopt;
  }
  /// The block behind that one; nullopt: it was there.
  std::optional<std::uint64_t> neighbour(std::uint64_t block) {
    return block + 1 < blocks_ && seen_.insert(block + 1).second ? std::optional(block + 1)
                                                                 : std::nullopt;
  }

 private:
  std::uint64_t blocks_, tries_ = 0;
  std::unordered_set<std::uint64_t> seen_;
};

/// One launch that is counted.
class CountRun {
 public:
  CountRun(const KernelCounter::Impl& kernel, const codegen::Launch& launch, CoalescingRule rule,
           const CountOptions& options, CountFailure& failure)
      : kernel_(kernel),
        launch_(launch),
        rule_(rule),
        options_(options),
        failure_(failure),
        touched_(kernel.touched(launch)) {}

  Result<KernelCounts> run() {
    if (options_.whole) return whole(0);
    if (touched_.communicates != 0) return whole(touched_.communicates);
    Pass pass = begin();
    if (pass.launch->executor().cooperative()) return whole(0);
    const auto ended = sample(pass);
    if (!ended && failure_.stopped) return tl::unexpected(ended.error());
    // A block that does not end alone may wait for another one.
    if (const int line = dependence(pass); line != 0 || (waits_ && touched_.both() != 0))
      return whole(line != 0 ? line : failure_.line);
    if (!ended) return tl::unexpected(ended.error());
    const auto last = last_block(pass);
    KernelCounts counts = result(pass);
    if (last) add_end(counts, *last);
    return counts;
  }

 private:
  struct Pass {
    std::unique_ptr<CountedLaunch> launch;
    std::unique_ptr<Sharing> sharing;
    std::unique_ptr<Counting> counting;
  };

  Pass begin() const {
    Pass pass;
    pass.launch = std::make_unique<CountedLaunch>(kernel_.module, *kernel_.entry, launch_);
    pass.launch->executor().leave_values_out(touched_.both() != 0);
    if (touched_.both() != 0 && touched_.communicates == 0 && !options_.whole) {
      std::vector<Sharing::Region> regions;
      for (std::size_t i = 0; i < launch_.fills.size(); ++i)
        regions.push_back({pass.launch->addresses()[i], launch_.fills[i].bytes, Touched::bit(i)});
      pass.sharing = std::make_unique<Sharing>(touched_, std::move(regions));
    }
    pass.counting =
        std::make_unique<Counting>(rule_, pass.launch->executor().grid(), pass.sharing.get());
    return pass;
  }

  exec::RunLimits limits(std::uint64_t instructions) const {
    exec::RunLimits limits;
    limits.warp_instructions = std::min(limits.warp_instructions, instructions);
    limits.resident = options_.resident;
    limits.stop = options_.stop;
    return limits;
  }

  tl::unexpected<Error> failed(const exec::Trap& trap) {
    failure_.line = trap.line;
    failure_.stopped = options_.stop && *options_.stop;
    waits_ = trap.deadlock;
    return fail(Fault::input, trap.message);
  }

  std::array<std::uint32_t, 3> index_of(std::uint64_t block) const {
    const std::uint64_t row = block / launch_.blocks;
    return {static_cast<std::uint32_t>(block % launch_.blocks),
            static_cast<std::uint32_t>(row % launch_.blocks_down),
            static_cast<std::uint32_t>(row / launch_.blocks_down)};
  }

  /// Blocks from all over the grid; in pairs where neighbours may depend on each other.
  Result<void> sample(Pass& pass) {
    exec::BlockRunner runner(pass.launch->executor(), limits(options_.most_instructions),
                             pass.counting.get());
    const std::uint64_t blocks = launch_.all_blocks();
    BlockSample places(blocks);
    while (const auto place = places.next()) {
      if (auto ok = runner.block(index_of(*place)); !ok) return failed(ok.error());
      if (const auto next = pass.sharing ? places.neighbour(*place) : std::nullopt)
        if (auto ok = runner.block(index_of(*next)); !ok) return failed(ok.error());
      if (pass.sharing && (pass.sharing->conflict() != 0 || pass.sharing->full())) break;
      if (enough(pass.counting->blocks, runner.report().warp_instructions, blocks, options_)) break;
    }
    return {};
  }

  /// The line at which blocks of the sample were seen to depend on others, or may; 0: they do not.
  int dependence(const Pass& pass) const {
    if (!pass.sharing) return 0;
    if (const int line = pass.sharing->conflict()) return line;
    if (pass.counting->blocks.size() == launch_.all_blocks()) return 0;
    if (const int line = pass.sharing->foreign()) return line;
    for (const Touched::Load& load : touched_.loads)
      if ((load.from & touched_.both()) != 0 && !pass.counting->executed(load.line))
        return load.line;
    return 0;
  }

  /// Instructions of the grid's last block, where the sample has none of it: what is given more to
  /// do than the others is often what comes last, and nothing hides it there.
  std::optional<SampledBlock> last_block(const Pass& pass) const {
    const std::uint64_t last = launch_.all_blocks() - 1;
    const auto is_last = [&](const SampledBlock& each) { return each.at == last; };
    if (std::ranges::any_of(pass.counting->blocks, is_last)) return std::nullopt;
    Counting alone(rule_, pass.launch->executor().grid(), nullptr);
    exec::BlockRunner runner(pass.launch->executor(), limits(options_.last_instructions), &alone);
    if (!runner.block(index_of(last)) || alone.blocks.empty()) return std::nullopt;
    return alone.blocks.front();
  }

  /// What the sample says stays the mean of the grid, of which one block is little.
  static void add_end(KernelCounts& counts, const SampledBlock& last) {
    double sum = 0;
    for (const SampledBlock& each : counts.executed) sum += each.value;
    const double ratio = last.value * static_cast<double>(counts.executed.size()) / sum;
    if (sum == 0 || ratio <= kLongEnd) return;
    counts.largest = std::max(counts.largest, ratio);
    counts.executed.push_back(last);
  }

  /// All blocks, in order. `line`: why; 0: that was asked for.
  Result<KernelCounts> whole(int line) {
    failure_ = {};
    Pass pass = begin();
    const std::uint64_t most =
        options_.whole ? ~std::uint64_t{0} - 1 : options_.dependent_instructions;
    exec::BlockRunner runner(pass.launch->executor(), limits(most), pass.counting.get());
    if (auto ok = runner.grid(); !ok) {
      const bool too_many = runner.report().warp_instructions > most;
      auto error = failed(ok.error());
      if (!too_many) return error;
      failure_ = {line, true, false};
      return fail(Fault::input,
                  fmt::format("blocks may read what other blocks write, so that a sample of the "
                              "grid proves nothing, and all {} blocks execute more than {} warp "
                              "instructions; --whole runs them",
                              launch_.all_blocks(), most));
    }
    KernelCounts counts = result(pass);
    const bool seen = !pass.sharing || pass.sharing->conflict() != 0 || pass.sharing->full();
    counts.independent = !options_.whole && touched_.communicates == 0 && !seen;
    counts.awaits = std::ranges::any_of(touched_.loads, [&](const Touched::Load& load) {
      return load.ordered && (load.from & touched_.written) != 0;
    });
    return counts;
  }

  KernelCounts result(Pass& pass) const {
    std::vector<SampledBlock>& executed = pass.counting->blocks;
    const std::uint64_t count = executed.size(), blocks = launch_.all_blocks();
    KernelCounts counts = pass.counting->totals.averages(count * pass.launch->warps_per_block());
    counts.output = pass.launch->executor().output();
    counts.shared_bytes = kernel_.entry->shared_bytes;
    counts.rereads = touched_.both() != 0;
    counts.blocks_executed = count;
    counts.blocks = blocks;
    double sum = 0, largest = 0;
    for (const SampledBlock& each : executed) {
      sum += each.value;
      largest = std::max(largest, each.value);
    }
    if (sum > 0) counts.largest = largest * static_cast<double>(count) / sum;
    if (count < blocks) counts.sample_error = mean_error(observations(executed));
    if (count < blocks) counts.unseen = unseen_share(static_cast<double>(count));
    counts.deviation = std::max(block_deviation(observations(executed)), block_deviation(executed));
    counts.executed = std::move(executed);
    return counts;
  }

  const KernelCounter::Impl& kernel_;
  const codegen::Launch& launch_;
  CoalescingRule rule_;
  const CountOptions& options_;
  CountFailure& failure_;
  Touched touched_;
  bool waits_ = false;  ///< A block did not end, and will not by itself.
};

}  // namespace

Result<KernelCounts> KernelCounter::count(const codegen::Launch& launch, CoalescingRule rule,
                                          const CountOptions& options,
                                          CountFailure* failure) const {
  if (auto error = misfit(*impl_->entry, launch)) return tl::unexpected(std::move(*error));
  CountFailure unasked;
  return CountRun(*impl_, launch, rule, options, failure ? *failure : unasked).run();
}

}  // namespace gpx::vgpu
