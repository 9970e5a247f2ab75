// Samples: the table that an experiment measures, and what an analysis starts from.
//
// One row for each repetition of each point (and each record of it): the axes' values, `repetition`
// (from 0), the record's keys, then what was observed. Covered by tests/runtime/samples_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lang/experiment.h"
#include "lang/value.h"
#include "runtime/measure/interval.h"

namespace gpx {

struct Column {
  enum class Role {
    axis,  ///< Of the sweep; also `measure`, the measure's name, where there are several.
    repetition,
    record,    ///< Tells the rows of one launch apart: block, thread, stamp, access.
    observed,  ///< NaN (text: "") where a measure does not observe it.
    interval,  ///< Of reduced samples: an end of an observed column's interval, or `reached`.
  };
  std::string name;
  Unit unit = Unit::none;
  Role role = Role::axis;
  bool is_text = false;
  std::vector<double> numbers;     ///< Where !is_text; one a row.
  std::vector<std::string> texts;  ///< Where is_text; one a row.
};

std::string_view to_string(Column::Role role);  ///< "axis", "repetition", "record", ...

struct Samples {
  std::vector<Column> columns;

  std::size_t rows() const;
  const Column* find(std::string_view name) const;  ///< nullptr if there is none.
};

/// A number that each repetition measures anew: observed or derived, neither a place nor what
/// describes a launch (lang/vocabulary.h).
bool is_measured(const Column& column);

/// For each row of reduced samples the rows that it stands for.
std::vector<std::vector<std::size_t>> reduced_rows(const Samples& samples);
/// The axes of a row: "n=2, threads=64"; "" without axes.
std::string place_text(const Samples& samples, std::size_t row);

/// The interval of the repetitions of one row.
using IntervalOf = std::function<Interval(std::vector<double> values)>;

/// One row for each point and record of it: the observed columns reduced over their repetitions.
/// Numbers that were not observed (NaN) do not count; texts that differ are listed: "completed or
/// deadlock". Rows keep the sweep's order. With `interval` more columns follow: `repetitions`, how
/// many a row stands for, and NAME_low and NAME_high for each column that is measured.
Samples reduce(const Samples& samples, Reduce how, const IntervalOf& interval = {});
/// The interval of a row of reduced samples; both NaN where the column has none.
Interval interval_at(const Samples& reduced, const Column& column, std::size_t row);
constexpr const char* kNeighbourVariance = "neighbour_variance";
/// Adds the column kNeighbourVariance of `y` (section 3.2 of lashgar2015: the unbiased sample
/// variance of a point and its two neighbours along `x`, within equal values of the other axes and
/// record keys; NaN where a neighbour is missing).
Samples with_neighbour_variance(Samples reduced, const std::string& x, const std::string& y);

/// The reduction of a few repetitions. The harmonic mean is n / sum(1 / v).
double reduce_values(const std::vector<double>& values, Reduce how);

/// CSV: a header row, numbers in base units with all digits needed to read them back.
std::string to_csv(const Samples& samples);

}  // namespace gpx
