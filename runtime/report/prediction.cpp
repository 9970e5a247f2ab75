// A prediction as text. Interface: prediction.h. Covered by tests/cli/predict_command_test.cpp.
#include "runtime/report/prediction.h"

#include <fmt/format.h>

#include <cmath>

#include "runtime/report/number.h"
#include "runtime/report/table.h"

namespace gpx::report {
namespace {

std::string extents(std::uint32_t across, std::uint32_t down, std::uint32_t deep) {
  if (deep > 1) return fmt::format("{} x {} x {}", across, down, deep);
  return down == 1 ? fmt::format("{}", across) : fmt::format("{} x {}", across, down);
}

std::string percent(double off) {
  return fmt::format("{:+.1f} %", 100 * off);
}

/// Of a sample: half its 95 % interval.
std::string within(double error) {
  return error > 0 ? fmt::format(", known to ±{:.1f} %", std::ceil(1000 * error) / 10) : "";
}

constexpr int kLimitWidth = 100;

class Page {
 public:
  Page(const Prediction& prediction, const Style& style) : p_(prediction), style_(style) {}

  std::string text() {
    head();
    if (!p_.uncounted.empty()) {
      title("no prediction");
      line("  " + p_.uncounted);
    } else {
      if (p_.simulation) simulation(*p_.simulation);
      counts();
      occupancy();
      if (!p_.simulation) model();
      limits();
      changes();
    }
    measured();
    results();
    for (const std::string& note : p_.notes) line("note: " + note);
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += fit(style_, text) + "\n"; }
  void title(const std::string& text) { out_ += "\n" + paint(style_, Paint::bold, text) + "\n"; }

  void head() {
    const bool real = p_.device.measured;
    line(fmt::format("{} of {}: {} {} of {} {}", p_.entry, p_.file,
                     extents(p_.launch.blocks, p_.launch.blocks_down, p_.launch.blocks_deep),
                     p_.launch.all_blocks() == 1 ? "block" : "blocks",
                     extents(p_.launch.threads, p_.launch.threads_down, p_.launch.threads_deep),
                     p_.launch.all_threads() == 1 ? "thread" : "threads"));
    line(fmt::format("on {}{}: {} SMs, {}", p_.device.name,
                     real ? "" : ", a virtual GPU: a model, not a measurement", p_.device.sm_count,
                     with_unit(p_.device.clock_hz, "Hz")));
  }

  void simulation(const Simulation& s) {
    title("the simulation");
    line(fmt::format(
        "  {}, {} clocks, of them {} the launch: from the start of the grid to its end",
        with_unit(p_.seconds, "s"), brief(s.clocks + s.overhead, 6), brief(s.overhead, 6)));
    line("  bound by " + p_.bound);
    if (p_.interval)
      line(
          fmt::format("  between {} and {} in nine of ten cases, by {} kernels of {} families that "
                      "were measured",
                      with_unit(p_.seconds / p_.interval->factor, "s"),
                      with_unit(p_.seconds * p_.interval->factor, "s"), p_.interval->kernels,
                      p_.interval->families));
    else
      line(
          fmt::format("  how far it is off is not known: '{}' has no record of kernels that were "
                      "predicted and measured",
                      s.device));
    const std::string of =
        s.blocks_run < s.blocks
            ? fmt::format("{} of {} blocks, on {} of {} SMs{}", s.blocks_run, s.blocks, s.sms_run,
                          s.sms, within(s.error))
            : fmt::format("all blocks, on {}", plural(static_cast<double>(s.sms), "SM"));
    const std::string after =
        !p_.after.empty() ? fmt::format("in a loop after {}", fmt::join(p_.after, ", "))
                          : fmt::format("after a launch that {} in L2",
                                        s.left_in_l2 ? "left its data" : "left nothing of use");
    line(fmt::format("  {} run on the virtual GPU '{}': {}, {}",
                     s.machine_code ? "machine code" : "PTX", s.device, of, after));
    line(fmt::format(
        "  it issues {:.0f} % of the instructions that the SMs can, and takes {:.0f} % of "
        "the bandwidth of DRAM",
        100 * s.issue_use, 100 * s.dram_use));
    stack(s);
    places(s);
    counters(s);
    if (p_.changes.empty()) return;
    title("what would change it");
    Table table({"", "time", "change"}, {false, true, true});
    for (const ChangedTime& each : p_.changes)
      table.add({{each.change},
                 {with_unit(each.seconds, "s")},
                 {percent(each.seconds / p_.seconds - 1)}});
    out_ += table.render(style_);
  }

  void stack(const Simulation& s) {
    title("where its clocks go");
    const double all = s.clocks + s.overhead;
    Table table({"", "clocks", ""}, {false, true, true});
    for (const StackPart& part : s.stack)
      if (part.clocks > 0)
        table.add({{part.name},
                   {brief(part.clocks, 4)},
                   {fmt::format("{:.1f} %", 100 * part.clocks / all)}});
    out_ += table.render(style_);
  }

  void places(const Simulation& s) {
    constexpr std::size_t kParts = 3;
    title("by line");
    Table table({"line", "clocks of warps", "waits for"}, {true, true, false});
    for (const StackLine& each : s.lines) {
      std::string waits;
      for (std::size_t i = 0; i < std::min(kParts, each.parts.size()); ++i)
        waits += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", each.parts[i].name,
                             100 * each.parts[i].clocks / each.share);
      table.add({{each.line > 0 ? std::to_string(each.line) : "?"},
                 {fmt::format("{:.1f} %", 100 * each.share)},
                 {waits}});
    }
    out_ += table.render(style_);
  }

  void counters(const Simulation& s) {
    title("counters, as a profiler names them");
    Table table({"", ""}, {false, true});
    for (const Counter& each : s.counters) table.add({{each.name}, {brief(each.value, 6)}});
    out_ += table.render(style_);
  }

  void counts() {
    title("a warp executes");
    const vgpu::KernelCounts& c = p_.facts.counts;
    const vgpu::KernelCounts* s = p_.facts.followed ? &p_.facts.followed->counts : nullptr;
    Table table({"", "executed", "static"}, {false, true, true});
    const auto row = [&](const char* what, double executed, double followed) {
      table.add({{what}, {brief(executed, 6)}, {s ? brief(followed, 6) : "?"}});
    };
    row("computation instructions", c.computation, s ? s->computation : 0);
    row("of them barriers", c.barriers, s ? s->barriers : 0);
    row("coalesced memory instructions", c.coalesced, s ? s->coalesced : 0);
    row("uncoalesced memory instructions", c.uncoalesced, s ? s->uncoalesced : 0);
    row("transactions of a coalesced one", c.transactions_per_coalesced,
        s ? s->transactions_per_coalesced : 0);
    row("transactions of an uncoalesced one", c.transactions_per_uncoalesced,
        s ? s->transactions_per_uncoalesced : 0);
    row("bytes of a memory instruction", c.bytes_per_access, s ? s->bytes_per_access : 0);
    row("instructions that the machine code folds", c.folded, s ? s->folded : 0);
    out_ += table.render(style_);
    line(fmt::format("  executed: {} of {}{}; coalescing by {}", c.blocks_executed,
                     plural(static_cast<double>(c.blocks), "block"),
                     within(c.sample_error) + unseen_text(c.unseen), p_.coalescing));
    if (c.shared_accesses > 0)
      line(
          fmt::format("  shared memory: {} accesses, among computation, and {} more passes for "
                      "lanes that meet in a bank",
                      brief(c.shared_accesses, 6), brief(c.shared_conflicts, 6)));
    loops();
  }

  void loops() {
    if (!p_.facts.followed) return;
    const vgpu::StaticCounts& followed = *p_.facts.followed;
    for (std::size_t i = 0; i < followed.loops.size(); ++i) {
      const vgpu::LoopCounts& loop = followed.loops[i];
      const std::string place =
          p_.loop_lines[i] > 0 ? fmt::format("line {}", p_.loop_lines[i]) : "an unknown line";
      line(fmt::format("  loop of {}: {} pass{}, {} computation, {} memory instructions, {}", place,
                       loop.trips, loop.trips == 1 ? "" : "es", loop.computation, loop.memory(),
                       plural(static_cast<double>(loop.barriers), "barrier")));
    }
    if (followed.both_ways > 0)
      line(fmt::format("  static: {} branch{} on data followed both ways, an upper bound",
                       followed.both_ways, followed.both_ways == 1 ? "" : "es"));
    if (followed.unknown_addresses > 0)
      line(fmt::format("  static: {} accesses at addresses from memory, taken as uncoalesced",
                       followed.unknown_addresses));
  }

  void occupancy() {
    title("an SM holds");
    const Occupancy& o = p_.facts.occupancy;
    const std::uint32_t resident = p_.facts.resident_blocks();
    line(fmt::format("  {}, {} of {} warps ({:.0f} %), limited by {}", plural(resident, "block"),
                     resident * o.warps_per_block, o.max_warps,
                     o.max_warps ? 100.0 * resident * o.warps_per_block / o.max_warps : 0.0,
                     fmt::join(o.limiters, " and ")));
    const std::string registers =
        p_.facts.registers ? plural(p_.facts.registers, "register") : "? registers";
    line(fmt::format("  a thread takes {} ({}), a block {} of shared memory", registers,
                     p_.registers_of, with_unit(static_cast<double>(p_.facts.shared_bytes), "B")));
    if (p_.active_blocks < resident)
      line(fmt::format("  the grid has {} for each of {}", plural(p_.active_blocks, "block"),
                       plural(p_.active_sms, "SM")));
  }

  /// Of the micro-benchmarks' loads, which find what an earlier one left in L2.
  const char* latency_name() const {
    const bool in_l2 = p_.device.sm_major >= 2 && p_.machine.origin != "given";
    return in_l2 ? "latency of loads of which L2 holds a part" : "memory latency";
  }

  void model() {
    title("the MWP/CWP model");
    const MachineParameters& m = p_.machine;
    line(fmt::format(
        "  machine ({}): {} {}, departure delays {} coalesced and {} "
        "uncoalesced, issue {}, bandwidth {:.1f} GB/s",
        m.origin, latency_name(), with_unit(m.mem_ld, "clocks"), brief(m.departure_coal),
        brief(m.departure_uncoal), brief(m.issue_cycles), m.bandwidth / 1e9));
    if (p_.facts.counts.shared_accesses > 0 && m.shared_access > 0)
      line(
          fmt::format("  shared memory: an SM has an access every {} clocks, {} more for each pass "
                      "of a conflict",
                      brief(m.shared_access), brief(m.shared_conflict)));
    for (const std::string& note : m.notes) line("  " + note);
    line(fmt::format("  MWP {}, CWP {}, {} an SM: the case \"{}\" ({})", brief(p_.model.model.mwp),
                     brief(p_.model.model.cwp), plural(p_.model.model.active_warps, "warp"),
                     p_.model.model.which, p_.model.why));
    for (const std::string& part : wrap("bound by " + p_.bound, kLimitWidth))
      line((part.starts_with("bound by ") ? "  " : "    ") + part);
    line(fmt::format("  {}{} clocks, {}", p_.model.at_least() ? "at least " : "",
                     brief(p_.model.cycles(), 6), with_unit(p_.seconds, "s")));
    if (m.error > 0)
      line(
          fmt::format("  on this device's micro-benchmarks the model is {:.1f} % off in the mean, "
                      "{:+.1f} % at worst",
                      100 * m.error, 100 * m.worst_error));
    if (!p_.extrapolation.empty())
      line(fmt::format("  an extrapolation, whose error is not known: {}", p_.extrapolation));
  }

  void limits() {
    if (p_.limits.empty()) return;
    title("what the model leaves out, and this kernel has");
    for (const Limit& limit : p_.limits)
      for (const std::string& part : wrap("- " + limit.text, kLimitWidth))
        line((part.starts_with("- ") ? "  " : "    ") + part);
  }

  void changes() {
    if (p_.variants.empty()) return;
    title("what would change it (the same work for each thread)");
    Table table({"", "warps an SM", "clocks", "change", "case"}, {false, true, true, true, false});
    for (const Variant& variant : p_.variants)
      table.add(
          {{variant.change},
           {brief(variant.model.model.active_warps)},
           {brief(variant.model.cycles(), 6)},
           {p_.model.cycles() > 0 ? percent(variant.model.cycles() / p_.model.cycles() - 1) : "?"},
           {variant.model.at_least() ? to_string(variant.model.floor)
                                     : variant.model.model.which}});
    out_ += table.render(style_);
  }

  void measured() {
    if (!p_.measured_seconds) return;
    const char* how = p_.device.measured ? "measured" : "run on the virtual GPU";
    const std::string launches =
        fmt::format("the median of {} after 1 untimed", plural(p_.measured_launches, "launch"));
    title(fmt::format("{}{}, {}", how, p_.measured_sample ? ", by a sample" : "", launches));
    const std::string error = !p_.uncounted.empty() ? ""
                              : p_.off()
                                  ? fmt::format(": the prediction is {} off", percent(*p_.off()))
                                  : fmt::format(": {}", kNoTime);
    line(fmt::format("  {} clocks, {}{}", brief(*p_.measured_seconds * p_.device.clock_hz, 6),
                     with_unit(*p_.measured_seconds, "s"), error));
    if (p_.measured_sample)
      line(fmt::format("  {} of {} blocks were run{}; --whole runs all", p_.measured_blocks,
                       p_.launch.all_blocks(), within(p_.measured_sample->worst)));
  }

  void results() {
    if (p_.expectations.empty()) return;
    title("expectations");
    for (const ExpectationResult& each : p_.expectations) {
      const std::string word =
          each.pass ? paint(style_, Paint::green, "pass") : paint(style_, Paint::red, "FAIL");
      line(fmt::format("  {}  {}", word, each.text));
      if (!each.reason.empty()) line("        " + each.reason);
    }
  }

  const Prediction& p_;
  const Style& style_;
  std::string out_;
};

}  // namespace

std::string prediction_text(const Prediction& prediction, const Style& style) {
  return Page(prediction, style).text();
}

}  // namespace gpx::report
