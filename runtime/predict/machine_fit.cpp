// Interface: machine_fit.h. Covered by tests/runtime/predict_test.cpp.
#include "runtime/predict/machine_fit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "codegen/compile/cache.h"
#include "codegen/files/files.h"
#include "lang/try.h"
#include "runtime/build_id.h"
#include "runtime/device/select.h"
#include "runtime/measure/samples.h"

namespace gpx {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  return file_text(path.string()).value_or("");
}

// ---- What is measured -------------------------------------------------------------------------

/// A virtual GPU is not made to wait for copies of more than such an L2: what is read after a flush
/// comes from memory however little it is. What a copy writes would stay in L2.
bool reads_only(const DeviceInfo& device) {
  return !device.measured && device.l2_bytes > std::uint64_t{5} << 20;
}

/// The smaller of two copies or reads, the other twice as large. Source and target of a copy are
/// more than L2 holds together; for a read each thread has four or eight words: by one or two the
/// ends of both launches, some 70 clocks apart, made the virtual h100 2 % faster than its memory.
std::uint64_t stream_bytes(const DeviceInfo& device) {
  const std::uint64_t least = std::uint64_t{device.measured ? 128u : 4u} << 20;
  if (reads_only(device)) return std::max(least, std::uint64_t{device.sm_count} << 17);
  return std::min(std::max(least, device.l2_bytes / 4 * 3), device.memory_bytes / 8) / 4096 * 4096;
}

std::uint32_t full_blocks(const DeviceInfo& device, unsigned threads) {
  return std::max(1u, device.max_threads_per_sm / threads) * device.sm_count;
}

std::string stream_text(const DeviceInfo& device, std::uint64_t bytes) {
  const unsigned threads = std::min(256u, device.max_threads_per_block);
  return fmt::format(
      "experiment bandwidth {{\n"
      "  kernel s from \"stream.cu\" entry {5}(out = buffer({0}B, zero), in = buffer({0}B, zero), "
      "count = {1})\n"
      "  threads {2}\n  blocks {3}\n  warmup 1\n  repeat {4}\n{6}  < run s >\n}}\n",
      bytes, bytes / 16, threads, full_blocks(device, threads), device.measured ? 5 : 1,
      reads_only(device) ? "read" : "copy", reads_only(device) ? "  flush\n" : "");
}

/// Of a micro-benchmark's loop. Many SMs of a virtual GPU have enough with fewer.
unsigned iterations_of(const DeviceInfo& device) {
  return device.measured || device.sm_count <= 32 ? 50 : 8;
}

/// Independent warps as many as SMs hold, so that the latency of none is seen.
std::string issue_text(const DeviceInfo& device) {
  const unsigned threads = std::min(192u, device.max_threads_per_block);
  return fmt::format(
      "experiment issue {{\n"
      "  kernel micro from \"micro.cu\" entry micro(out = buffer({0}B, zero), in = buffer(16KB, "
      "zero), benchmark = 1, pattern = 0, iterations = {1}, words = 4096)\n"
      "  threads {2}\n  blocks {3}\n  repeat {4} reduce min\n  < run micro >\n}}\n",
      std::uint64_t{4} * threads * full_blocks(device, threads), iterations_of(device), threads,
      full_blocks(device, threads), device.measured ? 5 : 1);
}

/// One block fills an SM with loads of shared memory. A virtual device takes the number of
/// registers from another's compiler, which may be more than it has.
std::string shared_text(const DeviceInfo& device) {
  return fmt::format(
      "experiment shared_accesses {{\n"
      "  kernel s from \"shared.cu\" entry shared(out = buffer(4KB, zero), iterations = "
      "iterations, "
      "stride = stride)\n"
      "  sweep iterations in [{0}, {1}], stride in [1, 32]\n"
      "  threads {2}\n  blocks 1\n{4}  repeat {3} reduce min\n  < run s >\n}}\n",
      device.measured ? 100 : 2, device.measured ? 500 : 4,
      std::min(1024u, device.max_threads_per_block), device.measured ? 5 : 1,
      device.measured ? "" : "  registers 8\n");
}

/// Two grids of empty blocks of each size. On a real GPU the larger one takes from some 30 µs to
/// some ms more, against which the grain of an event is little; a virtual one has no such grain.
std::string launch_text(const DeviceInfo& device) {
  std::string sizes;
  for (unsigned threads = 32; threads <= std::min(1024u, device.max_threads_per_block);
       threads *= 2)
    sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", threads);
  const unsigned few = device.measured ? 1u << 15 : 16 * device.sm_count;
  return fmt::format(
      "experiment launches {{\n"
      "  kernel l from \"launch.cu\" entry launch()\n"
      "  sweep size in [{0}], grid in [{1}, {2}]\n"
      "  threads size\n  blocks grid\n  repeat {3} reduce min\n  < run l >\n}}\n",
      sizes, few, device.measured ? 8 * few : 2 * few, device.measured ? 5 : 1);
}

constexpr unsigned kWords = 1u << 24;  // 64 MB: more than the caches of any GPU so far.

std::string fit_text(const DeviceInfo& device, double bandwidth, double issue) {
  const unsigned threads = std::min(192u, device.max_threads_per_block);
  const unsigned blocks = 2 * device.sm_count;
  const std::uint64_t words = std::min<std::uint64_t>(kWords, device.memory_bytes / 64);
  std::uint64_t rounded = 4096;
  while (rounded * 2 <= words) rounded *= 2;
  return fmt::format(
      "experiment fit {{\n"
      "  kernel micro from \"micro.cu\" entry micro(out = buffer({0}B, zero), in = buffer({1}B, "
      "zero), benchmark = benchmark, pattern = pattern, iterations = 50, words = {2})\n"
      "  kernel full from \"micro.cu\" entry micro(out = buffer({0}B, zero), in = buffer({1}B, "
      "zero), benchmark = benchmark, pattern = pattern, iterations = {8}, words = {2})\n"
      "  sweep benchmark 1..7, pattern 0..4\n  warmup 0\n  repeat {3} reduce min\n"
      "  measure latency {{ threads {7} < run micro > }}\n"
      "  measure throughput {{ threads {4}; blocks {5} < run full > }}\n"
      "  analyze mwp_cwp_fit(benchmark = benchmark, pattern = pattern, Mem_Bandwidth = {6}, "
      "Issue_cycles = {9})\n}}\n",
      4ull * threads * blocks, 4 * rounded, rounded, device.measured ? 5 : 1, threads, blocks,
      bandwidth, device.warp_size, iterations_of(device), issue);
}

Result<ExperimentResult> run(Session& session, const std::string& device, std::string text) {
  RunOptions options;
  options.device = device;
  auto result = GPX_TRY(session.run(Source("the fit of the machine", std::move(text)), options));
  if (result.experiments.front().failure)
    return tl::unexpected(*result.experiments.front().failure);
  return std::move(result.experiments.front());
}

/// Absent where the fit did not find it; `notes` then says why.
std::optional<double> number_of(const std::vector<Finding>& findings, const std::string& name,
                                std::vector<std::string>& notes) {
  const auto found = std::ranges::find(findings, name, &Finding::name);
  const auto* value = found == findings.end() ? nullptr : std::get_if<double>(&found->value);
  if (value && found->verdict == Verdict::measured) return *value;
  notes.push_back(fmt::format("{} was not found: {}", name,
                              found == findings.end() ? "the fit has no reason" : found->note));
  return std::nullopt;
}

Result<double> stream_seconds(Session& session, const std::string& device, const DeviceInfo& info,
                              std::uint64_t bytes) {
  auto streamed = GPX_TRY(run(session, device, stream_text(info, bytes)));
  return reduce_values(streamed.samples.find("time")->numbers, Reduce::median);
}

/// By how much longer the larger one takes: what caches keep of either, and what a launch takes, is
/// no bandwidth of the memory.
Result<double> bandwidth_of(Session& session, const std::string& device, const DeviceInfo& info) {
  const std::uint64_t bytes = stream_bytes(info);
  const auto less = stream_seconds(session, device, info, bytes);
  if (!less) return less;
  const auto more = stream_seconds(session, device, info, 2 * bytes);
  if (!more) return more;
  if (!(*more > *less))
    return fail(Fault::device,
                fmt::format("a copy of {} bytes takes no longer than one of {}: no bandwidth shows",
                            2 * bytes, bytes),
                "--machine Mem_Bandwidth=1e12 gives one in B/s");
  return (reads_only(info) ? 1.0 : 2.0) * static_cast<double>(bytes) / (*more - *less);
}

/// Clocks of an instruction of a warp where its SM has others to issue.
Result<double> issue_cycles_of(Session& session, const std::string& device,
                               const DeviceInfo& info) {
  auto ran = GPX_TRY(run(session, device, issue_text(info)));
  const auto at = [&](const char* name) {
    return reduce_values(ran.samples.find(name)->numbers, Reduce::min);
  };
  const double warps = at("warps_per_block") * std::ceil(at("blocks") / at("active_sms"));
  return at("clocks") / (warps * (at("comp_insts") + at("coal_mem_insts")));
}

/// Clocks that one more of `count` takes, from the fewest to the most, where `axis` has `value`. 0:
/// it has not two of them.
double clocks_more(const Samples& samples, const char* count, const char* axis, double value) {
  const auto& counts = samples.find(count)->numbers;
  const auto& values = samples.find(axis)->numbers;
  const auto& clocks = samples.find("clocks")->numbers;
  std::map<double, double> least;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    if (values[i] != value || !std::isfinite(clocks[i])) continue;
    const auto [at, is_new] = least.try_emplace(counts[i], clocks[i]);
    if (!is_new) at->second = std::min(at->second, clocks[i]);
  }
  if (least.size() < 2) return 0;
  const auto &few = *least.begin(), &many = *least.rbegin();
  return (many.second - few.second) / (many.first - few.first);
}

/// Clocks of an SM for an access of shared memory without and with a pass for each lane: what more
/// passes of the loop add.
Result<void> fit_shared(Session& session, const std::string& device, const DeviceInfo& info,
                        MachineParameters& machine) {
  constexpr double kLoads = 64;  // of a warp's pass of the loop
  auto ran = GPX_TRY(run(session, device, shared_text(info)));
  const double loads = kLoads * ran.samples.find("warps_per_block")->numbers.front();
  const auto of_access = [&](double stride) {
    return clocks_more(ran.samples, "iterations", "stride", stride) / loads;
  };
  const double access = of_access(1), apart = of_access(32);
  if (!(access > 0)) return {};
  // Of two half-warps 15 lanes each wait for another (compute capability 1.x), of a warp 31.
  const double more = info.sm_major < 2 ? 30 : 31;
  machine.shared_access = access;
  machine.shared_conflict = std::max(0.0, apart - access) / more;
  return {};
}

/// Clocks of an empty block of each size: what the blocks of the larger grid add.
Result<void> fit_launch(Session& session, const std::string& device, const DeviceInfo& info,
                        MachineParameters& machine) {
  auto ran = GPX_TRY(run(session, device, launch_text(info)));
  std::set<double> sizes;
  for (const double threads : ran.samples.find("size")->numbers) sizes.insert(threads);
  for (const double threads : sizes) {
    const double clocks = clocks_more(ran.samples, "grid", "size", threads);
    if (clocks > 0) machine.launch.push_back({static_cast<std::uint32_t>(threads), clocks});
  }
  return {};
}

Result<MachineParameters> measure_machine(Session& session, const std::string& device,
                                          const DeviceInfo& info) {
  const auto bandwidth = GPX_TRY(bandwidth_of(session, device, info));
  MachineParameters machine;
  machine.bandwidth = bandwidth;
  const auto issue = GPX_TRY(issue_cycles_of(session, device, info));
  machine.issue_cycles = issue;
  GPX_TRY(fit_shared(session, device, info, machine));
  GPX_TRY(fit_launch(session, device, info, machine));
  auto fitted =
      GPX_TRY(run(session, device, fit_text(info, machine.bandwidth, machine.issue_cycles)));
  const auto get = [&](const char* name) {
    return number_of(fitted.findings, name, machine.notes);
  };
  const auto latency = get("model.mem_ld");
  if (!latency)
    return fail(
        Fault::device,
        fmt::format("the model cannot be fitted to '{}': {}", info.name, machine.notes.front()),
        "--machine Mem_LD=420 and the like give parameters");
  machine.mem_ld = *latency;
  machine.departure_uncoal = get("model.departure_uncoal").value_or(0);
  machine.departure_coal = get("model.departure_coal").value_or(0);
  machine.error = get("model.error.micro").value_or(0);
  machine.worst_error = get("model.error.worst").value_or(0);
  std::vector<std::string> ignored;  // no parameter of the model
  machine.instruction_latency =
      number_of(fitted.findings, "model.instruction_latency", ignored).value_or(0);
  machine.origin = "fitted now";
  return machine;
}

// ---- What is kept -----------------------------------------------------------------------------

constexpr const char* kMagic = "gpx machine 6";

std::string path_of(const Session& session, const std::string& device, const DeviceInfo& info) {
  const std::string folder = codegen::ArtifactCache::from_environment().folder();
  const auto resolved = resolve_device(device, {}, session.paths());
  if (folder.empty() || !resolved) return {};
  // Another description of a virtual device is another device, and another model of it, too.
  const fs::path stdlib = session.paths().stdlib;
  const std::string what = stream_text(info, stream_bytes(info)) + issue_text(info) +
                           shared_text(info) + launch_text(info) + fit_text(info, 0, 0);
  const std::string hash = codegen::content_hash(
      {kMagic, what, GPX_VERSION, std::string(build_id()), info.name, info.uuid, info.driver,
       text_of(*resolved), text_of(stdlib / "kernels" / "micro.cu"),
       text_of(stdlib / "kernels" / "shared.cu"), text_of(stdlib / "kernels" / "launch.cu"),
       text_of(stdlib / "kernels" / "stream.cu"),
       text_of(stdlib / "analysis" / "mwp_cwp_fit.lua")});
  return folder + "/" + hash + ".machine";
}

std::optional<MachineParameters> read_stored(const std::string& path) {
  std::istringstream in(text_of(path));
  std::string magic;
  if (path.empty() || !std::getline(in, magic) || magic != kMagic) return std::nullopt;
  MachineParameters m;
  if (!(in >> m.mem_ld >> m.departure_uncoal >> m.departure_coal >> m.issue_cycles >> m.bandwidth >>
        m.error >> m.worst_error >> m.instruction_latency >> m.shared_access >> m.shared_conflict))
    return std::nullopt;
  std::size_t sizes = 0;
  if (!(in >> sizes)) return std::nullopt;
  for (LaunchInterval each; sizes > 0 && in >> each.threads >> each.clocks; --sizes)
    m.launch.push_back(each);
  if (sizes > 0) return std::nullopt;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) m.notes.push_back(line);
  m.origin = "fitted earlier";
  return m;
}

/// What cannot be stored is fitted again the next time.
void store(const std::string& path, const MachineParameters& m) {
  if (path.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    out << fmt::format("{}\n{} {} {} {} {} {} {} {} {} {}\n", kMagic, m.mem_ld, m.departure_uncoal,
                       m.departure_coal, m.issue_cycles, m.bandwidth, m.error, m.worst_error,
                       m.instruction_latency, m.shared_access, m.shared_conflict);
    out << m.launch.size();
    for (const LaunchInterval& each : m.launch)
      out << fmt::format(" {} {}", each.threads, each.clocks);
    out << '\n';
    for (const std::string& note : m.notes) out << note << '\n';
    if (!out) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) fs::rename(temporary, path, error);
  if (error) fs::remove(temporary, error);
}

}  // namespace

double launch_interval(const MachineParameters& machine, std::uint64_t threads) {
  if (machine.launch.empty()) return 0;
  const auto above =
      std::ranges::lower_bound(machine.launch, threads, {}, &LaunchInterval::threads);
  if (above == machine.launch.begin()) return above->clocks;
  const LaunchInterval& below = *std::prev(above);
  if (above == machine.launch.end()) return below.clocks;
  const double part =
      static_cast<double>(threads - below.threads) / (above->threads - below.threads);
  return below.clocks + part * (above->clocks - below.clocks);
}

Result<MachineParameters> machine_parameters(Session& session, const std::string& device, bool anew,
                                             const std::function<void()>& on_fit) {
  auto backend = GPX_TRY(session.open(device));
  const DeviceInfo info = backend->info();
  const std::string path = path_of(session, device, info);
  if (!anew)
    if (auto stored = read_stored(path)) return std::move(*stored);
  if (on_fit) on_fit();
  auto measured = measure_machine(session, device, info);
  if (measured) store(path, *measured);
  return measured;
}

}  // namespace gpx
