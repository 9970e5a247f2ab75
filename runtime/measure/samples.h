// Samples: the table that an experiment measures, and what an analysis starts from.
//
// One row for each repetition of each point (and each record of it): the axes' values, `repetition`
// (from 0), the record's keys, then what was observed. Covered by tests/runtime/samples_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "lang/experiment.h"
#include "lang/value.h"

namespace gpx {

struct Column {
  enum class Role {
    axis,  ///< Of the sweep; also `measure`, the measure's name, where there are several.
    repetition,
    record,    ///< Tells the rows of one launch apart: block, thread, stamp, access.
    observed,  ///< NaN (text: "") where a measure does not observe it.
  };
  std::string name;
  Unit unit = Unit::none;
  Role role = Role::axis;
  bool is_text = false;
  std::vector<double> numbers;     ///< Where !is_text; one a row.
  std::vector<std::string> texts;  ///< Where is_text; one a row.
};

std::string_view to_string(Column::Role role);  ///< "axis", "repetition", "record", "observed".

struct Samples {
  std::vector<Column> columns;

  std::size_t rows() const;
  const Column* find(std::string_view name) const;  ///< nullptr if there is none.
};

/// One row for each point and record of it: the observed columns reduced over their repetitions.
/// Numbers that were not observed (NaN) do not count; texts that differ are listed: "completed or
/// deadlock". Rows keep the sweep's order.
Samples reduce(const Samples& samples, Reduce how);
/// Adds a column "variance" of `y` (section 3.2 of lashgar2015: the unbiased sample variance of a
/// point and its two neighbours along `x`, within equal values of the other axes and record keys;
/// NaN where a neighbour is missing).
Samples with_variance(Samples reduced, const std::string& x, const std::string& y);

/// The reduction of a few repetitions. The harmonic mean is n / sum(1 / v).
double reduce_values(const std::vector<double>& values, Reduce how);

/// A text as a cell of CSV, quoted where it must be. A spreadsheet takes a cell that begins with =,
/// +, -, @, a tab or a carriage return for a formula, which may run a program: ' is put before it.
std::string csv_text(const std::string& text);

/// CSV: a header row, numbers in base units with all digits needed to read them back.
std::string to_csv(const Samples& samples);

}  // namespace gpx
