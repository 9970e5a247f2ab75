// Interface: estimate.h. Covered by tests/vgpu/estimate_test.cpp.
#include "runtime/device/vgpu/estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "codegen/files/files.h"
#include "lang/float_environment.h"
#include "lang/stop.h"
#include "lang/try.h"
#include "runtime/device/vgpu/counts/footprint.h"
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

/// What blocks brought in a launch of a part of the grid, and of that the share that the whole grid
/// brings.
struct SharedParts {
  double loaded = 1, stored = 1;
  double stores = 0;           ///< Lines that stores brought.
  timing::DirtyParts dirty{};  ///< Of them, when they leave.
};

unsigned nearest(double parts) {
  return static_cast<unsigned>(parts + 0.5);
}

SharedParts share_lines(timing::SharedLines& lines, const Footprint& footprint, double run_part) {
  double fetched = 0, needed = 0, stored = 0, left = 0, parts = 0, lacking = 0;
  for (std::size_t i = 0; i < lines.regions().size() && i < footprint.buffers.size(); ++i) {
    const timing::SharedLines::Region& region = lines.regions()[i];
    const Footprint::OfBuffer& of = footprint.buffers[i];
    const auto part_of = [&](double of_grid, double seen) {
      return seen == 0 ? 1 : std::clamp(of_grid * run_part / seen, 0.0, 1.0);
    };
    const auto loads = static_cast<double>(region.fetched),
               stores = static_cast<double>(region.stored);
    const double loaded_part = part_of(of.fetched, loads), stored_part = part_of(of.stored, stores);
    fetched += loads, needed += loaded_part * loads;
    stored += stores, left += stored_part * stores;
    parts += of.parts * stored_part * stores, lacking += of.lacking * stored_part * stores;
    lines.set_part(i, loaded_part);
    lines.set_stored(i, stored_part, {nearest(of.parts), nearest(of.lacking)});
  }
  SharedParts made;
  if (fetched > 0) made.loaded = needed / fetched;
  made.stores = stored;
  if (left > 0)
    made.stored = left / stored, made.dirty = {nearest(parts / left), nearest(lacking / left)};
  return made;
}

/// Of lines that enter L2, those that a store has brought or that are stored to later, as far as
/// the grid's are as many. All that are loaded enter.
double dirty_of(const timing::Entered& entered, const SharedParts& parts) {
  const auto lines = static_cast<double>(std::max<std::uint64_t>(entered.lines, 1));
  const double stored = std::min(parts.stores, lines) / lines,
               later = std::max(static_cast<double>(entered.dirty) / lines - stored, 0.0);
  const double dirty = stored * parts.stored + later * parts.loaded,
               all = stored * parts.stored + 1 - stored;
  return all > 0 ? std::min(dirty / all, 1.0) : 0;
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

Footprint Worker::footprint(const EstimateRequest& request, std::uint64_t wave) const {
  if (!request.footprint || !device_.l2) return {};
  FootprintOptions options;
  options.sector = static_cast<std::uint64_t>(dram_bytes());
  options.line = device_.l2->line;
  options.wave = wave;
  options.cached = static_cast<double>(device_.l2->capacity / device_.l2->line);
  options.copies = device_.partitions && device_.partitions->copies;
  return request.footprint(options);
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
  for (const codegen::Launch& each : launches) GPX_TRY(check_launch(each, program_, device_));
  const codegen::Launch& launch = launches.front();
  const LoadedKernel& kernel = program_.kernels[launch.kernel];
  const std::atomic<bool>* const stop = StopScope::flag();
  prepare_buffers(launch);
  memory_.reset_heap();
  prepare_constants(launch, kernel.module);
  configure(launch, kernel);
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
  const Job job{&launch, 1, 1, {}};
  Footprint shared;
  if (!plan.whole && !plan.fits) shared = footprint(request, resident * made.sms);
  const bool known = !shared.buffers.empty();
  if (known && shared.stays && !several) plan.fits = plan.before = true;
  needs.share_l2 = known && !plan.fits && !several;
  machine_->shared_lines().watch(known && !plan.fits ? regions(launch)
                                                     : std::vector<timing::SharedLines::Region>());
  machine_->start_job(1, plan.fits && !plan.before);
  if (!plan.before) machine_->hold_code(*kernel.costs);
  if (plan.before)
    if (auto ok =
            run_before(launches, request, {plan.whole, plan.exact, plan.fits}, shared, needs, made);
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
                                const Footprint& footprint, timing::LaunchNeeds& needs,
                                Estimate& made) {
  const codegen::Launch& launch = launches.front();
  const std::atomic<bool>* const stop = StopScope::flag();
  const auto before = run_grid(launch, program_.kernels[launch.kernel], needs, stop);
  if (!before) return failed_estimate({&launch, 1, 1, {}}, before.error());
  const bool several = launches.size() > 1;
  double part = 1;
  if (!how.whole && device_.l2) {
    const double run_part =
        static_cast<double>(machine_->blocks_run()) / static_cast<double>(made.blocks);
    const SharedParts parts = share_lines(machine_->shared_lines(), footprint, run_part);
    const timing::Entered entered = machine_->entered();
    const double dirty = machine_->dirty_part();
    part = dirty * parts.stored + (1 - dirty) * parts.loaded;
    const bool known = !footprint.buffers.empty();
    made.l2_lines = known ? footprint.lines : machine_->lines_of_grid(made.blocks);
    const auto held = static_cast<double>(device_.l2->capacity / device_.l2->line);
    made.left_in_l2 = how.fits || (known ? footprint.stays : made.l2_lines <= held);
    if (!how.fits && !several)
      machine_->pass_others(
          known ? held : machine_->lines_of_grid(made.blocks) - static_cast<double>(entered.lines),
          dirty_of(entered, parts), parts.stores > 0 ? parts.dirty : entered.of_dirty());
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
  auto device = GPX_TRY(timing::parse_description_file("device.lua", request.definition));
  timing::Description machine = changed(std::move(device), request.changed);
  const bool code = std::ranges::all_of(
      artifacts, [](const codegen::Artifact& each) { return !each.cubin.empty(); });
  if (code) machine.machine_code = machine_code_of(machine);
  if (request.sm_shared_bytes > 0) machine.sm.shared_bytes = request.sm_shared_bytes;
  auto loaded = GPX_TRY(load_program(program, artifacts, machine, machine.memory_bytes));
  if (request.registers > 0)
    loaded->kernels[program.launches.front().kernel].registers = request.registers;
  return Worker(machine, *loaded).estimate(program.launches, request);
}

std::string title_of(const std::string& path) {
  const auto text = file_text(path);
  if (!text) return "";
  const auto device = timing::parse_description_file(path, *text);
  return device ? device->title : "";
}

}  // namespace gpx::vgpu
