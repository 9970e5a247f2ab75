// Causes: what the points rest on that a model misses by more than kFar.
//
// Each number of the device file is varied by kFactor, and the experiments of those points run
// again. The elasticity of a point by a number is ln(time ratio) / ln(kFactor): 1 where the time is
// proportional to it. Numbers of more than kMatters are what the point rests on. If the device's
// time would need a number outside the interval that its source states, or none matters, then no
// measured value is wrong: the model lacks a mechanism. Covered by tests/twin/causes_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/source.h"
#include "runtime/device/vgpu/device_file.h"
#include "runtime/paths.h"
#include "runtime/twin/exam.h"

namespace gpx::twin {

inline constexpr double kFar = 0.2;  ///< The least error that has a cause.
inline constexpr double kFactor = 1.25, kMatters = 0.1;

/// What a point rests on.
struct Rest {
  vgpu::FileValue value;  ///< Of a section op: all its rows, and no number.
  double elasticity = 0;
};

/// Points of a family that are off to the same side and rest on the same.
struct Cause {
  std::string family;
  std::vector<ExamPoint> points;
  std::vector<Rest> rests;   ///< The strongest first, at most three.
  std::string text() const;  ///< One line.
};

/// The causes of the points of `exam` that are off by more than kFar; `source` holds its
/// experiments, `file` is the device file. Numbers that the driver reports are not varied, nor are
/// those that make no device when varied.
std::vector<Cause> causes_of(const Paths& paths, const Exam& exam, const Source& source,
                             const std::string& file, const vgpu::FileContents& contents);

}  // namespace gpx::twin
