// Predictor: what says how long a launch takes. `simulation` runs a part of it on a modelled GPU
// (runtime/device/vgpu/estimate.h), for devices with caches; `mwp_cwp` evaluates the model of 2009,
// which has none. Covered by tests/runtime/predict_test.cpp and simulation_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/predict/predict.h"

namespace gpx {

/// A launch that is predicted, with what was found out about it.
struct Predicted {
  Session& session;
  const PredictRequest& request;
  Backend& model;                    ///< A modelled GPU, or the device itself.
  const LoweredMeasure& kernel;      ///< All launches of the sequence; the first is predicted.
  std::vector<double> earlier_work;  ///< Of a block of each of the others: estimate.h.
};

class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual const char* name() const = 0;
  /// Fills in the time, what bounds it, and what the predictor alone knows. `out` has the device,
  /// the launch and its facts. Errors: a machine that cannot be fitted; a trap, at its line.
  virtual Result<void> predict(const Predicted& launch, Prediction& out) const = 0;
};

/// What --model may name.
inline constexpr const char* kMwpCwp = "mwp_cwp";
inline constexpr const char* kSimulation = "simulation";

/// The one of that name; "": `simulation` where the device has caches and `model` is one.
/// Errors: there is no such name, or none that the device can be predicted by.
Result<std::unique_ptr<Predictor>> predictor_of(const std::string& name, const Backend& model);

/// What a block of a counted launch takes an estimate: vgpu::EstimateRequest::block_work.
double work_of_block(const LaunchFacts& facts);

std::unique_ptr<Predictor> mwp_cwp_predictor();
std::unique_ptr<Predictor> simulation_predictor();

/// The modelled GPU that stands for a real one: `twin`, else the device of the library whose title
/// begins with the name that the driver reports; "": there is none. Of a modelled GPU itself.
Result<std::string> model_device(const DeviceInfo& device, const std::string& resolved,
                                 const std::string& twin, const Paths& paths);

}  // namespace gpx
