// Exam: the same experiments on a device and on its model, point by point.
//
// The error of a point is |modelled / measured - 1| of what the point observes: the median over its
// repetitions of a latency or a time. A family is an experiment. Covered by
// tests/twin/exam_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/device/vgpu/device_file.h"
#include "runtime/pipeline.h"

namespace gpx::twin {

struct ExamPoint {
  std::string family;  ///< "held_stride"
  std::string place;   ///< "s=128, measure=large"
  double measured = 0, modelled = 0;
  double error() const;
};

struct LeftOut {
  std::string family, why;
};

/// Of the errors of some points; nothing where there are none.
struct Errors {
  std::size_t points = 0;
  double mean = 0, median = 0, p90 = 0;
  double within = 0;  ///< Share of the points that are off by at most kClose.
  ExamPoint worst;
};
inline constexpr double kClose = 0.1;

struct Exam {
  std::vector<ExamPoint> points;  ///< In the order of the experiments.
  std::vector<LeftOut> left_out;  ///< Experiments that one of the two did not run.
};

/// A point of one run: its axes by name, "s=128, measure=large", and the median of its repetitions.
struct RunPoint {
  std::string place;
  double value = 0, low = 0, high = 0;
  bool is_time = false;  ///< Seconds, else clocks.
};
/// In the order of the sweep. `only`: the axes that count; empty: all.
std::vector<RunPoint> points_of(const Samples& samples, const std::vector<std::string>& only = {});
/// The same of any order of the axes: columns of a table stand in that of its first experiments.
std::string key_of(const std::string& place);

/// What the points of a run observe, by experiment; the model's experiments decide the order.
Exam compare(const RunResult& device, const RunResult& model);

Errors errors_of(const std::vector<ExamPoint>& points);
/// The points of each family, in order.
std::vector<std::vector<ExamPoint>> families_of(const Exam& exam);
/// The points that are furthest off, at most so many.
std::vector<ExamPoint> worst_of(const Exam& exam, std::size_t most);

/// Samples that `gpx run --csv` wrote, as a run: of each experiment its name and its samples. Later
/// experiments have their axes behind what the first ones observe, and derived columns are not told
/// from axes: compare() takes the axes of the model. Errors: no such table, with the line.
Result<RunResult> run_from_csv(const std::string& text, const std::string& name,
                               const std::string& device);

/// What a device file keeps of an exam: its errors, by family, and the worst points.
vgpu::FileRecord record_of(const Exam& exam, const std::string& device, const std::string& date,
                           const std::string& file);

/// The text of a device file with this record; one of the same device is replaced. An error where
/// the text is no file of gpx's form: `return {` ... `}`.
Result<std::string> with_record(const std::string& text,
                                const std::vector<vgpu::FileRecord>& earlier,
                                const vgpu::FileRecord& record);

}  // namespace gpx::twin
