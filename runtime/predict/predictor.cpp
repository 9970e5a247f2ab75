// Interface: predictor.h. Covered by tests/runtime/simulation_test.cpp.
#include "runtime/predict/predictor.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>

#include "lang/stop.h"
#include "lang/try.h"
#include "runtime/device/select.h"
#include "runtime/device/vgpu/counts/footprint.h"
#include "runtime/predict/simulation.h"
#include "runtime/predict/what_if.h"

namespace gpx {
namespace {

class SimulationPredictor final : public Predictor {
 public:
  const char* name() const override { return kSimulation; }
  Result<void> predict(const Predicted& launch, Prediction& out) const override;
};

/// Blocks of which none executes this many times what the others do are alike.
constexpr double kAlike = 1.1;
constexpr double kWorkOfSector = 2;  ///< It takes the host as long as so many instructions.

/// Counted once, however many times the launch is simulated.
auto footprint_for(const Predicted& launch) {
  auto known = std::make_shared<std::optional<vgpu::Footprint>>();
  return [known, &kernel = launch.kernel](vgpu::FootprintOptions options) {
    if (*known) return **known;
    known->emplace();
    options.stop = StopScope::flag();
    const codegen::Launch& of = kernel.program.launches.front();
    if (const auto counter = vgpu::KernelCounter::make(kernel.artifacts[of.kernel]))
      **known = vgpu::footprint_of(*counter, of, options);
    return **known;
  };
}

/// Likewise, of each launch.
auto reach_for(const Predicted& launch) {
  auto known = std::make_shared<std::map<std::size_t, std::vector<vgpu::Reach>>>();
  return [known, &kernel = launch.kernel](std::size_t number, std::uint64_t line) {
    if (const auto found = known->find(number); found != known->end()) return found->second;
    const codegen::Launch& of = kernel.program.launches[number];
    std::vector<vgpu::Reach>& reach = (*known)[number];
    if (const auto counter = vgpu::KernelCounter::make(kernel.artifacts[of.kernel]))
      reach = vgpu::reach_of(*counter, of, {.line = line, .stop = StopScope::flag()});
    return reach;
  };
}

vgpu::EstimateRequest request_of(const Predicted& launch, const Prediction& out) {
  const vgpu::KernelCounts& c = out.facts.counts;
  vgpu::EstimateRequest request;
  request.definition = launch.model.definition();
  request.block_work = work_of_block(out.facts);
  request.earlier_work = launch.earlier_work;
  request.reach = reach_for(launch);
  request.executed = c.executed;
  request.alike = !c.awaits && c.blocks_executed == c.blocks && c.largest <= kAlike;
  request.rereads = c.rereads;
  request.whole = launch.request.all_blocks;
  request.profile = true;
  request.footprint = footprint_for(launch);
  return request;
}

Result<void> SimulationPredictor::predict(const Predicted& launch, Prediction& out) const {
  const LoweredMeasure& kernel = launch.kernel;
  const vgpu::EstimateRequest request = request_of(launch, out);
  const auto estimate = vgpu::estimate(request, kernel.program, kernel.artifacts);
  if (!estimate) return tl::unexpected(in_kernel_file(estimate.error(), kernel));
  out.simulation = simulation_of(*estimate, launch.model.info(), kernel);
  out.seconds = estimate->seconds();
  out.bound = reason_of(*out.simulation);
  const auto errors = GPX_TRY(read_errors(launch.session.paths().stdlib));
  out.interval = interval_of(errors, launch.model.info().name);
  if (!launch.request.what_if) return {};
  return what_if(launch, request, out);
}

/// Caches of global memory are those of compute capability 2.0 and later.
bool has_caches(const DeviceInfo& device) {
  return device.sm_major >= 2 && device.l2_bytes > 0;
}

}  // namespace

double work_of_block(const LaunchFacts& facts) {
  const vgpu::KernelCounts& c = facts.counts;
  const double sectors = c.memory() * c.bytes_per_access / kSectorBytes;
  return (c.computation + c.memory() + c.folded + kWorkOfSector * sectors) *
         facts.occupancy.warps_per_block;
}

std::unique_ptr<Predictor> simulation_predictor() {
  return std::make_unique<SimulationPredictor>();
}

Result<std::unique_ptr<Predictor>> predictor_of(const std::string& name, const Backend& model) {
  const bool modelled = !model.definition().empty();
  if (name == kMwpCwp) return mwp_cwp_predictor();
  if (name == kSimulation && modelled) return simulation_predictor();
  if (name == kSimulation)
    return fail(
        Fault::input,
        fmt::format("no device of the library stands for '{}', so that it cannot be simulated",
                    model.info().name),
        "--twin FILE names a device file that describes it; --model mwp_cwp needs none");
  if (!name.empty())
    return fail(Fault::input, fmt::format("--model {}: there are mwp_cwp and simulation", name));
  return modelled && has_caches(model.info()) ? simulation_predictor() : mwp_cwp_predictor();
}

Result<std::string> model_device(const DeviceInfo& device, const std::string& resolved,
                                 const std::string& twin, const Paths& paths) {
  if (!twin.empty()) return resolve_device(twin, "", paths);
  if (!device.measured) return resolved;
  for (const std::string& name : virtual_devices(paths)) {
    auto path = resolve_device(name, "", paths);
    const std::string title = path ? vgpu::title_of(*path) : "";
    if (!title.empty() && title.starts_with(device.name)) return path;
  }
  return std::string();
}

}  // namespace gpx
