// Interface: simulation.h. Covered by tests/runtime/simulation_test.cpp.
#include "runtime/predict/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "runtime/measure/kernel_place.h"

namespace gpx {
namespace {

using vgpu::Clocks;
using vgpu::Went;

constexpr std::size_t kToldLines = 12;  ///< Of a kernel's file that are told.
constexpr double kLaunching = 0.8;      ///< Of the time: then SMs wait for blocks.
constexpr double kLeastPart = 0.005;    ///< Of the time; smaller parts are told together.

double sum_of(const Clocks& clocks) {
  double sum = 0;
  for (const double each : clocks) sum += each;
  return sum;
}

std::vector<StackPart> parts_of(const Clocks& clocks, double scale) {
  std::vector<StackPart> parts;
  for (std::size_t i = 0; i < clocks.size(); ++i)
    if (clocks[i] > 0) parts.push_back({std::string(vgpu::kWentNames[i]), clocks[i] * scale});
  std::ranges::sort(parts, std::greater<>(), &StackPart::clocks);
  return parts;
}

/// Clocks in which the SMs hold fewer blocks than they can, or than the grid has for them.
double tail_of(const vgpu::Estimate& e) {
  const double of_sm = std::ceil(static_cast<double>(e.blocks) / static_cast<double>(e.sms));
  const double places = static_cast<double>(e.sms_run) * std::min(e.resident, of_sm);
  return std::max(e.profile.clocks() - e.profile.resident() / std::max(places, 1.0), 0.0);
}

std::vector<StackPart> stack_of(const vgpu::Estimate& e) {
  const Clocks all = e.profile.total();
  const double tail = std::min(tail_of(e), e.clocks), rest = e.clocks - tail;
  const bool launching = static_cast<double>(e.blocks) * e.block_interval > kLaunching * e.clocks;
  std::vector<StackPart> stack = {{"launch", e.overhead_clocks},
                                  {launching ? "blocks" : "tail", tail}};
  const double sum = sum_of(all);
  if (sum == 0) return {{"launch", e.overhead_clocks + e.clocks}};
  double small = 0;
  for (StackPart& part : parts_of(all, rest / sum)) {
    if (part.clocks < kLeastPart * e.clocks)
      small += part.clocks;
    else
      stack.push_back(std::move(part));
  }
  if (small > 0) stack.push_back({"other", small});
  return stack;
}

/// The line of the kernel's file that a line of the listing is from; 0: not known.
int source_line(const vgpu::Estimate& e, const LoweredMeasure& kernel, std::size_t line) {
  if (e.machine_code) return line < e.source_lines.size() ? e.source_lines[line] : 0;
  return kernel_line(kernel.artifacts.front(), kernel.kernel_file, static_cast<int>(line));
}

std::vector<StackLine> lines_of(const vgpu::Estimate& e, const LoweredMeasure& kernel) {
  std::map<int, Clocks> by_line;
  for (std::size_t i = 0; i < e.profile.lines().size(); ++i) {
    const Clocks& clocks = e.profile.lines()[i];
    if (sum_of(clocks) == 0) continue;
    Clocks& of = by_line[std::max(source_line(e, kernel, i), 0)];
    for (std::size_t k = 0; k < clocks.size(); ++k) of[k] += clocks[k];
  }
  const double all = std::max(sum_of(e.profile.total()), 1.0);
  std::vector<StackLine> lines;
  for (const auto& [line, clocks] : by_line)
    lines.push_back({line, sum_of(clocks) / all, parts_of(clocks, 1 / all)});
  std::ranges::sort(lines, std::greater<>(), &StackLine::share);
  if (lines.size() > kToldLines) lines.resize(kToldLines);
  return lines;
}

/// "/*0010*/ S2R R0, SR_TID.X" of "/*0010*/ S2R R0, SR_TID.X  // line 3".
std::string without_line(const std::string& text) {
  return text.substr(0, std::min(text.rfind("  // line "), text.size()));
}

/// Machine code whole; of PTX what was executed.
std::vector<StackInstruction> code_of(const vgpu::Estimate& e, const LoweredMeasure& kernel) {
  const double all = std::max(sum_of(e.profile.total()), 1.0);
  std::vector<StackInstruction> code;
  std::istringstream listing(e.listing);
  std::size_t number = 0;
  for (std::string text; std::getline(listing, text);) {
    ++number;
    const Clocks clocks = number < e.profile.lines().size() ? e.profile.lines()[number] : Clocks{};
    const double sum = sum_of(clocks);
    if (!e.machine_code && sum == 0) continue;
    code.push_back({without_line(text), std::max(source_line(e, kernel, number), 0), sum / all,
                    parts_of(clocks, 1 / all)});
  }
  return code;
}

Roofs roofs_of(const vgpu::Estimate& e, std::uint32_t sms) {
  Roofs roofs;
  roofs.instructions = e.issue_width * sms * e.clock_hz;
  roofs.l2 = e.l2_bytes_per_clock * e.clock_hz;
  if (e.dram_clocks > 0) roofs.dram = e.dram_bytes / e.dram_clocks * e.clock_hz;
  return roofs;
}

double percent_of(double part, double rest) {
  return part + rest == 0 ? 0 : 100 * part / (part + rest);
}

/// Of the grid, as far as the blocks that were run stand for the others.
std::vector<Counter> counters_of(const vgpu::Estimate& e) {
  const vgpu::Profile::Counts& c = e.profile.counts();
  const double scale =
      static_cast<double>(e.blocks) / static_cast<double>(std::max<std::uint64_t>(e.blocks_run, 1));
  const double asked =
                   (c.l2_hits + c.l2_misses + c.l2_turns) * scale * e.request_bytes / kSectorBytes,
               crossed = c.l2_crossings * scale * e.request_bytes / kSectorBytes;
  return {{"smsp__inst_executed.sum", c.instructions * scale},
          {"l1tex__t_sector_hit_rate.pct", percent_of(c.l1_hits, c.l1_misses)},
          {"lts__t_sectors_srcunit_tex.sum", asked},
          {"lts__t_sectors_srcunit_ltcfabric.sum", crossed},
          {"lts__t_sectors.sum", asked + crossed},
          {"lts__t_bytes.sum", (asked + crossed) * kSectorBytes},
          {"lts__t_sector_hit_rate.pct", percent_of(c.l2_hits, c.l2_misses)},
          {"dram__bytes_read.sum", c.dram_read * scale},
          {"dram__bytes_write.sum", c.dram_written * scale},
          {"dram__bytes.sum", (c.dram_read + c.dram_written) * scale},
          {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", c.shared_passes * scale}};
}

const std::map<std::string, const char*>& sentences() {
  static const std::map<std::string, const char*> of = {
      {"launch", "the launch itself"},
      {"tail", "SMs that hold fewer blocks than they can, at the beginning and at the end"},
      {"blocks", "the launch of its blocks, one after another"},
      {"issue", "the issue of instructions"},
      {"issue slot", "the issue of instructions: warps wait for their scheduler or unit"},
      {"arithmetic", "the latency of arithmetic: too few warps hide it"},
      {"L1", "the latency of L1"},
      {"L1 queue", "the load path of the SMs: accesses wait for each other before L1"},
      {"L2", "the latency of L2"},
      {"L2 queue", "the load path between SMs and L2"},
      {"DRAM", "the latency of DRAM"},
      {"DRAM queue", "the bandwidth of DRAM"},
      {"atomics", "atomics that wait for each other"},
      {"shared memory", "the latency of shared memory"},
      {"bank conflicts", "bank conflicts of shared memory"},
      {"constant", "the latency of constant, texture or local memory"},
      {"stores", "stores that wait for room on their way to L2"},
      {"barrier", "barriers"},
      {"branch", "branches"},
      {"instruction", "the supply of instructions"},
      {"fence", "fences"}};
  return of;
}

}  // namespace

double Simulation::of(const std::string& name) const {
  const auto found = std::ranges::find(stack, name, &StackPart::name);
  return found == stack.end() ? 0 : found->clocks;
}

double Simulation::counted(const std::string& name) const {
  const auto found = std::ranges::find(counters, name, &Counter::name);
  return found == counters.end() ? 0 : found->value;
}

Simulation simulation_of(const vgpu::Estimate& e, const DeviceInfo& device,
                         const LoweredMeasure& kernel) {
  Simulation made;
  made.device = device.name;
  made.machine_code = e.machine_code;
  made.clocks = e.clocks;
  made.overhead = e.overhead_clocks;
  made.stack = stack_of(e);
  made.lines = lines_of(e, kernel);
  made.code = code_of(e, kernel);
  made.roofs = roofs_of(e, device.sm_count);
  made.counters = counters_of(e);
  made.blocks = e.blocks, made.blocks_run = e.blocks_run;
  made.sms = e.sms, made.sms_run = e.sms_run;
  made.error = e.error;
  made.left_in_l2 = e.left_in_l2;
  const double clocks = std::max(e.profile.clocks(), 1.0);
  const double part =
      static_cast<double>(e.sms_run) / static_cast<double>(std::max<std::uint64_t>(e.sms, 1));
  const vgpu::Profile::Counts& c = e.profile.counts();
  made.issue_use = c.instructions / clocks /
                   static_cast<double>(std::max<std::uint64_t>(e.sms_run, 1)) /
                   std::max(e.issue_width, 1.0);
  made.dram_use = (c.dram_read + c.dram_written) / e.dram_bytes * e.dram_clocks / clocks / part;
  return made;
}

// The launch and the tail are of every kernel: what the kernel itself does comes first.
std::string reason_of(const Simulation& s) {
  const double all = std::max(s.clocks + s.overhead, 1.0);
  const StackPart* most = nullptr;
  for (const StackPart& part : s.stack) {
    const bool outside = part.name == "launch" || part.name == "tail" || part.name == "other";
    if (!outside && (!most || part.clocks > most->clocks)) most = &part;
  }
  const auto share = [&](double clocks) {
    return fmt::format("{:.0f} % of the time", 100 * clocks / all);
  };
  const double launch = s.of("launch"), tail = s.of("tail");
  if (!most) return fmt::format("{}, {}", sentences().at("launch"), share(launch));
  std::string text = fmt::format("{}, {}", sentences().at(most->name), share(most->clocks));
  if (launch > most->clocks) text += fmt::format("; the launch itself is {}", share(launch));
  if (tail > most->clocks) text += fmt::format("; {} are {}", sentences().at("tail"), share(tail));
  return text;
}

}  // namespace gpx
