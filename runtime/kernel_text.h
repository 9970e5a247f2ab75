// KernelText: what a result keeps of its compiled kernels, for people to read.
// Covered by tests/runtime/pipeline_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "runtime/measure/sample_table.h"

namespace gpx {

/// One compiled kernel.
struct KernelText {
  std::string measure;  ///< Its name; empty where the experiment has one measure.
  std::string point;    ///< The first point that launches it: "n=2, threads=32".
  std::string cuda;
  std::string listing;  ///< Its timed region.
  std::string form;     ///< Of the listing: "PTX" or "SASS".
};

/// A point of a sweep: "n=2, threads=32".
std::string point_text(const Sweep& sweep, std::uint64_t point);

/// The first generated kernels of all measures: enough to read, not all of a sweep.
std::vector<KernelText> kernel_texts(const Experiment& experiment,
                                     std::span<const LoweredMeasure> measures);

}  // namespace gpx
