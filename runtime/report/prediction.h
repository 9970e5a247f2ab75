// A prediction for people and for programs. Covered by tests/cli/predict_command_test.cpp.
#pragma once

#include <string>

#include "runtime/predict/predict.h"
#include "runtime/report/style.h"

namespace gpx::report {

/// What stands in place of a ratio to a launch that took no time.
inline constexpr const char* kNoTime = "the launch took no time to compare the prediction with";

std::string prediction_text(const Prediction& prediction, const Style& style);

/// A page of a simulation: its stack of clocks, the source beside the instructions, what would
/// change it, a roofline, counters. Of the model of 2009 the text.
std::string prediction_html(const Prediction& prediction);

/// {"schema":1,"gpx":…,"prediction":{"device","kernel","counts","occupancy","predictor",
/// "simulation","machine","model","what_if","measured"}}: numbers in base units, null where not
/// known. Of "simulation", "machine" and "model" those are null that are not of the predictor.
std::string prediction_json(const Prediction& prediction);

}  // namespace gpx::report
