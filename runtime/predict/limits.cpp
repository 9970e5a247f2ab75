// Interface: limits.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/predict/model.h"

namespace gpx {
namespace {

constexpr double kWorthSaying = 0.05;  ///< Of the whole that a limit is a part of.

class Limits {
 public:
  explicit Limits(const Prediction& prediction)
      : p_(prediction), c_(prediction.facts.counts), cycles_(prediction.model.cycles()) {}

  std::vector<Limit> all() {
    caches();
    atomics();
    bandwidth();
    transactions();
    scattered();
    rounds();
    barriers();
    few_warps();
    overlap();
    slow();
    shared();
    conflicts();
    launch();
    return std::move(made_);
  }

 private:
  const MwpCwp& model() const { return p_.model.model; }
  void add(const char* kind, std::string text, double clocks = 0) {
    made_.push_back({kind, std::move(text), clocks});
  }

  /// Global memory has caches since compute capability 2.0.
  void caches() {
    if (p_.device.sm_major < 2 || c_.memory() == 0) return;
    std::string text =
        "the model has no caches, and this device may: what stays in them from one launch, or one "
        "block, to the next is faster than predicted";
    if (c_.reloads >= kWorthSaying)
      text += fmt::format("; {:.0f} % of the lines that a block loads it has loaded before",
                          100 * c_.reloads);
    add("caches", std::move(text));
  }

  void atomics() {
    if (c_.atomics == 0) return;
    add("atomics", fmt::format("{:.4g} of {:.4g} memory instructions are atomic: the model has "
                               "them take what a load takes, and lanes and warps that meet at one "
                               "address wait for each other",
                               c_.atomics, c_.memory()));
  }

  void bandwidth() {
    if (p_.model.floor != Floor::bandwidth) return;
    add("bandwidth",
        fmt::format("the equations give {:.6g} clocks (MWP is {:.3g}, less than one warp); what "
                    "the transactions move takes longer at {:.1f} GB/s, and that is the prediction",
                    p_.model.equations, model().mwp, p_.machine.bandwidth / 1e9));
  }

  /// An SM's transactions one after another, each for its delay or its share of the bandwidth.
  void transactions() {
    const double coal = c_.coalesced * std::max(1.0, c_.transactions_per_coalesced);
    const double uncoal = c_.uncoalesced * c_.transactions_per_uncoalesced;
    const double bytes = c_.memory() * c_.bytes_per_access;
    if (coal == 0 || uncoal == 0 || p_.machine.bandwidth <= 0) return;
    const double clocks_per_byte = p_.device.clock_hz * p_.active_sms / p_.machine.bandwidth;
    // Bytes of a transaction of each kind, as if all instructions moved as many.
    const double coal_bytes = bytes * c_.coalesced / c_.memory() / coal;
    const double uncoal_bytes = bytes * c_.uncoalesced / c_.memory() / uncoal;
    const double of_warp =
        coal * std::max(p_.machine.departure_coal, coal_bytes * clocks_per_byte) +
        uncoal * std::max(p_.machine.departure_uncoal, uncoal_bytes * clocks_per_byte);
    const double clocks = of_warp * warps_of_sm();
    if (clocks < (1 + kWorthSaying) * cycles_) return;
    add("transactions",
        fmt::format("coalesced and uncoalesced transactions leave an SM one after another, {:.6g} "
                    "clocks in all: the model bounds MWP by the bandwidth or by the departure "
                    "delays, never by both (Equation (5))",
                    clocks),
        clocks);
  }

  double warps_of_sm() const {
    return static_cast<double>(p_.launch.all_blocks()) / p_.active_sms *
           p_.facts.occupancy.warps_per_block;
  }

  void rounds() {
    const double rep = model().rep, whole = std::ceil(rep - 1e-9);
    const double share = static_cast<double>(p_.launch.all_blocks()) / p_.active_sms;
    const double largest = std::ceil(share - 1e-9);
    if (whole < (1 + kWorthSaying) * rep) return;
    add("rounds",
        fmt::format("an SM with the most blocks has {:.0f}, {} at a time: {}, which the model "
                    "counts as {:.4g}; the last one can take up to a whole one's time",
                    largest, p_.active_blocks, plural(whole, "round"), rep),
        cycles_ * whole / rep);
  }

  void barriers() {
    const double cost = model().synch_cost;
    if (cost < kWorthSaying * cycles_) {
      if (c_.barriers > 0 && p_.active_blocks == 1)
        add("barriers",
            "an SM holds one block, whose warps wait for each other at its barriers: "
            "nothing overlaps their memory then, and the model has it overlap");
      return;
    }
    add("barriers",
        fmt::format("{:.0f} % of the prediction is the cost of barriers, which "
                    "Equation (26) adds for every block of an SM, though others go on "
                    "meanwhile; without it {:.6g} clocks",
                    100 * cost / cycles_, cycles_ - cost),
        cycles_ - cost);
  }

  /// Computation alone, where each instruction waits for the one before.
  void few_warps() {
    const double latency = p_.machine.instruction_latency, warps = model().active_warps;
    const double issue = p_.machine.issue_cycles;
    if (latency <= warps * issue) return;
    const double more = model().total_insts * (latency - warps * issue) * model().rep;
    if (more < kWorthSaying * cycles_) return;
    add("few_warps",
        fmt::format("{} an SM: instructions are issued for {:.4g} of the {:.4g} clocks that the "
                    "result of one takes, and the model has them hide it; up to {:.6g} clocks "
                    "more, if each instruction waits for the one before",
                    plural(warps, "warp"), warps * issue, latency, more),
        cycles_ + more);
  }

  /// Matters where there are so few warps that latency is not hidden.
  void overlap() {
    if (!p_.facts.followed || model().mwp < model().active_warps) return;
    const double memory = p_.facts.followed->counts.memory();
    const auto waits = static_cast<double>(p_.facts.followed->waits);
    if (waits > (1 - kWorthSaying) * memory || model().which == "compute") return;
    add("overlap",
        fmt::format(
            "a warp waits {} for its {:.4g} memory instructions: those that do not wait for "
            "each other overlap, and the model has them one after another",
            waits == 1 ? "once" : fmt::format("{:.4g} times", waits), memory));
  }

  void slow() {
    if (c_.slow < kWorthSaying * c_.computation) return;
    add("slow", fmt::format("{:.4g} of {:.4g} computation instructions are of doubles or special "
                            "functions: the model has each take as long as any other",
                            c_.slow, c_.computation));
  }

  void shared() {
    if (c_.shared_accesses < kWorthSaying * (c_.computation + c_.memory())) return;
    const MachineParameters& m = p_.machine;
    std::string text = fmt::format(
        "{:.6g} of {:.6g} computation instructions access shared memory: the model has each take "
        "as long as any other, and has neither their latency nor their unit",
        c_.shared_accesses, c_.computation);
    if (m.shared_access <= 0)
      return add("shared", text + "; --machine Shared_access=1 sets what one takes of an SM");
    const double clocks = shared_cycles({p_.launch, p_.facts, m, p_.device});
    text += fmt::format(
        "; an SM has one every {:.4g} clocks{}, {:.6g} clocks in all", m.shared_access,
        c_.shared_conflicts > 0
            ? fmt::format(", {:.4g} more for each pass of a conflict", m.shared_conflict)
            : "",
        clocks);
    if (p_.model.floor == Floor::shared)
      text += fmt::format(
          " (the equations give {:.6g}): that is the prediction, and less than the "
          "kernel takes where it waits for them",
          p_.model.equations);
    add("shared", std::move(text), clocks);
  }

  void conflicts() {
    if (c_.shared_conflicts < kWorthSaying * c_.computation) return;
    add("conflicts", fmt::format("{:.4g} passes of shared memory beyond the first of each access, "
                                 "for lanes that meet in a bank: the model has each access take as "
                                 "long as any other computation (hong2009, section 5.2)",
                                 c_.shared_conflicts));
  }

  void launch() {
    if (p_.model.floor != Floor::launch) return launch_nearly();
    add("launch",
        fmt::format("a device launches its blocks one after another, empty ones of {} every {:.4g} "
                    "clocks, {:.6g} clocks in all (the equations give {:.6g}): that is the "
                    "prediction, and less than the kernel takes where blocks wait for room",
                    plural(static_cast<double>(p_.launch.all_threads()), "thread"),
                    launch_interval(p_.machine, p_.launch.all_threads()), cycles_,
                    p_.model.equations),
        cycles_);
  }

  /// Memory that caches help takes less than predicted, the launch of the blocks does not.
  void launch_nearly() {
    constexpr double kNearly = 0.8;  ///< Of the prediction: a device's own L2 makes as much of it.
    const double clocks = launch_cycles({p_.launch, p_.facts, p_.machine, p_.device});
    if (clocks < kNearly * cycles_) return;
    add("launch",
        fmt::format("the launch of its blocks alone takes {:.6g} clocks, {:.0f} % of the "
                    "prediction: where memory is faster than predicted, larger blocks help",
                    clocks, 100 * clocks / cycles_),
        clocks);
  }

  /// Sectors of 32 B are counted since compute capability 2.0. The virtual k20 fills lines of 128
  /// B, the h100 64 B.
  void scattered() {
    if (p_.device.sm_major < 2) return;
    if (c_.uncoalesced < kWorthSaying * c_.memory() || c_.transactions_per_uncoalesced < 2) return;
    add("scattered",
        fmt::format("{:.3g} of {:.3g} memory instructions are uncoalesced, and sectors of 32 B are "
                    "counted: L2 may load 64 or 128 B for each, two or four times the bytes",
                    c_.uncoalesced, c_.memory()));
  }

  const Prediction& p_;
  const vgpu::KernelCounts& c_;
  double cycles_;
  std::vector<Limit> made_;
};

}  // namespace

std::string extrapolation_of(const Prediction& prediction) {
  // Of stdlib/kernels/micro.cu: benchmark 7 has the most loads, benchmark 1 with the fewest passes
  // the fewest instructions; no doubles, no special functions, no shared memory. Behind a barrier
  // all warps of a block wait: one in 100 instructions counts.
  constexpr double kMostMemory = 0.09, kOther = 0.05, kBarriers = 0.01, kFewest = 150;
  const vgpu::KernelCounts& c = prediction.facts.counts;
  const double all = c.computation + c.memory();
  if (all <= 0) return {};
  const double memory = c.memory() / all;
  const auto percent = [](double part) { return fmt::format("{:.2g} %", 100 * part); };
  if (memory > kMostMemory)
    return fmt::format("{} of its instructions access memory, of theirs at most {}",
                       percent(memory), percent(kMostMemory));
  if (c.slow > kOther * all)
    return fmt::format("{} of its instructions are of doubles or special functions, of theirs none",
                       percent(c.slow / all));
  if (c.shared_accesses > kOther * all)
    return fmt::format("{} of its instructions access shared memory, of theirs none",
                       percent(c.shared_accesses / all));
  if (c.barriers > kBarriers * all)
    return fmt::format("{} of its instructions are barriers, of theirs none",
                       percent(c.barriers / all));
  if (all < kFewest)
    return fmt::format(
        "a warp executes {:.0f} instructions, of theirs at least {:.0f}: how a launch begins and "
        "ends weighs more",
        all, kFewest);
  return {};
}

std::vector<Limit> limits_of(const Prediction& prediction) {
  return Limits(prediction).all();
}

}  // namespace gpx
