// Helpers to test an analysis on samples that are made here: a table with any columns, one
// statement, its findings by name.
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/analysis/analysis.h"

namespace gpx::testing {

inline constexpr double kNull = std::numeric_limits<double>::quiet_NaN();

using Cell = std::variant<double, std::string>;

inline Column number_column(const std::string& name, Column::Role role, Unit unit = Unit::none) {
  return {name, unit, role, false, {}, {}};
}
inline Column text_column(const std::string& name, Column::Role role) {
  return {name, Unit::none, role, true, {}, {}};
}

inline void add_cells(Samples& samples, const std::vector<Cell>& cells) {
  REQUIRE(cells.size() == samples.columns.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Column& column = samples.columns[i];
    if (column.is_text) column.texts.push_back(std::get<std::string>(cells[i]));
    if (!column.is_text) column.numbers.push_back(std::get<double>(cells[i]));
  }
}

/// `analyze METHOD(...)`: `axes` are arguments that name a column, `values` the others.
inline Experiment statement(const std::string& method,
                            const std::vector<std::pair<std::string, std::string>>& axes,
                            const std::vector<std::pair<std::string, Value>>& values = {}) {
  Analyze analyze;
  analyze.method = method;
  for (const auto& [name, axis] : axes) analyze.args.push_back({name, true, axis});
  for (const auto& [name, value] : values) analyze.args.push_back({name, false, value});
  Experiment experiment;
  experiment.analyses = {analyze};
  return experiment;
}

inline DeviceInfo device_of(std::uint32_t sms) {
  DeviceInfo device;
  device.name = "planted";
  device.sm_count = sms;
  device.warp_size = 32;
  return device;
}

class Findings {
 public:
  Findings(const Experiment& experiment, const Samples& samples,
           const DeviceInfo& device = device_of(1)) {
    auto result = analyze(experiment, samples, device, {GPX_SOURCE_DIR "/stdlib", ""});
    if (!result) FAIL(render(result.error()));
    findings_ = result->findings;
  }

  const Finding* find(const std::string& name) const {
    for (const Finding& finding : findings_)
      if (finding.name == name) return &finding;
    return nullptr;
  }
  const Finding& operator[](const std::string& name) const {
    const Finding* finding = find(name);
    REQUIRE_MESSAGE(finding, "no finding " << name);
    return *finding;
  }
  bool measured(const std::string& name) const {
    return (*this)[name].verdict == Verdict::measured;
  }
  double number(const std::string& name) const {
    REQUIRE_MESSAGE(measured(name), name << ": " << (*this)[name].note);
    return std::get<double>((*this)[name].value);
  }
  std::string text(const std::string& name) const {
    REQUIRE_MESSAGE(measured(name), name << ": " << (*this)[name].note);
    return std::get<std::string>((*this)[name].value);
  }
  bool truth(const std::string& name) const {
    REQUIRE_MESSAGE(measured(name), name << ": " << (*this)[name].note);
    return std::get<bool>((*this)[name].value);
  }
  /// Whether the interval of a number holds the truth.
  bool holds(const std::string& name, double truth) const {
    const Finding& finding = (*this)[name];
    return (!finding.low || *finding.low <= truth) && (!finding.high || truth <= *finding.high);
  }
  const std::vector<Finding>& all() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

/// The message with which the analysis refuses its arguments or samples.
inline std::string refusal(const Experiment& experiment, const Samples& samples) {
  auto result = analyze(experiment, samples, device_of(1), {GPX_SOURCE_DIR "/stdlib", ""});
  REQUIRE_FALSE(result.has_value());
  return render(result.error());
}

}  // namespace gpx::testing
