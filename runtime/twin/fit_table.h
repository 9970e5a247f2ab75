// Rows of stdlib/twin/fits.lua, and lines of a device file that a fit rewrites. Covered by
// tests/twin/fit_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/diagnostic.h"
#include "runtime/paths.h"

namespace gpx::twin {

struct FitField {
  std::string path;                ///< "store_buffer.queue"
  std::string unit;                ///< clocks, us, "" (a number), count, B, word
  std::vector<std::string> tries;  ///< As the file has them; "=l2.latency": another field's value.
  double least = 0, most = 0;
  double step = 0, grain = 0;  ///< The first step and the last one; 0: tries alone.
  bool within = false;         ///< The interval that its finding states bounds it.
};

struct FitRuns {
  std::string file;  ///< Of experiments/
  std::vector<std::string> experiments;
  std::vector<std::string> measures;  ///< Of the experiments; empty: all.
  std::vector<std::string> without;   ///< Parts of the file's text that are left out: slow points.
};

struct FitRow {
  std::string name;
  std::vector<FitRuns> runs;
  std::vector<FitField> fields;
};

Result<std::vector<FitRow>> fit_rows(const Paths& paths);

/// A value as a device file has it: "\"3.5 clocks\"" or "22".
std::string value_text(const std::string& unit, double value);
/// The number of such a text, bytes in B.
std::optional<double> number_of(const std::string& value);

/// The interval of a note: 22528 and 38912 of "source = \"inst.l1.capacity 22528 B (22528 to
/// 38912); ...". nullopt: it states none.
std::optional<std::pair<double, double>> interval_in(const std::string& note);

/// The value of `section.field`, or of a field of the device, in a draft's text, and
/// `source = ...` or `assumed = ...` of it.
std::optional<std::string> value_in(const std::string& text, const std::string& path);
std::optional<std::string> note_in(const std::string& text, const std::string& path);

/// The text of a draft where `section.field` is VALUE with the note: the line of the field is
/// replaced, or added to its section, which is added where there is none.
std::string with_value(const std::string& text, const std::string& path, const std::string& value,
                       const std::string& note);

}  // namespace gpx::twin
