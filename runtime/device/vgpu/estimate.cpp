// Interface: estimate.h. Covered by tests/vgpu/estimate_test.cpp.
#include "runtime/device/vgpu/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "codegen/files/files.h"
#include "lang/float_environment.h"
#include "lang/stop.h"
#include "runtime/device/vgpu/loaded_program.h"
#include "runtime/device/vgpu/worker.h"

namespace gpx::vgpu {
namespace {

/// The waves of a share that runs as a sample: its first, four clusters of two, its last two.
constexpr double kWaves = 11;
/// A launch of more instructions than this part of the budget is not preceded by another one where
/// L2 holds all buffers anyway.
constexpr double kAlone = 0.2;
/// Copies of lines in the other partition, over lines: of data that each SM reads for itself.
constexpr double kCopies = 0.5;

timing::Description changed(timing::Description device, Changed what) {
  if (what == Changed::bandwidth) {
    device.dram.departure /= 2;
    device.dram.write_departure /= 2;  // below 0: as `departure`
    device.dram.turn /= 2;
  }
  if (what == Changed::l2_bandwidth) {
    if (device.l2) device.l2->bandwidth *= 2;
    if (device.l2) device.l2->bandwidth_per_sm *= 2;
    if (device.slices) device.slices->bandwidth *= 2;
    if (device.partitions) device.partitions->bandwidth *= 2;
  }
  if (what == Changed::all_hit && device.l2) {
    device.dram.latency = device.l2->latency;
    device.dram.departure = device.dram.turn = 0;
    device.dram.write_departure = -1;
  }
  if (what == Changed::no_conflicts) device.shared.conflicts = false;
  if (what == Changed::coalesced) device.lsu.coalesced = true;
  return device;
}

/// Of a listing of machine code, whose lines end in "// line 7" where that is known.
std::vector<int> source_lines_of(const std::string& listing) {
  constexpr std::string_view kMark = "// line ";
  std::vector<int> lines = {0};  // lines count from 1
  std::istringstream in(listing);
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.rfind(kMark);
    lines.push_back(at == line.npos ? 0 : std::atoi(line.c_str() + at + kMark.size()));
  }
  return lines;
}

/// Which part of a grid is run.
struct Plan {
  bool whole = false;  ///< All of it.
  unsigned sms = 0;
  std::uint64_t most_blocks = 0;
  bool exact = false;   ///< All launches of the program run, with all of their blocks.
  bool fits = false;    ///< L2 holds all buffers.
  bool before = false;  ///< A launch before is simulated.
};

/// Of all buffers, and of what the launch itself gives back.
double bytes_of(const codegen::Launch& launch, const LoadedProgram& program) {
  std::uint64_t bytes =
      8 * (program.results.size() + launch.record_rows() * program.record_columns);
  for (std::size_t i = 0; i < program.buffers.size(); ++i)
    bytes += program.buffers[i].has_fill ? launch.fills[i].bytes : program.buffers[i].bytes;
  return static_cast<double>(bytes);
}

Plan plan_of(const EstimateRequest& request, const codegen::Launch& launch,
             const LoadedProgram& program, const timing::Description& device,
             std::uint64_t resident) {
  Plan plan;
  const auto blocks = static_cast<double>(launch.all_blocks());
  const double affordable = request.budget / 2 / std::max(request.block_work, 1.0);
  const auto active = std::min<std::uint64_t>(launch.all_blocks(), device.sm.count);
  plan.whole = request.whole || !(launch.sampled || request.alike) || blocks <= affordable;
  const double wave = static_cast<double>(active * std::max<std::uint64_t>(resident, 1));
  const double waves = std::min(std::ceil(blocks / wave), kWaves);
  const double of_sm = std::min(waves * static_cast<double>(resident),
                                std::ceil(blocks / static_cast<double>(active)));
  plan.sms =
      static_cast<unsigned>(std::clamp(affordable / of_sm, 1.0, static_cast<double>(active)));
  plan.most_blocks = static_cast<std::uint64_t>(affordable);
  const double bytes = bytes_of(launch, program);
  const double copies = device.partitions && device.partitions->copies ? kCopies : 0;
  plan.fits = device.l2 && bytes * (1 + copies) <= static_cast<double>(device.l2->capacity);
  const double simulated =
      request.block_work * (plan.whole ? blocks : of_sm * static_cast<double>(plan.sms));
  plan.before = !plan.fits || simulated <= kAlone * request.budget;
  return plan;
}

/// Of the sectors that blocks loaded in a launch of a part of the grid, the share that the whole
/// grid loads: sectors that several blocks load are brought once.
double share_lines(timing::SharedLines& lines, std::span<const double> footprint, double run_part) {
  double fetched = 0, needed = 0;
  for (std::size_t i = 0; i < lines.regions().size() && i < footprint.size(); ++i) {
    const auto seen = static_cast<double>(lines.regions()[i].fetched);
    if (seen == 0) continue;
    const double part = std::clamp(footprint[i] * run_part / seen, 0.0, 1.0);
    lines.set_part(i, part);
    fetched += seen;
    needed += part * seen;
  }
  return fetched == 0 ? 1 : needed / fetched;
}

/// Of all launches that an exact estimate runs: the first one twice.
double work_of(std::span<const codegen::Launch> launches, const EstimateRequest& request) {
  double sum = 0;
  for (std::size_t i = 0; i < launches.size(); ++i)
    sum += static_cast<double>(launches[i].all_blocks()) *
           (i == 0 ? 2 * request.block_work : request.earlier_work[i - 1]);
  return sum;
}

}  // namespace

/// The buffers, as regions whose lines other blocks may have brought.
std::vector<timing::SharedLines::Region> Worker::regions(const codegen::Launch& launch) const {
  std::vector<timing::SharedLines::Region> made;
  const std::uint64_t line = device_.coalescer_line;
  for (std::uint32_t i = 0; i < launch.fills.size(); ++i) {
    const std::uint64_t begin = address(i, launch);
    made.push_back({begin / line, (begin + launch.fills[i].bytes + line - 1) / line});
  }
  return made;
}

// A cache of any policy has what an eighth of it has taken in since. It is counted by a thread of
// its own, while this one simulates what comes before.
std::future<std::vector<double>> Worker::footprint(const EstimateRequest& request,
                                                   const codegen::Launch& launch,
                                                   std::uint64_t wave) const {
  constexpr double kKept = 0.125;
  if (!request.footprint || !device_.l2) return {};
  const bool copies = device_.partitions && device_.partitions->copies;
  const double bytes = bytes_of(launch, program_) * (1 + (copies ? kCopies : 0));
  const double kept = kKept * static_cast<double>(device_.l2->capacity) *
                      static_cast<double>(launch.all_blocks()) / std::max(bytes, 1.0);
  const auto sector = static_cast<std::uint64_t>(dram_bytes());
  const auto count = [&request, sector, wave, kept, flag = StopScope::flag()] {
    const StopScope scope(flag);
    const FloatEnvironment plain_numbers;
    return request.footprint(sector, wave, kept);
  };
  return std::async(std::launch::async, count);
}

double Worker::dram_bytes() const {
  return device_.l2 ? static_cast<double>(device_.fill_bytes()) : 0;
}

// Blocks that wait for others which a sample leaves out wait for ever.
Result<Estimate> Worker::estimate(std::span<const codegen::Launch> launches,
                                  const EstimateRequest& request) {
  deadlock_ = false;
  time_alone_ = true;
  rereads_ = request.rereads || launches.size() > 1;
  auto made = estimate_part(launches, request);
  if (made || !deadlock_ || !request.alike) return made;
  EstimateRequest whole = request;
  whole.alike = false;
  return estimate_part(launches, whole);
}

// What the launch before left: the lines of its other blocks went through L2 as well.
Result<Estimate> Worker::estimate_part(std::span<const codegen::Launch> launches,
                                       const EstimateRequest& request) {
  for (const codegen::Launch& each : launches)
    if (const auto outcome = check_launch(each, program_, device_); !outcome)
      return tl::unexpected(outcome.error());
  const codegen::Launch& launch = launches.front();
  const LoadedKernel& kernel = program_.kernels[launch.kernel];
  const std::atomic<bool>* const stop = StopScope::flag();
  prepare_buffers(launch);
  memory_.reset_heap();
  prepare_constants(launch, kernel.module);
  configure(launch);
  Estimate made;
  made.blocks = launch.all_blocks();
  made.sms = std::min<std::uint64_t>(made.blocks, device_.sm.count);
  const std::uint64_t resident = resident_blocks_of(launch, kernel, device_);
  made.resident = static_cast<double>(resident);
  Plan plan = plan_of(request, launch, program_, device_, resident);
  const bool several = launches.size() > 1;
  plan.exact = several && (request.whole || work_of(launches, request) <= request.budget);
  if (plan.exact) plan.whole = plan.before = true;
  timing::LaunchNeeds needs = needs_of(launch, kernel);
  needs.sample = !plan.whole;
  needs.sms = plan.whole ? 0 : plan.sms;
  needs.most_blocks = plan.most_blocks;
  needs.executed = request.executed;
  made.sms_run = plan.whole ? made.sms : plan.sms;
  machine_->start_job(1, plan.fits && !plan.before);
  const Job job{&launch, 1, 1, {}};
  std::future<std::vector<double>> shared;
  if (!plan.whole && !plan.fits) shared = footprint(request, launch, resident * made.sms);
  machine_->shared_lines().watch(shared.valid() ? regions(launch)
                                                : std::vector<timing::SharedLines::Region>());
  if (!plan.before) machine_->hold_code(*kernel.costs);
  if (plan.before)
    if (auto ok = run_before(launches, request, {plan.whole, plan.exact, plan.fits},
                             std::move(shared), needs, made);
        !ok)
      return tl::unexpected(ok.error());
  needs.lines_stay = made.left_in_l2;
  if (request.profile) machine_->listen(&made.profile);
  const auto clocks = run_grid(launch, kernel, needs, stop);
  machine_->listen(listener_);
  if (!clocks) return failed_estimate(job, clocks.error());
  made.sms_run = std::min(made.sms, machine_->sms_run());
  made.clocks = static_cast<double>(*clocks);
  describe(launch, made);
  return made;
}

/// What the estimated launch follows: itself, and the others.
Result<void> Worker::run_before(std::span<const codegen::Launch> launches,
                                const EstimateRequest& request, const Before& how,
                                std::future<std::vector<double>> footprint,
                                timing::LaunchNeeds& needs, Estimate& made) {
  const codegen::Launch& launch = launches.front();
  const std::atomic<bool>* const stop = StopScope::flag();
  const auto before = run_grid(launch, program_.kernels[launch.kernel], needs, stop);
  if (!before) return failed_estimate({&launch, 1, 1, {}}, before.error());
  const std::vector<double> shared = footprint.valid() ? footprint.get() : std::vector<double>();
  if (shared.empty()) machine_->shared_lines().watch({});
  const bool several = launches.size() > 1;
  double part = 1;
  if (!how.whole && device_.l2) {
    const double run_part =
        static_cast<double>(machine_->blocks_run()) / static_cast<double>(made.blocks);
    const double loads = share_lines(machine_->shared_lines(), shared, run_part);
    part = machine_->dirty_part() + (1 - machine_->dirty_part()) * loads;
    made.l2_lines = part * machine_->lines_of_grid(made.blocks);
    const auto held = static_cast<double>(device_.l2->capacity / device_.l2->line);
    made.left_in_l2 = how.fits || made.l2_lines <= held;
    if (!how.fits && !several) machine_->pass_others(made.blocks, part);
  }
  if (how.exact) return run_earlier(launches, stop);
  if (!several || how.fits || !device_.l2) return {};
  sweep_earlier(launches, request, how.whole ? 1 : 0);
  made.left_in_l2 = false;
  needs.others = part;
  return {};
}

/// The launches between two of the first one, with all of their blocks.
Result<void> Worker::run_earlier(std::span<const codegen::Launch> launches,
                                 const std::atomic<bool>* stop) {
  for (const codegen::Launch& launch : launches.subspan(1)) {
    const LoadedKernel& kernel = program_.kernels[launch.kernel];
    prepare_constants(launch, kernel.module);
    const Job job{&launch, 1, 1, {}};
    const auto clocks = run_grid(launch, kernel, needs_of(launch, kernel), stop);
    if (!clocks) return failed_estimate(job, clocks.error());
  }
  prepare_constants(launches.front(), program_.kernels[launches.front().kernel].module);
  return {};
}

/// L2 takes in what the launches touch, from that of this number on.
void Worker::sweep_earlier(std::span<const codegen::Launch> launches,
                           const EstimateRequest& request, std::size_t first) {
  const std::uint64_t line = device_.l2->line;
  for (std::size_t i = first; i < launches.size(); ++i) {
    std::vector<timing::Sweep> sweeps;
    for (const Reach& each : request.reach(i, line)) {
      const std::uint64_t base = address(each.buffer, launches[i]);
      const std::uint64_t begin = (base + each.begin) / line,
                          count = (base + each.end + line - 1) / line - begin;
      const auto lines = static_cast<double>(std::max<std::uint64_t>(count, 1));
      const timing::DirtyParts parts{static_cast<unsigned>(each.parts + 0.5),
                                     static_cast<unsigned>(each.lacking + 0.5)};
      sweeps.push_back({{begin, count}, each.lines / lines, each.written / lines, parts});
    }
    machine_->sweep(sweeps);
  }
}

/// What an estimate says of the device, and of the last launch on the machine.
void Worker::describe(const codegen::Launch& launch, Estimate& made) const {
  const LoadedKernel& kernel = program_.kernels[launch.kernel];
  made.overhead_clocks = device_.launch_overhead;
  made.clock_hz = device_.clock_hz;
  made.request_bytes = static_cast<double>(device_.coalescer_line);
  made.dram_bytes = dram_bytes();
  if (device_.slices) made.l2_bytes_per_clock = device_.slices->count * device_.slices->bandwidth;
  made.dram_clocks = device_.dram.departure;
  made.block_interval = device_.block_interval;
  made.issue_width = device_.sm.schedulers / std::max(device_.sm.issue_interval, 1.0);
  made.blocks_run = machine_->blocks_run();
  made.error = machine_->cluster_error();
  made.instructions = static_cast<double>(machine_->instructions());
  made.machine_code = kernel.machine_code;
  made.listing = kernel.text;
  if (kernel.machine_code) made.source_lines = source_lines_of(kernel.text);
}

tl::unexpected<Error> Worker::failed_estimate(const Job& job, const exec::Trap& trap) {
  deadlock_ = trap.deadlock;
  if (StopScope::raised()) return StopScope::error();
  return tl::unexpected(error_at(trap, *job.launch));
}

Result<Estimate> estimate(const EstimateRequest& request, const codegen::Program& program,
                          std::span<const codegen::Artifact> artifacts) {
  auto device = timing::parse_description_file("device.lua", request.definition);
  if (!device) return tl::unexpected(device.error());
  timing::Description machine = changed(std::move(*device), request.changed);
  const bool code = std::ranges::all_of(
      artifacts, [](const codegen::Artifact& each) { return !each.cubin.empty(); });
  if (code) machine.machine_code = machine_code_of(machine);
  if (request.sm_shared_bytes > 0) machine.sm.shared_bytes = request.sm_shared_bytes;
  auto loaded = load_program(program, artifacts, machine, machine.memory_bytes);
  if (!loaded) return tl::unexpected(loaded.error());
  if (request.registers > 0)
    (*loaded)->kernels[program.launches.front().kernel].registers = request.registers;
  return Worker(machine, **loaded).estimate(program.launches, request);
}

std::string title_of(const std::string& path) {
  const auto text = file_text(path);
  if (!text) return "";
  const auto device = timing::parse_description_file(path, *text);
  return device ? device->title : "";
}

}  // namespace gpx::vgpu
