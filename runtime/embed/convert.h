// The library's own types as those of its public interface. Covered by tests/embed/embed_test.cpp.
#pragma once

#define GPX_LIBRARY
#include "lang/language.h"
#include "runtime/embed/gpx/gpx.h"
#include "runtime/pipeline.h"

namespace gpx::embed {

v1::Error convert(const Error& error);
v1::Experiment convert(const Experiment& experiment);
v1::Samples convert(Samples&& samples);
v1::Finding convert(const Finding& finding);
v1::Device convert(const DeviceInfo& device);
v1::Outcome convert(ExperimentResult&& result);

std::vector<Setting> settings_of(const std::vector<v1::Setting>& settings);

}  // namespace gpx::embed
